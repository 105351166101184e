// Gaps, late cycles, waits and deadlines: time that counts, and time that counts against nobody.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// Judged by the age of progress alone, looked at every second.
RunClass age_class() {
    RunClass rules = presets::recommended();
    rules.name = "age";
    return rules;
}

}  // namespace

TEST_CASE("a cycle reads the clock once, however many runs it judges [M-005]") {
    struct CountingClock {
        Instant at = bench::start;
        std::shared_ptr<int> readings = std::make_shared<int>(0);

        Instant now() {
            ++*readings;
            return at;
        }
    };
    CountingClock clock;
    Watchdog dog{clock, MemoryStore{}, RecordingNotifier{}};
    REQUIRE(dog.define(bench::minute_class()));
    for (const char* id : {"a", "b", "c"}) REQUIRE(dog.start(bench::spec_of(id), std::string_view{"minute"}));
    *clock.readings = 0;
    CHECK(dog.tick(TickCause::on_demand).checked == 3);
    CHECK(*clock.readings == 1);
}

TEST_CASE("a silent run is found within its limit and one cycle [M-028]") {
    Bench b;
    b.classes = {age_class()};
    b.boot();
    const RunHandle run = b.run();
    (void)b.after(37s);
    b.progress(run, 1);
    SECTION("with a cycle each second") {
        for (int i = 0; i < 600; ++i) (void)b.after(1s);
        CHECK(b.acts.empty());
        (void)b.after(1s);
        CHECK(b.acts == "inject:nudge done");
    }
    SECTION("with a cycle each time the watchdog asks for one") {
        for (int i = 0; i < 1000 && b.acts.empty(); ++i) {
            const auto next = b.dog->next_deadline();
            REQUIRE(next);
            const Duration wait = std::max(Duration{1}, *next - b.clock.now().elapsed);
            (void)b.after(wait);
        }
        CHECK(b.clock.now().elapsed - bench::start.elapsed <= 638s);
        CHECK(b.acts == "inject:nudge done");
    }
}

TEST_CASE("a cycle that comes far too late judges no ages, and those after it none of before [D-23] [D-57]") {
    Bench b;
    b.classes = {age_class()};
    b.boot();
    b.progress(b.run(), 1);
    for (int i = 0; i < 10; ++i) (void)b.after(1s);
    (void)b.after(900s);  // the process stood still, the machine did not
    CHECK(b.acts.empty());
    for (int i = 0; i < 600; ++i) (void)b.after(1s);
    CHECK(b.acts.empty());
    (void)b.after(1s);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a late cycle is one sample and keeps the grid of the first [D-23] [M-016]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.after(200s);
    CHECK(b.dog->status(run) == Status::healthy);
    CHECK(b.dog->report("r")->intervals == 1);
    (void)b.after(39s);
    CHECK(b.dog->report("r")->intervals == 1);
    (void)b.after(1s);
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.dog->report("r")->intervals == 2);
}

TEST_CASE("a gap between the clocks is said, and verdicts are held for one grace [M-006]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    const bool slept = GENERATE(true, false);
    if (slept)
        b.clock.suspend(8h);
    else
        b.clock.step_wall(-1h);
    const CycleReport gap = b.after(60s);
    REQUIRE(all_of<AuditEvent>(gap).size() == 1);
    CHECK(all_of<AuditEvent>(gap)[0].row.kind == "gap");
    CHECK(b.acts.empty());
    CHECK(b.dog->status(run) == Status::healthy);  // the interval of the gap counts against nobody
    b.minutes(1);
    CHECK(b.acts == (slept ? "" : "inject:nudge done"));  // who slept has both intervals to show itself
    if (slept) b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
    CHECK(b.history("").audit.size() == 1);
}

TEST_CASE("a small step of the wall clock is no gap [M-006]") {
    Bench b;
    b.progress(b.run(), 1);
    b.minutes(1);
    b.clock.step_wall(9s);
    CHECK(all_of<AuditEvent>(b.after(60s)).empty());
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("shifting the wall clock of a whole trace changes nothing [A-116] [M-005]") {
    const auto trace = [](Duration shift) {
        Bench b;
        b.clock.set({bench::start.elapsed, bench::start.wall + shift});
        std::string text;
        const RunHandle run = b.run();
        for (int i = 0; i < 12; ++i) {
            b.progress(run, i < 3 ? i : 3);
            const CycleReport report = b.after(60s);
            text += std::to_string(report.events.size()) + bench::acts_of(report) +
                    std::string{name_of(*b.dog->status(run))} + ";";
        }
        return text + b.outcomes();
    };
    CHECK(trace(0s) == trace(24h * 365 * 20 + 17s));
    CHECK(trace(0s) == trace(-(24h * 365 * 20 + 17s)));
}

TEST_CASE("waiting time counts for nothing [D-28] [D-39]") {
    const RunState wait = GENERATE(RunState::waiting_human, RunState::waiting_child, RunState::rate_limited,
                                   RunState::paused, RunState::queued);
    Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 300s;
    const RunHandle run = b.run(spec);
    b.progress(run, 1);
    (void)b.after(30s);
    (void)b.dog->observe(run, StateChange{wait, {}, {}, {}});
    b.minutes(100);
    CHECK(b.dog->report("r")->intervals == 0);
    CHECK(b.dog->status(run) == Status::healthy);
    (void)b.dog->observe(run, StateChange{RunState::running, {}, {}, {}});
    b.progress(run, 2);
    b.minutes(1);  // 90 s of work: the first interval is over
    b.minutes(1);  // 150 s, one interval without progress
    CHECK(b.dog->status(run) == Status::healthy);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a rate limit that has an end ends by itself [M-050]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.dog->observe(run, StateChange{RunState::rate_limited, {}, b.clock.now().wall + 600s, {}});
    b.minutes(10);
    CHECK(b.acts.empty());
    b.minutes(2);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("reports that come with older times take nothing back") {
    Bench b;
    b.classes = {age_class()};
    b.boot();
    const RunHandle run = b.run();
    for (int i = 1; i <= 60; ++i) {
        (void)b.after(10s);
        b.progress(run, i);
        Instant old = b.clock.now();
        old.elapsed -= 599s;
        old.wall -= 599s;
        CHECK(b.dog->observe(run, Message{true, "late"}, old) == Observed::ok);
        CHECK(b.dog->observe(run, ToolResult{true, std::to_string(i), {}, {}}, old) == Observed::ok);
    }
    for (int i = 0; i < 590; ++i) (void)b.after(1s);
    CHECK(b.acts.empty());
}

TEST_CASE("a wait that ends before it began costs no time") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.after(30s);
    (void)b.dog->observe(run, StateChange{RunState::waiting_human, {}, {}, {}});
    Instant old = b.clock.now();
    old.elapsed -= 20s;
    (void)b.dog->observe(run, StateChange{RunState::running, {}, {}, {}}, old);
    (void)b.after(29s);
    CHECK(b.dog->report("r")->intervals == 0);
    (void)b.after(1s);
    CHECK(b.dog->report("r")->intervals == 1);
}
