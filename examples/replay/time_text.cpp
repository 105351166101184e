#include "time_text.hpp"

#include <chrono>
#include <cmath>

namespace replay {
namespace {

/// Reads a fixed number of digits off the front; -1 if they are not there.
int take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return -1;
    int value = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool take_one_of(std::string_view& text, std::string_view allowed) {
    if (text.empty() || allowed.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// The digits after a decimal point as microseconds; what is finer is cut off.
std::optional<heeler::Duration> take_fraction(std::string_view& text) {
    if (!take_one_of(text, ".,")) return heeler::Duration{0};
    std::int64_t micros = 0;
    std::int64_t unit = 100'000;
    std::size_t digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
        micros += (text[digits] - '0') * unit;
        unit /= 10;
        ++digits;
    }
    text.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return heeler::Duration{micros};
}

/// How far the written time is ahead of UTC.
std::optional<std::chrono::minutes> take_offset(std::string_view& text) {
    if (text.empty() || take_one_of(text, "Zz")) return std::chrono::minutes{0};
    const bool behind = text.front() == '-';
    if (!take_one_of(text, "+-")) return std::nullopt;
    const int hours = take_digits(text, 2);
    take_one_of(text, ":");
    const int minutes = take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    return std::chrono::minutes{(behind ? -1 : 1) * (hours * 60 + minutes)};
}

}  // namespace

std::optional<heeler::Duration> seconds(double value) {
    if (!(value >= 0 && value <= last_second)) return std::nullopt;
    return heeler::Duration{std::llround(value * 1e6)};
}

std::optional<heeler::Duration> moment(double value) {
    const auto distance = seconds(std::abs(value));
    if (!distance) return std::nullopt;
    return value < 0 ? -*distance : *distance;
}

std::optional<heeler::WallTime> parse_rfc3339(std::string_view text) {
    const int year = take_digits(text, 4);
    const bool dash = take_one_of(text, "-");
    const int month = take_digits(text, 2);
    const bool second_dash = take_one_of(text, "-");
    const int day = take_digits(text, 2);
    const bool separator = take_one_of(text, "Tt ");
    const int hour = take_digits(text, 2);
    const bool colon = take_one_of(text, ":");
    const int minute = take_digits(text, 2);
    const bool second_colon = take_one_of(text, ":");
    const int second = take_digits(text, 2);
    if (!dash || !second_dash || !separator || !colon || !second_colon) return std::nullopt;
    if (year < 0 || month < 0 || day < 0) return std::nullopt;

    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return std::nullopt;
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    const auto offset = take_offset(text);
    if (!offset || !text.empty()) return std::nullopt;
    return heeler::WallTime{std::chrono::sys_days{date}.time_since_epoch()} + std::chrono::hours{hour} +
           std::chrono::minutes{minute} + std::chrono::seconds{second} + *fraction - *offset;
}

}  // namespace replay
