// The ladder of a class that only watches: an incident begins with the first finding and ends with the last. It alerts,
// steers, and gives a run up where the settings say so; nothing is tried and verified (S004).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/recover/decision.hpp>
#include <heeler/recover/rung.hpp>

namespace heeler::inline v0::watching {

/// Either of the two is enough.
[[nodiscard]] inline bool applies(const Ending& ending, const Judgement& seen) noexcept {
    if (ending.at_least != Severity::none && seen.severity >= ending.at_least) return true;
    return ending.silent_longer && seen.silence && *seen.silence > *ending.silent_longer;
}

/// One cycle's step. `now` and `verify_after` are on the run's working clock.
[[nodiscard]] inline Decision step(const LadderSettings& settings, const Incident& incident, const Judgement& seen,
                                   Duration now, Duration verify_after) {
    if (!seen.worst) return incident.open() ? recovered(incident, now) : Decision{incident};
    Decision decision{incident};
    Incident& next = decision.incident;
    if (!incident.open()) next = begun(incident, now, verify_after);
    decision.condition = next.condition = *seen.worst;
    const bool given_up = incident.phase == Phase::holding;  // in shadow mode the run goes on all the same
    if (!given_up) next.phase = Phase::climbing;
    for (const SteerRule& rule : settings.steers)
        if ((seen.conditions & seen.steerable & bit_of(rule.condition)) != 0)
            decision.plan.push_back({ActionKind::steer, {}, rule.condition});
    if (!given_up)
        for (const Ending& ending : settings.endings) {
            if (!applies(ending, seen)) continue;
            decision.plan.insert(decision.plan.end(), ending.plan.begin(), ending.plan.end());
            decision.is_final = true;
            break;
        }
    if (!decision.acts()) return decision;
    if (next.attempts > 0) decision.last = InterventionOutcome::persisted;
    ++next.attempts;
    next.acted = now;
    return decision;
}

/// What the outcomes of a rung change.
[[nodiscard]] inline Decision absorb(const Incident& incident, const std::vector<Action>& actions) {
    Decision decision{incident};
    const Action& main = rung::main_of(actions);
    decision.corrected = rung::outcome_of(actions);
    const bool given_up = is_record_only(main.kind) && main.outcome == ActionOutcome::done;
    const bool found_over = rung::any(actions, ActionOutcome::ended);
    if (given_up || found_over) {
        decision.corrected = InterventionOutcome::ended;
        decision.run_ended = true;
    } else if (main.outcome != ActionOutcome::done && decision.incident.attempts > 0) {
        --decision.incident.attempts;
    }
    return decision;
}

[[nodiscard]] inline std::optional<Error> check(const LadderSettings& settings) {
    for (const Ending& ending : settings.endings) {
        if (auto error = rung::check_plan("an ending", ending.plan)) return error;
        for (const Step& entry : ending.plan)
            if (!is_record_only(entry.action) && entry.action != ActionKind::file_issue)
                return Error{ErrorCode::invalid_argument,
                             "ladder: an ending holds `" + std::string{name_of(entry.action)} +
                                 "`; a class that only watches gives up with abandon, mark_failed and file_issue"};
    }
    for (const SteerRule& rule : settings.steers)
        if (rule.cooldown < std::chrono::seconds{1})
            return Error{ErrorCode::invalid_argument, "ladder: the cooldown of a steer about " +
                                                          std::string{name_of(rule.condition)} +
                                                          " is shorter than 1 s: the run would be flooded"};
    return std::nullopt;
}

}  // namespace heeler::inline v0::watching
