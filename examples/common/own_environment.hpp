// What these tools read from the environment for themselves. An agent that had it could speak in their name, or decide
// in their store: they take it out before they start anybody.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace common {

/// All of them, here and nowhere else: what is not in this list cannot be read by `from_environment`.
inline constexpr std::array<std::string_view, 14> own_variables = {
    "HEELER_TELEGRAM_TOKEN", "HEELER_TELEGRAM_API", "HEELER_SLACK_URL",   "HEELER_WEBHOOK_URL", "HEELER_WEBHOOK_SECRET",
    "HEELER_GITHUB_TOKEN",   "HEELER_GITHUB_API",   "HEELER_SMTP_SERVER", "HEELER_SMTP_FROM",   "HEELER_SMTP_USER",
    "HEELER_SMTP_PASSWORD",  "HEELER_PING_URL",     "HEELER_STORE",       "HEELER_OTLP_TOKEN"};

/// The name of one of them; any other does not compile.
struct OwnVariable {
    consteval OwnVariable(const char* name) : text(name) {  // NOLINT(google-explicit-constructor)
        if (std::find(own_variables.begin(), own_variables.end(), text) == own_variables.end()) throw name;
    }
    std::string_view text;
};

namespace detail {

using Variables = std::map<std::string, std::string, std::less<>>;

/// Their values are overwritten as well: the system shows others what a process was started with (/proc/PID/environ).
[[nodiscard]] inline Variables take_environment() {
    Variables taken;
    for (const std::string_view name : own_variables) {
        const std::string variable{name};
        char* const value = std::getenv(variable.c_str());
        if (value == nullptr) continue;
        const std::string_view text{value};
        taken.emplace(variable, text);
        std::fill_n(value, text.size(), '\0');
        ::unsetenv(variable.c_str());
    }
    return taken;
}

}  // namespace detail

/// For a child that is this program again.
[[nodiscard]] inline const detail::Variables& own_environment() {
    static const detail::Variables taken = detail::take_environment();
    return taken;
}

/// First of all in a tool that starts other processes, while there is one thread.
inline void take_environment() { static_cast<void>(own_environment()); }

/// As it was when it was taken; empty if it was not set.
[[nodiscard]] inline std::string from_environment(OwnVariable variable) {
    const auto found = own_environment().find(variable.text);
    return found == own_environment().end() ? "" : found->second;
}

}  // namespace common
