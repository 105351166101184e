// How the recovery ladder is climbed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/retry.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE Result<void> RecoveryLadder::validate() const {
    for (const Response& response : responses)
        if (auto error = rung::check_response(response)) return tl::unexpected<Error>(*std::move(error));
    if (auto error = rung::check_final(final_rung)) return tl::unexpected<Error>(*std::move(error));
    if (retry)
        if (auto error = retrying::check(*retry)) return tl::unexpected<Error>(*std::move(error));
    if (max_attempts < 1 || max_attempts > 100)
        return detail::invalid("ladder.max_attempts is " + std::to_string(max_attempts) + "; it must be 1 to 100");
    if (max_continuations > 100)
        return detail::invalid("ladder.max_continuations is " + std::to_string(max_continuations) +
                               "; it must be 0 to 100");
    if (max_pause < std::chrono::seconds{1} || max_pause > std::chrono::hours{24 * 3650})
        return detail::invalid("ladder.max_pause is " + std::to_string(in_seconds(max_pause)) +
                               " s; it must be 1s to 3650 days");
    return {};
}

HEELER_INLINE bool RecoveryLadder::asks_for(ActionKind kind) const {
    bool asks = rung::has(final_rung, kind) || (kind == ActionKind::spawn && retry);
    for (const Response& response : responses)
        for (const Plan& plan : response.rungs) asks |= rung::has(plan, kind);
    return asks;
}

HEELER_INLINE std::string RecoveryLadder::describe() const {
    std::string text = "  ladder:\n" + retrying::describe(retry);
    bool spawns = false;
    for (const Response& response : responses) {
        for (const Plan& plan : response.rungs) spawns |= rung::has(plan, ActionKind::spawn);
        if (retrying::applies(retry, response.condition)) continue;
        text::append(
            text, "    ",
            response.condition == Condition::no_output_access ? "output not readable" : name_of(response.condition),
            ":");
        std::size_t n = 0;
        for (const Plan& plan : response.rungs) {
            for (const Step& entry : plan) text::append(text, " ", name_of(entry.action));
            if (!response.waits.empty()) text += " (" + text::spoken(response.wait_after(n++, {})) + ")";
        }
        if (response.final_at_stop) text.append("; the final rung at once if it is certain");
        if (response.hold && !response.rungs.empty() && rung::has(response.rungs[0], ActionKind::pause))
            text::append(text, ", told again after ", text::spoken(max_pause));
        text.append(response.hold ? " (then a person decides)\n" : "\n");
    }
    text::append(text, spawns ? "    at most " : "    after ",
                 std::to_string(spawns ? max_continuations : max_attempts),
                 spawns ? " continuations; then:" : " attempts:");
    bool destructive = false;
    for (const Step& entry : final_rung) {
        text::append(text, " ", name_of(entry.action));
        destructive |= is_destructive(entry.action);
    }
    text::append(text, destructive ? " (destructive)\n" : " (nothing is destroyed)\n");
    return text + "    anything else that is found: people are told, nothing is done\n";
}

HEELER_INLINE Decision RecoveryLadder::climb(const LadderTurn& turn) const {
    const auto& [incident, seen, now, elapsed, verify_after] = turn;
    Judgement answered = seen;
    answered.worst = worst_answered(seen);
    const Turn step{{incident, answered, now, elapsed, verify_after}, answered.worst ? std::nullopt : seen.worst};
    switch (incident.phase) {
        case Phase::none:
        case Phase::closed:
            return open(step);
        case Phase::climbing:
            return verify(step);
        case Phase::holding:
            return hold(step);
        case Phase::waiting:
            return wait(step);
    }
    return Decision{incident};
}

HEELER_INLINE Decision RecoveryLadder::absorb(const LadderOutcomes& outcomes) const {
    const auto& [incident, actions, now, elapsed, verify_after] = outcomes;
    const Action& main = rung::main_of(actions);
    const bool isolates = main.kind == ActionKind::isolate;
    const bool alone = isolates && main.outcome != ActionOutcome::done;  // what waited for it was not tried
    if (!alone && rung::find(actions, ActionKind::spawn) != nullptr) return retrying::absorb(outcomes);
    Decision decision{incident};
    for (const Action& action : actions) rung::note_done(decision.incident, action);
    decision.corrected = rung::outcome_of(actions);
    if (rung::any(actions, ActionOutcome::ended)) return ended(decision, InterventionOutcome::ended);
    if (main.kind == ActionKind::terminate && main.outcome == ActionOutcome::done)
        return ended(decision, InterventionOutcome::terminated);
    const Judgement nothing;
    const Turn step{{incident, nothing, now, elapsed, verify_after}, {}};
    if (main.outcome == ActionOutcome::skipped) return try_later(step, actions, *decision.corrected);
    if (main.kind == ActionKind::terminate && rung::not_done(main)) return escalated(decision, "terminate_failed");
    if (rung::any(actions, ActionOutcome::unknown)) {
        decision.plan = rung::owed(actions);
        decision.reason = "outcome_unknown";
        if (isolates) decision.incident.phase = Phase::holding;
        return decision;
    }
    if (is_record_only(main.kind) && main.outcome == ActionOutcome::done)
        return ended(decision, InterventionOutcome::ended);
    const bool recovers = is_injection(main.kind) || main.kind == ActionKind::pause || isolates;
    if (recovers && rung::not_done(main)) return failed(step, std::move(decision), actions);
    const Action* telling = rung::find(actions, ActionKind::escalate);
    if (telling != nullptr && telling->outcome == ActionOutcome::blocked) {
        decision.plan = rung::owed(actions);
        decision.reason = "action_failed";
    }
    return decision;
}

HEELER_INLINE Decision RecoveryLadder::failed(const Turn& step, Decision decision, const List<Action>& actions) const {
    const Action& main = rung::main_of(actions);
    const bool absent = main.outcome == ActionOutcome::unsupported;
    const bool isolates = main.kind == ActionKind::isolate;
    const std::string_view reason = absent ? "unsupported" : isolates ? "isolate_failed" : "action_failed";
    Incident& next = decision.incident;
    const Response* response = response_to(next.condition);
    const bool at_once = main.kind == ActionKind::pause && response != nullptr && response->final_at_stop;
    // What is certain was to be paused at once. Where that cannot be done it is told so first, as what is not.
    if (absent && at_once && !next.cannot_pause && !is_used_up(next, *response)) {
        next.cannot_pause = true;
        next.phase = Phase::waiting;
        next.hold_until = step.elapsed;
        return decision;
    }
    if (absent && next.attempts > 0 && !at_once && next.condition != Condition::timeout) --next.attempts;
    if (absent || on_failure == OnFailure::escalate) {
        decision = escalated(std::move(decision), reason);
        decision.plan = rung::owed(actions);
        return decision;
    }
    Decision last = last_rung(step, decision.condition, true);
    if (isolates) detail::drop_if(last.plan, [](const Step& entry) { return rung::touches(entry.action); });
    last.corrected = decision.corrected;
    last.incident.isolated = decision.incident.isolated;
    last.reason = reason;
    return last;
}

HEELER_INLINE const Response* RecoveryLadder::response_to(Condition condition) const noexcept {
    for (const Response& response : responses)
        if (response.condition == condition && !response.rungs.empty()) return &response;
    return nullptr;
}

HEELER_INLINE bool RecoveryLadder::is_used_up(const Incident& incident, const Response& response) const noexcept {
    return incident.attempts >= max_attempts || (response.each_once && incident.attempts >= response.rungs.size());
}

HEELER_INLINE bool RecoveryLadder::answers(Condition condition) const noexcept {
    return retrying::applies(retry, condition) || response_to(condition) != nullptr;
}

HEELER_INLINE std::optional<Condition> RecoveryLadder::worst_answered(const Judgement& seen) const noexcept {
    if (!seen.worst || *seen.worst == Condition::timeout || answers(*seen.worst)) return seen.worst;
    std::optional<Condition> worst;
    const auto consider = [&](const Condition& each) {
        if ((seen.conditions & bit_of(each)) != 0 && answers(each) && (!worst || outranks(each, *worst))) worst = each;
    };
    for (const Response& response : responses) consider(response.condition);
    consider(Condition::stalled);
    return worst;
}

HEELER_INLINE Decision RecoveryLadder::open(const Turn& step) const {
    if (!step.seen.worst && !step.unanswered) return Decision{step.incident};
    Incident next = begun(step);
    retrying::forgive(retry, step.seen, next);
    if (step.seen.worst) return act({{next, step.seen, step.now, step.elapsed, step.verify_after}, {}}, {});
    Decision told{next};
    told.condition = told.incident.condition = *step.unanswered;
    told.incident.phase = Phase::waiting;
    told.incident.acted = step.now;
    told.tells = true;
    return told;
}

HEELER_INLINE Decision RecoveryLadder::over(const Turn& step) const {
    Decision decision = recovered(step.incident, step.now);
    if (!step.unanswered) return decision;
    decision.incident.phase = Phase::waiting;
    decision.incident.condition = *step.unanswered;
    decision.tells = true;
    return decision;
}

HEELER_INLINE Decision RecoveryLadder::over_budget(const Incident& before, const Decision& decision) const {
    return told_only(before, decision);
}

HEELER_INLINE Decision RecoveryLadder::verify(const Turn& step) const {
    const bool waits = step.now < step.incident.verify_at;
    if (step.seen.explicit_limit && !(waits && step.incident.condition == Condition::timeout))
        return act(step, InterventionOutcome::persisted);
    // Whether the rung helped cannot be seen any more.
    if (step.seen.worst == Condition::no_output_access && step.incident.condition != Condition::no_output_access)
        return act(step, {});
    if (waits) return Decision{step.incident};
    if (step.seen.worst) return act(step, InterventionOutcome::persisted);
    if (step.seen.progressed || step.seen.enough_new || step.seen.no_output_gone) return over(step);
    Decision unclear{step.incident};
    const Response* response = response_to(step.incident.condition);
    if (retrying::applies(retry, step.incident.condition) || (response != nullptr && response->on_recurrence))
        return unclear;
    unclear.incident.verify_at = step.now + step.verify_after;
    if (++unclear.incident.unclear < 2) return unclear;
    Turn still = {{unclear.incident, step.seen, step.now, step.elapsed, step.verify_after}, {}};
    return act(still, InterventionOutcome::persisted);
}

HEELER_INLINE Decision RecoveryLadder::wait(const Turn& step) const {
    if (step.seen.explicit_limit) return act(step, {});
    const bool due = !step.incident.hold_until || step.elapsed >= *step.incident.hold_until;
    const bool only_told = !step.incident.hold_until;
    if (step.seen.worst) {
        if (!answers(*step.seen.worst) || (!due && *step.seen.worst == step.incident.condition))
            return Decision{step.incident};
        if (!only_told) return act(step, {});
        // Attempts that were made long before are none of what begins now.
        Incident closed = step.incident;
        closed.phase = Phase::closed;
        Incident next = begun({closed, step.seen, step.now, step.elapsed, step.verify_after});
        next.number = closed.number;
        return act({{next, step.seen, step.now, step.elapsed, step.verify_after}, {}}, {});
    }
    if (only_told && step.unanswered) {
        Decision told{step.incident};
        told.condition = told.incident.condition = *step.unanswered;
        told.tells = true;
        return told;
    }
    if (only_told || step.seen.progressed || step.seen.enough_new) return over(step);
    return retrying::call_off(step.incident, step.now);
}

HEELER_INLINE Decision RecoveryLadder::hold(const Turn& step) const {
    const Incident& incident = step.incident;
    if (step.seen.explicit_limit && incident.condition != Condition::timeout)
        return act(step, InterventionOutcome::persisted);
    if (!step.seen.worst && (step.seen.progressed || step.seen.enough_new || step.seen.no_output_gone))
        return over(step);
    if (step.seen.worst && (outranks(*step.seen.worst, incident.condition) || step.seen.no_output_gone) &&
        incident.condition != Condition::timeout && answers(*step.seen.worst))
        return act(step, {});
    Decision wait{incident};
    if (!incident.hold_until || step.elapsed < *incident.hold_until) return wait;
    wait.incident.hold_until.reset();
    if (step.seen.acknowledged) return wait;
    wait.plan = {{ActionKind::escalate, {}}};
    wait.reason = "held_too_long";
    return wait;
}

HEELER_INLINE Decision RecoveryLadder::act(const Turn& step, std::optional<InterventionOutcome> last) const {
    const Condition condition = step.seen.worst.value_or(step.incident.condition);
    if (retrying::applies(retry, condition) && !step.seen.explicit_limit) {
        Decision retried = retrying::step(*retry, step.incident, step.seen, step.now, step.elapsed, step.verify_after);
        retried.last = last;
        return retried;
    }
    const Response* response = response_to(condition);
    const bool spawns = response != nullptr && rung::has(response->rungs.front(), ActionKind::spawn);
    const bool tried = condition != Condition::no_output_access;  // people are told, and that is no attempt
    const bool exhausted = tried && ((response != nullptr && is_used_up(step.incident, *response)) ||
                                     (spawns && step.seen.continuations >= max_continuations));
    const bool stops = rung::has(final_rung, ActionKind::pause) && !step.incident.cannot_pause;
    const bool certain = response != nullptr && response->final_at_stop && step.seen.certain && stops;
    if (step.seen.explicit_limit || exhausted || certain || response == nullptr) {
        Decision decision = last_rung(step, spawns || certain ? condition : Condition::timeout, false);
        decision.last = last;
        decision.reason = step.seen.explicit_limit ? "limit_exceeded" : certain ? "certain" : "attempts_used_up";
        return decision;
    }
    Decision decision{step.incident};
    decision.condition = condition;
    decision.last = last;
    const std::size_t rung = detail::min_of<std::size_t>(step.incident.attempts, response->rungs.size() - 1);
    decision.plan = response->rungs[rung];
    Incident& next = decision.incident;
    next.condition = condition;
    next.attempts += tried ? 1 : 0;
    if (!spawns || step.incident.condition != condition) next.unclear = 0;
    next.acted = step.now;
    next.verify_at = step.now + response->wait_after(rung, step.verify_after);
    next.phase = response->hold ? Phase::holding : Phase::climbing;
    next.hold_until.reset();
    if (response->hold && rung::has(decision.plan, ActionKind::pause)) next.hold_until = step.elapsed + max_pause;
    return decision;
}

HEELER_INLINE Decision RecoveryLadder::last_rung(const Turn& step, Condition condition, bool refused) const {
    Decision decision{step.incident};
    decision.condition = condition;
    decision.is_final = true;
    decision.plan = final_rung;
    if (!step.seen.explicit_limit && !step.incident.nudge_confirmed && !refused)
        detail::drop_if(decision.plan, [](const Step& entry) { return is_destructive(entry.action); });
    Incident& next = decision.incident;
    next.condition = condition;
    next.phase = Phase::holding;
    next.unclear = 0;
    next.acted = step.now;
    next.hold_until.reset();
    return decision;
}

HEELER_INLINE Decision RecoveryLadder::try_later(const Turn& step, const List<Action>& actions,
                                                 InterventionOutcome corrected) const {
    Decision decision{step.incident};
    decision.corrected = corrected;
    Incident& next = decision.incident;
    auto first = actions.begin();
    while (first != actions.end() && first->kind == ActionKind::isolate) ++first;
    const Response* response = response_to(next.condition);
    const bool of_retry = retry && first != actions.end() && first->kind == ActionKind::spawn;
    bool of_response = of_retry;
    if (response != nullptr && first != actions.end())
        for (const Plan& plan : response->rungs) of_response |= plan.front().action == first->kind;
    if (of_response || next.condition == Condition::timeout || rung::find(actions, ActionKind::pause) != nullptr) {
        if (of_response && next.attempts > 0 && next.condition != Condition::no_output_access) --next.attempts;
        next.phase = Phase::climbing;
        next.verify_at = step.now + step.verify_after;
        next.hold_until.reset();
    } else if (next.phase == Phase::holding) {
        next.hold_until = step.elapsed + step.verify_after;
    }
    return decision;
}

}  // namespace heeler::inline HEELER_ABI
