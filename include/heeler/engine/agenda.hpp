// When a run must be looked at next: its next cycle if something can change by then, or else what silence alone
// changes.
#pragma once

#include <algorithm>
#include <optional>

#include <heeler/core/time.hpp>
#include <heeler/engine/ledger.hpp>
#include <heeler/engine/run_cell.hpp>

namespace heeler::inline v0 {

/// Absent: only when something is reported. Under the cell's lock.
template <class Detectors>
[[nodiscard]] std::optional<Elapsed> next_look(const RunMemory<Detectors>& cell, Instant now,
                                               const EngineSettings& settings) {
    const Run& run = cell.run;
    if (is_terminal(run.state)) return now.elapsed + settings.flush_every;
    if (cell.skip != Skip::no) return std::nullopt;
    Elapsed next = Elapsed::max();
    const auto no_later_than = [&](Elapsed when) { next = std::min(next, std::max(when, cell.next_cycle)); };
    if (cell.incident.hold_until) no_later_than(*cell.incident.hold_until);
    if (cell.waits_until) no_later_than(*cell.waits_until);
    if (cell.held_until && now.elapsed < *cell.held_until) no_later_than(*cell.held_until);
    const bool repeats = cell.incident.open() && cell.rules->rules.renotify_every > Duration{};
    if (repeats || (cell.feed && cell.feed->source.present())) no_later_than(now.elapsed);
    if (!run.waiting_since) {
        Duration due = cell.sampling.next;
        if (const auto silence = Detectors::due(cell.memories, cell.rules->settings, run, run.working(now.elapsed)))
            due = std::min(due, *silence);
        if (cell.incident.phase == Phase::climbing) due = std::min(due, cell.incident.verify_at);
        if (cell.shown.status != Status::healthy || cell.shown.findings != 0 || run.late) due = Duration{};
        no_later_than(run.origin + run.waited + due);
    }
    if (cell.dirty) {
        const Elapsed flush = std::max(cell.last_flush, now.elapsed) + settings.flush_every;
        next = std::min({next, cell.next_cycle, flush});
    }
    if (next == Elapsed::max()) return std::nullopt;
    return next;
}

}  // namespace heeler::inline v0
