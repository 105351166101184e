// Agents that are coroutines: each step reports and yields, and the host turns to the watchdog between steps. A handle
// is copied into the coroutine's frame; the watchdog outlives it. The clock of this one jumps.
#include <coroutine>
#include <cstdio>
#include <utility>

#include <heeler/heeler.hpp>
#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/recording_notifier.hpp>

namespace {

/// A coroutine that gives way after each step. Your framework has one.
struct Agent {
    struct promise_type {
        Agent get_return_object() { return Agent{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() noexcept {}
    };
    explicit Agent(std::coroutine_handle<promise_type> own) : handle{own} {}
    Agent(Agent&& other) noexcept : handle{std::exchange(other.handle, {})} {}
    ~Agent() {
        if (handle) handle.destroy();
    }
    std::coroutine_handle<promise_type> handle;
};

template <class Dog>
Agent works(Dog& dog, heeler::RunHandle run, int steps) {
    for (int step = 1; step <= steps; ++step) {
        dog.observe(run, heeler::Progress{step});
        co_await std::suspend_always{};
    }
    static_cast<void>(dog.finish(run, heeler::RunEnd::completed));
}

}  // namespace

int main() {
    heeler::ManualClock clock;
    heeler::Watchdog dog{clock, heeler::MemoryStore{}, heeler::RecordingNotifier{}};
    if (!dog.define(heeler::presets::recommended())) return 1;
    const auto run = dog.start({.name = "port-parser", .metric = heeler::MetricKind::reported}, "recommended");
    if (!run) return 1;
    const Agent agent = works(dog, *run, 5);
    while (!agent.handle.done()) {
        agent.handle.resume();
        clock.advance(std::chrono::minutes{1});
        if (!dog.cycle().ok()) return 1;
    }
    const auto report = dog.report("port-parser");
    if (!report) return 1;
    std::printf("%s: %s\n", report->run.c_str(), report->final_status.c_str());
}
