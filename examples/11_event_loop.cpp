// A host with an event loop of its own needs no thread for the watchdog: it asks when there is something to do, and is
// woken when a report cannot wait until then. The loop of this one jumps through time.
#include <cstdio>
#include <optional>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

namespace {

/// Stands for your loop: a timer, and a way to be woken before it fires.
struct Loop {
    heeler::ManualClock clock;
    bool woken = false;

    void wait_until(std::optional<heeler::Elapsed> moment) {
        if (!woken && moment && *moment > clock.now().elapsed) clock.advance(*moment - clock.now().elapsed);
        woken = false;
    }
};

}  // namespace

int main() {
    Loop loop;
    const auto began = loop.clock.now().elapsed;
    heeler::Watchdog dog{loop.clock, heeler::MemoryStore{}, heeler::RecordingNotifier{}};
    dog.wake_with([&] { loop.woken = true; });
    const auto run = dog.start({.name = "nightly-refactor"}, heeler::presets::long_run());
    if (!run) return 1;
    heeler::Status shown = heeler::Status::healthy;
    while (loop.clock.now().elapsed - began < std::chrono::hours{1}) {
        if (!dog.cycle().ok()) return 1;
        const auto status = dog.status(*run);
        if (status && *status != shown) {
            const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(loop.clock.now().elapsed - began);
            std::printf("minute %lld: %s\n", static_cast<long long>(minutes.count()), name_of(*status).data());
            shown = *status;
        }
        loop.wait_until(dog.next_deadline());
    }
}
