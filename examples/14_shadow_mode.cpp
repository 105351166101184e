// Shadow mode: everything is judged, decided and recorded, and nothing is touched and nobody told. So a watchdog is
// tried on real work before it is trusted with it.
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>

int main() {
    for (const heeler::Mode mode : {heeler::Mode::shadow, heeler::Mode::active}) {
        heeler::ManualClock clock;
        heeler::RecordingNotifier people;
        heeler::ScriptedControl agents;  // keeps what it is asked for
        heeler::Watchdog dog{clock, heeler::MemoryStore{}, people};
        if (!dog.attach(agents)) return 1;
        heeler::RunClass rules = heeler::presets::long_run();
        rules.mode = mode;
        const auto run = dog.start({.name = "nightly-refactor"}, rules);
        if (!run) return 1;
        for (int minute = 0; minute < 60; ++minute) {  // it lives, and does nothing
            dog.observe(*run, heeler::Heartbeat{});
            if (!dog.cycle().ok()) return 1;
            clock.advance(std::chrono::minutes{1});
        }
        const auto report = dog.report("nightly-refactor");
        if (!report) return 1;
        std::printf("%s: %zu interventions on record, agent asked: %s, people told: %s\n",
                    mode == heeler::Mode::shadow ? "shadow" : "active", report->interventions.size(),
                    agents.requests().empty() ? "no" : "yes", people.sent().empty() ? "no" : "yes");
    }
}
