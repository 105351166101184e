// When a run must be looked at next: its next cycle if something can change by then, or else what silence alone
// changes.
#pragma once

#include <optional>

#include <heeler/alert/next.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The earlier of two moments, either of which may be absent.
[[nodiscard]] inline std::optional<Elapsed> earlier(std::optional<Elapsed> one, std::optional<Elapsed> other) {
    if (one && other) return detail::min_of(*one, *other);
    return one ? one : other;
}

/// A moment of the wall clock; what is past is now.
[[nodiscard]] inline std::optional<Elapsed> elapsed_at(Instant now, std::optional<WallTime> wall) {
    if (!wall) return std::nullopt;
    return *wall <= now.wall ? now.elapsed : elapsed_at(now, *wall);
}

/// People are to be told of something that is found, now or again. Of a run that does not wait each cycle knows.
[[nodiscard]] inline bool edge_is_open(const RunMemory& watched) {
    if (!watched.run.waiting_since) return false;
    ConditionBits told = 0;
    for (const ToldAlert& each : watched.verdict->told.edges) told |= bit_of(each.edge);
    told &= ~watched.verdict->told.dead_edges;
    const bool repeats = watched.rules().alerts.renotify_every > Duration{};
    for (const ConditionAlert& edge : watched.rules().alerts.conditions) {
        const ConditionBits bit = bit_of(edge.condition);
        if ((watched.shown.findings & bit) == 0 || !holds_in_waits(edge.condition)) continue;
        if ((told & bit) == 0 || (repeats && edge.repeated)) return true;
    }
    return false;
}

/// Absent: only when something is reported. Under the run's lock.
[[nodiscard]] inline std::optional<Elapsed> next_look(const RunMemory& watched, Instant now,
                                                      const EngineSettings& settings) {
    const Run& run = watched.run;
    if (is_terminal(run.state)) return now.elapsed + settings.flush_every;
    if (watched.skip != Skip::no) return std::nullopt;
    Elapsed next = Elapsed::max();
    const auto no_later_than = [&](Elapsed when) {
        next = detail::min_of(next, detail::max_of(when, watched.next_cycle));
    };
    if (watched.verdict->incident.hold_until) no_later_than(*watched.verdict->incident.hold_until);
    const Told& told = watched.verdict->told;
    const auto& next_level = told.levels->next;
    if (next_level && (watched.verdict->incident.open() || told.acknowledged))
        no_later_than(told.dead ? now.elapsed : *next_level);
    if (watched.rare->waits_until) no_later_than(*watched.rare->waits_until);
    if (watched.rare->held_until && now.elapsed < *watched.rare->held_until) no_later_than(*watched.rare->held_until);
    const bool repeats = watched.verdict->incident.open() && watched.rules().alerts.renotify_every > Duration{};
    const bool kept = watched.verdict->incident.open() && told.begin == Beginning::inhibited;
    if (repeats || kept || (watched.source && watched.source->is_polled())) no_later_than(now.elapsed);
    // Each moment of a grid of the wall clock: what falls between two of them is judged at the next one.
    if (watched.rules().schedule.aligned) no_later_than(now.elapsed);
    if (!watched.verdict->marks.dismissed && told.owes_end(watched.verdict->incident, watched.rules().alerts))
        no_later_than(now.elapsed);
    const bool news = watched.unjudged || !watched.rare->fates->empty();
    const bool in_vain = told.dead && watched.verdict->incident.open();
    if (news || in_vain || told.unheard->silence != 0 || told.flaps->found || edge_is_open(watched))
        no_later_than(now.elapsed);
    if (run.waiting_since) {
        if (const auto moment = watched.detectors.due_waiting(run, now.elapsed)) no_later_than(*moment);
    } else {
        Duration due = watched.sampling.next;
        if (const auto silence = watched.detectors.due(run, run.working(now.elapsed)))
            due = detail::min_of(due, *silence);
        if (watched.verdict->incident.phase == Phase::climbing)
            due = detail::min_of(due, watched.verdict->incident.verify_at);
        if (watched.shown.status != Status::healthy || watched.shown.findings != 0 || run.late) due = Duration{};
        no_later_than(run.origin + run.waited + due);
    }
    if (watched.dirty) {
        const Elapsed flush = detail::max_of(watched.last_flush, now.elapsed) + settings.flush_every;
        next = detail::min_of(next, detail::min_of(watched.next_cycle, flush));
    }
    if (next == Elapsed::max()) return std::nullopt;
    return next;
}

}  // namespace heeler::inline HEELER_ABI::detail
