// The two kinds of time: `Elapsed` for intervals inside a process, `WallTime` for what is stored and shown.
#pragma once

#include <version>

// GCC's library has durations and clocks wherever threads wait; its <chrono> is calendars, streams and locales besides,
// 8,000 lines and more for whoever includes this.
#ifdef __GLIBCXX__
#include <mutex>
#else
#include <chrono>
#endif

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

using Duration = std::chrono::microseconds;

/// Tag of the monotonic time line. It has no `now()`: only a `ClockLike` reads time.
struct ElapsedLine {
    using rep = Duration::rep;
    using period = Duration::period;
    using duration = Duration;
    using time_point = std::chrono::time_point<ElapsedLine>;
    static constexpr bool is_steady = true;
};

/// Monotonic; for intervals inside one process; never stored.
using Elapsed = std::chrono::time_point<ElapsedLine, Duration>;

/// UTC; stored, shown, and compared with times that come from outside.
using WallTime = std::chrono::sys_time<Duration>;

/// One reading of the clock. Everything that happens in one cycle shares one `Instant`.
struct Instant {
    Elapsed elapsed{};
    WallTime wall{};
};

/// Where a wall time lies on the elapsed line, seen from `now`. A clock that was set since then does not matter.
[[nodiscard]] constexpr Elapsed elapsed_at(Instant now, WallTime when) noexcept {
    return now.elapsed + (when - now.wall);
}

[[nodiscard]] constexpr WallTime wall_at(Instant now, Elapsed when) noexcept { return now.wall + (when - now.elapsed); }

/// The moment itself, or the nearest of the years 0 to 9999: what somebody wrote into a store must not overflow.
[[nodiscard]] constexpr WallTime in_calendar(WallTime when) noexcept {
    constexpr WallTime first{-std::chrono::seconds{62'167'219'200}};
    constexpr WallTime last = WallTime{std::chrono::seconds{253'402'300'800}} - Duration{1};
    return when < first ? first : when > last ? last : when;
}

[[nodiscard]] constexpr double in_seconds(Duration length) noexcept {
    return std::chrono::duration<double>(length).count();
}

}  // namespace heeler::inline HEELER_ABI
