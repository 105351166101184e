// A host that calls from a timer of its own: how often it does so is its own business.
#include <algorithm>
#include <vector>

#include <heeler/explain/report.hpp>
#include <heeler/text/duration.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

using Gaps = std::vector<Duration>;

struct HostTimer {
    std::string name;
    Gaps gaps;  ///< from call to call, over and over

    [[nodiscard]] Duration longest() const { return *std::max_element(gaps.begin(), gaps.end()); }
};

std::vector<HostTimer> timers() {
    return {{"1 s", {1s}},
            {"5 s", {5s}},
            {"10 s", {10s}},
            {"60 s", {60s}},
            {"400 s", {400s}},
            {"some seconds, unsteady", {2s, 11s, 4s, 29s, 7s, 1s, 17s}},
            {"seconds and minutes", {1s, 1s, 1s, 90s, 3s, 45s}},
            {"busy for a while, then away", {1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 1s, 240s}}};
}

std::vector<RunClass> all_presets() {
    return {presets::recommended(),      presets::long_run(),  presets::session_monitor(),
            presets::checkpoint_relay(), bench::all_workers(), presets::checkpoint_continuation()};
}

/// A run that works once and then stands still, in a host with this timer: how long until it is found.
std::optional<Duration> found_after(const RunClass& rules, const HostTimer& timer) {
    Bench b;
    b.classes = {rules};
    b.boot();
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.dog->observe(run, ToolCall{"make", "{}", {}});
    (void)b.dog->observe(run, ToolResult{true, "done", {}, {}});
    if (rules.name == "worker_monitor") (void)b.dog->observe(run, StateChange{RunState::running, "working", {}, {}});
    const Elapsed begin = b.clock.now().elapsed;
    for (std::size_t i = 0; b.clock.now().elapsed < begin + 6h; ++i) {
        (void)b.after(timer.gaps[i % timer.gaps.size()]);
        if (!b.acts.empty() || b.dog->status(run) == Status::stalled) return b.clock.now().elapsed - begin;
    }
    return std::nullopt;
}

}  // namespace

TEST_CASE("a run that stands still is found by each preset, however often the host's timer fires [M-028]") {
    for (const RunClass& rules : all_presets()) {
        const auto soonest = found_after(rules, {"1 s", {1s}});
        CAPTURE(rules.name);
        REQUIRE(soonest);
        for (const HostTimer& timer : timers()) {
            CAPTURE(timer.name);
            const auto found = found_after(rules, timer);
            REQUIRE(found);
            CHECK(*found <= *soonest + rules.schedule.period + 4 * timer.longest());
        }
    }
}

TEST_CASE("a run that works is healthy in each preset, however often the host's timer fires") {
    for (const RunClass& rules : all_presets()) {
        if (rules.name == "worker_monitor" || rules.name == "checkpoint_relay") continue;  // they go by other signs
        for (const HostTimer& timer : timers()) {
            CAPTURE(rules.name, timer.name);
            Bench b;
            b.classes = {rules};
            b.boot();
            const RunHandle run = b.run();
            int step = 0;
            Elapsed next = b.clock.now().elapsed;
            const Elapsed end = next + 100min;
            for (std::size_t i = 0; b.clock.now().elapsed < end; ++i) {
                const Elapsed call = b.clock.now().elapsed + timer.gaps[i % timer.gaps.size()];
                for (; next <= call; next += 240s) {  // it reports when it has something, not when it is looked at
                    b.clock.advance(next - b.clock.now().elapsed);
                    b.progress(run, ++step);
                    (void)b.dog->checkpoint(run, {step, "step " + std::to_string(step), CheckpointReason::scheduled});
                    (void)b.dog->observe(run, ToolCall{"make " + std::to_string(step), "{}", {}});
                }
                (void)b.after(call - b.clock.now().elapsed);
                REQUIRE(b.dog->status(run) == Status::healthy);
            }
            CHECK(b.acts.empty());
        }
    }
}

TEST_CASE("that a host calls more seldom than a class asks for is said once, and judged all the same") {
    Bench b;
    b.classes = {presets::recommended(), bench::minute_class()};
    b.boot();
    CHECK_THAT(b.dog->describe(), !ContainsSubstring("the host calls"));
    CHECK_THAT(b.dog->describe(),
               ContainsSubstring("within 10m 1s, of a run that gave no sign yet within 15m 1s, in an open tool call"));
    std::string said;
    std::size_t lines = 0;
    for (int i = 0; i < 100; ++i) {
        const CycleReport report = b.after(10s);
        for (const auto& event : all_of<AuditEvent>(report)) said += event.row.kind + " " + event.row.body;
        lines += log_lines(report).size();
    }
    CHECK(said == R"(slow_host {"class":"recommended","called_every_s":10,"wanted_every_s":1})");
    CHECK(lines == 1);
    CHECK(b.dog->vitals().called_every == 10s);
    CHECK(b.dog->vitals().slow_classes == 1);
    const std::string text = b.dog->describe();
    CHECK_THAT(text, ContainsSubstring("the host calls every 10s only"));
    CHECK_THAT(text, ContainsSubstring("within 10m 10s, of a run that gave no sign yet within 15m 10s"));
}

TEST_CASE("what a class promises holds: a run that gave no sign, one that debounces, a host that is slow") {
    const Duration every = GENERATE(Duration{1s}, Duration{7s}, Duration{45s});
    const std::uint32_t debounce = GENERATE(1u, 3u);
    const bool signs = GENERATE(true, false);
    Bench b;
    b.classes = {presets::recommended()};
    b.classes[0].limits.debounce = debounce;
    b.boot();
    const RunHandle run = b.run();
    if (signs) b.progress(run, 1);
    const Elapsed begin = b.clock.now().elapsed;
    while (b.acts.empty() && b.clock.now().elapsed < begin + 2h) (void)b.after(every);
    const Duration took = b.clock.now().elapsed - begin;
    const Duration promised = (signs ? 600s : 900s) + every * debounce;
    CAPTURE(every.count(), debounce, signs, took.count());
    CHECK(took <= promised);
    CHECK(took > promised - every - 1s);
    CHECK_THAT(b.dog->describe(), ContainsSubstring("within " + text::spoken(promised)));
}

TEST_CASE("what a class promises of signs of life holds, and what it has no limit for is said") {
    const Duration every = GENERATE(Duration{1s}, Duration{7s}, Duration{45s});
    Bench b;
    b.classes = {presets::recommended()};
    b.boot();
    const RunHandle run = b.run();
    b.progress(run, 1);
    const Elapsed begin = b.clock.now().elapsed;
    Elapsed beat = begin;
    while (beat < begin + 5min) {
        beat = b.clock.now().elapsed;
        (void)b.dog->observe(run, Heartbeat{});
        (void)b.after(every);
    }
    while (b.acts.empty() && b.clock.now().elapsed < begin + 2h) (void)b.after(every);
    const Duration took = b.clock.now().elapsed - beat;
    CAPTURE(every.count(), took.count());
    CHECK(took > 180s);
    CHECK(took <= 180s + every);
    CHECK_THAT(b.dog->describe(),
               ContainsSubstring("a lost sign of life is seen within " + text::spoken(180s + every)) &&
                   ContainsSubstring("beats by itself at least every 1m 30s") &&
                   ContainsSubstring("warning: no time limit is set (duration_limit_s)"));
}

TEST_CASE("what a class promises holds in a host whose timer is unsteady, or comes just before the time") {
    std::vector<HostTimer> unsteady = timers();
    unsteady.erase(unsteady.begin(), unsteady.begin() + 5);
    unsteady.push_back({"a little quicker than the class", {250s}});
    for (const HostTimer& timer : unsteady) {
        const RunClass rules = timer.gaps.front() == 250s ? presets::session_monitor() : presets::recommended();
        CAPTURE(rules.name, timer.name);
        const Duration promised =
            600s + timer.longest() + (timer.longest() < rules.schedule.period ? rules.schedule.period : Duration{});
        for (std::size_t begin = 100; begin < 112; ++begin) {
            Bench b;
            b.classes = {rules};
            b.boot();
            std::size_t i = 0;
            for (; i < begin; ++i) (void)b.after(timer.gaps[i % timer.gaps.size()]);
            const RunHandle run = b.run();
            b.progress(run, 1);
            const Elapsed worked = b.clock.now().elapsed;
            CHECK_THAT(b.dog->describe(), ContainsSubstring("is seen within " + text::spoken(promised)));
            while (b.acts.empty() && b.notifier.sent().empty() && b.clock.now().elapsed < worked + 2h)
                (void)b.after(timer.gaps[i++ % timer.gaps.size()]);
            CHECK(b.clock.now().elapsed - worked <= promised);
        }
    }
}
