// How well a watchdog did on runs of which one knows what really happened: for recordings that somebody has labelled.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// One run after the fact. All moments are on one clock, from any zero.
struct RunFacts {
    std::optional<Duration> stalled_at{};    ///< when it really stalled; absent: it was healthy throughout
    std::optional<Duration> flagged_at{};    ///< when the watchdog first called it unhealthy; if it stalled, since then
    std::optional<Duration> continued_at{};  ///< when the first recovery was started; likewise
    bool recovered = false;                  ///< after that it worked again
};

/// A number and what it should be. Without runs that it could be measured on there is no value, and it is not met.
struct Metric {
    std::optional<double> value{};
    double target = 0;
    bool met = false;
};

/// The targets of the checkpoint watchdog.
struct MetricTargets {
    double detection_rate = 0.90;                            ///< at least
    double recovery_rate = 0.70;                             ///< at least
    double false_alarm_rate = 0.05;                          ///< less than
    Duration time_to_recovery = std::chrono::seconds{1500};  ///< less than, on average
};

struct Metrics {
    Metric detection_rate{};      ///< of the runs that stalled: flagged
    Metric recovery_rate{};       ///< of the runs that stalled, detected or not: recovered
    Metric false_alarm_rate{};    ///< of the runs that were healthy: flagged
    Metric time_to_recovery_s{};  ///< from the stall to the first recovery, on average over the stalls that had one
};

/// Measures a set of runs. Pure; may be called from any thread.
[[nodiscard]] inline Metrics measure(const std::vector<RunFacts>& runs, const MetricTargets& targets = {}) {
    std::size_t stalled = 0, flagged = 0, recovered = 0, alarms = 0, continued = 0;
    double waited_s = 0;
    for (const RunFacts& run : runs) {
        if (!run.stalled_at) {
            alarms += run.flagged_at ? 1 : 0;
            continue;
        }
        ++stalled;
        flagged += run.flagged_at ? 1 : 0;
        recovered += run.recovered ? 1 : 0;
        if (!run.continued_at) continue;
        ++continued;
        waited_s += in_seconds(*run.continued_at - *run.stalled_at);
    }
    const auto ratio = [](double part, std::size_t of) {
        return of == 0 ? std::optional<double>{} : part / static_cast<double>(of);
    };
    const auto at_least = [](std::optional<double> value, double target) {
        return Metric{value, target, value && *value >= target};
    };
    const auto below = [](std::optional<double> value, double target) {
        return Metric{value, target, value && *value < target};
    };
    return {at_least(ratio(static_cast<double>(flagged), stalled), targets.detection_rate),
            at_least(ratio(static_cast<double>(recovered), stalled), targets.recovery_rate),
            below(ratio(static_cast<double>(alarms), runs.size() - stalled), targets.false_alarm_rate),
            below(ratio(waited_s, continued), in_seconds(targets.time_to_recovery))};
}

}  // namespace heeler::inline HEELER_ABI
