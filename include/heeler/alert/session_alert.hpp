// An alert about one session as a chat message: which session, for how long, how many calls, and what is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/alert/suggestions.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// "3h 5m", or "45m" below an hour; rounded down, "0m" for anything below a minute.
[[nodiscard]] inline std::string hours_and_minutes(Duration length) {
    const auto minutes = detail::max_of<std::int64_t>(0, length / std::chrono::minutes{1});
    const std::string rest = std::to_string(minutes % 60) + "m";
    return minutes < 60 ? rest : std::to_string(minutes / 60) + "h " + rest;
}

/// The first eight characters of an id, as people call a session.
[[nodiscard]] constexpr std::string_view short_id(std::string_view id) noexcept {
    std::size_t end = 0;
    for (int characters = 0; characters < 8 && end < id.size(); ++characters) end += text::decode_utf8(id, end).size;
    return id.substr(0, end);
}

/// One character that people tell alerts apart by.
[[nodiscard]] constexpr std::string_view icon_of(Severity severity) noexcept {
    constexpr std::string_view icons[] = {"\xE2\x9C\x85", "\xE2\x9A\xA0", "\xF0\x9F\x9A\xA8"};  // check, warning, siren
    return icons[static_cast<std::size_t>(severity)];
}

namespace detail {

inline constexpr std::size_t alert_line_cap = 512;      ///< bytes of one line of the message
inline constexpr std::size_t alert_command_cap = 4096;  ///< a longer command is left out
inline constexpr std::size_t alert_issues_cap = 16;     ///< more issues than this are counted

/// `Label: VALUE` on a line of its own; nothing for an empty value.
inline void add_line(std::string& text, std::string label, std::string_view value, std::size_t cap = alert_line_cap) {
    if (value.empty()) return;
    if (!label.empty() && label[0] >= 'a' && label[0] <= 'z') label[0] = static_cast<char>(label[0] - 0x20);
    text += "\n" + label + ": " + text::one_line(value, cap);
}

[[nodiscard]] inline std::string_view detail_named(const Alert& alert, std::string_view name) {
    for (const Detail& each : alert.details)
        if (each.name == name) return each.value;
    return {};
}

}  // namespace detail

/// The message for the chat that a session came from: icon, first characters of the id, project, the details `duration`
/// and `tool_calls`, the issues as bullets, where they are given the details `lasted`, `steps`, `cost`, `planned`,
/// `done`, `next` and `stop`, and what can be done. Lines without a value are left out; without issues the alert's
/// summary stands for them. No line end at the end.
[[nodiscard]] inline std::string format_session_alert(const Alert& alert) {
    using detail::add_line, detail::alert_line_cap, detail::detail_named;
    std::string text =
        std::string{icon_of(alert.severity)} + " Session " + text::shown_name(short_id(alert.run.id), alert_line_cap);
    add_line(text, "Project", alert.run.project);
    add_line(text, "Duration", detail_named(alert, "duration"));
    add_line(text, "Tool calls", detail_named(alert, "tool_calls"));
    if (alert.issues.empty()) add_line(text, "Summary", alert.summary);
    const std::size_t shown = detail::min_of(alert.issues.size(), detail::alert_issues_cap);
    for (std::size_t i = 0; i < shown; ++i) text += "\n\xE2\x80\xA2 " + text::one_line(alert.issues[i], alert_line_cap);
    if (shown < alert.issues.size()) text += "\n... and " + std::to_string(alert.issues.size() - shown) + " more";
    for (const std::string_view name : {"lasted", "steps", "cost", "planned", "done", "next"})
        add_line(text, std::string{name}, detail_named(alert, name));
    add_line(text, "Suggested", suggestions_for(alert.kind));
    // Half a command does something else, or nothing.
    if (const auto stop = detail_named(alert, "stop"); stop.size() <= detail::alert_command_cap)
        add_line(text, "Stop", stop, 4 * detail::alert_command_cap);
    return text;
}

}  // namespace heeler::inline HEELER_ABI
