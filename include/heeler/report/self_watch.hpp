// Says that the watchdog is alive, to those who raise the alarm when it no longer does: after healthy cycles only.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// A healthy cycle: every stage of a `tick` ran, all that there was to store is stored, a `deliver` after that came to
/// its end, and no alert has waited for longer than `oldest_alert`, as when a notifier refuses all that time. Runs that
/// are unhealthy and agents that refuse make no watchdog unhealthy. Add the outlets first. `note` may be called by two
/// threads, one that ticks and one that delivers; the outlets are called from the one that delivers.
class SelfWatch {
public:
    using Outlet = Callback<Result<void>()>;

    explicit SelfWatch(Duration oldest_alert = std::chrono::minutes{10}) : oldest_alert_{oldest_alert} {}

    /// `outlet` is called after a healthy cycle, at most so often, whether it worked or not. It may take as long as a
    /// delivery may be late.
    void tell(Duration every, Outlet outlet) { outlets_.push_back({every, std::move(outlet), std::nullopt}); }

    /// What a cycle, or the half of one, reported; how long the oldest alert waits then, if any does (`Vitals`); and
    /// the monotonic time. The errors are those of outlets.
    std::vector<Error> note(const CycleReport& report, std::optional<Duration> oldest_alert, Elapsed now) {
        std::vector<Error> errors;
        if (!completes(report) || (oldest_alert && *oldest_alert >= oldest_alert_)) return errors;
        for (Told& each : outlets_) {
            if (each.due && now < *each.due) continue;
            each.due = now + each.every;
            if (auto done = each.outlet(); !done) errors.push_back(std::move(done.error()));
        }
        return errors;
    }

private:
    struct Told {
        Duration every;
        Outlet outlet;
        std::optional<Elapsed> due;  ///< absent: it was never called
    };

    [[nodiscard]] bool completes(const CycleReport& report) {
        const std::lock_guard guard{lock_};
        if (report.ticks > 0) whole_ = report.whole == report.ticks;
        return report.deliveries > 0 && std::exchange(whole_, false);
    }

    Duration oldest_alert_;
    std::mutex lock_;
    bool whole_ = false;  ///< the last tick was, and nothing was delivered since
    std::vector<Told> outlets_;
};

}  // namespace heeler::inline HEELER_ABI
