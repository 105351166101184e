// What keeps deeds and words off a run after they were decided: it is asked when their turn comes.
#pragma once

#include <string_view>

#include <heeler/alert/group.hpp>
#include <heeler/core/action.hpp>
#include <heeler/core/time.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::string_view closed_by_hand = "a person has closed the incident";

/// By what an action is held back, and how that is said; `answer`: by nothing.
struct Held {
    OutcomeFrom by = OutcomeFrom::answer;
    std::string_view why{};
};

/// By this rung. What nobody knows whether it was counts.
[[nodiscard]] inline bool has_ended_run(const RungJob& job) {
    for (const Action& each : job.actions)
        if (rung::may_be_done(each) && rung::ends_run(each.kind)) return true;
    return false;
}

/// And not because it is paused by the rung or was before. A person is told what was done, not what was left out.
[[nodiscard]] inline bool has_begun_to_wait(const RungJob& job, const Action& action) {
    const Run& run = job.watched->run;
    if (!run.waiting_since || run.paused_by_watchdog) return false;
    for (const Action& each : job.actions)
        if (rung::may_be_done(each) && each.kind == ActionKind::pause) return false;
    return action.kind != ActionKind::escalate || rung::any(job.actions, ActionOutcome::skipped);
}

/// What becomes of words about a run that a person wants none about; neither: they are told.
struct KeptOff {
    bool waits = false;
    std::string_view why{};  ///< they are left out
};

/// Under the run's lock.
[[nodiscard]] inline KeptOff kept_off(const RunMemory& run, const AlertJob& job, Instant now) {
    const Verdict& verdict = *run.verdict;
    const ToldAlert* const said = verdict.told.find_asked(job.row.alert.at, job.row.alert.kind);
    const bool answers = !job.row.action_key.empty() && verdict.is_order(verdict.incident.interventions);
    if (job.under_way || said == nullptr || said->ends_run || answers) return {};
    const bool snoozed = verdict.marks.snoozed_at(now.wall);
    const bool open = said->incident == verdict.incident.number && verdict.incident.open();
    if (verdict.marks.dismissed) return {false, "dismissed"};
    if (!said->over && verdict.is_dropped(said->incident)) return {false, closed_by_hand};
    if (!said->over && snoozed && said->incident != 0 && !open) return {false, "over before the snooze was"};
    return {snoozed && !speaks_for_others(job.row.alert), {}};
}

}  // namespace heeler::inline HEELER_ABI::detail
