// Lengths of time and moments as people and records read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::text {

/// "45s", "3m 5s", "2h 10m", "3d 4h": the two largest units. Negative lengths read as zero.
[[nodiscard]] inline std::string spoken(Duration length) {
    const auto seconds =
        detail::max_of<std::int64_t>(0, std::chrono::duration_cast<std::chrono::seconds>(length).count());
    if (seconds < 60) return std::to_string(seconds) + "s";
    if (seconds < 3600) return std::to_string(seconds / 60) + "m " + std::to_string(seconds % 60) + "s";
    if (seconds < 86400) return std::to_string(seconds / 3600) + "h " + std::to_string(seconds % 3600 / 60) + "m";
    return std::to_string(seconds / 86400) + "d " + std::to_string(seconds % 86400 / 3600) + "h";
}

/// A promise is kept to its last word: rounded up to the smaller of the units that are shown.
[[nodiscard]] inline std::string spoken_bound(Duration length) {
    constexpr Duration second = std::chrono::seconds{1}, minute = std::chrono::minutes{1}, hour = std::chrono::hours{1};
    const Duration unit = length <= hour - second ? second : length <= 24 * hour - minute ? minute : hour;
    return spoken((length + unit - Duration{1}) / unit * unit);
}

/// A day of the Gregorian calendar.
struct CalendarDay {
    std::int64_t year, month, day;
};

/// So many days after the 1st of January 1970, from the year 0 on.
[[nodiscard]] constexpr CalendarDay calendar_day(std::int64_t days) noexcept {
    // Years of these begin in March, so that a leap day ends one, and eras of 400 years 400 years before the year 0.
    const std::int64_t all = days + 719'468 + 146'097, in_era = all % 146'097;
    const std::int64_t year = (in_era - in_era / 1460 + in_era / 36'524 - in_era / 146'096) / 365;
    const std::int64_t in_year = in_era - (365 * year + year / 4 - year / 100), month = (5 * in_year + 2) / 153;
    const bool before_january = month < 10;
    return {all / 146'097 * 400 - 400 + year + (before_january ? 0 : 1), before_january ? month + 3 : month - 9,
            in_year - (153 * month + 2) / 5 + 1};
}

/// RFC 3339 in UTC with milliseconds, for example 2026-01-31T09:05:00.250Z. What is not of the years 0 to 9999 is
/// shown as the first or the last moment of them.
[[nodiscard]] inline std::string rfc3339(WallTime moment) {
    const WallTime when = in_calendar(moment);
    const auto midnight = std::chrono::floor<std::chrono::days>(when);
    const CalendarDay date = calendar_day(midnight.time_since_epoch().count());
    const std::int64_t time = (when - midnight) / std::chrono::milliseconds{1};
    std::string text = "0000-00-00T00:00:00.000Z";
    const auto put = [&text](std::size_t last, std::int64_t value) {
        for (; value > 0; value /= 10) text[last--] = static_cast<char>('0' + value % 10);
    };
    put(3, date.year);
    put(6, date.month);
    put(9, date.day);
    put(12, time / 3'600'000);
    put(15, time / 60'000 % 60);
    put(18, time / 1000 % 60);
    put(22, time % 1000);
    return text;
}

}  // namespace heeler::inline HEELER_ABI::text
