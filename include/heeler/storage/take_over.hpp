// What becomes of a run in memory when another watchdog on the same store was faster to change it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Puts back what was reported to this watchdog since its last commit. Of an agent that was replaced meanwhile only
/// the end of the run counts.
inline void keep_reported(RunMemory& watched, const Run& mine, const OnDemand<Checkpoints>& noted) {
    Run& run = watched.run;
    const bool replaced = mine.incarnation < run.incarnation;
    if (is_terminal(run.state)) return;
    if (watched.state_told && (!replaced || is_terminal(mine.state))) {
        run.state = mine.state;
        run.waiting_since = mine.waiting_since;
        run.waited = mine.waited;
        run.paused_by_watchdog = mine.paused_by_watchdog;
    }
    if (mine.children) run.children.edit().take(*mine.children);
    if (replaced) return;
    for (const auto moment : {&Run::last_alive, &Run::last_activity, &Run::last_progress, &Run::last_gain,
                              &Run::checkpoint_base, &Run::last_sign})
        run.*moment = detail::max_of(run.*moment, mine.*moment);
    if (mine.excuses->changes > run.excuses->changes) run.excuses.edit().take_expected(*mine.excuses, {});
    run.observations = detail::max_of(run.observations, mine.observations);
    run.lines = detail::max_of(run.lines, mine.lines);
    run.calls = detail::max_of(run.calls, mine.calls);
    if (!noted) return;
    Checkpoints& checkpoints = watched.checkpoints.edit();
    if (noted->last.at > checkpoints.last.at) checkpoints.last = noted->last;
    append_all(checkpoints.steps, noted->steps);
    detail::sort(checkpoints.steps);
    drop_repeated(checkpoints.steps);
}

/// What somebody else delivered, or gave up, does not wait again because it failed here.
[[nodiscard]] inline bool is_settled(const History& stored, std::string_view key) {
    for (const AlertRow& row : stored.alerts)
        if (row.alert.key == key && row.state != AlertRow::State::pending) return true;
    return false;
}

/// Takes the stored facts of the run: its incident, its attempts, what people were told. What waits to be stored
/// waits on, and the detectors keep what they saw. False if the facts cannot be read; then nothing changes. Under
/// the run's lock.
[[nodiscard]] inline bool take_over(RunMemory& watched, const History& stored, Instant now) {
    RunMemory trial;
    if (!trial.load_facts(stored.row->facts, now)) return false;
    const Run mine = watched.run;
    const OnDemand<Checkpoints> noted = watched.checkpoints;
    const auto waits_until = watched.rare->waits_until;
    const OnDemand<Fates> fates = watched.rare->fates;
    (void)watched.load_facts(stored.row->facts, now);
    keep_reported(watched, mine, noted);
    if (watched.run.waiting_since && watched.run.waiting_since == mine.waiting_since) watched.wait_until(waits_until);
    const auto& records = stored.interventions;
    const std::size_t kept = detail::min_of(records.size(), Verdict::most_interventions);
    watched.stored_besides(stored.checkpoints.size(), stored.row->ended_at,
                           {records.end() - static_cast<std::ptrdiff_t>(kept), records.end()});
    ++watched.rare.edit().basis;
    watched.acted = 0;
    // Somebody else did something: what was seen before that is no evidence any more.
    Folder{watched, now}.begin_anew();
    if (!watched.unsaved) return true;
    List<AlertRow> alerts;
    for (AlertRow& row : watched.unsaved.edit().alerts)
        if (!is_settled(stored, row.alert.key)) alerts.push_back(std::move(row));
    watched.unsaved.edit().alerts.swap(alerts);
    fates->each([&](const Fate& fate) {  // that nobody has stored
        for (const AlertRow& row : watched.unsaved->alerts)
            if (row.alert.key == fate.key && row.state != AlertRow::State::pending) return watched.note(fate);
    });
    List<CheckpointRow> waiting;
    for (CheckpointRow& row : watched.unsaved.edit().checkpoints)
        if (row.incarnation >= watched.run.incarnation) waiting.push_back(std::move(row));
    for (CheckpointRow& row : waiting) row.number = ++watched.checkpoints.edit().count;
    watched.unsaved.edit().checkpoints.swap(waiting);
    return true;
}

}  // namespace heeler::inline HEELER_ABI::detail
