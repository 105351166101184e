// Questions about one rung of the ladder: what it holds, which of its actions names it, and what it came to.
#pragma once

#include <optional>
#include <string>

#include <heeler/core/incident.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// What is done about one condition.
struct Response {
    Condition condition = Condition::stalled;
    List<Plan> rungs{};  ///< attempt n takes rung n; the last one is repeated
    /// The rung asks a person: no verification, no further attempt; escalated again after `max_pause`.
    bool hold = false;
    bool on_recurrence = false;  ///< only the condition itself shows that the rung failed (the checkpoint watchdog: a
                                 ///< continuation stalls)
    List<Duration> waits{};      ///< from rung n to the look whether it helped; the last one is repeated. None: as the
                                 ///< class says (`verify_after`)
    bool each_once = false;      ///< after the last of the rungs the final one, though attempts are left
    bool final_at_stop = false;  ///< what is found as certainly as that (`Level::stop`) takes the final rung at once,
                                 ///< if that pauses the run, and the host can

    [[nodiscard]] Duration wait_after(std::size_t rung, Duration otherwise) const noexcept {
        return waits.empty() ? otherwise : waits[rung < waits.size() ? rung : waits.size() - 1];
    }
};

}  // namespace heeler::inline HEELER_ABI

namespace heeler::inline HEELER_ABI::rung {

[[nodiscard]] inline bool has(const Plan& plan, ActionKind kind) noexcept {
    for (const Step& step : plan)
        if (step.action == kind) return true;
    return false;
}

[[nodiscard]] inline bool any(const List<Action>& actions, ActionOutcome outcome) noexcept {
    for (const Action& action : actions)
        if (action.outcome == outcome) return true;
    return false;
}

/// Null if the rung has none of this kind.
[[nodiscard]] inline const Action* find(const List<Action>& actions, ActionKind kind) noexcept {
    for (const Action& action : actions)
        if (action.kind == kind) return &action;
    return nullptr;
}

/// It was tried, and everybody knows that nothing came of it.
[[nodiscard]] inline bool not_done(const Action& action) noexcept {
    return action.outcome == ActionOutcome::failed || action.outcome == ActionOutcome::rejected ||
           action.outcome == ActionOutcome::unsupported;
}

/// It was done, or nobody knows whether it was.
[[nodiscard]] inline bool may_be_done(const Action& action) noexcept {
    return action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::unknown;
}

/// It does more than ask for a person: what a budget bounds.
[[nodiscard]] inline bool has_deeds(const Plan& plan) noexcept {
    for (const Step& step : plan)
        if (step.action != ActionKind::escalate) return true;
    return false;
}

/// The run is over, or nobody watches it any more, when it is carried out.
[[nodiscard]] constexpr bool ends_run(ActionKind kind) noexcept {
    return kind == ActionKind::terminate || is_record_only(kind);
}
[[nodiscard]] inline bool ends_run(const Plan& plan) noexcept {
    for (const Step& step : plan)
        if (ends_run(step.action)) return true;
    return false;
}

/// Reaches the agent itself: in a run that several share, it is isolated first.
[[nodiscard]] constexpr bool touches(ActionKind kind) noexcept {
    return is_injection(kind) || kind == ActionKind::pause || kind == ActionKind::terminate ||
           kind == ActionKind::spawn;
}

[[nodiscard]] inline bool touches(const Plan& plan) noexcept {
    for (const Step& step : plan)
        if (touches(step.action)) return true;
    return false;
}

/// What follows when an action came to nothing, or nobody knows: what waited for it in vain and harms nobody, and a
/// person is told, unless the rung told one after it.
[[nodiscard]] inline Plan owed(const List<Action>& actions) {
    Plan plan;
    bool told = false;
    for (const Action& action : actions) {
        const bool waited = action.outcome == ActionOutcome::blocked;
        if (action.kind == ActionKind::snapshot && waited) plan.push_back({ActionKind::snapshot, {}, {}});
        if (not_done(action) || action.outcome == ActionOutcome::unknown) told = false;
        told |= action.kind == ActionKind::escalate && !waited;
    }
    if (!told) plan.push_back({ActionKind::escalate, {}, {}});
    return plan;
}

/// Which of two actions names a rung.
[[nodiscard]] constexpr int rank(ActionKind kind) noexcept {
    if (kind == ActionKind::terminate) return 6;
    if (is_record_only(kind)) return 5;
    if (kind == ActionKind::pause || kind == ActionKind::spawn) return 4;
    if (kind == ActionKind::wake || kind == ActionKind::block) return 4;
    if (is_injection(kind)) return 3;
    if (kind == ActionKind::escalate) return 2;
    return kind == ActionKind::snapshot || kind == ActionKind::file_issue ? 1 : 0;
}

/// The action that names a rung: the strongest one that was tried. `actions` is not empty.
[[nodiscard]] inline const Action& main_of(const List<Action>& actions) noexcept {
    const auto weight = [](const Action& action) {
        const bool tried = action.outcome != ActionOutcome::intended && action.outcome != ActionOutcome::blocked;
        return tried ? rank(action.kind) : -1;
    };
    const Action* strongest = &actions.front();
    for (const Action& action : actions)
        if (weight(*strongest) < weight(action)) strongest = &action;
    return *strongest;
}

/// What a rung that was carried out came to; `pending` until it is verified.
[[nodiscard]] inline InterventionOutcome outcome_of(const List<Action>& actions) noexcept {
    if (any(actions, ActionOutcome::unknown)) return InterventionOutcome::unknown;
    const Action& main = main_of(actions);
    if (main.outcome == ActionOutcome::rejected) return InterventionOutcome::rejected;
    if (main.outcome == ActionOutcome::failed) return InterventionOutcome::failed;
    if (main.outcome == ActionOutcome::unsupported) return InterventionOutcome::unsupported;
    if (main.outcome == ActionOutcome::skipped) return InterventionOutcome::skipped;
    if (main.outcome == ActionOutcome::ended) return InterventionOutcome::ended;
    if (main.kind == ActionKind::terminate) return InterventionOutcome::terminated;
    if (is_record_only(main.kind)) return InterventionOutcome::ended;
    return find(actions, ActionKind::escalate) != nullptr ? InterventionOutcome::escalated
                                                          : InterventionOutcome::pending;
}

/// What an action that was done changes about the incident.
inline void note_done(Incident& incident, const Action& action) {
    if (action.outcome != ActionOutcome::done) return;
    if (is_injection(action.kind)) incident.nudge_confirmed = true;
    if (action.kind == ActionKind::isolate) incident.isolated = true;
    if (action.kind == ActionKind::escalate) incident.escalated = true;
}

/// A rung does something, and what one of its entries needs stands before it.
[[nodiscard]] inline std::optional<Error> check_plan(const std::string& where, const Plan& plan) {
    if (plan.empty()) return Error{ErrorCode::invalid_argument, "ladder: " + where + " holds an empty rung; remove it"};
    Plan before;
    for (const Step& step : plan) {
        if (step.needs && !has(before, *step.needs))
            return Error{ErrorCode::invalid_argument, "ladder: in " + where + " `" + std::string{name_of(step.action)} +
                                                          "` needs `" + std::string{name_of(*step.needs)} +
                                                          "`, which does not stand before it: it would never be done"};
        before.push_back(step);
    }
    return std::nullopt;
}

[[nodiscard]] inline std::optional<Error> check_response(const Response& response) {
    for (const Plan& plan : response.rungs) {
        if (auto error = check_plan("the response to " + std::string{name_of(response.condition)}, plan)) return error;
        for (const Step& step : plan)
            if (is_destructive(step.action))
                return Error{ErrorCode::invalid_argument,
                             "ladder: the response to " + std::string{name_of(response.condition)} + " holds `" +
                                 std::string{name_of(step.action)} +
                                 "`; only final_rung may be destructive, after a nudge: move it there"};
    }
    return std::nullopt;
}

[[nodiscard]] inline std::optional<Error> check_final(const Plan& plan) {
    if (!has(plan, ActionKind::escalate))
        return Error{ErrorCode::invalid_argument, "ladder: final_rung must hold `escalate`: somebody has to be told"};
    if (auto error = check_plan("final_rung", plan)) return error;
    for (const Step& step : plan) {
        if (step.action == ActionKind::escalate && step.needs && step.needs != ActionKind::pause)  // that one is owed
            return Error{ErrorCode::invalid_argument, "ladder: `escalate` in final_rung must need nothing: where `" +
                                                          std::string{name_of(*step.needs)} +
                                                          "` fails, nobody would be told"};
        if (is_destructive(step.action) && step.needs != ActionKind::snapshot)
            return Error{ErrorCode::invalid_argument,
                         "ladder: `terminate` in final_rung must need a snapshot: {terminate, snapshot}"};
    }
    return std::nullopt;
}

}  // namespace heeler::inline HEELER_ABI::rung
