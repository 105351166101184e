// What follows when what is done about a run fails: no rung of any preset ends in silence.
#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunSpec shared() {
    RunSpec spec = bench::spec_of("r");
    spec.shared_run = {"other"};
    return spec;
}

/// What brings a run of each preset to each of its rungs.
struct Trouble {
    std::string_view preset;
    std::string_view name;
    RunClass (*rules)();
    void (*cause)(Bench&, RunHandle);
};

RunClass long_class() { return bench::minute_class(); }
RunClass nudging_class() {
    RunClass rules = presets::recommended();
    rules.schedule.period = 60s;
    rules.outbox.group_interval = {};  // told at once
    return rules;
}
RunClass steering_class() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    return rules;
}
RunClass retrying_class() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->retry = Backoff{};
    return rules;
}

void stall(Bench& b, RunHandle) {
    for (int i = 0; i < 25; ++i) (void)b.after(60s);
}
void loop(Bench& b, RunHandle run) {
    for (int i = 0; i < 5; ++i) (void)b.dog->observe(run, ToolCall{"ls", "{}", {}});
    for (int i = 0; i < 15; ++i) (void)b.dog->observe(run, Output{"same\n"});
    b.minutes(5);
}
void burn(Bench& b, RunHandle run) {
    for (const int tokens : {100, 100, 1000}) {
        (void)b.dog->observe(run, Usage{tokens, 0, 0, 0, 0});
        (void)b.after(60s);
    }
}
void end_of_time(Bench& b, RunHandle run) {
    for (int i = 0; i < 61; ++i) {
        b.progress(run, i);
        (void)b.after(60s);
    }
}

const Trouble troubles[] = {
    {"long_run", "stall", long_class, stall},
    {"long_run", "loop", long_class, loop},
    {"long_run", "runaway", long_class, burn},
    {"long_run", "limit", long_class, end_of_time},
    {"recommended", "stall", nudging_class, stall},
    {"recommended", "loop", nudging_class, loop},
    {"recommended", "runaway", nudging_class, burn},
    {"recommended", "limit", nudging_class, end_of_time},
    {"checkpoint_continuation", "stall", presets::checkpoint_continuation, stall},
    {"checkpoint_relay", "stall", presets::checkpoint_relay, stall},
    {"session_monitor", "steer", steering_class, loop},
    {"session_monitor", "retry", retrying_class, stall},
};

}  // namespace

TEST_CASE("whatever fails on whatever rung, a person is told, and nothing is tried for ever [M-095]") {
    const Trouble& trouble = troubles[GENERATE(range(0, static_cast<int>(std::size(troubles))))];
    const auto verb = GENERATE(ControlVerb::inject, ControlVerb::pause, ControlVerb::isolate, ControlVerb::snapshot,
                               ControlVerb::terminate, ControlVerb::spawn);
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject, ControlAnswer::unsupported,
                                 ControlAnswer::timeout_but_done);
    CAPTURE(trouble.preset, trouble.name, control_verb_names[static_cast<std::size_t>(verb)],
            control_answer_names[static_cast<std::size_t>(answer)]);
    Bench b;
    b.classes = {trouble.rules()};
    b.boot();
    b.control.answer(verb, answer);
    b.control.answer_prove_stopped(StopProof::stopped);
    RunSpec spec = verb == ControlVerb::isolate ? shared() : bench::spec_of("r");
    if (trouble.name == "limit") spec.timeout = 3600s;
    const RunHandle run = b.run(std::move(spec));
    b.progress(run, 0);
    trouble.cause(b, run);
    const std::size_t asked = b.asked(verb);
    for (int i = 0; i < (heeler_test::is_slowed ? 6 : 24) * 12; ++i) (void)b.after(300s);
    if (asked == 0 && b.asked(verb) == 0) return;  // not a verb of this rung
    CHECK_FALSE(b.notifier.delivered().empty());
    CHECK(b.asked(verb) <= 10);
    if (b.acts.find("terminate done") != std::string::npos) CHECK(b.acts.find("snapshot done") != std::string::npos);
}

TEST_CASE("a pause of a runaway that comes to nothing leads to the last rung at once [M-095] [M-088]") {
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject, ControlAnswer::unsupported);
    const std::string word{answer == ControlAnswer::fail     ? "failed"
                           : answer == ControlAnswer::reject ? "rejected"
                                                             : "unsupported"};
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
        CHECK(b.acts == "pause " + word + ", escalate done");
        const Alert alert = b.notifier.delivered().back();
        CHECK(alert.kind == "escalation");
        std::string done;
        for (const auto& detail : alert.details)
            if (detail.name == "done") done = detail.value;
        CHECK_THAT(done, ContainsSubstring("pause " + word));
        CHECK(b.notifier.delivered().size() == 1);
    }
}

TEST_CASE("a pause of which nobody knows whether it happened is said, and the state kept all the same [M-101]") {
    Bench b;
    b.control.answer(ControlVerb::pause, ControlAnswer::timeout_but_done);
    burn(b, b.run());
    CHECK(b.acts == "pause unknown, snapshot done, escalate done");
    CHECK(b.history().row->state == RunState::running);
}

TEST_CASE("an isolation that fails leads to the last rung, and is not asked for twice [M-095] [M-096]") {
    const auto answer = GENERATE(ControlAnswer::fail, ControlAnswer::reject);
    const std::string word{answer == ControlAnswer::fail ? "failed" : "rejected"};
    Bench b;
    b.control.answer(ControlVerb::isolate, answer);
    SECTION("of a stall") {
        b.stalled(shared());
        CHECK(b.acts == "isolate " + word + ", snapshot done, escalate done, terminate done");
    }
    SECTION("of a runaway") {
        burn(b, b.run(shared()));
        CHECK(b.acts == "isolate " + word + ", snapshot done, escalate done, terminate done");
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

TEST_CASE("a person is told of an agent that cannot be terminated, or would not stop [M-094] [M-112]") {
    Bench b;
    const bool lacks = GENERATE(true, false);
    b.control.answer(ControlVerb::terminate, lacks ? ControlAnswer::unsupported : ControlAnswer::fail);
    b.stalled();
    b.minutes(2);
    const std::string how = lacks ? "unsupported" : "failed";
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
