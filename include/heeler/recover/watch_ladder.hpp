// The ladder of a class that only watches: an incident begins with the first finding and ends with the last. It alerts,
// steers, and gives a run up where the settings say so; nothing is tried and verified (S004).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/recover/decision.hpp>
#include <heeler/recover/retry.hpp>
#include <heeler/recover/rung.hpp>

namespace heeler::inline v0::watching {

/// Either of the two is enough.
[[nodiscard]] inline bool applies(const Ending& ending, const Judgement& seen) noexcept {
    if (ending.at_least != Severity::none && seen.severity >= ending.at_least) return true;
    return ending.silent_longer && seen.silence && *seen.silence > *ending.silent_longer;
}

/// The first ending that applies; null if none does.
[[nodiscard]] inline const Ending* ending_for(const LadderSettings& settings, const Judgement& seen) noexcept {
    for (const Ending& ending : settings.endings)
        if (applies(ending, seen)) return &ending;
    return nullptr;
}

/// One cycle's step. `now` and `verify_after` are on the run's working clock.
[[nodiscard]] inline Decision step(const LadderSettings& settings, const Incident& incident, const Judgement& seen,
                                   Duration now, Elapsed elapsed, Duration verify_after) {
    const bool retried = settings.retry && incident.open() && incident.attempts > 0;
    if (!seen.worst) {
        // That a fresh agent was started proves nothing yet.
        if (retried && !seen.active) return Decision{incident};
        return incident.open() ? recovered(incident, now) : Decision{incident};
    }
    Decision decision{incident};
    Incident& next = decision.incident;
    if (!incident.open()) next = begun(incident, now, verify_after);
    const bool given_up = incident.phase == Phase::holding;  // in shadow mode the run goes on all the same
    const Ending* ending = given_up ? nullptr : ending_for(settings, seen);
    const bool stalled = (seen.conditions & bit_of(Condition::stalled)) != 0;
    if (settings.retry && stalled && ending == nullptr && !given_up) {
        decision = retrying::step(*settings.retry, next, seen, now, elapsed, verify_after);
        if (retried && incident.phase == Phase::climbing) decision.last = InterventionOutcome::persisted;
        return decision;
    }
    decision.condition = next.condition = *seen.worst;
    if (incident.phase == Phase::waiting) next.hold_until.reset();
    if (!given_up) next.phase = Phase::climbing;
    for (const SteerRule& rule : settings.steers)
        if ((seen.conditions & seen.steerable & bit_of(rule.condition)) != 0)
            decision.plan.push_back({ActionKind::steer, {}, rule.condition});
    if (ending != nullptr) {
        decision.plan.insert(decision.plan.end(), ending->plan.begin(), ending->plan.end());
        decision.is_final = true;
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
