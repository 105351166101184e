// Lengths of time and moments as people and records read them.
#pragma once

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

/// RFC 3339 in UTC with milliseconds, for example 2026-01-31T09:05:00.250Z. What is not of the years 0 to 9999 is
/// shown as the first or the last moment of them.
[[nodiscard]] inline std::string rfc3339(WallTime moment) {
    const WallTime when = in_calendar(moment);
    const auto day = std::chrono::floor<std::chrono::days>(when);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::milliseconds>(when - day)};
    const auto padded = [](auto value, std::size_t width) {
        std::string digits = std::to_string(value);
        return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
    };
    return padded(static_cast<int>(date.year()), 4) + '-' + padded(static_cast<unsigned>(date.month()), 2) + '-' +
           padded(static_cast<unsigned>(date.day()), 2) + 'T' + padded(time.hours().count(), 2) + ':' +
           padded(time.minutes().count(), 2) + ':' + padded(time.seconds().count(), 2) + '.' +
           padded(time.subseconds().count(), 3) + 'Z';
}

}  // namespace heeler::inline HEELER_ABI::text
