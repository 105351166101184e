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
/// A gain is a reported value, a checkpoint, or a result never seen before. A repetition is a loop or a cascade of
/// errors; an incident in which one was found stays about it, whatever else is found later. Once a person was asked
/// for, nobody looks at a moment that was set for it, so a gain waits until the rule has seen enough to find it again.
/// That output can be read again, and that there is something again of what was exhausted, the judge sees by itself.
class RecoverySigns {
public:
    RecoverySigns(const RunMemory& watched, Duration verify_after, Duration working) noexcept
        : watched_{watched}, verify_after_{verify_after}, working_{working} {}

    [[nodiscard]] bool progressed() const noexcept {
        const Run& run = watched_.run;
        if (!is_repetition()) return value_moved() || is_after(run.last_progress);
        const bool gained = (run.metric == MetricKind::reported && value_moved()) || is_after(run.last_gain);
        return gained && (incident().phase != Phase::holding || working_ - incident().acted >= 3 * verify_after_);
    }

    [[nodiscard]] bool enough_new() const {
        if (!is_repetition()) return false;
        const auto all = static_cast<std::uint64_t>(watched_.run.lines + watched_.run.calls);
        const std::uint64_t items = all > incident().items_then ? all - incident().items_then : 0;
        const std::uint32_t found_by = watched_.verdict->repeated_by;
        if (found_by != 0) return watched_.detectors.had_enough(found_by, items);
        const std::uint64_t needed = watched_.of_class()->enough_items;  // stored before it was noted who found it
        return needed > 0 && items >= needed;
    }

private:
    [[nodiscard]] const Incident& incident() const noexcept { return watched_.verdict->incident; }

    [[nodiscard]] bool is_repetition() const noexcept {
        const Condition& about = incident().condition;
        return watched_.verdict->repeated_by != 0 || about == Condition::loop_detected ||
               about == Condition::error_cascade;
    }
    [[nodiscard]] bool value_moved() const noexcept {
        return watched_.run.metric_value().value_or(incident().value_then) != incident().value_then;
    }
    [[nodiscard]] bool is_after(const SmallOptional<Duration>& moment) const noexcept {
        return moment && *moment > incident().acted;
    }

    const RunMemory& watched_;
    Duration verify_after_;
    Duration working_;
};

}  // namespace heeler::inline HEELER_ABI::detail
