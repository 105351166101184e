// The clock of the machine: what a `Watchdog` in production reads.
#pragma once

#include <chrono>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Monotonic time from `std::chrono::steady_clock`, UTC from `std::chrono::system_clock`. Has no state; may be used
/// from any thread.
class SystemClock {
public:
    [[nodiscard]] Instant now() const noexcept {
        const auto elapsed = std::chrono::steady_clock::now().time_since_epoch();
        const auto wall = std::chrono::system_clock::now();
        return {Elapsed{std::chrono::duration_cast<Duration>(elapsed)}, std::chrono::floor<Duration>(wall)};
    }
};

}  // namespace heeler::inline HEELER_ABI
