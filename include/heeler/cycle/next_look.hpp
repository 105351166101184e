// When a run must be looked at next: its next cycle if something can change by then, or else what silence alone
// changes.
#pragma once

#include <algorithm>
#include <optional>

#include <heeler/core/time.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline v0 {

/// The earlier of two moments, either of which may be absent.
[[nodiscard]] inline std::optional<Elapsed> earlier(std::optional<Elapsed> one, std::optional<Elapsed> other) {
    if (one && other) return std::min(*one, *other);
    return one ? one : other;
}

/// A moment of the wall clock; what is past is now.
[[nodiscard]] inline std::optional<Elapsed> elapsed_at(Instant now, std::optional<WallTime> wall) {
    if (!wall) return std::nullopt;
    return *wall <= now.wall ? now.elapsed : elapsed_at(now, *wall);
}

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
    if (repeats || (cell.feed && cell.feed->is_polled())) no_later_than(now.elapsed);
    if (run.waiting_since) {
        if (const auto moment = Detectors::due_waiting(cell.memories, cell.rules->settings, run))
            no_later_than(*moment);
    } else {
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
