// What a pane shows that it did not show before: rows that are new since a mark, which is kept as text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/agent/tmux_pane.hpp>
#include <heeler/detect/needs_input.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/fingerprint.hpp>

namespace worker_monitor {

/// How far a pane was read.
struct PaneMark {
    std::string pane{};                   ///< which program in which pane; empty: nothing was read yet
    std::uint64_t history = 0;            ///< rows that had left its screen
    std::uint64_t end = 0;                ///< number of rows in all, those included
    std::uint64_t above = 0;              ///< fingerprint of the rows above the last one
    std::size_t size = 0;                 ///< bytes of the last row
    std::uint64_t last = 0;               ///< fingerprint of the last row
    bool is_over = false;                 ///< that its program is over, or the pane gone, was heard
    bool asks = false;                    ///< a question stood on a screen that is drawn as a whole
    std::vector<std::uint64_t> screen{};  ///< fingerprints of the rows of such a screen
    std::string status{};                 ///< what the pane reported
};

/// Of a screen that is drawn as a whole.
inline constexpr std::size_t most_rows = 500;

[[nodiscard]] inline std::string text_of(const PaneMark& mark) {
    std::ostringstream text;
    text << mark.pane << ' ' << mark.history << ' ' << mark.end << ' ' << mark.above << ' ' << mark.size << ' '
         << mark.last << ' ' << mark.is_over << ' ' << mark.asks << ' ' << mark.screen.size();
    for (const std::uint64_t row : mark.screen) text << ' ' << row;
    text << ' ' << mark.status;
    return text.str();
}

/// A text that is no mark is one of nothing.
[[nodiscard]] inline PaneMark mark_of(const std::string& text) {
    PaneMark mark;
    std::istringstream fields(text);
    std::size_t rows = 0;
    fields >> mark.pane >> mark.history >> mark.end >> mark.above >> mark.size >> mark.last >> mark.is_over;
    if (!(fields >> mark.asks >> rows) || rows > most_rows) return {};
    mark.screen.resize(rows);
    for (std::uint64_t& row : mark.screen)
        if (!(fields >> row)) return {};
    fields.ignore(1);
    std::getline(fields, mark.status);
    return mark;
}

namespace detail {

/// Of up to three rows above the row `at`: enough to know it again among rows that are alike.
[[nodiscard]] inline std::uint64_t print_above(const std::vector<std::string>& rows, std::size_t at) {
    std::uint64_t print = 0;
    for (std::size_t i = at - std::min<std::size_t>(at, 3); i < at; ++i)
        print = heeler::text::combine(print, heeler::text::fingerprint_text(rows[i]));
    return print;
}

/// Whether the row `at` is the one that was the last, perhaps grown since.
[[nodiscard]] inline bool is_marked(const std::vector<std::string>& rows, std::size_t at, const PaneMark& mark) {
    return at < rows.size() && print_above(rows, at) == mark.above && rows[at].size() >= mark.size &&
           heeler::text::fingerprint_text(std::string_view(rows[at]).substr(0, mark.size)) == mark.last;
}

/// The row that was the last. It is where it was, unless rows were taken from the history: then it is searched.
[[nodiscard]] inline std::optional<std::size_t> marked_row(const heeler::TmuxCapture& seen, const PaneMark& mark) {
    const std::uint64_t first = seen.history - seen.above;
    if (mark.end > first && is_marked(seen.rows, static_cast<std::size_t>(mark.end - 1 - first), mark))
        return static_cast<std::size_t>(mark.end - 1 - first);
    if (seen.history >= mark.history) return std::nullopt;
    for (std::size_t at = seen.rows.size(); at-- > 0;)
        if (is_marked(seen.rows, at, mark)) return at;
    return std::nullopt;
}

}  // namespace detail

/// A row that says something, without the frame around it.
[[nodiscard]] inline std::string_view words_in(std::string_view row) {
    constexpr std::string_view frame = "\xe2\x94\x80\xe2\x94\x82\xe2\x95\xad\xe2\x95\xae\xe2\x95\xaf\xe2\x95\xb0|+-=~ ";
    const std::size_t first = row.find_first_not_of(frame);
    if (first == std::string_view::npos) return {};
    return row.substr(first, row.find_last_not_of(frame) - first + 1);
}

/// The question that a screen ends with, wherever the hints below it end; empty: there is none.
[[nodiscard]] inline std::string_view question_on(const heeler::TmuxCapture& seen) {
    int looked_at = 0;
    for (std::size_t at = seen.rows.size(); seen.is_full && at > seen.above && looked_at < 12; --at) {
        const std::string_view words = words_in(seen.rows[at - 1]);
        for (const std::string_view pattern : heeler::prompt_patterns)
            if (words.find(pattern) != std::string_view::npos) return words;
        looked_at += words.empty() ? 0 : 1;
    }
    return {};
}

/// The rows of a screen that is drawn as a whole which are others than they were.
[[nodiscard]] inline std::string redrawn_since(const heeler::TmuxCapture& seen, const PaneMark& mark) {
    std::string news;
    for (std::size_t at = seen.above; at < seen.rows.size(); ++at) {
        const std::size_t row = at - seen.above;
        const bool is_same =
            row < mark.screen.size() && mark.screen[row] == heeler::text::fingerprint_text(seen.rows[at]);
        if (!is_same && !words_in(seen.rows[at]).empty()) news.append(seen.rows[at]).push_back('\n');
    }
    return news;
}

/// What is new in the pane since the mark, line by line: rows below the marked one, and what was added to it. A screen
/// that was drawn anew is new as a whole, of one that its program draws as a whole the rows that changed; of output
/// that ran through faster than it was looked at, what is still there.
[[nodiscard]] inline std::string news_since(const heeler::TmuxCapture& seen, const PaneMark& mark) {
    if (seen.is_full) return redrawn_since(seen, mark);
    std::string news;
    const auto add = [&](std::string_view row) { news.append(row).push_back('\n'); };
    const auto marked = mark.end == 0 ? std::nullopt : detail::marked_row(seen, mark);
    const bool ran_through = mark.end <= seen.history - seen.above;
    std::size_t at = ran_through ? 0 : static_cast<std::size_t>(seen.above);
    if (marked) {
        if (seen.rows[*marked].size() > mark.size) add(std::string_view(seen.rows[*marked]).substr(mark.size));
        at = *marked + 1;
    }
    for (; at < seen.rows.size(); ++at) add(seen.rows[at]);
    return news;
}

/// The mark of what was seen.
[[nodiscard]] inline PaneMark mark_at(std::string pane, const heeler::TmuxCapture& seen, std::string status) {
    PaneMark mark;
    mark.pane = std::move(pane);
    mark.history = seen.history;
    mark.status = std::move(status);
    mark.asks = !question_on(seen).empty();
    for (std::size_t at = seen.above; seen.is_full && at < seen.rows.size(); ++at)
        if (mark.screen.size() < most_rows) mark.screen.push_back(heeler::text::fingerprint_text(seen.rows[at]));
    if (seen.rows.empty()) return mark;
    mark.end = seen.history - seen.above + seen.rows.size();
    mark.above = detail::print_above(seen.rows, seen.rows.size() - 1);
    mark.size = seen.rows.back().size();
    mark.last = heeler::text::fingerprint_text(seen.rows.back());
    return mark;
}

}  // namespace worker_monitor
