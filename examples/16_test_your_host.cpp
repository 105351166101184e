// How to test a host: the clock moves when the test says so, alerts are kept instead of being sent, and the agent is a
// script. So an hour takes no time and every run of the test is the same. Any test framework will do; this one is an
// if.
#include <cstdio>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/testing/scripted_control.hpp>

namespace {

/// The code under test: your host, with the watchdog that it is given.
template <class Dog>
struct Host {
    Dog& dog;
    heeler::RunHandle run;

    void agent_printed(std::string_view text) { dog.observe(run, heeler::Output{text}); }
    void timer_fired() { static_cast<void>(dog.cycle()); }
};

bool check(bool good, const char* what) {
    std::printf("%s: %s\n", good ? "passed" : "FAILED", what);
    return good;
}

}  // namespace

int main() {
    heeler::ManualClock clock;
    heeler::RecordingNotifier people;
    heeler::ScriptedControl agent;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, people};
    if (!dog.attach(agent)) return 1;
    const auto run = dog.start({.name = "nightly-refactor"}, heeler::presets::long_run());
    if (!run) return 1;
    Host<decltype(dog)> host{dog, *run};
    const auto minutes = [&](int count, std::string_view each) {
        for (int i = 0; i < count; ++i) {
            host.agent_printed(std::string{each} + (each.empty() ? "" : std::to_string(i) + "\n"));
            host.timer_fired();
            clock.advance(std::chrono::minutes{1});
        }
    };
    bool good = true;
    minutes(60, "wrote chapter ");
    good &= check(agent.requests().empty() && people.sent().empty(), "an agent that works is left alone");
    minutes(20, "");
    good &= check(!agent.requests().empty(), "one that stops is spoken to");
    agent.answer(heeler::ControlVerb::inject, heeler::ControlAnswer::fail);
    minutes(60, "");
    good &= check(!people.sent().empty(), "a person hears of one that does not listen");
    return good ? 0 : 1;
}
