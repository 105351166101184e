// What a pane shows that it did not show before: rows that are new since a mark, which is kept as text.
#pragma once

#include <algorithm>
#include <array>
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
    bool asks = false;                    ///< a question stood at its end
    std::vector<std::uint64_t> screen{};  ///< fingerprints of the rows of the screen
    std::string status{};                 ///< what the pane reported
};

/// Of a screen.
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

/// A row of lines around something else, or an empty one.
[[nodiscard]] inline bool is_frame(std::string_view row) {
    constexpr std::string_view box = "\xe2\x94";  // U+2500 to U+253F, and U+2540 to U+257F:
    constexpr std::string_view rest_of_box = "\xe2\x95";
    while (!row.empty())
        if (row.front() == ' ')
            row.remove_prefix(1);
        else if (row.size() >= 3 && (row.starts_with(box) || row.starts_with(rest_of_box)))
            row.remove_prefix(3);
        else
            return false;
    return true;
}

/// A row that says something, without the frame around it.
[[nodiscard]] inline std::string_view words_in(std::string_view row) {
    constexpr std::string_view plain = "|+-=~ ";
    while (!row.empty())
        if (plain.find(row.front()) != std::string_view::npos)
            row.remove_prefix(1);
        else if (row.size() >= 3 && is_frame(row.substr(0, 3)))
            row.remove_prefix(3);
        else
            break;
    while (!row.empty())
        if (plain.find(row.back()) != std::string_view::npos)
            row.remove_suffix(1);
        else if (row.size() >= 3 && is_frame(row.substr(row.size() - 3)))
            row.remove_suffix(3);
        else
            break;
    return row;
}

/// How the dialogs of coding agents ask, besides `heeler::prompt_patterns`.
inline constexpr std::array<std::string_view, 7> dialog_questions{
    "Do you want to ", "Do you trust ",  "Would you like to ", "Apply this change?",
    "Allow execution", "Allow Codex to", "(Y)es/(N)o"};

[[nodiscard]] inline bool is_question(std::string_view words) {
    const auto has = [&](std::string_view pattern) { return words.find(pattern) != std::string_view::npos; };
    return std::any_of(heeler::prompt_patterns.begin(), heeler::prompt_patterns.end(), has) ||
           std::any_of(dialog_questions.begin(), dialog_questions.end(), has);
}

/// Without the mark before the answer that is chosen.
[[nodiscard]] inline std::string_view unmarked(std::string_view words) {
    constexpr std::array<std::string_view, 5> marks{"\xe2\x9d\xaf", "\xe2\x80\xba", "\xe2\x97\x8f", "\xe2\x97\x8b",
                                                    ">"};
    for (const std::string_view mark : marks)
        if (words.starts_with(mark)) words = words_in(words.substr(mark.size()));
    return words;
}

/// "1. Yes"
[[nodiscard]] inline bool is_numbered(std::string_view words) {
    const std::size_t digits = std::min(words.find_first_not_of("0123456789"), words.size());
    return digits > 0 && words.substr(digits).starts_with('.');
}

/// An answer that can be chosen, or the keys that do.
[[nodiscard]] inline bool is_choice(std::string_view words) {
    if (is_numbered(unmarked(words))) return true;
    constexpr std::array<std::string_view, 5> keys{"to cancel", "to confirm", "to select", "enter to continue",
                                                   "Waiting for user confirmation"};
    return std::any_of(keys.begin(), keys.end(),
                       [&](std::string_view key) { return words.find(key) != std::string_view::npos; });
}

/// Answers of which one is chosen, whatever explains them, and in the last row an answer or keys; read from that row
/// up. A list in a text has no mark, or one on each row, or below it the place where the next text is typed.
class Menu {
public:
    void read(std::string_view words) {
        const std::string_view answer = unmarked(words);
        if (is_read_) {
            if (title_.empty()) title_ = words;
        } else if (is_numbered(answer)) {
            ++(answer == words ? plain_ : marked_);
            is_read_ = answer.starts_with("1.");
        } else if (is_last_) {
            is_read_ = !is_choice(words);
        }
        is_last_ = false;
    }
    /// The row above it; empty: there is no menu.
    [[nodiscard]] std::string_view title() const { return marked_ == 1 && plain_ > 0 ? title_ : std::string_view{}; }

private:
    int marked_ = 0;
    int plain_ = 0;
    bool is_last_ = true;
    bool is_read_ = false;
    std::string_view title_{};
};

/// The question that a screen ends with, or the title of a menu; empty: there is none, or the agent says that it works.
/// Below a question stands nothing, or its answers and some hints; where the program draws the whole screen, anything.
[[nodiscard]] inline std::string_view question_on(const heeler::TmuxCapture& seen) {
    int looked_at = 0;
    int others = 0;
    bool has_choice = seen.is_full;
    Menu menu;
    for (std::size_t at = seen.rows.size(); at > seen.above && looked_at < 12; --at) {
        const std::string_view words = words_in(seen.rows[at - 1]);
        if (words.empty()) continue;
        if (words.find("esc to interrupt") != std::string_view::npos) return {};
        if (is_question(words)) return has_choice || others == 0 ? words : std::string_view{};
        has_choice = has_choice || is_choice(words);
        others += is_choice(words) ? 0 : 1;
        menu.read(words);
        if (!seen.is_full && others > 6) break;
        ++looked_at;
    }
    return menu.title();
}

/// The rows of the screen that are others than they were.
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

/// How many rows at the bottom of the screen stood there before.
[[nodiscard]] inline std::size_t rows_that_stay(const heeler::TmuxCapture& seen, const PaneMark& mark) {
    const std::size_t most = std::min(seen.rows.size(), mark.screen.size());
    std::size_t count = 0;
    while (count < most && heeler::text::fingerprint_text(seen.rows[seen.rows.size() - 1 - count]) ==
                               mark.screen[mark.screen.size() - 1 - count])
        ++count;
    return count;
}

/// The rows from `at` on, but for so many at the bottom and those that were on the screen.
[[nodiscard]] inline std::string added_rows(const heeler::TmuxCapture& seen, std::size_t at, std::size_t without,
                                            const PaneMark& were) {
    std::string news;
    for (; at + without < seen.rows.size(); ++at) {
        const auto print = heeler::text::fingerprint_text(seen.rows[at]);
        const bool stood = std::find(were.screen.begin(), were.screen.end(), print) != were.screen.end();
        if (!stood && !is_frame(seen.rows[at])) news.append(seen.rows[at]).push_back('\n');
    }
    return news;
}

/// What is new in the pane since the mark, line by line: rows below the marked one, and what was added to it. Agents
/// keep rows at the bottom that stay, and draw above them: of a screen that was drawn anew, new are the rows that were
/// not on it; of output that ran through faster than it was looked at, what is still there.
[[nodiscard]] inline std::string news_since(const heeler::TmuxCapture& seen, const PaneMark& mark) {
    const auto marked = mark.end == 0 ? std::nullopt : detail::marked_row(seen, mark);
    const bool adds_nothing = marked && *marked + 1 == seen.rows.size() && seen.rows[*marked].size() == mark.size;
    if (seen.is_full || (adds_nothing && seen.history == mark.history)) return redrawn_since(seen, mark);
    std::string news;
    const bool ran_through = mark.end <= seen.history - seen.above;
    std::size_t at = ran_through ? 0 : static_cast<std::size_t>(seen.above);
    if (marked) {
        if (seen.rows[*marked].size() > mark.size)
            news.append(std::string_view(seen.rows[*marked]).substr(mark.size)).push_back('\n');
        at = *marked + 1;
    }
    const std::string above = added_rows(seen, at, rows_that_stay(seen, mark), marked ? PaneMark{} : mark);
    if (!above.empty()) return news + above;
    return news + added_rows(seen, at, 0, marked ? PaneMark{} : mark);
}

/// The mark of what was seen.
[[nodiscard]] inline PaneMark mark_at(std::string pane, const heeler::TmuxCapture& seen, std::string status) {
    PaneMark mark;
    mark.pane = std::move(pane);
    mark.history = seen.history;
    mark.status = std::move(status);
    mark.asks = !question_on(seen).empty();
    for (std::size_t at = seen.above; at < seen.rows.size(); ++at)
        if (mark.screen.size() < most_rows) mark.screen.push_back(heeler::text::fingerprint_text(seen.rows[at]));
    if (seen.rows.empty()) return mark;
    mark.end = seen.history - seen.above + seen.rows.size();
    mark.above = detail::print_above(seen.rows, seen.rows.size() - 1);
    mark.size = seen.rows.back().size();
    mark.last = heeler::text::fingerprint_text(seen.rows.back());
    return mark;
}

}  // namespace worker_monitor
