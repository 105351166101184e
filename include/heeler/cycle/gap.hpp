// Notices that the machine slept or that a clock was set: nothing that was measured across it counts.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>

#include <heeler/core/batch.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// From the thread that ticks.
class GapWatch {
public:
    /// If the two clocks went apart by `least` or more since the last call, verdicts of all runs are held for one
    /// grace, and the record of it is returned.
    [[nodiscard]] std::optional<AuditRow> note(Instant now, Registry& registry, Duration least) {
        const Duration apart = last_ ? (now.wall - last_->wall) - (now.elapsed - last_->elapsed) : Duration{};
        last_ = now;
        if (std::chrono::abs(apart) < least) return std::nullopt;
        for (const RunHandle handle : registry.table().all()) {
            auto* watched = registry.table().find(handle);
            if (watched == nullptr) continue;
            const std::lock_guard guard{watched->lock};
            if (!registry.table().current(handle)) continue;
            watched->held_until = now.elapsed + registry.grace_of(*watched);
            watched->held_by_start = false;
        }
        JsonLine line;
        line.begin_object().key("seconds").number(in_seconds(apart)).end_object();
        return AuditRow{now.wall, "gap", {}, std::move(line).text()};
    }

private:
    std::optional<Instant> last_;
};

}  // namespace heeler::inline HEELER_ABI::detail
