// The clock of the machine: what a `Watchdog` in production reads.
#pragma once

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Monotonic time from `std::chrono::steady_clock`, UTC from `std::chrono::system_clock`. Has no state; may be used
/// from any thread.
class SystemClock {
public:
    [[nodiscard]] Instant now() const noexcept {
        return read_together([] { return std::chrono::steady_clock::now(); },
                             [] { return std::chrono::system_clock::now(); });
    }

    /// Reads both lines at one moment: a process that is stopped between the two, or kept from running by load, would
    /// read a gap between them that is none.
    template <class Monotonic, class Utc>
    [[nodiscard]] static Instant read_together(Monotonic&& monotonic, Utc&& utc) noexcept {
        constexpr int most_tries = 10;
        auto before = monotonic();
        for (int tries = 1;; ++tries) {
            const auto wall = utc();
            const auto after = monotonic();
            if (after - before < std::chrono::milliseconds{100} || tries == most_tries)
                return {Elapsed{std::chrono::duration_cast<Duration>(before.time_since_epoch())},
                        std::chrono::floor<Duration>(wall)};
            before = after;
        }
    }
};

}  // namespace heeler::inline HEELER_ABI
