// How often fresh agents are started for one piece of work, and who can have more of them started.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunClass counted(std::uint32_t most = 3) {
    RunClass rules = presets::checkpoint_continuation();
    rules.ladder.as<RecoveryLadder>()->max_continuations = 100;
    rules.limits.restarts = {most, 24h};
    return rules;
}

/// Runs that never do anything: each look finds that somebody else must take them up.
struct Lineage : Bench {
    explicit Lineage(RunClass rules = counted()) {
        classes = {std::move(rules)};
        boot();
    }
    std::size_t starts_after(Duration length) {
        for (Duration passed{}; passed < length; passed += 15min) (void)after(15min);
        return asked(ControlVerb::spawn);
    }
    void say(Verb verb, std::string run = "r") {
        DecisionRow row;
        row.run = std::move(run);
        row.verb = verb;
        row.by = "ada";
        REQUIRE(dog->decide(row));
    }
    void start_again() {
        REQUIRE(dog->flush());
        boot();
        (void)dog->find("r");
    }
    std::size_t told_of_poison() const {
        std::size_t count = 0;
        for (const auto& each : notifier.sent())
            count += each.alert.summary.find("POISONED") != std::string::npos ? 1 : 0;
        return count;
    }
};

}  // namespace

TEST_CASE("three fresh agents in a day, then nobody is started any more and people are told once [M-196]") {
    Lineage b;
    b.run();
    CHECK(b.starts_after(24h) == 3);
    REQUIRE(b.told_of_poison() == 1);
    const Alert told = b.notifier.sent().back().alert;
    CHECK(told.is(AlertKind::escalation));
    CHECK(told.severity == Severity::critical);
    CHECK_THAT(told.summary, ContainsSubstring("POISONED: 3 fresh agents did not help"));
    CHECK(b.dog->vitals().poisoned == 1);
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring("POISONED since 2027-01-15T"));
    b.start_again();
    CHECK(b.starts_after(72h) == 3);  // it does not wear off
    CHECK(b.told_of_poison() == 1);
    CHECK(b.dog->vitals().poisoned == 1);
}

TEST_CASE("starts that are a day old do not count any more [M-196]") {
    RunClass rules = counted();
    rules.limits.restarts.within = 1h;
    Lineage b{rules};
    b.run();
    CHECK(b.starts_after(6h) > 3);
    CHECK(b.told_of_poison() == 0);
}

TEST_CASE("an operator has fresh agents started again [M-196]") {
    Lineage b;
    b.run();
    REQUIRE(b.starts_after(6h) == 3);
    b.say(Verb::ack);
    CHECK(b.starts_after(2h) == 3);
    b.say(Verb::resume);
    CHECK(b.starts_after(15min) == 4);
    CHECK(b.dog->vitals().poisoned == 0);
    CHECK(b.starts_after(24h) == 6);
    CHECK(b.told_of_poison() == 2);
    CHECK(b.dog->vitals().poisoned == 1);
}

TEST_CASE("a poisoned run that works again is well, and poisoned all the same [M-196]") {
    Lineage b;
    const RunHandle run = b.run();
    REQUIRE(b.starts_after(6h) == 3);
    for (int i = 0; i < 12; ++i) {
        REQUIRE(b.dog->checkpoint(run, {i, "step " + std::to_string(i)}));
        (void)b.after(5min);
    }
    CHECK(*b.dog->status(run) != Status::stalled);
    CHECK(b.dog->vitals().poisoned == 1);
    CHECK(b.starts_after(6h) == 3);
    CHECK(b.told_of_poison() == 2);  // another incident, in which nobody is started either
}

TEST_CASE("a piece of work that goes on under another id is one lineage [M-196]") {
    Lineage b;
    const RunHandle first = b.run();
    REQUIRE(b.starts_after(1h) == 2);
    REQUIRE(b.dog->finish(first, RunEnd::failed));
    RunSpec spec = bench::spec_of("second");
    spec.continues = "r";
    if (GENERATE(false, true)) b.start_again();
    const RunHandle second = b.run(spec);
    CHECK(b.starts_after(6h) == 3);
    CHECK(b.told_of_poison() == 1);
    REQUIRE(b.dog->finish(second, RunEnd::cancelled));
    spec.id = "third";
    spec.continues = "second";
    b.run(spec);
    CHECK(b.starts_after(6h) == 3);
    CHECK(b.dog->vitals().poisoned == 1);
    spec.id = "fourth";
    spec.continues = "nobody knows it";
    b.run(spec);
    CHECK(b.starts_after(6h) == 6);
}

TEST_CASE("a run cannot go on with itself [M-196]") {
    Lineage b;
    RunSpec spec = bench::spec_of("r");
    spec.continues = GENERATE(as<std::string>{}, "r", std::string(129, 'x'), "a\nb");
    const auto refused = b.dog->start(spec, std::string_view{b.classes[0].name});
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("`continues` must be the id of another run"));
}

TEST_CASE("who could not be started counts for nothing [M-196]") {
    Lineage b;
    b.control.answer(ControlVerb::spawn, ControlAnswer::fail);
    b.run();
    (void)b.starts_after(3h);
    CHECK(b.told_of_poison() == 0);
}

TEST_CASE("what stopped an agent from outside counts for nothing [M-197]") {
    Lineage b{counted(1)};
    const RunHandle run = b.run();
    const bool by_person = GENERATE(false, true);
    for (int i = 0; i < 3; ++i) {
        StateChange limited{RunState::rate_limited};
        limited.until = b.clock.now().wall + 1min;
        if (by_person)
            REQUIRE(b.dog->checkpoint(run, {i, "stopped by ana", CheckpointReason::user_interrupt}));
        else
            CHECK(b.dog->observe(run, limited) == Observed::ok);
        (void)b.starts_after(45min);
    }
    CHECK(b.asked(ControlVerb::spawn) == 3);
    CHECK(b.starts_after(30min) == 4);  // by itself
    CHECK(b.told_of_poison() == 0);
    CHECK(b.starts_after(6h) == 4);
    CHECK(b.told_of_poison() == 1);
}

TEST_CASE("a retry is neither planned nor made where one agent more would be too many [M-196]") {
    RunClass rules = counted(2);
    rules.ladder.as<RecoveryLadder>()->retry = Backoff{10, 10s, 2, 300s};
    Lineage b{rules};
    b.run();
    for (int i = 0; i < 24 * 60; ++i) (void)b.after(1min);
    CHECK(b.asked(ControlVerb::spawn) == 2);
    CHECK(b.told_of_poison() == 1);
    std::size_t planned = 0;
    for (const AuditRow& row : b.history().audit) planned += row.kind == "retry" ? 1 : 0;
    CHECK(planned == 2);
}

TEST_CASE("a session whose fresh agents are counted is no ladder's exception [M-196]") {
    RunClass rules = presets::session_monitor();
    rules.detectors.turn_off<RunTimeout>();
    rules.ladder.as<WatchLadder>()->retry = Backoff{10, 10s, 2, 300s};
    rules.ladder.as<WatchLadder>()->endings.clear();
    rules.limits.restarts.most = 2;
    Lineage b{rules};
    CHECK(b.dog->observe(b.run(), Output{"reading\n"}) == Observed::ok);
    for (int i = 0; i < 24 * 60; ++i) (void)b.after(1min);
    CHECK(b.asked(ControlVerb::spawn) == 2);
    CHECK(b.told_of_poison() == 1);
}

TEST_CASE("describe says after how many fresh agents a person is needed [M-196]") {
    Lineage b;
    CHECK_THAT(
        b.dog->describe(),
        ContainsSubstring("POISONED until `resume` where more than 3 fresh agents would be started within 1d 0h"));
    Lineage none{counted(0)};
    CHECK_THAT(none.dog->describe(), !ContainsSubstring("POISONED"));
    none.run();
    CHECK(none.starts_after(24h) > 10);
}

TEST_CASE("the last rung starts nobody either, and does what else it is to do [M-196]") {
    RunClass rules = counted(1);
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    ladder.responses = {{Condition::stalled, {{{ActionKind::nudge, {}, {}}}}, false, false}};
    ladder.final_rung = {{ActionKind::escalate, {}, {}}, {ActionKind::snapshot, {}, {}}, {ActionKind::spawn, {}, {}}};
    ladder.max_attempts = 1;
    Lineage b{rules};
    b.run();
    CHECK(b.starts_after(3h) == 1);
    const std::size_t saved = b.asked(ControlVerb::snapshot);
    REQUIRE(saved == 1);
    REQUIRE(b.dog->finish(*b.dog->find("r"), RunEnd::failed));
    RunSpec spec = bench::spec_of("again");
    spec.continues = "r";
    b.run(spec);
    CHECK(b.starts_after(3h) == 1);
    CHECK(b.asked(ControlVerb::snapshot) == 2);
    CHECK(b.told_of_poison() == 1);
}
