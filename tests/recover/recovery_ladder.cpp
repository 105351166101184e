#include <heeler/recover/recovery_ladder.hpp>

#include <heeler/recover/incident_steps.hpp>
#include <heeler/settings/presets.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

RecoveryLadder checked(RecoveryLadder ladder) {
    REQUIRE(ladder.validate());
    return ladder;
}

RecoveryLadder ladder() { return checked(*presets::long_run().ladder.as<RecoveryLadder>()); }

Judgement seeing(Condition worst) {
    Judgement seen;
    seen.worst = worst;
    return seen;
}

/// One cycle at `now` of the working clock, one minute between verifications.
Decision at(const RecoveryLadder& rules, const Incident& incident, Duration now, const Judgement& seen) {
    return rules.climb({incident, seen, now, Elapsed{now}, 60s});
}

List<Action> carried_out(const Plan& plan, std::vector<ActionOutcome> outcomes) {
    List<Action> actions;
    for (std::size_t i = 0; i < plan.size(); ++i) {
        actions.emplace_back();
        actions.back().kind = plan[i].action;
        actions.back().needs = plan[i].needs;
        actions.back().outcome = outcomes[std::min(i, outcomes.size() - 1)];
    }
    return actions;
}

Decision absorbed(const RecoveryLadder& rules, const Decision& acted, std::vector<ActionOutcome> outcomes,
                  Duration now = 0s) {
    return rules.absorb({acted.incident, carried_out(acted.plan, std::move(outcomes)), now, Elapsed{now}, 60s});
}

std::string text_of(const Plan& plan) {
    std::string text;
    for (const Step& step : plan) text += std::string{name_of(step.action)} + " ";
    return text;
}

std::string refusal(const RecoveryLadder& ladder) {
    const auto good = ladder.validate();
    REQUIRE_FALSE(good);
    CHECK(good.error().code == ErrorCode::invalid_argument);
    return good.error().message;
}

const Plan nudge{{ActionKind::nudge, {}}};

}  // namespace

TEST_CASE("a ladder that is destructive first is refused [A-33] [M-090]") {
    RecoveryLadder settings = ladder();
    settings.responses[0].rungs = {{{ActionKind::terminate, {}}}};
    CHECK_THAT(refusal(settings), ContainsSubstring("STALLED") && ContainsSubstring("terminate"));
    settings.responses[0].rungs = {nudge, {{ActionKind::snapshot, {}}, {ActionKind::terminate, ActionKind::snapshot}}};
    CHECK_THAT(refusal(settings), ContainsSubstring("final_rung"));
}

TEST_CASE("a final rung tells somebody, and destroys nothing without a snapshot [M-091] [M-094]") {
    RecoveryLadder settings = ladder();
    settings.final_rung = {{ActionKind::snapshot, {}}, {ActionKind::terminate, ActionKind::snapshot}};
    CHECK_THAT(refusal(settings), ContainsSubstring("escalate"));
    settings.final_rung = {{ActionKind::snapshot, {}}, {ActionKind::escalate, {}}, {ActionKind::terminate, {}}};
    CHECK_THAT(refusal(settings), ContainsSubstring("snapshot"));
    settings.final_rung = {{ActionKind::escalate, {}}, {ActionKind::terminate, ActionKind::snapshot}};
    CHECK_THAT(refusal(settings), ContainsSubstring("snapshot"));
    settings.final_rung = {{ActionKind::pause, {}}, {ActionKind::escalate, ActionKind::pause}};
    CHECK(settings.validate());  // what waited for a pause in vain is done all the same
    settings.final_rung = {{ActionKind::snapshot, {}}, {ActionKind::escalate, ActionKind::snapshot}};
    CHECK_THAT(refusal(settings), ContainsSubstring("escalate") && ContainsSubstring("need nothing"));
}

TEST_CASE("a rung that can never be carried out is refused [M-090]") {
    RecoveryLadder settings = ladder();
    settings.responses[0].rungs = {nudge, {}};
    CHECK_THAT(refusal(settings), ContainsSubstring("STALLED") && ContainsSubstring("empty"));
    settings.responses[0].rungs = {{{ActionKind::nudge, ActionKind::pause}, {ActionKind::pause, {}}}};
    CHECK_THAT(refusal(settings), ContainsSubstring("inject:nudge") && ContainsSubstring("pause"));
}

TEST_CASE("limits of a ladder name the value and the limit [M-090]") {
    RecoveryLadder settings = ladder();
    settings.max_attempts = 101;
    CHECK_THAT(refusal(settings), ContainsSubstring("101") && ContainsSubstring("1 to 100"));
}

TEST_CASE("an empty plan, or no plan for a condition, does nothing [M-090]") {
    RecoveryLadder settings = ladder();
    settings.responses.clear();
    const RecoveryLadder rules = checked(settings);
    CHECK_FALSE(at(rules, {}, 0s, seeing(Condition::stalled)).acts());
    CHECK_FALSE(at(rules, {}, 0s, {}).acts());
}

TEST_CASE("one rung per verification, two attempts, then the final rung [M-092] [M-093]") {
    const RecoveryLadder rules = ladder();
    Decision step = at(rules, {}, 100s, seeing(Condition::stalled));
    CHECK(text_of(step.plan) == "inject:nudge ");
    CHECK(step.incident.attempts == 1);
    step = absorbed(rules, step, {ActionOutcome::done}, 100s);
    CHECK_FALSE(at(rules, step.incident, 159s, seeing(Condition::stalled)).acts());
    step = at(rules, step.incident, 160s, seeing(Condition::stalled));
    CHECK(step.last == InterventionOutcome::persisted);
    CHECK(step.incident.attempts == 2);
    step = absorbed(rules, step, {ActionOutcome::done}, 160s);
    step = at(rules, step.incident, 220s, seeing(Condition::loop_detected));
    CHECK(step.is_final);
    CHECK(text_of(step.plan) == "snapshot escalate terminate ");
    CHECK(step.incident.attempts == 2);
}

TEST_CASE("the final rung destroys nothing unless a nudge got through [M-090]") {
    const RecoveryLadder rules = ladder();
    const ActionOutcome outcome =
        GENERATE(ActionOutcome::done, ActionOutcome::unknown, ActionOutcome::unsupported, ActionOutcome::skipped);
    Decision step = at(rules, {}, 0s, seeing(Condition::stalled));
    step = absorbed(rules, step, {outcome});
    Incident incident = step.incident;
    incident.phase = Phase::climbing;
    incident.attempts = 2;
    incident.verify_at = 60s;
    const Decision last = at(rules, incident, 60s, seeing(Condition::stalled));
    REQUIRE(last.is_final);
    CHECK(rung::has(last.plan, ActionKind::terminate) == (outcome == ActionOutcome::done));
    CHECK(rung::has(last.plan, ActionKind::escalate));
}

TEST_CASE("verification has three answers [D-09]") {
    const RecoveryLadder rules = ladder();
    const Incident open =
        absorbed(rules, at(rules, {}, 0s, seeing(Condition::loop_detected)), {ActionOutcome::done}).incident;
    Judgement progressed;
    progressed.progressed = true;
    Judgement enough;
    enough.enough_new = true;
    SECTION("gone") {
        for (const Judgement& seen : {progressed, enough}) {
            const Decision step = at(rules, open, 60s, seen);
            CHECK(step.last == InterventionOutcome::recovered);
            CHECK(step.incident.phase == Phase::closed);
            CHECK_FALSE(step.acts());
        }
    }
    SECTION("a new finding wins over progress") {
        progressed.worst = Condition::loop_detected;
        CHECK(at(rules, open, 60s, progressed).last == InterventionOutcome::persisted);
    }
    SECTION("unclear costs no attempt, twice is still there") {
        const Decision first = at(rules, open, 60s, {});
        CHECK_FALSE(first.last);
        CHECK(first.incident.attempts == 1);
        CHECK(first.incident.verify_at == 120s);
        const Decision second = at(rules, first.incident, 120s, {});
        CHECK(second.last == InterventionOutcome::persisted);
        CHECK(text_of(second.plan) == "inject:break_pattern ");
        CHECK(second.incident.unclear == 0);
    }
}

TEST_CASE("a condition that returns within two verifications reopens the incident [D-33]") {
    const RecoveryLadder rules = ladder();
    Incident closed;
    closed.number = 3;
    closed.phase = Phase::closed;
    closed.attempts = 1;
    closed.interventions = 5;
    closed.closed_at = 100s;
    const Decision soon = at(rules, closed, 220s, seeing(Condition::stalled));
    CHECK(soon.incident.number == 3);
    CHECK(soon.incident.attempts == 2);
    const Decision later = at(rules, closed, 220s + 1us, seeing(Condition::stalled));
    CHECK(later.incident.number == 4);
    CHECK(later.incident.attempts == 1);
    CHECK(later.incident.interventions == 5);
}

TEST_CASE("an explicit limit ends the waiting, once [M-076]") {
    const RecoveryLadder rules = ladder();
    Judgement limit = seeing(Condition::timeout);
    limit.explicit_limit = true;
    const Incident nudged =
        absorbed(rules, at(rules, {}, 0s, seeing(Condition::stalled)), {ActionOutcome::done}).incident;
    const Decision step = at(rules, GENERATE_COPY(Incident{}, nudged), 1s, limit);
    CHECK(step.is_final);
    CHECK(rung::has(step.plan, ActionKind::terminate));
    const Decision after =
        absorbed(rules, step, {ActionOutcome::done, ActionOutcome::done, ActionOutcome::blocked}, 1s);
    CHECK_FALSE(at(rules, after.incident, 1000s, limit).acts());
}

TEST_CASE("a runaway run is paused and escalated, again after the longest pause [M-088]") {
    const RecoveryLadder rules = ladder();
    Decision step = at(rules, {}, 0s, seeing(Condition::runaway));
    CHECK(text_of(step.plan) == "pause snapshot escalate ");
    step = absorbed(rules, step, {ActionOutcome::done});
    CHECK(step.incident.phase == Phase::holding);
    CHECK_FALSE(rules.climb({step.incident, {}, 0s, Elapsed{1799s}, 60s}).acts());
    const Decision again = rules.climb({step.incident, {}, 0s, Elapsed{1800s}, 60s});
    CHECK(text_of(again.plan) == "escalate ");
    CHECK(again.reason == "held_too_long");
}

TEST_CASE("output that cannot be read is escalated without a nudge, until it can be read [M-033]") {
    const RecoveryLadder rules = ladder();
    Decision step = at(rules, {}, 0s, seeing(Condition::no_output_access));
    CHECK(text_of(step.plan) == "escalate ");
    step = absorbed(rules, step, {ActionOutcome::done});
    CHECK_FALSE(at(rules, step.incident, 600s, seeing(Condition::no_output_access)).acts());
    Judgement readable;
    readable.no_output_gone = true;
    CHECK(at(rules, step.incident, 660s, readable).last == InterventionOutcome::recovered);
}

TEST_CASE("what a rung came to decides what follows [M-095] [D-37] [D-42]") {
    const RecoveryLadder rules = ladder();
    const Decision step = at(rules, {}, 0s, seeing(Condition::stalled));
    SECTION("rejected or failed: terminate and preserve all") {
        const Decision next = absorbed(rules, step, {GENERATE(ActionOutcome::rejected, ActionOutcome::failed)});
        CHECK(text_of(next.plan) == "snapshot escalate terminate ");
        CHECK(next.reason == "action_failed");
    }
    SECTION("rejected, in a class that only escalates") {
        const RecoveryLadder mild = checked(*presets::recommended().ladder.as<RecoveryLadder>());
        const Decision next = absorbed(mild, step, {ActionOutcome::rejected});
        CHECK(text_of(next.plan) == "escalate ");
    }
    SECTION("unknown: one attempt, escalated, still verified") {
        const Decision next = absorbed(rules, step, {ActionOutcome::unknown});
        CHECK(text_of(next.plan) == "escalate ");
        CHECK(next.incident.attempts == 1);
        CHECK(next.incident.phase == Phase::climbing);
        CHECK_FALSE(next.incident.nudge_confirmed);
    }
    SECTION("unsupported: no attempt, escalated, held") {
        const Decision next = absorbed(rules, step, {ActionOutcome::unsupported});
        CHECK(text_of(next.plan) == "escalate ");
        CHECK(next.incident.attempts == 0);
    }
    SECTION("a runaway that cannot be paused: the same, and what waited for the pause") {
        using O = ActionOutcome;
        const Decision pause = at(rules, {}, 0s, seeing(Condition::runaway));
        const Decision next = absorbed(rules, pause, {O::unsupported, O::blocked, O::blocked});
        CHECK(text_of(next.plan) == "snapshot escalate ");
        CHECK(next.incident.attempts == 0);
        CHECK_FALSE(next.is_final);
        CHECK(text_of(absorbed(rules, pause, {O::failed, O::blocked, O::blocked}).plan) ==
              "snapshot escalate terminate ");
    }
    SECTION("not isolated: nothing that touches the agent follows") {
        const Plan plan{{ActionKind::isolate, {}}, {ActionKind::nudge, {}}};
        const auto how = GENERATE(ActionOutcome::failed, ActionOutcome::rejected, ActionOutcome::unsupported);
        const Decision next =
            rules.absorb({step.incident, carried_out(plan, {how, ActionOutcome::blocked}), 0s, Elapsed{0s}, 60s});
        CHECK(text_of(next.plan) == (how == ActionOutcome::unsupported ? "escalate " : "snapshot escalate "));
        CHECK(next.incident.phase == Phase::holding);
    }
    SECTION("an escalation that waited in vain is owed, whatever it waited for") {
        const Plan plan{{ActionKind::snapshot, {}}, {ActionKind::escalate, ActionKind::snapshot}};
        const auto actions = carried_out(plan, {ActionOutcome::unsupported, ActionOutcome::blocked});
        CHECK(text_of(rules.absorb({step.incident, actions, 0s, Elapsed{0s}, 60s}).plan) == "escalate ");
    }
    SECTION("the run is over: no attempt, closed") {
        const Decision next = absorbed(rules, step, {ActionOutcome::ended});
        CHECK(next.run_ended);
        CHECK(next.incident.attempts == 0);
        CHECK(next.corrected == InterventionOutcome::ended);
    }
    SECTION("skipped: nothing is counted, tried again after a verification") {
        const Decision next = absorbed(rules, step, {ActionOutcome::skipped}, 10s);
        CHECK_FALSE(next.acts());
        CHECK(next.incident.attempts == 0);
        CHECK(next.incident.verify_at == 70s);
        CHECK(at(rules, next.incident, 70s, seeing(Condition::stalled)).incident.attempts == 1);
    }
}

TEST_CASE("a termination that did not work, or perhaps did, is escalated once more [M-094]") {
    const RecoveryLadder rules = ladder();
    Judgement limit = seeing(Condition::timeout);
    limit.explicit_limit = true;
    const Decision step = at(rules, {}, 0s, limit);
    const ActionOutcome how = GENERATE(ActionOutcome::failed, ActionOutcome::rejected, ActionOutcome::unknown);
    const Decision next = absorbed(rules, step, {ActionOutcome::done, ActionOutcome::done, how});
    CHECK(text_of(next.plan) == "escalate ");
    CHECK(next.reason == (how == ActionOutcome::unknown ? "outcome_unknown" : "terminate_failed"));
    CHECK_FALSE(next.run_ended);
}

TEST_CASE("the strongest action that was tried names a rung [M-179]") {
    const Plan plan = presets::long_run().ladder.as<RecoveryLadder>()->final_rung;
    using O = ActionOutcome;
    const auto all = carried_out(plan, {O::done, O::done, O::done});
    CHECK(rung::main_of(all).kind == ActionKind::terminate);
    CHECK(rung::outcome_of(all) == InterventionOutcome::terminated);
    const auto blocked = carried_out(plan, {O::failed, O::done, O::blocked});
    CHECK(rung::main_of(blocked).kind == ActionKind::escalate);
    CHECK(rung::outcome_of(blocked) == InterventionOutcome::escalated);
    CHECK(rung::outcome_of(carried_out(nudge, {O::done})) == InterventionOutcome::pending);
}

TEST_CASE("the same loop reopens its incident for longer than anything else does [D-33] [D-60]") {
    Incident last;
    last.number = 4;
    last.phase = Phase::closed;
    last.attempts = 1;
    last.closed_at = 100s;
    for (const auto& [at, number, of_same_loop] :
         {std::tuple{220s, 4u, 4u}, std::tuple{221s, 5u, 4u}, std::tuple{280s, 5u, 4u}, std::tuple{281s, 5u, 5u}}) {
        Judgement seen = seeing(Condition::loop_detected);
        CHECK(begun({last, seen, at, {}, 60s}).number == number);
        seen.same_loop = true;
        CHECK(begun({last, seen, at, {}, 60s}).number == of_same_loop);
        const Decision step = RecoveryLadder{ladder()}.climb({last, seen, at, Elapsed{at}, 60s});
        CHECK((step.incident.number == of_same_loop && step.incident.attempts == (of_same_loop == 4 ? 2u : 1u)));
    }
}

TEST_CASE("a rung over budget asks for its person once, and says that trouble began [M-110]") {
    const RecoveryLadder rules = ladder();
    const Decision first = at(rules, {}, 100s, seeing(Condition::stalled));
    const Decision told = rules.over_budget({}, first);
    CHECK(told.plan.empty());
    CHECK(told.tells);
    CHECK(told.incident.open());
    CHECK(told.incident.attempts == 0);
    // As soon as the budget allows it, the same rung is due.
    CHECK(text_of(at(rules, told.incident, 101s, seeing(Condition::stalled)).plan) == "inject:nudge ");
    CHECK_FALSE(at(rules, told.incident, 101s, {}).incident.open());

    const Decision runaway = at(rules, {}, 100s, seeing(Condition::runaway));
    const Decision asked = rules.over_budget({}, runaway);
    CHECK(text_of(asked.plan) == "escalate ");
    const Decision known = absorbed(rules, asked, {ActionOutcome::done}, 101s);
    CHECK(known.incident.escalated);
    const Decision again = at(rules, known.incident, 102s, seeing(Condition::runaway));
    CHECK(text_of(again.plan) == "pause snapshot escalate ");
    CHECK(rules.over_budget(known.incident, again).plan.empty());
}

TEST_CASE("what the ladder has no answer to is told, and hides and ends nothing [M-108]") {
    const RecoveryLadder rules = ladder();
    const auto both = [](Condition worst, Condition other) {
        Judgement seen = seeing(worst);
        seen.conditions = bit_of(worst) | bit_of(other);
        return seen;
    };
    Judgement only = both(Condition::token_budget, Condition::token_budget);
    const Decision told = at(rules, {}, 100s, only);
    CHECK(told.tells);
    CHECK(told.plan.empty());
    CHECK(told.incident.open());
    const Decision nudged = at(rules, told.incident, 200s, both(Condition::stalled, Condition::token_budget));
    CHECK(text_of(nudged.plan) == "inject:nudge ");
    CHECK(nudged.incident.number == told.incident.number);
    only.progressed = true;
    const Decision well = at(rules, nudged.incident, 300s, only);
    CHECK(well.last == InterventionOutcome::recovered);
    CHECK(well.incident.open());
    // Long afterwards the attempts of then are none of now; soon afterwards they are.
    const Judgement stalls = both(Condition::stalled, Condition::token_budget);
    CHECK(at(rules, well.incident, 10'000s, stalls).incident.attempts == 1);
    CHECK(at(rules, well.incident, 360s, stalls).incident.attempts == 2);
    CHECK_FALSE(at(rules, well.incident, 400s, {}).incident.open());
    CHECK(rules.describe().find("anything else that is found: people are told, nothing is done") != std::string::npos);
}

TEST_CASE("the recommended ladder waits longer after each rung, takes each once, and pauses last [M-055]") {
    const RecoveryLadder rules = checked(*presets::recommended().ladder.as<RecoveryLadder>());
    const Judgement stalls = seeing(Condition::stalled);
    Decision step = at(rules, {}, 0s, stalls);
    CHECK(text_of(step.plan) == "inject:nudge ");
    const std::pair<Duration, std::string> next[] = {
        {120s, "inject:nudge "}, {300s, "inject:break_pattern "}, {600s, "pause snapshot escalate "}};
    for (const auto& [when, plan] : next) {
        CHECK(step.incident.verify_at == when);
        CHECK(at(rules, step.incident, when - 1us, stalls).plan.empty());
        step = at(rules, step.incident, when, stalls);
        CHECK(text_of(step.plan) == plan);
    }
    CHECK(step.is_final);
    CHECK_FALSE(step.incident.hold_until);  // whoever is told again is told by the levels of the escalation
    CHECK_THAT(rules.describe(), Catch::Matchers::Contains("STALLED: inject:nudge (2m 0s) inject:nudge (3m 0s) "
                                                           "inject:break_pattern (5m 0s)\n"));
}

TEST_CASE("a loop is nudged and asked for another way once, and one that is certain is paused at once [M-055]") {
    const RecoveryLadder rules = checked(*presets::recommended().ladder.as<RecoveryLadder>());
    Judgement loops = seeing(Condition::loop_detected);
    const Decision nudged = at(rules, {}, 0s, loops);
    CHECK(text_of(nudged.plan) == "inject:nudge ");
    const Decision broken = at(rules, nudged.incident, 120s, loops);
    CHECK(text_of(broken.plan) == "inject:break_pattern ");
    CHECK(text_of(at(rules, broken.incident, 420s, loops).plan) == "pause snapshot escalate ");
    loops.certain = true;
    const Decision paused = at(rules, {}, 0s, loops);
    CHECK(text_of(paused.plan) == "pause snapshot escalate ");
    CHECK(paused.condition == Condition::loop_detected);
    CHECK(text_of(at(ladder(), {}, 0s, loops).plan) == "inject:break_pattern ");  // only where the class says so
    CHECK_THAT(rules.describe(), Catch::Matchers::Contains("; the final rung at once if it is certain\n"));
}

TEST_CASE("where nobody can be paused, a loop that is certain is nudged first as any other [M-055]") {
    RecoveryLadder rules = checked(*presets::recommended().ladder.as<RecoveryLadder>());
    Judgement loops = seeing(Condition::loop_detected);
    loops.certain = true;
    using enum ActionOutcome;
    SECTION("that is learnt from the answer to the first pause, and nobody is told before") {
        const Decision paused = at(rules, {}, 0s, loops);
        const Decision answered = absorbed(rules, paused, {unsupported, blocked, blocked});
        CHECK(answered.plan.empty());
        CHECK(answered.corrected == InterventionOutcome::unsupported);
        CHECK((answered.incident.cannot_pause && !answered.incident.escalated && answered.incident.attempts == 0));
        const Decision nudged = at(rules, answered.incident, 0s, loops);
        CHECK(text_of(nudged.plan) == "inject:nudge ");
        const Decision broken = at(rules, nudged.incident, 120s, loops);
        CHECK(text_of(broken.plan) == "inject:break_pattern ");
        const Decision last = at(rules, broken.incident, 420s, loops);
        CHECK(text_of(last.plan) == "pause snapshot escalate ");
        CHECK(last.reason == "attempts_used_up");
        const Decision told = absorbed(rules, last, {unsupported, blocked, blocked}, 420s);
        CHECK(text_of(told.plan) == "snapshot escalate ");
        CHECK((told.incident.phase == Phase::holding && told.incident.attempts == 2));
    }
    SECTION("one that was told everything is held, and a person is asked for") {
        Incident incident;
        incident.number = 1;
        incident.phase = Phase::climbing;
        incident.condition = Condition::loop_detected;
        incident.attempts = 2;
        const Decision told = absorbed(rules, at(rules, incident, 420s, loops), {unsupported, blocked, blocked}, 420s);
        CHECK(text_of(told.plan) == "snapshot escalate ");
        CHECK((told.incident.phase == Phase::holding && told.incident.attempts == 2));
    }
    SECTION("a loop that is gone when the answer comes is none") {
        const Decision answered = absorbed(rules, at(rules, {}, 0s, loops), {unsupported, blocked, blocked});
        CHECK(at(rules, answered.incident, 0s, {}).plan.empty());
        CHECK(at(rules, answered.incident, 1s, seeing(Condition::stalled)).condition == Condition::stalled);
    }
    SECTION("a final rung that does not pause is no reason to say nothing to the agent") {
        rules.final_rung = {{ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}};
        CHECK(text_of(at(checked(rules), {}, 0s, loops).plan) == "inject:nudge ");
    }
    SECTION("a pause that a freeze held back is tried again") {
        const Decision later = absorbed(rules, at(rules, {}, 0s, loops), {skipped, blocked, blocked});
        CHECK(at(rules, later.incident, 59s, loops).plan.empty());
        CHECK(text_of(at(rules, later.incident, 60s, loops).plan) == "pause snapshot escalate ");
    }
}

TEST_CASE("a person knows of a last rung whose pause came to nothing [M-055]") {
    const RecoveryLadder rules = checked(*presets::recommended().ladder.as<RecoveryLadder>());
    Judgement loops = seeing(Condition::loop_detected);
    loops.certain = true;
    const Decision paused = at(rules, {}, 0s, loops);
    using enum ActionOutcome;
    const auto in_vain = GENERATE(failed, rejected, unknown);
    const Decision told = absorbed(rules, paused, {in_vain, blocked, blocked});
    CHECK(text_of(told.plan) == "snapshot escalate ");
    CHECK(told.incident.phase == Phase::holding);
    CHECK(absorbed(rules, paused, {done, done, done}).plan.empty());
}
