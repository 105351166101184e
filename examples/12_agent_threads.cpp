// A pool of threads that play agents: each reports its own run, none waits for another or for the store. The watchdog
// is told of the end of each.
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <heeler/heeler.hpp>

int main() {
    constexpr int agents = 8;
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    if (!dog.define(heeler::presets::recommended())) return 1;
    {
        const heeler::Runner runner{dog};
        std::vector<std::jthread> pool;
        for (int number = 0; number < agents; ++number)
            pool.emplace_back([&dog, number] {
                const auto run = dog.start({.name = "agent-" + std::to_string(number)}, "recommended");
                if (!run) return;
                for (int step = 1; step <= 100; ++step)
                    dog.observe(*run, heeler::Output{"step " + std::to_string(step) + "\n"});
                // One of them does not make it.
                static_cast<void>(dog.finish(*run, number == 3 ? heeler::RunEnd::failed : heeler::RunEnd::completed));
            });
    }
    for (int number = 0; number < agents; ++number) {
        const auto report = dog.report("agent-" + std::to_string(number));
        if (!report) return 1;
        std::printf("%s: %s\n", report->run.c_str(), report->final_status.c_str());
    }
}
