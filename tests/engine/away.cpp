// The watchdog itself was away: it was stopped, its machine slept, it was started again, its store or a source was
// gone. Nobody is accused for what nobody saw; what stands still all the same is found one whole limit later.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// A run of `recommended`, which acts after 10 minutes, in a host that calls each second.
struct Away : Bench {
    RunHandle handle;
    int steps = 0;

    explicit Away(RunClass rules = presets::recommended()) {
        classes = {std::move(rules)};
        boot();
        handle = run();
        works();
        seconds(200);
    }
    void works() { progress(handle, ++steps); }
    void seconds(int count) {
        for (int i = 0; i < count; ++i) (void)after(1s);
    }
    /// Reports each 240 s, the next time after so long.
    void works_on(int first, int times) {
        seconds(first);
        for (int i = 0; i < times; ++i) {
            works();
            seconds(240);
        }
    }
};

}  // namespace

TEST_CASE("after a stop of the watchdog nobody is accused of the time that nobody saw [D-57]") {
    Away a;
    const CycleReport back = a.after(900s);
    const auto said = all_of<AuditEvent>(back);
    REQUIRE(said.size() == 1);
    CHECK(said[0].row.kind == "away");
    CHECK(said[0].row.body == R"({"seconds":900})");
    CHECK(back.why.grace == 1);
    CHECK(a.dog->vitals().held_by_gap == 1);
    a.seconds(1);
    CHECK(a.dog->vitals().held_by_gap == 1);
    CHECK(a.dog->status(a.handle) == Status::healthy);
    SECTION("who works goes on") {
        a.works_on(40, 5);
        CHECK(a.acts.empty());
        CHECK(a.dog->vitals().held_by_gap == 0);
        CHECK(a.notifier.sent().empty());
    }
    SECTION("who stands still is found one limit after the stop, not later") {
        a.seconds(599);
        CHECK(a.acts.empty());
        a.seconds(1);
        CHECK(a.acts == "inject:nudge done");
    }
    SECTION("a second stop, before a sign of the run, is no proof either") {
        a.seconds(100);
        (void)a.after(900s);
        a.works_on(140, 3);
        CHECK(a.acts.empty());
    }
}

TEST_CASE("a watchdog that is stopped again and again judges all the same in the end [D-57]") {
    Away a;
    int gaps = 0;
    for (; a.acts.empty() && gaps < 100; ++gaps) {
        a.seconds(50);
        (void)a.after(500s);
    }
    CHECK(gaps <= 12);
}

TEST_CASE("what was found before the watchdog was away is neither over nor acted on until it can be judged [D-57]") {
    Away a;
    a.seconds(401);
    REQUIRE(a.acts == "inject:nudge done");
    a.seconds(10);
    (void)a.after(900s);
    a.seconds(300);
    CHECK(a.dog->status(a.handle) == Status::stalled);
    CHECK(a.acts == "inject:nudge done");
    CHECK(a.outcomes() == "inject:nudge pending");
    SECTION("it works: over") {
        a.works();
        a.seconds(1);
        CHECK(a.dog->status(a.handle) == Status::recovered);
    }
    SECTION("it does not: the ladder goes on") {
        a.seconds(301);
        CHECK(a.acts == "inject:nudge done; inject:nudge done");
    }
}

TEST_CASE("what was only shown before the watchdog was away is neither over nor acted on until then [D-57]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<HeartbeatContract<ProgressAge>>({.warn_after = 300s, .act_after = 600s});
    Away a{std::move(rules)};
    a.seconds(101);
    REQUIRE(a.dog->status(a.handle) == Status::stalled);
    (void)a.after(900s);
    CHECK(a.dog->status(a.handle) == Status::stalled);
    a.seconds(300);
    CHECK(a.dog->status(a.handle) == Status::stalled);
    CHECK(a.acts.empty());
    SECTION("it works: over") {
        a.works();
        a.seconds(1);
        CHECK(a.dog->status(a.handle) == Status::healthy);
    }
    SECTION("it does not: it is nudged") {
        a.seconds(301);
        CHECK(a.dog->status(a.handle) == Status::stalled);
        CHECK(a.acts == "inject:nudge done");
    }
}

TEST_CASE("limits that were set absolutely hold, whoever was away [D-57]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<RunTimeout>({1000s});
    Away a{std::move(rules)};
    (void)a.after(900s);
    CHECK(a.acts == "pause done, snapshot done, escalate done");
}

TEST_CASE("intervals in which the watchdog was away count against nobody, nor do those before [D-57]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    for (int i = 0; i < 6; ++i) (void)b.after(20s);  // one whole interval without progress
    REQUIRE(b.dog->status(run) == Status::stalled);
    b.progress(run, 2);
    for (int i = 0; i < 6; ++i) (void)b.after(20s);
    const std::string before = b.acts;
    (void)b.after(900s);
    (void)b.after(20s);
    CHECK(b.acts == before);
    for (int i = 0; i < 4; ++i) (void)b.after(20s);
    CHECK(b.acts == before);
    for (int i = 0; i < 6; ++i) (void)b.after(20s);
    CHECK(b.acts != before);
}

TEST_CASE("after a restart ages count from it, of a watchdog that was down for long [D-57]") {
    Away a;
    a.clock.advance(2h);
    a.boot();
    a.handle = *a.dog->find("r");
    SECTION("who works goes on") {
        a.works_on(200, 5);
        CHECK(a.acts.empty());
    }
    SECTION("who stands still is found one limit later") {
        a.seconds(600);
        CHECK(a.acts.empty());
        a.seconds(2);
        CHECK(a.acts == "inject:nudge done");
    }
    SECTION("a second restart soon afterwards forgets nothing") {
        a.seconds(30);
        a.boot();
        a.handle = *a.dog->find("r");
        a.works_on(200, 5);
        CHECK(a.acts.empty());
    }
}

TEST_CASE("a restart that takes some seconds costs no verdict") {
    Away a;
    a.clock.advance(10s);
    a.boot();
    a.seconds(392);
    CHECK(a.acts == "inject:nudge done");
}

TEST_CASE("after an outage of the store ages count from its end [D-57]") {
    Away a;
    a.store.fail(StoreOperation::list, ErrorCode::lost);
    a.seconds(900);
    a.store.heal();
    a.seconds(2);
    CHECK(a.acts.empty());
    a.works_on(200, 5);
    CHECK(a.acts.empty());
    a.seconds(400);
    CHECK(a.acts == "inject:nudge done");
}

TEST_CASE("a host that is told when to call is late after that moment, however long it was to sleep [D-57]") {
    Away a;
    a.works();
    (void)a.cycle();
    for (int i = 0; i < 4; ++i) {
        const Elapsed next = *a.dog->next_deadline();
        (void)a.after(std::max(Duration{1s}, next - a.clock.now().elapsed));
    }
    CHECK(a.dog->vitals().called_every <= 1s);
    CHECK(a.dog->vitals().slow_classes == 0);
    const Elapsed next = *a.dog->next_deadline();
    const CycleReport back = a.after(next - a.clock.now().elapsed + 900s);
    CHECK(all_of<AuditEvent>(back).size() == 1);
    a.seconds(500);
    CHECK(a.acts.empty());
}

TEST_CASE("a watchdog that is started again and again judges all the same in the end [D-57]") {
    const int up = GENERATE(50, 500);
    const Duration down = GENERATE(Duration{5s}, Duration{130s}, Duration{1000s});
    Away a;
    int starts = 0;
    for (; a.acts.empty() && starts < 40; ++starts) {
        a.clock.advance(down);
        a.boot();
        a.seconds(up);
    }
    CAPTURE(up, down.count());
    CHECK(starts <= 18);
}

TEST_CASE("a limit that is longer than the time between two stops is reached all the same [D-57]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<HeartbeatContract<ProgressAge>>({{}, 7200s});
    Away a{std::move(rules)};
    int stops = 0;
    for (; a.acts.empty() && stops < 20; ++stops) {
        a.seconds(3000);
        (void)a.after(900s);
    }
    CHECK(stops <= 10);
    a.works();
    a.seconds(400);
    (void)a.after(900s);  // the first since it worked
    a.seconds(7000);
    CHECK(a.dog->status(a.handle) != Status::stalled);
}

TEST_CASE("whether a rung helped is asked a whole wait after a stop, not at once [D-57]") {
    const int seen_before = GENERATE(10, 130);  // seconds: none of the two looks before the next rung, one
    Away a;
    for (std::uint32_t turn = 0; turn < 5; ++turn) (void)a.dog->observe(a.handle, ToolCall{"grep", "{}", {}, {}, turn});
    a.seconds(1);
    REQUIRE(a.acts == "inject:nudge done");
    a.seconds(seen_before);
    (void)a.after(900s);
    SECTION("it obeyed, and goes on") {
        a.seconds(100);
        CHECK(a.acts == "inject:nudge done");
        a.works();
        a.seconds(100);
        CHECK(a.acts == "inject:nudge done");
    }
    SECTION("nothing more is seen of it: the ladder goes on") {
        a.seconds(119);
        CHECK(a.acts == "inject:nudge done");
        a.seconds(130);
        CHECK(a.acts != "inject:nudge done");
    }
}

TEST_CASE("of a run whose first look or the one after it comes late nobody saw anything before [D-57]") {
    Bench b;
    b.classes = {presets::recommended()};
    b.boot();
    const RunHandle run = b.run();
    if (GENERATE(false, true)) (void)b.after(1s);
    b.progress(run, 1);
    const CycleReport first = b.after(1h);
    REQUIRE(all_of<AuditEvent>(first).size() == 1);
    CHECK(all_of<AuditEvent>(first)[0].row.kind == "away");
    CHECK(b.acts.empty());
    for (int i = 0; i < 599; ++i) (void)b.after(1s);
    CHECK(b.acts.empty());
    for (int i = 0; i < 3; ++i) (void)b.after(1s);
    CHECK(b.acts == "inject:nudge done");
}
