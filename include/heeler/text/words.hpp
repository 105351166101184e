// Parts of the words in which a finding is told to people: numbers as they read them, the name of a tool.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail::words {

inline constexpr std::size_t tool_name_cap = 64;  ///< bytes of a tool's name

/// Rounded down; what is no such number reads as the nearest one that is.
[[nodiscard]] inline std::int64_t whole(double value) {
    constexpr double most = 9e15;
    return value > 0 ? static_cast<std::int64_t>(detail::min_of(value, most)) : 0;
}

[[nodiscard]] inline std::string count(double value) { return std::to_string(whole(value)); }

/// "1 minute", "2 minutes".
[[nodiscard]] inline std::string counted(double value, std::string_view what) {
    return count(value) + ' ' + std::string{what} + (whole(value) == 1 ? "" : "s");
}

/// In minutes, as people say it; in seconds below one.
[[nodiscard]] inline std::string lasting(double seconds) {
    return seconds >= 60 ? counted(seconds / 60, "minute") : counted(seconds, "second");
}

/// 5000000 as "5,000,000".
[[nodiscard]] inline std::string grouped(double value) {
    std::string digits = count(value);
    for (std::size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, 1, ',');  // as a text, GCC 12 warns of it at -O3
    return digits;
}

[[nodiscard]] inline std::string dollars(double value) {
    const std::int64_t cents = whole(value * 100 + 0.5);
    return "$" + std::to_string(cents / 100) + (cents % 100 < 10 ? ".0" : ".") + std::to_string(cents % 100);
}

[[nodiscard]] inline std::string tool_of(const Finding& finding) {
    const std::string name = text::shown_name(finding.subject.view(), tool_name_cap);
    return name.empty() ? "unknown" : name;
}

/// What a finding is called where its detector has no words for it.
[[nodiscard]] inline std::string plain(const Finding& finding) {
    return std::string{name_of(finding.condition)} + ": " + std::string{finding.evidence.rule};
}

}  // namespace heeler::inline HEELER_ABI::detail::words
