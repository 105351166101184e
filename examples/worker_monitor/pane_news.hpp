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
#include <heeler/text/combine.hpp>
#include <heeler/text/fingerprint.hpp>

namespace worker_monitor {

/// How far a pane was read.
struct PaneMark {
    std::string pane{};         ///< which program in which pane; empty: nothing was read yet
    std::uint64_t history = 0;  ///< rows that had left its screen
    std::uint64_t end = 0;      ///< number of rows in all, those included
    std::uint64_t above = 0;    ///< fingerprint of the rows above the last one
    std::size_t size = 0;       ///< bytes of the last row
    std::uint64_t last = 0;     ///< fingerprint of the last row
    std::string status{};       ///< what the pane reported
};

[[nodiscard]] inline std::string text_of(const PaneMark& mark) {
    std::ostringstream text;
    text << mark.pane << ' ' << mark.history << ' ' << mark.end << ' ' << mark.above << ' ' << mark.size << ' '
         << mark.last << ' ' << mark.status;
    return text.str();
}

/// A text that is no mark is one of nothing.
[[nodiscard]] inline PaneMark mark_of(const std::string& text) {
    PaneMark mark;
    std::istringstream fields(text);
    if (!(fields >> mark.pane >> mark.history >> mark.end >> mark.above >> mark.size >> mark.last)) return {};
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

/// What is new in the pane since the mark, line by line: rows below the marked one, and what was added to it. A screen
/// that was drawn anew is new as a whole; of output that ran through faster than it was looked at, what is still there.
[[nodiscard]] inline std::string news_since(const heeler::TmuxCapture& seen, const PaneMark& mark) {
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
    if (seen.rows.empty()) return mark;
    mark.end = seen.history - seen.above + seen.rows.size();
    mark.above = detail::print_above(seen.rows, seen.rows.size() - 1);
    mark.size = seen.rows.back().size();
    mark.last = heeler::text::fingerprint_text(seen.rows.back());
    return mark;
}

}  // namespace worker_monitor
