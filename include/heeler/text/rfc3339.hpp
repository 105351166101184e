// Reads moments as logs and records write them: RFC 3339, or seconds since 1970. The process's time zone plays no part.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// Takes a fixed number of digits off the front; -1 if they are not there.
[[nodiscard]] constexpr int take_digits(std::string_view& text, std::size_t count) noexcept {
    if (text.size() < count) return -1;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

[[nodiscard]] constexpr bool take_one_of(std::string_view& text, std::string_view allowed) noexcept {
    if (text.empty() || allowed.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// "2026-01-31".
[[nodiscard]] constexpr std::optional<std::chrono::sys_days> take_date(std::string_view& text) noexcept {
    const int year = take_digits(text, 4);
    if (year < 0 || !take_one_of(text, "-")) return std::nullopt;
    const int month = take_digits(text, 2);
    if (month < 0 || !take_one_of(text, "-")) return std::nullopt;
    const int day = take_digits(text, 2);
    if (day < 0) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date};
}

/// "09:05:00"; a leap second is the start of the next minute.
[[nodiscard]] constexpr std::optional<std::chrono::seconds> take_time_of_day(std::string_view& text) noexcept {
    const int hour = take_digits(text, 2);
    if (hour < 0 || hour > 23 || !take_one_of(text, ":")) return std::nullopt;
    const int minute = take_digits(text, 2);
    if (minute < 0 || minute > 59 || !take_one_of(text, ":")) return std::nullopt;
    const int second = take_digits(text, 2);
    if (second < 0 || second > 60) return std::nullopt;
    return std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
}

/// The digits after a decimal point; what is finer than a microsecond is cut off.
[[nodiscard]] constexpr std::optional<Duration> take_fraction(std::string_view& text) noexcept {
    if (!take_one_of(text, ".,")) return Duration{0};
    Duration::rep micros = 0;
    Duration::rep unit = 100'000;
    std::size_t digits = 0;
    for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        micros += (text[digits] - '0') * unit;
        unit /= 10;
    }
    text.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return Duration{micros};
}

/// How far the written time is ahead of UTC: "Z", "+07:00", "+0700", "+07" or nothing.
[[nodiscard]] constexpr std::optional<std::chrono::minutes> take_zone(std::string_view& text) noexcept {
    if (text.empty() || take_one_of(text, "Zz")) return std::chrono::minutes{0};
    const bool behind = text.front() == '-';
    if (!take_one_of(text, "+-")) return std::nullopt;
    const int hours = take_digits(text, 2);
    const bool colon = take_one_of(text, ":");
    const int minutes = text.empty() && !colon ? 0 : take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return std::chrono::minutes{(behind ? -1 : 1) * (hours * 60 + minutes)};
}

}  // namespace detail

namespace text {

/// RFC 3339, also with a space for the T; without a zone it is UTC. Absent if it is not one. Any thread.
[[nodiscard]] constexpr std::optional<WallTime> parse_rfc3339(std::string_view text) noexcept {
    const auto date = detail::take_date(text);
    if (!date || !detail::take_one_of(text, "Tt ")) return std::nullopt;
    const auto time = detail::take_time_of_day(text);
    if (!time) return std::nullopt;
    const auto fraction = detail::take_fraction(text);
    if (!fraction) return std::nullopt;
    const auto zone = detail::take_zone(text);
    if (!zone || !text.empty()) return std::nullopt;
    return WallTime{*date} + *time + *fraction - *zone;
}

/// RFC 3339, or whole or decimal seconds since 1970 within the years 0 to 9999. Absent if it is neither. Any thread.
[[nodiscard]] inline std::optional<WallTime> parse_timestamp(std::string_view text) noexcept {
    if (const auto moment = parse_rfc3339(text)) return moment;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    constexpr double year_0 = -62'167'219'200.0;
    constexpr double year_10000 = 253'402'300'800.0;
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    if (!(seconds >= year_0 && seconds < year_10000)) return std::nullopt;
    return WallTime{std::chrono::round<Duration>(std::chrono::duration<double>(seconds))};
}

}  // namespace text

}  // namespace heeler::inline HEELER_ABI
