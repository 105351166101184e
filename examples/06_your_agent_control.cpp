// An agent control of your own: what the watchdog may do to agents. It has the verbs that you can carry out; actions
// whose verb is missing are never tried.
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

namespace {

/// An agent that reads a queue.
struct QueueControl {
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest& request) {
        const std::string first{request.text.substr(0, request.text.find('\n'))};
        std::printf("to %s: %s\n", std::string{request.run}.c_str(), first.c_str());
        return heeler::ActionDone{.note = "queued"};
    }
    /// After a crash: was the action with this key carried out?
    heeler::Result<heeler::Found> find(std::string_view) { return heeler::Found::absent; }
};

}  // namespace

int main() {
    heeler::ManualClock clock;
    QueueControl agents;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, heeler::RecordingNotifier{}};
    if (!dog.attach(agents)) return 1;
    const auto run =
        dog.start({.name = "nightly-refactor", .task = "Make the tests pass"}, heeler::presets::recommended());
    if (!run) return 1;
    for (int minute = 0; minute < 30; ++minute) {  // it lives, and does nothing
        dog.observe(*run, heeler::Heartbeat{});
        if (!dog.cycle().ok()) return 1;
        clock.advance(std::chrono::minutes{1});
    }
}
