// What becomes of a run in memory when another watchdog on the same store was faster to change it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline v0 {

/// Puts back what was reported to this watchdog since its last commit. Of an agent that was replaced meanwhile only
/// the end of the run counts.
template <class Detectors>
void keep_reported(RunMemory<Detectors>& cell, const Run& mine, const LastCheckpoint& checkpoint,
                   const std::vector<std::int64_t>& steps) {
    Run& run = cell.run;
    const bool replaced = mine.incarnation < run.incarnation;
    if (is_terminal(run.state)) return;
    if (cell.state_told && (!replaced || is_terminal(mine.state))) {
        run.state = mine.state;
        run.waiting_since = mine.waiting_since;
        run.waited = mine.waited;
        run.paused_by_watchdog = mine.paused_by_watchdog;
    }
    if (replaced) return;
    for (const auto moment :
         {&Run::last_alive, &Run::last_activity, &Run::last_progress, &Run::checkpoint_base, &Run::last_sign})
        run.*moment = std::max(run.*moment, mine.*moment);
    run.observations = std::max(run.observations, mine.observations);
    run.lines = std::max(run.lines, mine.lines);
    run.calls = std::max(run.calls, mine.calls);
    if (checkpoint.at > cell.checkpoint.at) cell.checkpoint = checkpoint;
    std::vector<std::int64_t> both;
    std::set_union(cell.steps.begin(), cell.steps.end(), steps.begin(), steps.end(), std::back_inserter(both));
    cell.steps = std::move(both);
}

/// Takes the stored facts of the run: its incident, its attempts, what people were told. What waits to be stored
/// waits on, and the detectors keep what they saw. False if the facts cannot be read; then nothing changes. Under
/// the cell's lock.
template <class Detectors>
[[nodiscard]] bool take_over(RunMemory<Detectors>& cell, const History& stored, Instant now) {
    RunMemory<Detectors> trial;
    ArchiveReader check{stored.row->facts, now};
    trial.archive_facts(check);
    if (!check.ok() || !check.at_end()) return false;
    const Run mine = cell.run;
    const LastCheckpoint checkpoint = cell.checkpoint;
    const std::vector<std::int64_t> steps = cell.steps;
    const auto waits_until = cell.waits_until;
    ArchiveReader facts{stored.row->facts, now};
    cell.archive_facts(facts);
    keep_reported(cell, mine, checkpoint, steps);
    if (cell.run.waiting_since && cell.run.waiting_since == mine.waiting_since) cell.waits_until = waits_until;
    cell.ended_at = stored.row->ended_at;
    cell.checkpoints = stored.checkpoints.size();
    std::erase_if(cell.unsaved.checkpoints,
                  [&](const CheckpointRow& row) { return row.incarnation < cell.run.incarnation; });
    for (CheckpointRow& row : cell.unsaved.checkpoints) row.number = ++cell.checkpoints;
    const auto& records = stored.interventions;
    const std::size_t kept = std::min(records.size(), RunMemory<Detectors>::most_interventions);
    cell.interventions.assign(records.end() - static_cast<std::ptrdiff_t>(kept), records.end());
    return true;
}

}  // namespace heeler::inline v0
