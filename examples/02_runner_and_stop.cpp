// A Runner has a thread for cycles and one for deliveries, until a stop token or its end stops it. The run is bound to
// its scope: however that is left, the run is over.
#include <cstdio>
#include <stop_token>
#include <thread>

#include <heeler/heeler.hpp>

namespace {

template <class Dog>
bool work(Dog& dog, std::stop_source& stop) {
    const auto run = dog.scoped({.name = "nightly-refactor"}, heeler::presets::recommended());
    if (!run) return false;
    const heeler::Runner runner{dog, stop.get_token()};
    std::jthread agent{[&] {  // any thread may report
        for (int step = 1; step <= 3; ++step) dog.observe(*run, heeler::Output{"step done\n"});
        stop.request_stop();  // as a signal handler's thread would
    }};
    while (!stop.stop_requested()) std::this_thread::yield();
    return true;
}  // the agent is joined, the runner's threads end, then the run: cancelled, for nobody finished it

}  // namespace

int main() {
    std::stop_source stop;
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    if (!work(dog, stop) || !dog.flush()) return 1;
    const auto report = dog.report("nightly-refactor");
    if (!report) return 1;
    std::printf("%s: %s\n", report->run.c_str(), report->final_status.c_str());
}
