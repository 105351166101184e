// How far one row of `agent_progress` was read, as a small text that a store can keep; for the tables of agents.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What was reported of a row already. Values are kept as fingerprints: what agents write does not lengthen it.
struct AgentCursor {
    std::uint64_t checkpoint = 0;       ///< of `last_checkpoint`; 0: none was seen
    std::uint64_t heartbeat = 0;        ///< of `last_heartbeat`, likewise
    std::uint64_t ended = 0;            ///< 1: the end was reported
    std::uint64_t waits = 0;            ///< of a wait that was reported, with its question; 0: it does not wait
    std::vector<std::int64_t> steps{};  ///< completed ones, ascending
    std::vector<std::uint64_t> said{};  ///< problems that were said and still hold
};

template <class Number>
void append_number(std::string& text, Number value, int base) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value, base).ptr);
}

/// Neighbours as "3:9", so that a long plan stays short.
inline void append_steps(std::string& text, const std::vector<std::int64_t>& steps) {
    for (std::size_t at = 0; at < steps.size();) {
        std::size_t last = at;
        while (last + 1 < steps.size() && steps[last] + 1 == steps[last + 1]) ++last;
        if (at > 0) text += ',';
        append_number(text, steps[at], 10);
        if (last > at) {
            text += ':';
            append_number(text, steps[last], 10);
        }
        at = last + 1;
    }
}

[[nodiscard]] inline std::string write_agent_cursor(const AgentCursor& cursor) {
    std::string text = "a1";
    for (const std::uint64_t value : {cursor.checkpoint, cursor.heartbeat, cursor.ended, cursor.waits}) {
        text += ';';
        append_number(text, value, 16);
    }
    text += ';';
    append_steps(text, cursor.steps);
    for (const std::uint64_t value : cursor.said) {
        text += ';';
        append_number(text, value, 16);
    }
    return text;
}

/// Takes a number off the front; false if there is none.
template <class Number>
[[nodiscard]] bool take_number(std::string_view& text, Number& value, int base) noexcept {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

[[nodiscard]] inline bool take_char(std::string_view& text, char c) noexcept {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}

/// False if they are not ascending, or more than `most`.
[[nodiscard]] inline bool take_steps(std::string_view& text, std::vector<std::int64_t>& steps, std::size_t most) {
    if (text.empty() || text.front() == ';') return true;
    do {
        std::int64_t first = 0;
        if (!take_number(text, first, 10)) return false;
        std::int64_t last = first;
        if (take_char(text, ':') && !take_number(text, last, 10)) return false;
        if (last < first || (!steps.empty() && first <= steps.back())) return false;
        for (std::int64_t step = first;; ++step) {
            if (steps.size() == most) return false;
            steps.push_back(step);
            if (step == last) break;
        }
    } while (take_char(text, ','));
    return true;
}

/// Absent for text that `write_agent_cursor` has not made.
[[nodiscard]] inline std::optional<AgentCursor> parse_agent_cursor(std::string_view text, std::size_t most_steps) {
    AgentCursor cursor;
    if (!text.starts_with("a1")) return std::nullopt;
    text.remove_prefix(2);
    for (std::uint64_t* const value : {&cursor.checkpoint, &cursor.heartbeat, &cursor.ended, &cursor.waits})
        if (!take_char(text, ';') || !take_number(text, *value, 16)) return std::nullopt;
    if (!take_char(text, ';') || !take_steps(text, cursor.steps, most_steps)) return std::nullopt;
    while (take_char(text, ';'))
        if (!take_number(text, cursor.said.emplace_back(), 16)) return std::nullopt;
    if (!text.empty()) return std::nullopt;
    return cursor;
}

}  // namespace heeler::inline HEELER_ABI::detail
