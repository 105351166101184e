// Reads the values of named settings: each function converts one, holds it to its limits, and says what it wanted.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <tl/expected.hpp>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail::setting {

/// A value, or why it cannot be taken. The fault's message goes on after "`name` is".
template <class T>
using Read = tl::expected<T, SettingFault>;

[[nodiscard]] inline std::string written(double number) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

/// The value for a message.
[[nodiscard]] inline std::string shown(const SettingValue& value) {
    if (const auto* text = value.get<std::string>()) return "'" + text::sanitise(*text, 60) + "'";
    if (const auto* yes = value.get<bool>()) return *yes ? "true" : "false";
    if (const auto* whole = value.get<std::int64_t>()) return std::to_string(*whole);
    if (const auto* number = value.get<double>()) return written(*number);
    return value.is_null() ? "null" : "an object";
}

[[nodiscard]] inline tl::unexpected<SettingFault> refuse(SettingFault::Kind kind, const SettingValue& value,
                                                         const std::string& wanted) {
    return tl::unexpected<SettingFault>(SettingFault{kind, {}, shown(value) + ", but must be " + wanted});
}

[[nodiscard]] inline std::optional<double> number_in(const SettingValue& value) {
    if (const auto* whole = value.get<std::int64_t>()) return static_cast<double>(*whole);
    if (const auto* number = value.get<double>()) return *number;
    const auto* text = value.get<std::string>();
    if (text == nullptr) return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return std::isfinite(number) ? std::optional{number} : std::nullopt;
}

/// A whole number, both limits included. The limits are below 2^53.
[[nodiscard]] inline Read<std::int64_t> whole(const SettingValue& value, std::int64_t least, std::int64_t most) {
    const std::string wanted = "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    const auto number = number_in(value);
    if (!number || *number != std::trunc(*number)) return refuse(SettingFault::Kind::wrong_type, value, wanted);
    if (*number < static_cast<double>(least) || *number > static_cast<double>(most))
        return refuse(SettingFault::Kind::out_of_range, value, wanted);
    return static_cast<std::int64_t>(*number);
}

/// Any number, both limits included.
[[nodiscard]] inline Read<double> number(const SettingValue& value, double least, double most) {
    const std::string wanted = "a number from " + written(least) + " to " + written(most);
    const auto given = number_in(value);
    if (!given) return refuse(SettingFault::Kind::wrong_type, value, wanted);
    if (*given < least || *given > most) return refuse(SettingFault::Kind::out_of_range, value, wanted);
    return *given;
}

/// A number of seconds, fractions allowed, both limits included.
[[nodiscard]] inline Read<Duration> seconds(const SettingValue& value, Duration least, Duration most) {
    const std::string wanted = written(in_seconds(least)) + " to " + written(in_seconds(most)) + " seconds";
    const auto number = number_in(value);
    if (!number) return refuse(SettingFault::Kind::wrong_type, value, "a number: " + wanted);
    if (*number < in_seconds(least) || *number > in_seconds(most))
        return refuse(SettingFault::Kind::out_of_range, value, wanted);
    return Duration{std::llround(*number * 1e6)};
}

/// True or false; as text also 1, yes, on and 0, no, off in any case.
[[nodiscard]] inline Read<bool> yes_or_no(const SettingValue& value) {
    if (const auto* yes = value.get<bool>()) return *yes;
    std::string text;
    if (const auto* given = value.get<std::string>()) text = *given;
    if (const auto* number = value.get<std::int64_t>()) text = std::to_string(*number);
    for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    for (const std::string_view word : {"1", "true", "yes", "on"})
        if (text == word) return true;
    for (const std::string_view word : {"0", "false", "no", "off"})
        if (text == word) return false;
    return refuse(SettingFault::Kind::wrong_type, value, "true or false (as text also 1, yes, on, 0, no, off)");
}

/// Text without control characters, of at most so many bytes.
[[nodiscard]] inline Read<std::string> short_text(const SettingValue& value, std::size_t most) {
    const std::string wanted = "text of at most " + std::to_string(most) + " bytes without control characters";
    const auto* given = value.get<std::string>();
    if (given == nullptr) return refuse(SettingFault::Kind::wrong_type, value, wanted);
    if (!given->empty() && (given->size() > most || !valid_run_id(*given)))
        return refuse(SettingFault::Kind::out_of_range, value, wanted);
    return *given;
}

/// The place of the text among the known ones.
[[nodiscard]] inline Read<std::size_t> choice(const SettingValue& value, const std::vector<std::string_view>& known) {
    std::string wanted;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (const auto* text = value.get<std::string>(); text != nullptr && *text == known[i]) return i;
        wanted += (i == 0 ? "'" : " or '") + std::string{known[i]} + "'";
    }
    return refuse(SettingFault::Kind::wrong_type, value, wanted);
}

}  // namespace heeler::inline HEELER_ABI::detail::setting
