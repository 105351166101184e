// An alert as a message of plain text, cut to what a channel takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/alert/session_alert.hpp>
#include <heeler/alert/suggestions.hpp>
#include <heeler/core/alert.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// What a channel counts when it limits a message.
enum class TextUnit : std::uint8_t {
    byte,
    character,  ///< a Unicode code point
    utf16,      ///< what Telegram and browsers call a character: two of them beyond U+FFFF
};

namespace detail {

[[nodiscard]] constexpr std::size_t units_of(text::Decoded character, TextUnit unit) noexcept {
    if (unit == TextUnit::byte) return character.size;
    return unit == TextUnit::utf16 && character.value > 0xFFFF ? 2 : 1;
}

/// The longest start of `text` that has at most `most` units, in whole characters; `units` becomes what all of it has.
[[nodiscard]] inline std::size_t head_within(std::string_view text, TextUnit unit, std::size_t most,
                                             std::size_t& units) {
    std::size_t end = 0;
    units = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        units += units_of(next, unit);
        at += next.size;
        if (units <= most) end = at;
    }
    return end;
}

}  // namespace detail

/// `text` in at most `most` units: what is too long loses its end, in whole characters, and says how much is missing.
/// `text` must be valid UTF-8. A `most` that holds no such note leaves only the start.
[[nodiscard]] inline std::string fit_text(std::string text, std::size_t most, TextUnit unit) {
    std::size_t units = 0;
    if (detail::head_within(text, unit, most, units) == text.size()) return text;
    const auto note = [](std::size_t left_out) { return "\n[" + std::to_string(left_out) + " more left out]"; };
    const std::size_t room = note(units).size();
    const std::size_t kept = most > room ? most - room : most;
    std::size_t all = 0;
    std::string head = text.substr(0, detail::head_within(text, unit, kept, all));
    std::size_t shown = 0;
    static_cast<void>(detail::head_within(head, unit, kept, shown));
    return most > room ? head + note(units - shown) : head;
}

/// The message for people: an icon and the summary; which run; the issues as bullets; then what was seen, what is done
/// about it and how to stop it, and what can be done, a line each. No line end at the end.
[[nodiscard]] inline std::string format_alert(const Alert& alert) {
    using detail::alert_line_cap, detail::alert_issues_cap;
    std::string text = text::concat(icon_of(alert.severity), " ",
                                    text::one_line(alert.summary.empty() ? alert.kind : alert.summary, alert_line_cap));
    detail::add_line(text, "Run", alert.run.id);
    if (alert.run.name != alert.run.id) detail::add_line(text, "Name", alert.run.name);
    detail::add_line(text, "Work item", alert.run.work_item);
    detail::add_line(text, "Project", alert.run.project);
    const std::size_t shown = std::min(alert.issues.size(), alert_issues_cap);
    for (std::size_t i = 0; i < shown; ++i)
        text::append(text, "\n\xE2\x80\xA2 ", text::one_line(alert.issues[i], alert_line_cap));
    if (shown < alert.issues.size())
        text::append(text, "\n... and ", std::to_string(alert.issues.size() - shown), " more");
    for (const Detail& detail : alert.details) {
        std::string label = text::one_line(detail.name, alert_line_cap);
        std::replace(label.begin(), label.end(), '_', ' ');
        detail::add_line(text, std::move(label), detail.value);
    }
    detail::add_line(text, "Suggested", suggestions_for(alert.kind));
    return text;
}

/// How a channel words an alert: `format_alert`, `format_session_alert` or your own.
using AlertFormat = std::string (*)(const Alert&);

}  // namespace heeler::inline HEELER_ABI
