// The one sanitiser for text that somebody else wrote. Every outlet (prompt, terminal, alert, log, record) uses it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/text/unseen.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// The longest run id, in bytes.
inline constexpr std::size_t max_run_id_bytes = 128;

namespace detail {

/// The code point at `at`; 0 at the end.
[[nodiscard]] constexpr char32_t peek(std::string_view text, std::size_t at) noexcept {
    return at < text.size() ? text::decode_utf8(text, at).value : 0;
}

/// The end of a control sequence whose parameters start at `at`: parameters, intermediates, one final byte.
[[nodiscard]] constexpr std::size_t skip_csi(std::string_view text, std::size_t at) noexcept {
    while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) ++at;
    return at < text.size() && text[at] >= 0x40 && text[at] <= 0x7E ? at + 1 : at;
}

/// The end of a control string whose payload starts at `at`. One that is never terminated loses only its introducer,
/// so that it cannot hide what follows.
[[nodiscard]] constexpr std::size_t skip_control_string(std::string_view text, std::size_t at) noexcept {
    for (std::size_t end = at; end < text.size();) {
        const auto next = text::decode_utf8(text, end);
        if (next.value == 0x07 || next.value == 0x9C) return end + next.size;
        if (next.value == 0x1B) return peek(text, end + 1) == '\\' ? end + 2 : at;
        if (is_control(next.value) && next.value != '\t') return at;
        end += next.size;
    }
    return at;
}

/// The end of the escape sequence that the control `c` in front of `at` may have started; `at` if it did not.
[[nodiscard]] constexpr std::size_t skip_escape(std::string_view text, std::size_t at, char32_t c) noexcept {
    const bool escape = c == 0x1B;
    const auto kind = escape ? peek(text, at) : c - 0x40;
    const std::size_t start = escape ? at + 1 : at;
    if (kind == '[') return skip_csi(text, start);
    if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_')
        return skip_control_string(text, start);
    if (!escape || kind < 0x20 || kind > 0x7E) return at;
    std::size_t end = at;
    while (end < text.size() && text[end] >= 0x20 && text[end] <= 0x2F) ++end;
    return end < text.size() && text[end] >= 0x30 && text[end] <= 0x7E ? end + 1 : end;
}

/// Appends the clean form of all of `text`: at most three bytes for each of its bytes.
inline void append_clean(std::string& out, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        const auto character = text.substr(at, next.size);
        at += next.size;
        if (!next.valid) {
            out += text::replacement_character;
        } else if (next.value == '\r') {
            if (peek(text, at) != '\n') out += '\n';
        } else if (next.value == '\n' || next.value == '\t') {
            out += character;
        } else if (next.value == 0x2028 || next.value == 0x2029) {
            out += '\n';
        } else if (is_control(next.value)) {
            at = skip_escape(text, at, next.value);
        } else if (!is_unseen(next.value)) {
            out += character;
        }
    }
}

[[nodiscard]] inline std::string left_out_note(std::size_t bytes) {
    return " [... " + std::to_string(bytes) + " bytes left out ...] ";
}

/// The start of `head` and the end of `tail` with a note between them, in at most `cap_bytes`.
[[nodiscard]] inline std::string join_cut(std::string_view head, std::string_view tail, std::size_t total,
                                          std::size_t cap_bytes) {
    const std::size_t room_for_note = left_out_note(total).size();
    if (cap_bytes < 2 * room_for_note) return std::string(text::utf8_head(head, cap_bytes));
    const std::size_t room = cap_bytes - room_for_note;
    head = text::utf8_head(head, room - room / 2);
    tail = text::utf8_tail(tail, room / 2);
    std::string out(head);
    out += left_out_note(total - head.size() - tail.size());
    out += tail;
    return out;
}

}  // namespace detail

namespace text {

/// `text` made safe to show: valid UTF-8 (broken bytes become U+FFFD) without controls but `\n` and `\t`, terminal
/// escape sequences, direction controls and invisible characters; every line end is `\n`. Longer than `cap_bytes`, its
/// start and end are kept around a note of what is missing; the result, note included, is at most `cap_bytes` long.
/// Of a longer text only the first and last `4 * cap_bytes` bytes are looked at, so the cost does not grow with it.
[[nodiscard]] inline std::string sanitise(std::string_view text, std::size_t cap_bytes) {
    std::string head;
    if (text.size() / 8 <= cap_bytes) {
        detail::append_clean(head, text);
        return head.size() <= cap_bytes ? head : detail::join_cut(head, head, head.size(), cap_bytes);
    }
    std::string tail;
    const std::size_t window = 4 * cap_bytes;
    const std::size_t hidden = text.size() - 2 * window;
    detail::append_clean(head, utf8_head(text, window));
    detail::append_clean(tail, utf8_tail(text, window));
    return detail::join_cut(head, tail, hidden + head.size() + tail.size(), cap_bytes);
}

/// `sanitise(text, cap_bytes)` with `| ` in front of every line, so that no content can end the quotation. The prefixes
/// come on top of `cap_bytes`. No line break at the end.
[[nodiscard]] inline std::string quoted_lines(std::string_view text, std::size_t cap_bytes) {
    std::string clean = sanitise(text, cap_bytes);
    if (!clean.empty() && clean.back() == '\n') clean.pop_back();
    std::string out = "| ";
    for (const char c : clean) {
        out += c;
        if (c == '\n') out += "| ";
    }
    return out;
}

}  // namespace text

/// Whether `id` can name a run: valid UTF-8 without control characters, 1 to 128 bytes.
[[nodiscard]] constexpr bool valid_run_id(std::string_view id) noexcept {
    if (id.empty() || id.size() > max_run_id_bytes) return false;
    for (std::size_t at = 0; at < id.size();) {
        const auto next = text::decode_utf8(id, at);
        if (!next.valid || detail::is_control(next.value)) return false;
        at += next.size;
    }
    return true;
}

/// `valid_run_id` with an `invalid_argument` that says what is wrong and what to do.
[[nodiscard]] inline Result<void> check_run_id(std::string_view id) {
    if (valid_run_id(id)) return {};
    if (id.empty()) return fail(ErrorCode::invalid_argument, "the run id is empty: give every run an id of its own");
    const std::string shown = "the run id \"" + text::sanitise(id, 96) + "\" ";
    if (id.size() > max_run_id_bytes)
        return fail(ErrorCode::invalid_argument, shown + "has " + std::to_string(id.size()) + " bytes, the limit is " +
                                                     std::to_string(max_run_id_bytes) + ": use a shorter id");
    return fail(ErrorCode::invalid_argument,
                shown + (text::valid_utf8(id) ? "contains a control character: remove it"
                                              : "is not valid UTF-8: encode it, for example in hexadecimal"));
}

}  // namespace heeler::inline HEELER_ABI
