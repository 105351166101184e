// How incidents begin and end, whichever ladder climbs.
#pragma once

#include <string_view>

#include <heeler/core/incident.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/recover/rung.hpp>

namespace heeler::inline HEELER_ABI {

/// The incident that a finding opens in this turn: the turn's own again if it returns soon after it was closed (within
/// two verifications, one and the same loop within three), else a new one.
[[nodiscard]] inline Incident begun(const LadderTurn& turn) {
    const Incident& last = turn.incident;
    const Duration soon = (turn.seen.same_loop ? 3 : 2) * turn.verify_after;
    if (last.phase == Phase::closed && turn.now - last.closed_at <= soon) return last;
    Incident next{};
    next.number = last.number + 1;
    next.interventions = last.interventions;
    next.opened = turn.now;
    next.forgiven = last.forgiven;
    return next;
}

/// The condition is gone.
[[nodiscard]] inline Decision recovered(const Incident& incident, Duration now) {
    Decision decision{incident};
    decision.last = InterventionOutcome::recovered;
    decision.incident.phase = Phase::closed;
    decision.incident.closed_at = now;
    decision.incident.unclear = 0;
    decision.incident.hold_until.reset();
    return decision;
}

/// What is left of a step for whose deeds the budget is used up: nothing was tried, and a person is asked for once if
/// the step asks for one. Every cycle of it asks again whether it may be done.
[[nodiscard]] inline Decision told_only(const Incident& before, const Decision& step) {
    const bool same = before.number == step.incident.number;
    Decision told{before.open() ? before : step.incident};
    told.condition = step.condition;
    told.tells = true;
    told.reason = "over_budget";
    if (rung::has(step.plan, ActionKind::escalate) && !(same && before.escalated))
        told.plan = {{ActionKind::escalate, {}, {}}};
    if (before.open()) return told;
    told.incident.attempts = same ? before.attempts : 0;
    told.incident.phase = Phase::waiting;
    told.incident.hold_until.reset();
    return told;
}

/// Nothing more is tried: a person decides.
[[nodiscard]] inline Decision escalated(Decision decision, std::string_view reason) {
    decision.plan = {{ActionKind::escalate, {}, {}}};
    decision.incident.phase = Phase::holding;
    decision.reason = reason;
    return decision;
}

/// What is left of a step that would start one fresh agent too many: none is started or planned, and a person is asked
/// for; if it was `known` before, once in the incident. What else a final rung does is done.
[[nodiscard]] inline Decision poisoned(const Incident& before, const Decision& step, bool known) {
    if (step.is_final) {
        Decision rest = step;
        for (auto entry = rest.plan.begin(); entry != rest.plan.end();)
            entry = entry->action == ActionKind::spawn ? rest.plan.erase(entry) : entry + 1;
        return rest;
    }
    Decision held = escalated(told_only(before, step), "poisoned");
    held.last = step.last;
    held.incident.condition = step.condition;
    held.incident.hold_until.reset();
    if (known && before.escalated && before.number == step.incident.number) held.plan.clear();
    return held;
}

/// The run is over.
[[nodiscard]] inline Decision ended(Decision decision, InterventionOutcome outcome) {
    decision.corrected = outcome;
    decision.incident.phase = Phase::closed;
    decision.run_ended = true;
    if (outcome == InterventionOutcome::ended && decision.incident.attempts > 0) --decision.incident.attempts;
    return decision;
}

}  // namespace heeler::inline HEELER_ABI
