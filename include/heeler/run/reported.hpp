// What a report needs besides the fold: rows of durable checkpoints, and whether its sender was replaced.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <heeler/core/observation.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline v0 {

/// Folds a checkpoint that happened at `at`, and keeps its row for the next commit. Under the cell's lock.
template <class Detectors>
void record(RunMemory<Detectors>& cell, Folder<Detectors>& folder, const CheckpointNote& note, WallTime at) {
    const std::string text = redact(sanitise(note.text, 4096));
    folder.checkpoint(note.step, text, note.reason);
    cell.unsaved.checkpoints.push_back({++cell.checkpoints, cell.run.incarnation, at, note.step, text, note.reason});
}

/// Whether an agent of this incarnation (0: the current one) was replaced. That it still reports is put on record
/// once. Under the cell's lock.
template <class Detectors>
[[nodiscard]] bool is_replaced(RunMemory<Detectors>& cell, std::uint32_t incarnation, WallTime now) {
    if (incarnation == 0 || incarnation >= cell.run.incarnation) return false;
    if (std::exchange(cell.fenced_told, std::max(cell.fenced_told, incarnation)) >= incarnation) return true;
    cell.unsaved.audit.push_back({now, "fenced", cell.run.id,
                                  R"({"incarnation":)" + std::to_string(incarnation) + R"(,"current":)" +
                                      std::to_string(cell.run.incarnation) + "}"});
    cell.dirty = true;
    return true;
}

}  // namespace heeler::inline v0
