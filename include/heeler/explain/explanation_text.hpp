// How an explanation of a detector reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/explanation.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/table.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// "2 of 3", and what it was before if that was more.
[[nodiscard]] inline std::string count_text(const Reason& row) {
    std::string text = text::concat(std::to_string(row.count), " of ", std::to_string(row.needed));
    if (row.before > row.count) text::append(text, " (was ", std::to_string(row.before), ")");
    return text;
}

[[nodiscard]] inline std::string counted_text(const Reason& row) {
    std::string text{row.counts};
    if (row.period > 1) text::append(text, " (", std::to_string(row.period), " long)");
    return text;
}

/// The higher level first, then what is nearer to speaking.
[[nodiscard]] inline bool says_more(const Reason& a, const Reason& b) noexcept {
    if (a.level != b.level) return a.level > b.level;
    return std::uint64_t{a.count} * b.needed > std::uint64_t{b.count} * a.needed;
}

/// Those that what was observed concerns, in the order in which people want to read them.
[[nodiscard]] inline std::vector<Reason> concerned(const Explanation& why) {
    std::vector<Reason> rows;
    for (std::size_t i = 0; i < why.count; ++i) {
        if (why.rules[i].needed == 0) continue;
        rows.push_back(why.rules[i]);
        for (std::size_t at = rows.size() - 1; at > 0 && says_more(rows[at], rows[at - 1]); --at)
            std::swap(rows[at], rows[at - 1]);
    }
    return rows;
}

[[nodiscard]] inline std::string level_text(Level level) {
    return std::string{level == Level::none ? "-" : level == Level::watch ? "half way" : name_of(level)};
}

[[nodiscard]] inline std::string verdict_text(const Explanation& why, const std::vector<Reason>& rows) {
    std::string text = "Verdict: ";
    if (why.verdict.level != Level::none) {
        text::append(text, name_of(why.verdict.level), ", by the rule '", why.verdict.rule, "'");
        if (!why.verdict.because.empty()) text::append(text, " (", why.verdict.because, ")");
        return text += "\n";
    }
    text += "none";
    for (const Reason& row : rows) {
        if (row.count == 0 || row.count >= row.needed) continue;
        text::append(text, ": no rule has what it needs; nearest is '", row.rule, "' with ", count_text(row));
        break;
    }
    return text += "\n";
}

/// An episode is a loop that was found, until something moves.
[[nodiscard]] inline std::string episode_text(const Explanation& why) {
    const Reason& row = why.episode;
    std::string text = "Episode: ";
    if (!why.episode_open)
        return text +
               (row.because.empty() ? "no loop goes on\n" : text::concat("no loop goes on; ", row.because, "\n"));
    text::append(text, "a loop goes on that began with event ", std::to_string(row.first), "; ");
    if (row.because.empty())
        text::append(text, "it was found ", std::to_string(row.count), row.count == 1 ? " round" : " rounds", " ago");
    else
        text += row.because;
    for (std::size_t i = 0; i < why.kind_count; ++i) text::append(text, i == 0 ? "; evidence: " : ", ", why.kinds[i]);
    if (row.needed == 0)
        text += "; evidence of this kind alone never stops a run";
    else
        text::append(text, "; ", std::to_string(row.needed),
                     " rounds after it was found, or by a rule's own count, the level is stop");
    return text += "\n";
}

}  // namespace detail

/// Verdict, what was observed, the episode, and a table of the rules: those that speak first, then those that are near
/// to it; in the end those that it did not concern. Nothing in it comes from a run.
[[nodiscard]] inline std::string to_text(const Explanation& why) {
    const std::vector<Reason> rows = detail::concerned(why);
    std::string text = detail::verdict_text(why, rows);
    if (!why.saw.empty())
        text::append(text, "Seen as: ", why.saw, why.progress.empty() ? "" : "; ", why.progress, "\n");
    if (!why.cancelled.empty()) text::append(text, "Cancelled: ", why.cancelled, "\n");
    if (!why.state_cut.empty()) text::append(text, "Given up, for memory is bounded: ", why.state_cut, "\n");
    text += detail::episode_text(why);
    if (!rows.empty()) {
        std::vector<text::TableRow> cells;
        for (const Reason& row : rows)
            cells.push_back({std::string{row.rule}, detail::count_text(row), detail::level_text(row.level),
                             detail::counted_text(row), std::string{row.because}});
        text += "\n" + text::to_table({"Rule", "Count", "Says", "What it counts", "Why"}, cells);
    }
    std::string silent;
    for (std::size_t i = 0; i < why.count; ++i)
        if (why.rules[i].needed == 0)
            text::append(silent, silent.empty() ? "Not concerned: " : ", ", why.rules[i].rule, " (",
                         why.rules[i].because, ")");
    return silent.empty() ? text : text + silent + "\n";
}

}  // namespace heeler::inline HEELER_ABI
