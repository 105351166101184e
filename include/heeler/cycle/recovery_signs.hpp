// What shows that an incident is over, by what it is about.
#pragma once

#include <cstdint>

#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// From a rung to the look whether it helped.
[[nodiscard]] inline Duration verify_after(const RunMemory& watched) noexcept {
    const Duration set = watched.rules().verify_after;
    return set > Duration{} ? set : watched.run.interval;
}

/// While nothing is found any more, an incident is over if since its last rung there was:
///
/// | it is about | more output | a gain | new items |
/// |---|---|---|---|
/// | a stall, a limit, consumption | yes, if that is the run's metric | yes | no |
/// | a repetition | no: who repeats itself prints as well | yes | as many as its rules ask for |
/// | a repetition, and a person was asked for | no | after three verifications | likewise |
///
/// A gain is a reported value, a checkpoint, or a result never seen before; none that comes while the run goes on with
/// just what was found: a command that is run again and again says each time how long it took. A repetition is a loop
/// or a cascade of errors; an incident in which one was found stays about it, whatever else is found later. Once a
/// person was asked for, nobody looks at a moment that was set for it, so a gain waits until the rule has seen enough
/// to find it again. That output can be read again, and that there is something again of what was exhausted, the judge
/// sees by itself.
struct RecoverySigns {
    const RunMemory& watched;
    Duration verify_after;
    Duration working;  ///< now

    [[nodiscard]] bool progressed() const {
        if (!is_repetition()) return value_moved() || is_after(watched.run.last_progress);
        return ((watched.run.metric == MetricKind::reported && value_moved()) || gained()) &&
               (incident().phase != Phase::holding || working - incident().acted >= 3 * verify_after);
    }

    /// What was called before the rung may answer after it.
    [[nodiscard]] bool gained() const {
        if (!is_after(watched.run.last_gain)) return false;
        const auto same = watched.detectors.more_of_same(watched.verdict->repeated_by, watched.verdict->loop_identity);
        return !same || (*same == 0 && is_after(watched.checkpoints->last.at));
    }

    [[nodiscard]] bool enough_new() const {
        if (!is_repetition() || watched.begins_anew()) return false;
        const std::uint64_t all = watched.items();
        const std::uint64_t items = all > incident().items_then ? all - incident().items_then : 0;
        if (const auto by = watched.verdict->repeated_by; by != 0) return watched.detectors.had_enough(by, items);
        const std::uint64_t needed = watched.of_class()->enough_items;  // stored before it was noted who found it
        return needed > 0 && items >= needed;
    }

    [[nodiscard]] const Incident& incident() const noexcept { return watched.verdict->incident; }
    [[nodiscard]] bool is_repetition() const noexcept {
        const Condition& about = incident().condition;
        return watched.verdict->repeated_by != 0 || about == Condition::loop_detected ||
               about == Condition::error_cascade;
    }
    [[nodiscard]] bool value_moved() const noexcept {
        return watched.run.metric_value().value_or(incident().value_then) != incident().value_then;
    }
    template <class Moment>
    [[nodiscard]] bool is_after(const Moment& moment) const {
        return moment && *moment > incident().acted;
    }
};

}  // namespace heeler::inline HEELER_ABI::detail
