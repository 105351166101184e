#include <heeler/recover/retry.hpp>

#include <cmath>

#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

RunClass retried(RunClass rules = presets::checkpoint_continuation()) {
    if (auto* ladder = rules.ladder.as<RecoveryLadder>()) ladder->retry = Backoff{};
    if (auto* ladder = rules.ladder.as<WatchLadder>()) ladder->retry = Backoff{};
    return rules;
}

Judgement stalled(std::uint32_t continuations = 0) {
    Judgement seen;
    seen.worst = Condition::stalled;
    seen.conditions = bit_of(Condition::stalled);
    seen.continuations = continuations;
    return seen;
}

Decision at(const Ladder& ladder, const Incident& incident, Duration now, const Judgement& seen) {
    REQUIRE(ladder.validate());
    return ladder.climb({incident, seen, now, Elapsed{now}, 60s});
}

Incident planned_until(Duration moment) {
    Incident incident;
    incident.number = 1;
    incident.phase = Phase::waiting;
    incident.hold_until = Elapsed{moment};
    return incident;
}

std::string refusal(const Backoff& retry) {
    const auto good = RecoveryLadder{.retry = retry}.validate();
    REQUIRE_FALSE(good);
    return good.error().message;
}

/// A watchdog whose run falls silent once it has started.
struct Silent : Bench {
    RunHandle handle;

    explicit Silent(RunClass rules = retried()) {
        classes = {std::move(rules)};
        boot();
        handle = run();
    }
    /// What was done within this time, looking each second.
    std::string looked_at(Duration length) {
        acts.clear();
        for (Duration passed{}; passed < length; passed += 1s) (void)after(1s);
        return acts;
    }
};

}  // namespace

TEST_CASE("A-73: each pause is twice as long as the one before, up to 300 s [M-107]") {
    constexpr Backoff retry;
    STATIC_REQUIRE(retry.before(0) == 10s);
    STATIC_REQUIRE(retry.before(1) == 20s);
    STATIC_REQUIRE(retry.before(2) == 40s);
    STATIC_REQUIRE(retry.before(3) == 80s);
    STATIC_REQUIRE(retry.before(4) == 160s);
    STATIC_REQUIRE(retry.before(5) == 300s);
    STATIC_REQUIRE(retry.before(4'000'000'000u) == 300s);
    CHECK(Backoff{3, 400s, 2, 300s}.before(0) == 300s);
    CHECK(Backoff{3, 10s, 1, 300s}.before(99) == 10s);
}

TEST_CASE("a stall is planned first, started when it is due [M-107]") {
    for (RunClass rules : {presets::checkpoint_continuation(), presets::long_run(), presets::session_monitor()}) {
        INFO(rules.name);
        rules = retried(std::move(rules));
        const Decision planned = at(rules.ladder, {}, 700s, stalled());
        CHECK_FALSE(planned.acts());
        CHECK(planned.retry_after == 10s);
        CHECK(planned.incident.phase == Phase::waiting);
        CHECK(planned.incident.hold_until == Elapsed{710s});
        CHECK(planned.incident.open());
        const Decision early = at(rules.ladder, planned.incident, 710s - 1us, stalled());
        CHECK_FALSE((early.acts() || early.retry_after));
        CHECK(early.incident.hold_until == Elapsed{710s});
        const Decision due = at(rules.ladder, planned.incident, 710s, stalled());
        REQUIRE(due.plan.size() == 1);
        CHECK(due.plan[0].action == ActionKind::spawn);
        CHECK(due.incident.attempts == 1);
        CHECK_FALSE(due.incident.hold_until);
        const Decision again = at(rules.ladder, due.incident, 1400s, stalled(1));
        CHECK(again.retry_after == 20s);
        CHECK(again.last == InterventionOutcome::persisted);
        const Decision lost = at(rules.ladder, due.incident, 1400s, stalled(3));
        REQUIRE(lost.plan.size() == 2);
        CHECK((lost.plan[0].action == ActionKind::escalate && lost.plan[1].action == ActionKind::abandon));
        CHECK((lost.is_final && lost.reason == "retries_used_up"));
    }
}

TEST_CASE("what loops is not retried [M-107]") {
    const Ladder settings = retried(presets::long_run()).ladder;
    Judgement looping;
    looping.worst = Condition::loop_detected;
    CHECK(at(settings, {}, 700s, looping).plan.front().action == ActionKind::break_pattern);
    const Decision instead = at(settings, planned_until(710s), 705s, looping);
    CHECK(instead.plan.front().action == ActionKind::break_pattern);
    CHECK((instead.incident.phase == Phase::climbing && !instead.incident.hold_until));
}

TEST_CASE("a limit that is exceeded waits for no retry [M-107] [M-076]") {
    const Ladder settings = retried(presets::long_run()).ladder;
    Judgement over;
    over.worst = Condition::timeout;
    over.explicit_limit = true;
    CHECK(at(settings, planned_until(710s), 705s, over).is_final);
}

TEST_CASE("a retry is called off when the stall is gone [M-107]") {
    const Ladder settings = retried().ladder;
    Judgement moving;
    moving.progressed = true;
    CHECK(at(settings, planned_until(710s), 710s, moving).last == InterventionOutcome::recovered);
    const Decision quiet = at(settings, planned_until(710s), 705s, {});
    CHECK_FALSE(quiet.last);
    CHECK((quiet.incident.phase == Phase::climbing && !quiet.incident.hold_until));
    CHECK(at(settings, quiet.incident, 800s, stalled()).retry_after == 10s);
    const Ladder watching = retried(presets::session_monitor()).ladder;
    CHECK(at(watching, planned_until(710s), 705s, {}).last == InterventionOutcome::recovered);
}

TEST_CASE("a class that only watches: endings go first, a mere start is no recovery [M-107] [M-103]") {
    const Ladder settings = retried(presets::session_monitor()).ladder;
    Judgement critical = stalled();
    critical.severity = Severity::critical;
    const Decision ended = at(settings, planned_until(710s), 705s, critical);
    REQUIRE(ended.plan.size() == 2);
    CHECK(ended.plan[1].action == ActionKind::file_issue);
    CHECK_FALSE(ended.incident.hold_until);
    const Decision started = at(settings, planned_until(710s), 710s, stalled());
    Judgement nothing;
    CHECK_FALSE(at(settings, started.incident, 900s, nothing).last);
    nothing.active = true;
    CHECK(at(settings, started.incident, 900s, nothing).last == InterventionOutcome::recovered);
}

TEST_CASE("a fresh agent that could not be started is tried again after the same pause [M-107]") {
    for (const RunClass& rules : {retried(), retried(presets::session_monitor())}) {
        INFO(rules.name);
        const Decision due = at(rules.ladder, planned_until(710s), 710s, stalled());
        Action spawn;
        spawn.kind = ActionKind::spawn;
        for (const ActionOutcome outcome : {ActionOutcome::failed, ActionOutcome::skipped}) {
            spawn.outcome = outcome;
            const Decision after = rules.ladder.absorb({due.incident, {spawn}, 710s, Elapsed{710s}, 60s});
            CHECK(after.incident.attempts == 0);
            CHECK(at(rules.ladder, after.incident, 770s, stalled()).retry_after == 10s);
        }
        spawn.outcome = ActionOutcome::unknown;
        const Decision unknown = rules.ladder.absorb({due.incident, {spawn}, 710s, Elapsed{710s}, 60s});
        CHECK(unknown.plan.front().action == ActionKind::escalate);
        CHECK_FALSE(at(rules.ladder, unknown.incident, 770s, stalled(1)).retry_after);
    }
}

TEST_CASE("a back-off that makes no sense is refused by name [M-186]") {
    CHECK(refusal({0, 10s, 2, 300s}).find("ladder.retry.count is 0") != std::string::npos);
    CHECK(refusal({101, 10s, 2, 300s}).find("1 to 100") != std::string::npos);
    CHECK(refusal({3, 0s, 2, 300s}).find("must be 1 s to 24 h") != std::string::npos);
    CHECK(refusal({3, 10s, 0.5, 300s}).find("ladder.retry.factor") != std::string::npos);
    CHECK(refusal({3, 10s, std::nan(""), 300s}).find("ladder.retry.factor") != std::string::npos);
}

TEST_CASE("A-73: a run that stalls again after each retry is given up [M-107]") {
    Silent b;
    const auto stall_seen = [&] {
        b.clock.advance(1201s);
        (void)b.cycle(TickCause::on_demand);
    };
    stall_seen();
    CHECK(b.looked_at(9s).empty());
    CHECK(b.looked_at(1s) == "spawn done");
    stall_seen();
    CHECK(b.looked_at(19s).empty());
    CHECK(b.looked_at(1s) == "spawn done");
    stall_seen();
    CHECK(b.looked_at(39s).empty());
    CHECK(b.looked_at(1s) == "spawn done");
    stall_seen();
    CHECK(b.acts == "spawn done; escalate done, abandon done");
    CHECK(b.asked(ControlVerb::spawn) == 3);
    CHECK(b.sent_kinds() == std::vector<std::string>{"escalation"});
    CHECK(b.history().row->state == RunState::abandoned);
}

TEST_CASE("the watchdog wakes for a retry, and for nothing before it [M-107]") {
    Silent b;
    b.clock.advance(1201s);
    (void)b.cycle(TickCause::on_demand);
    const Elapsed found = b.clock.now().elapsed;
    for (auto next = b.dog->next_deadline(); next && *next < found + 10s; next = b.dog->next_deadline()) {
        b.clock.advance(std::max(*next - b.clock.now().elapsed, Duration{1s}));
        (void)b.cycle();
        CHECK(b.acts.empty());
    }
    CHECK(b.dog->next_deadline() == found + 10s);
    REQUIRE(b.dog->flush());
    b.boot();
    (void)b.dog->find("r");
    CHECK(b.dog->next_deadline() == found + 10s);
    b.clock.advance(found + 10s - b.clock.now().elapsed);
    (void)b.cycle();
    CHECK(b.acts == "spawn done");
}

TEST_CASE("a retry that a budget holds back is not done, and people are told all the same [M-107] [M-110]") {
    RunClass rules = retried(presets::session_monitor());
    rules.limits.rungs_per_run_per_day = 0;
    Silent b{rules};
    b.dog->observe(b.handle, Output{"reading\n"});
    b.clock.advance(700s);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.looked_at(700s).empty());
    CHECK(b.asked(ControlVerb::spawn) == 0);
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy"});
}

TEST_CASE("describe says when retries come and what follows them [M-186]") {
    for (const RunClass& rules : {retried(), retried(presets::session_monitor())}) {
        Silent b{rules};
        CHECK(
            b.dog->describe().find("STALLED: spawn after 10s, 20s, 40s, 3 times, until it has worked for 10m 0s; then: "
                                   "escalate abandon") != std::string::npos);
    }
}

TEST_CASE("a session whose retries are used up is told of once, whatever the budget is [M-110]") {
    const RunClass rules = retried(presets::session_monitor());
    const WatchLadder& ladder = *rules.ladder.as<WatchLadder>();
    Incident before;
    before.number = 1;
    before.phase = Phase::climbing;
    before.attempts = 3;
    const Decision step = at(rules.ladder, before, 100s, stalled(3));
    REQUIRE(step.plan.size() == 2);
    const Decision told = ladder.over_budget(before, step);
    REQUIRE(told.plan.size() == 1);
    CHECK(told.plan[0].action == ActionKind::escalate);
    CHECK(told.incident.attempts == 3);
    List<Action> actions(1);
    actions[0].kind = ActionKind::escalate;
    actions[0].outcome = ActionOutcome::done;
    const Decision known = rules.ladder.absorb({told.incident, actions, 100s, Elapsed{100s}, 60s});
    CHECK(known.incident.attempts == 3);
    CHECK(ladder.over_budget(known.incident, at(rules.ladder, known.incident, 160s, stalled(3))).plan.empty());
}

TEST_CASE("retries begin anew once the run has worked for long, and not before [M-198]") {
    Incident before;
    before.number = 3;
    before.phase = Phase::closed;
    Judgement seen = stalled(2);
    for (const Ladder& ladder : {retried().ladder, retried(presets::session_monitor()).ladder}) {
        seen.well_for.reset();
        CHECK(at(ladder, before, 9000s, seen).retry_after == 40s);
        seen.well_for = 10min - 1us;
        CHECK(at(ladder, before, 9000s, seen).retry_after == 40s);
        seen.well_for = 10min;
        const Decision anew = at(ladder, before, 9000s, seen);
        CHECK(anew.retry_after == 10s);
        Incident again = anew.incident;
        again.phase = Phase::closed;
        seen = stalled(3);
        CHECK(at(ladder, again, 9900s, seen).retry_after == 20s);  // what was forgiven stays so
        seen = stalled(2);
    }
    RunClass never = retried();
    never.ladder.as<RecoveryLadder>()->retry->reset_after = Duration{};
    seen.well_for = 24h;
    CHECK(at(never.ladder, before, 9000s, seen).retry_after == 40s);
    CHECK_THAT(refusal(Backoff{.reset_after = -1s}), ContainsSubstring("reset_after"));
}

TEST_CASE("a run that stalls each day is retried each day, one that beats once after each start is given up [M-198]") {
    RunClass rules = retried();
    rules.ladder.as<RecoveryLadder>()->max_attempts = 1;
    const bool works = GENERATE(true, false);
    Silent b{rules};
    std::int64_t step = 0;
    for (int day = 0; day < 6; ++day) {
        const std::size_t starts = b.asked(ControlVerb::spawn);
        for (int i = 0; i < 60 && b.asked(ControlVerb::spawn) == starts; ++i) (void)b.after(1min);
        for (int i = 0; i < (works ? 12 : 1); ++i) {
            (void)b.dog->checkpoint(b.handle, {++step, "step " + std::to_string(step)});
            (void)b.after(5min);
        }
    }
    CHECK(b.asked(ControlVerb::spawn) == (works ? 6 : 3));
    CHECK(b.history().row->state == (works ? RunState::running : RunState::abandoned));
}
