// The pauses between retries, which grow.
#pragma once

#include <cstdint>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// How long a stalled run is left before it is retried, and how often that is done in a row (the session monitor).
struct Backoff {
    std::uint32_t count = 3;                   ///< 1 to 100; the stall after the last retry gives the run up
    Duration base = std::chrono::seconds{10};  ///< before the first retry; 1 s to 24 h
    double factor = 2;                         ///< each pause is so much longer than the one before; 1 to 100
    Duration cap = std::chrono::seconds{300};  ///< and none longer than this; likewise
    /// Count and pauses begin anew once the run has worked for so long since its last incident was over: the first sign
    /// of life of a fresh agent proves nothing. Zero: never, they are of the run's whole life.
    Duration reset_after = std::chrono::minutes{10};

    /// Before retry `n`, from 0.
    [[nodiscard]] constexpr Duration before(std::uint32_t n) const noexcept {
        double pause = static_cast<double>(base.count());
        const auto most = static_cast<double>(cap.count());
        for (; n > 0 && pause < most; --n) pause *= factor;
        return pause < most ? Duration{static_cast<Duration::rep>(pause)} : cap;
    }
};

}  // namespace heeler::inline HEELER_ABI
