// What a store may forget of runs that are over; for stores on disk.
#pragma once

#include <cstdint>
#include <string>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// What may go: all that is older than these moments and that nobody has to act on any more. A run that has not ended,
/// an alert that waits and an action whose outcome is open keep everything about their run.
struct Retention {
    WallTime runs{};    ///< runs that ended before go, with their checkpoints, interventions, actions and memory
    WallTime alerts{};  ///< alerts that were made before go, once their run is gone; also those that were given up
    WallTime audit{};   ///< audit records from before go, once their run is gone; also those about no run; and what was
                        ///< spent before, once all runs of the lineage are gone
    std::uint64_t most = 500;  ///< of each of the four at once, the oldest first; 1 to 10,000
};

/// What went. With `most` of one of them there may be more.
struct Pruned {
    std::uint64_t runs = 0;
    std::uint64_t alerts = 0;
    std::uint64_t audit = 0;
    std::uint64_t spend = 0;
};

namespace detail {

[[nodiscard]] inline Result<void> check_retention(const Retention& retention) {
    constexpr std::uint64_t most_at_once = 10'000;
    if (retention.most >= 1 && retention.most <= most_at_once) return {};
    return fail(ErrorCode::invalid_argument,
                "Retention::most is " + std::to_string(retention.most) + ", but must be 1 to 10000");
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
