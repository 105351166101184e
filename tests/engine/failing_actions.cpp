// What follows when what is done about a run fails: no rung of any preset ends in silence.

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunSpec shared() {
    RunSpec spec = bench::spec_of("r");
    spec.shared_run = {"other"};
    return spec;
}

RunClass nudging_class() {
    RunClass rules = presets::recommended();
    rules.schedule.period = 60s;
    rules.alerts.outbox.group_interval = {};             // told at once
    rules.detectors.turn_on<BurnRateTracker<Tokens>>();  // by one interval
    return rules;
}
void burn(Bench& b, RunHandle run) {
    for (const int tokens : {100, 100, 1000}) {
        (void)b.dog->observe(run, Usage{tokens, 0, 0, 0, 0});
        (void)b.after(60s);
    }
}
}  // namespace

TEST_CASE("a pause of a runaway that fails leads to the last rung at once [M-095] [M-088]") {
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject);
    const std::string word{answer == ControlAnswer::fail ? "failed" : "rejected"};
    Bench b;
    b.control.answer(ControlVerb::pause, answer);
    SECTION("long_run: the run is ended, and everything kept") {
        burn(b, b.run());
        CHECK(b.acts == "pause " + word + ", snapshot done, escalate done, terminate done");
        CHECK(b.history().row->state == RunState::terminated);
        CHECK(b.outcomes() == "pause " + word + ", terminate terminated");
    }
    SECTION("recommended: a person is told what failed") {
        b.classes = {nudging_class()};
        b.boot();
        burn(b, b.run());
        CHECK(b.acts == "pause " + word + ", snapshot done, escalate done");
        const Alert alert = b.notifier.delivered().back();
        CHECK(alert.kind == "escalation");
        std::string done;
        for (const auto& detail : alert.details)
            if (detail.name == "done") done = detail.value;
        CHECK_THAT(done, ContainsSubstring("pause " + word));
        CHECK(b.notifier.delivered().size() == 1);
    }
}

TEST_CASE("a runaway that a host has no way to pause is told at once, kept, and not ended [M-088] [D-63]") {
    Bench b;
    b.classes = {GENERATE(bench::minute_class(), nudging_class())};
    b.boot();
    b.control.answer(ControlVerb::pause, ControlAnswer::unsupported);
    burn(b, b.run());
    CHECK(b.acts == "pause unsupported, snapshot done, escalate done");
    CHECK(b.outcomes() == "pause unsupported");
    std::string said;
    const Alert alert = b.notifier.delivered().back();
    for (const auto& detail : alert.details) said += detail.name + "=" + detail.value + "\n";
    CHECK_THAT(said,
               ContainsSubstring("pause unsupported") && ContainsSubstring("the run goes on and a person decides"));
    b.minutes(60);
    CHECK(b.asked(ControlVerb::terminate) == 0);
    CHECK(b.history().row->state == RunState::running);
}

TEST_CASE("whoever let an agent go on is told if it does not, and a run found over is over [M-088] [D-42]") {
    Bench b;
    burn(b, b.run());
    REQUIRE(b.history().row->state == RunState::paused);
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject, ControlAnswer::unsupported,
                                 ControlAnswer::timeout_but_done, ControlAnswer::ended, ControlAnswer::ok);
    b.control.answer(ControlVerb::resume, answer);
    const std::size_t before = b.notifier.delivered().size();
    DecisionRow decision;
    decision.run = "r";
    decision.verb = Verb::resume;
    decision.by = "ada";
    REQUIRE(b.dog->decide(decision));
    b.minutes(1);
    const auto told = b.notifier.delivered();
    if (answer == ControlAnswer::ok) {
        CHECK(told.size() == before);
        CHECK(b.history().row->state == RunState::running);
    } else if (answer == ControlAnswer::ended) {
        CHECK(b.history().row->state == RunState::completed);
    } else {
        REQUIRE(told.size() == before + 1);
        std::string said = told.back().summary + "\n";
        for (const auto& detail : told.back().details) said += detail.name + "=" + detail.value + "\n";
        CHECK_THAT(said, ContainsSubstring("resume_failed") && ContainsSubstring("resume ") &&
                             ContainsSubstring("the run stays paused until an operator resumes it"));
    }
}

TEST_CASE("a pause of which nobody knows whether it happened is said, and the state kept all the same [M-101]") {
    Bench b;
    b.control.answer(ControlVerb::pause, ControlAnswer::timeout_but_done);
    burn(b, b.run());
    CHECK(b.acts == "pause unknown, snapshot done, escalate done");
    CHECK(b.history().row->state == RunState::running);
}

TEST_CASE("an agent that cannot be isolated is not touched, and a person is told [M-095] [M-096] [D-63]") {
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject, ControlAnswer::unsupported);
    const bool lacks = answer == ControlAnswer::unsupported;
    const std::string word{lacks ? "unsupported" : answer == ControlAnswer::fail ? "failed" : "rejected"};
    Bench b;
    b.control.answer(ControlVerb::isolate, answer);
    SECTION("of a stall") {
        b.stalled(shared());
        CHECK(b.acts == "isolate " + word + (lacks ? ", escalate done" : ", snapshot done, escalate done"));
    }
    SECTION("of a runaway") {
        burn(b, b.run(shared()));
        CHECK(b.acts == "isolate " + word + ", snapshot done, escalate done");
    }
    SECTION("of a limit that was set") {
        RunSpec spec = shared();
        spec.timeout = 60s;
        (void)b.run(spec);
        b.minutes(2);
        CHECK(b.acts == "isolate " + word + ", snapshot done, escalate done");
        std::string said;
        const Alert alert = b.notifier.delivered().back();
        for (const auto& detail : alert.details) said += detail.value + "\n";
        CHECK_THAT(said, ContainsSubstring("terminated once it is isolated and its snapshot is done"));
    }
    SECTION("where nothing is destroyed a person is told") {
        b.classes = {presets::checkpoint_continuation()};
        b.boot();
        (void)b.run(shared());
        b.clock.advance(1300s);
        (void)b.cycle(TickCause::on_demand);
        CHECK(b.acts == "isolate " + word + ", escalate done");
    }
}

TEST_CASE("an agent that shares its run and is not proved stopped is a person's business [M-096] [D-48]") {
    Bench b;
    b.classes = {presets::checkpoint_continuation()};
    b.classes[0].stop_proof = StopProofNeeded::proved;
    b.boot();
    b.control.answer_prove_stopped(StopProof::running);
    (void)b.run(shared());
    b.clock.advance(1300s);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.acts == "isolate done, escalate done");
    CHECK(b.asked(ControlVerb::spawn) == 0);
}

TEST_CASE("a person is told of an agent that cannot be terminated, would not stop, or perhaps did [M-094] [M-112]") {
    Bench b;
    const auto answer = GENERATE(ControlAnswer::unsupported, ControlAnswer::fail, ControlAnswer::timeout_but_done);
    b.control.answer(ControlVerb::terminate, answer);
    b.stalled();
    b.minutes(2);
    const std::string how = answer == ControlAnswer::unsupported ? "unsupported"
                            : answer == ControlAnswer::fail      ? "failed"
                                                                 : "unknown";
    CHECK_THAT(b.acts, ContainsSubstring("escalate done, terminate " + how + ", escalate done"));
    CHECK_FALSE(b.outcomes().ends_with("terminated"));
}

TEST_CASE("a continuation that can never be started is said after the third time, and tried ever less [M-095]") {
    Bench b;
    b.classes = {presets::checkpoint_continuation()};
    b.boot();
    b.control.answer(ControlVerb::spawn, GENERATE(ControlAnswer::fail, ControlAnswer::reject));
    const RunHandle run = b.run();
    (void)b.after(900s);
    std::string tries;
    for (int cycle = 1; cycle <= 96; ++cycle) {
        const std::size_t before = b.asked(ControlVerb::spawn);
        (void)b.after(900s);
        if (b.asked(ControlVerb::spawn) > before) tries += std::to_string(cycle) + " ";
        if (b.asked(ControlVerb::spawn) == 2) CHECK(b.notifier.delivered().empty());
    }
    CHECK(tries == "1 2 3 5 9 17 33 65 ");
    REQUIRE(b.notifier.delivered().size() == 1);
    const Alert alert = b.notifier.delivered()[0];
    CHECK(alert.kind == "escalation");
    std::string said;
    for (const auto& detail : alert.details) said += detail.name + "=" + detail.value + "\n";
    CHECK_THAT(said, ContainsSubstring("done=0 recovery attempts in this incident; spawn ") &&
                         ContainsSubstring("a fresh agent takes the run up, not before"));
    CHECK(b.dog->report("r")->interventions.size() == 8);
    SECTION("after ten a person decides") {
        for (int cycle = 0; cycle < 30 * 96; ++cycle) (void)b.after(900s);
        CHECK(b.asked(ControlVerb::spawn) == 10);
        CHECK(b.notifier.delivered().size() == 2);
        CHECK(b.history().actions.size() == 12);
    }
    SECTION("as soon as it can be started it is, and counts as the first") {
        b.control.answer(ControlVerb::spawn, ControlAnswer::ok);
        for (int cycle = 0; cycle < 96 && b.acts.find("spawn done") == std::string::npos; ++cycle) (void)b.after(900s);
        CHECK(b.outcomes().ends_with("spawn pending"));
        CHECK(b.history().actions.back().attempt == 1);
    }
    SECTION("who worked on it all the while has it back") {
        (void)b.dog->checkpoint(run, {7, "step 7"});
        (void)b.after(900s);
        CHECK(b.dog->status(run) == Status::recovered);
    }
}

TEST_CASE("whoever read that a run is about to be terminated, which came to nothing, reads that it is over") {
    Bench b;
    b.control.answer(ControlVerb::inject, ControlAnswer::reject);
    b.control.answer(ControlVerb::snapshot, ControlAnswer::fail);
    const RunHandle run = b.stalled();
    const auto kinds = b.sent_kinds();
    REQUIRE(std::count(kinds.begin(), kinds.end(), "escalation") == 1);  // "... once its snapshot is done"
    (void)b.after(60s);
    REQUIRE(b.dog->finish(run));
    (void)b.after(60s);
    CHECK(b.sent_kinds().back() == "run.ended");
}

namespace {

/// A control that is asked again later, until it is ready.
struct Hesitant {
    ScriptedControl& inner;
    bool ready = false;

    Result<ActionDone> spawn(const ActionRequest& asked) {
        if (ready) return inner.spawn(asked);
        return fail(ErrorCode::busy, "not yet");
    }
};

}  // namespace

TEST_CASE("what a control put off is not done to a run that works again meanwhile [M-093]") {
    Bench b;
    b.classes = {presets::checkpoint_continuation()};
    b.boot();
    Hesitant hesitant{b.control};
    b.dog->attach(hesitant);
    const RunHandle run = b.run();
    (void)b.after(900s);
    (void)b.after(900s);
    REQUIRE(b.history().actions.size() == 1);
    CHECK(b.acts.empty());
    SECTION("it works again") {
        b.clock.advance(60s);
        (void)b.dog->checkpoint(run, {7, "step 7"});
        (void)b.after(840s);
        hesitant.ready = true;
        CHECK(b.acts == "spawn skipped");
        CHECK(b.control.requests().empty());
        CHECK(b.history().actions[0].outcome_from == OutcomeFrom::recovery);
        b.clock.advance(60s);
        (void)b.dog->checkpoint(run, {8, "step 8"});
        (void)b.after(840s);
        CHECK(b.dog->status(run) == Status::recovered);
        (void)b.after(900s);  // it stands still once more, and is continued for the first time
        CHECK(b.asked(ControlVerb::spawn) == 1);
        CHECK(b.history().actions.back().attempt == 1);
    }
    SECTION("it still stands still") {
        (void)b.after(900s);
        hesitant.ready = true;
        (void)b.after(900s);
        CHECK(b.acts == "spawn done");
    }
}
