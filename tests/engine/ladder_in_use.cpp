// The recovery ladder as a whole watchdog climbs it.
#include <set>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::acts_of;
using bench::all_of;
using bench::Bench;

TEST_CASE("two zero deltas stall, one does not [M-031]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::healthy);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("two attempts, then snapshot, escalation, termination and a report [M-093] [M-089] [M-180]") {
    Bench b;
    const RunHandle run = b.stalled();
    b.minutes(6);
    CHECK(b.acts == "inject:nudge done; inject:nudge done; snapshot done, escalate done, terminate done");
    CHECK(b.outcomes() == "inject:nudge persisted, inject:nudge persisted, terminate terminated");
    CHECK(b.dog->observe(run, Progress{5}) == Observed::ended);
    const auto report = b.dog->report("r");
    REQUIRE(report);
    CHECK(report->final_status == "terminated");
    CHECK(report->escalated);
    CHECK_FALSE(report->recommendation.empty());
    CHECK(report->intervals == 4);
    CHECK(report->total == 240s);
}

TEST_CASE("progress after a nudge recovers, the next clean cycle is healthy [M-097]") {
    Bench b;
    const RunHandle run = b.stalled();
    b.progress(run, 2);
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::recovered);
    b.progress(run, 3);
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::healthy);
    CHECK(b.outcomes() == "inject:nudge recovered");
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy", "run.recovered"});
}

TEST_CASE("a stall that becomes a loop keeps its attempts [D-20]") {
    Bench b;
    const RunHandle run = b.stalled();
    std::string block;
    for (int i = 0; i < 3; ++i) block += "a\nb\nc\nd\ne\n";
    (void)b.dog->observe(run, Output{block});
    b.minutes(1);
    CHECK(b.dog->status(run) == Status::loop_detected);
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done; inject:break_pattern done; snapshot done, escalate done, terminate done");
}

TEST_CASE("a condition that returns soon reopens its incident, later it is a new one [D-33]") {
    const bool soon = GENERATE(true, false);
    Bench b;
    const RunHandle run = b.stalled();
    b.progress(run, 2);
    b.minutes(1);  // recovered
    if (!soon) {
        b.progress(run, 3);
        b.minutes(1);
    }
    b.minutes(2);
    REQUIRE(b.history().interventions.size() == 2);
    CHECK(b.history().interventions[1].incident == (soon ? 1u : 2u));
    CHECK(b.history().interventions[1].attempt == (soon ? 2u : 1u));
}

TEST_CASE("a refused nudge ends in the final rung, terminate included [M-095]") {
    Bench b;
    b.control.answer(ControlVerb::inject, GENERATE(ControlAnswer::reject, ControlAnswer::fail));
    b.stalled();
    CHECK(b.acts.find("escalate done, terminate done") != std::string::npos);
    CHECK(b.history().row->state == RunState::terminated);
}

TEST_CASE("never destructive without a nudge that got through [M-090]") {
    Bench b;
    b.control.answer(ControlVerb::inject, GENERATE(ControlAnswer::unsupported, ControlAnswer::timeout_but_done));
    b.stalled();
    b.minutes(30);
    CHECK(b.asked(ControlVerb::terminate) == 0);
    CHECK(b.acts.find("escalate done") != std::string::npos);
}

TEST_CASE("an explicit limit goes to the final rung at once [M-076]") {
    Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 120s;
    const RunHandle run = b.run(spec);
    b.progress(run, 1);
    b.minutes(1);
    b.progress(run, 2);
    b.minutes(1);
    CHECK(b.acts.empty());
    b.progress(run, 3);
    (void)b.after(1us);
    CHECK(b.acts.empty());  // its cycles are a minute apart
    b.minutes(1);
    CHECK(b.acts == "snapshot done, escalate done, terminate done");
}

TEST_CASE("a snapshot that fails blocks the termination and is escalated [M-091]") {
    Bench b;
    b.control.answer(ControlVerb::snapshot, GENERATE(ControlAnswer::fail, ControlAnswer::reject,
                                                     ControlAnswer::unsupported, ControlAnswer::timeout_but_done));
    b.stalled();
    b.minutes(20);
    CHECK(b.asked(ControlVerb::terminate) == 0);
    CHECK(b.asked(ControlVerb::snapshot) == 1);
    CHECK(b.dog->report("r")->escalated);
    CHECK(b.dog->report("r")->final_status == "escalated");
}

TEST_CASE("a termination that did not work is escalated again [M-094]") {
    Bench b;
    b.control.answer(ControlVerb::terminate, GENERATE(ControlAnswer::fail, ControlAnswer::reject));
    b.stalled();
    b.minutes(2);
    const auto acts = b.acts.substr(b.acts.find("snapshot"));
    CHECK((acts == "snapshot done, escalate done, terminate failed, escalate done" ||
           acts == "snapshot done, escalate done, terminate rejected, escalate done"));
    b.minutes(20);
    CHECK(b.asked(ControlVerb::terminate) == 1);
    CHECK_FALSE(is_terminal(b.history().row->state));
}

TEST_CASE("an agent that shares its run is isolated before anything is done [M-096]") {
    Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.shared_run = {"other"};
    SECTION("isolated once, then nudged") {
        b.stalled(spec);
        b.minutes(1);
        CHECK(b.acts == "isolate done, inject:nudge done; inject:nudge done");
    }
    SECTION("not isolated: it is not spoken to") {
        b.control.answer(ControlVerb::isolate, ControlAnswer::fail);
        b.stalled(spec);
        CHECK(b.acts == "isolate failed, snapshot done, escalate done");
        CHECK(b.asked(ControlVerb::inject) == 0);
    }
    SECTION("a control that cannot isolate: neither, and no attempt was made") {
        b.control.answer(ControlVerb::isolate, ControlAnswer::unsupported);
        b.stalled(spec);
        CHECK(b.acts == "isolate unsupported, escalate done");
        CHECK(b.outcomes() == "isolate unsupported");
    }
}

TEST_CASE("a run that is over before the action is left alone [M-111]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    b.clock.advance(60s);
    (void)b.dog->tick();
    REQUIRE(b.dog->finish(run, RunEnd::failed));
    (void)b.dog->deliver();
    (void)b.cycle(TickCause::outcome);
    (void)b.cycle();
    CHECK(b.control.requests().empty());
    CHECK(b.history().row->state == RunState::failed);
    CHECK(b.outcomes() == "inject:nudge ended");
}

TEST_CASE("a run that ends while it is being paused stays ended [M-111]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.after(1s);  // what is reported with the registration belongs to the baseline
    (void)b.dog->observe(run, Usage{100, 0, 0, 0, 0});
    b.minutes(1);
    (void)b.dog->observe(run, Usage{5000, 0, 0, 0, 0});
    b.clock.advance(60s);
    (void)b.dog->tick();
    (void)b.dog->deliver();
    REQUIRE(b.asked(ControlVerb::pause) == 1);
    REQUIRE(b.dog->finish(run, RunEnd::completed));
    (void)b.cycle(TickCause::outcome);
    (void)b.cycle();
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().row->ended_at);
}

TEST_CASE("a control that finds the run over closes the incident and uses no attempt [D-42]") {
    Bench b;
    b.control.answer(ControlVerb::inject, ControlAnswer::ended);
    b.stalled();
    b.minutes(3);
    CHECK(b.acts == "inject:nudge ended");
    CHECK(b.outcomes() == "inject:nudge ended");
    CHECK(b.history().row->state == RunState::completed);
    const auto kinds = b.sent_kinds();
    CHECK(std::count(kinds.begin(), kinds.end(), "worker.complete") == 1);
}

TEST_CASE("a run that is found over in the final rung escalates nothing [D-42]") {
    Bench b;
    b.stalled();
    b.minutes(1);
    b.control.answer(ControlVerb::snapshot, ControlAnswer::ended);
    b.minutes(3);
    CHECK(b.asked(ControlVerb::terminate) == 0);
    const auto kinds = b.sent_kinds();
    CHECK(std::count(kinds.begin(), kinds.end(), "escalation") == 0);
    CHECK(std::count(kinds.begin(), kinds.end(), "worker.complete") == 1);
    CHECK(b.history().row->state == RunState::completed);
    for (const AlertRow& row : b.history().alerts) CHECK(row.state != AlertRow::State::pending);
}

TEST_CASE("two verifications with too little evidence count as still there [D-09]") {
    Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    const auto loop = [&] {
        for (int i = 0; i < 3; ++i) (void)b.dog->observe(run, Output{"a\nb\nc\nd\ne\n"});
    };
    loop();
    b.minutes(1);
    REQUIRE(b.acts == "inject:break_pattern done");
    b.progress(run, 2);
    SECTION("progress: gone") {
        b.minutes(1);
        CHECK(b.outcomes() == "inject:break_pattern recovered");
    }
    SECTION("a new loop outranks progress: still there") {
        loop();
        b.minutes(1);
        CHECK(b.outcomes() == "inject:break_pattern persisted, inject:break_pattern pending");
    }
}

TEST_CASE("a loop that falls silent is not yet known, then still there [D-09]") {
    Bench b;
    b.classes[0].detectors.turn_off<HeartbeatContract<Intervals>>();
    b.boot();
    const RunHandle run = b.run();
    for (int i = 0; i < 3; ++i) (void)b.dog->observe(run, Output{"a\nb\nc\nd\ne\n"});
    b.minutes(1);
    REQUIRE(b.acts == "inject:break_pattern done");
    b.minutes(1);
    CHECK(b.history().interventions.size() == 1);
    CHECK(b.dog->status(run) == Status::loop_detected);
    b.minutes(1);
    CHECK(b.outcomes() == "inject:break_pattern persisted, inject:break_pattern pending");
    for (int i = 0; i < 15; ++i) (void)b.dog->observe(run, Output{"line " + std::string(1, char('A' + i)) + "\n"});
    b.minutes(1);
    CHECK(b.outcomes() == "inject:break_pattern persisted, inject:break_pattern recovered");
}

TEST_CASE("an agent that obeys after equal calls at the end of its log is not terminated [D-09]") {
    Bench b;
    b.classes[0].detectors.turn_on<LoopDetector<Call, TailRule>>();
    b.boot();
    const RunHandle run = b.run();
    for (int i = 0; i < 5; ++i) (void)b.dog->observe(run, ToolCall{"make", "{}", {}});
    b.minutes(1);
    REQUIRE(b.acts == "inject:break_pattern done");
    for (int i = 0; i < 20; ++i) {
        b.progress(run, 2 + i);
        (void)b.after(30s);
    }
    CHECK(b.acts == "inject:break_pattern done");
    CHECK(b.outcomes() == "inject:break_pattern recovered");
    CHECK(b.dog->status(run) == Status::healthy);
}

TEST_CASE("an agent whose calls keep failing has not recovered by talking about it [D-60]") {
    Bench b;
    auto& rules = b.classes[0];
    rules.detectors = {};
    rules.detectors.turn_on<ErrorCascade>();
    rules.ladder.as<RecoveryLadder>()->responses.push_back(
        {Condition::error_cascade, {{{ActionKind::break_pattern, {}, {}}}}, false, false});
    b.boot();
    RunSpec spec = bench::spec_of("r");
    spec.metric = MetricKind::output_lines;
    const RunHandle run = b.run(spec);
    const auto fail = [&](int times) {
        for (int i = 0; i < times; ++i) (void)b.dog->observe(run, ToolResult{false, "no such file", {}, {}});
    };
    fail(5);
    b.minutes(1);
    REQUIRE(b.acts == "inject:break_pattern done");
    fail(3);
    (void)b.dog->observe(run, Output{"Let me try that again\n"});
    b.minutes(1);
    CHECK(b.outcomes() == "inject:break_pattern pending");
    fail(2);
    b.minutes(1);
    CHECK(b.outcomes() == "inject:break_pattern persisted, inject:break_pattern pending");
    for (int i = 0; i < 5; ++i) (void)b.dog->observe(run, ToolResult{true, "no such file", {}, {}});
    b.minutes(1);
    CHECK(b.outcomes() == "inject:break_pattern persisted, inject:break_pattern recovered");
}
