// Empties the context of an agent in a terminal by the command that it has for this. POSIX.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <heeler/agent/terminal_input.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// Clears an agent's conversation by typing `command` (`submit_line`). Nothing else is touched: what the agent keeps of
/// itself (prompt, tools, session, tags) is for its own command to keep. A terminal that is somebody else's as well (a
/// `TmuxPane`) must name the program that has this command: any other would take it for something else, and a shell
/// execute it. Where the terminal can be looked at (`capture`), a clear is done when it shows that: more than half of
/// the rows that came since the last clear are gone from its screen (of all rows, at the first), and not upwards into
/// its history. What an agent draws anew each time counts for nothing, nor does a row that goes by itself. The terminal
/// must outlive it. One thread at a time.
template <TerminalLike Terminal>
class CommandReset {
public:
    explicit CommandReset(Terminal& terminal, std::string command = "/clear")
        : terminal_{&terminal}, command_{std::move(command)} {}

    /// Blocks for twice `submit_delay`, what the terminal needs, and up to 2 s until the clear is seen. Errors: those
    /// of `submit_line` and `capture`; `rejected` if no program is named; `timed_out` if nothing shows that it was
    /// cleared.
    [[nodiscard]] Result<void> clear() {
        if constexpr (requires { terminal_->program().empty(); })
            if (terminal_->program().empty())
                return fail(ErrorCode::rejected,
                            "nothing is cleared: the terminal does not name the program that takes " + command_);
        if constexpr (requires { terminal_->capture()->rows; })
            return clear_and_see();
        else
            return submit_line(*terminal_, command_);
    }

    /// How much there is to clear, where the terminal tells, in its own unit; absent: not known now.
    [[nodiscard]] std::optional<std::uint64_t> size() requires requires(Terminal& terminal) {
        { terminal.size() } -> std::convertible_to<std::optional<std::uint64_t>>;
    }
    { return terminal_->size(); }

private:
    using Rows = std::set<std::string>;

    /// Those that say something.
    [[nodiscard]] static Rows rows_of(const auto& capture) {
        Rows rows{capture.rows.begin(), capture.rows.end()};
        std::erase_if(rows, [](const std::string& row) { return row.find_first_not_of(' ') == std::string::npos; });
        return rows;
    }

    [[nodiscard]] static bool are_gone(const Rows& rows, const Rows& there) {
        const auto gone =
            std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return !there.contains(row); });
        return 2 * static_cast<std::size_t>(gone) > rows.size();
    }

    [[nodiscard]] Result<void> clear_and_see() {
        const auto before = terminal_->capture();
        if (!before) return tl::unexpected<Error>(before.error());
        const Rows stood = rows_of(*before);
        Rows news = stood;
        std::erase_if(news, [&](const std::string& row) { return left_.contains(row); });
        if (news.empty() && are_gone(left_, stood)) seen_ = true;  // the last one was late
        const Result<void> typed = submit_line(*terminal_, command_);
        return typed ? see(news, before->history) : typed;
    }

    /// Without news it is as after the last one, done or not.
    [[nodiscard]] Result<void> see(const Rows& news, std::uint64_t history) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        bool done = false;
        while (!done && std::chrono::steady_clock::now() < until) {
            detail::rest_for(std::chrono::milliseconds(50));
            const auto now = terminal_->capture();
            if (!now) return tl::unexpected<Error>(now.error());
            left_ = rows_of(*now);
            done = news.empty() ? seen_ : now->history <= history && are_gone(news, left_);
        }
        seen_ = done;
        if (!done) return fail(ErrorCode::timed_out, command_ + " was typed, and the terminal shows as much as before");
        detail::rest_for(submit_delay);  // until the agent has drawn what it always shows
        if (const auto settled = terminal_->capture()) left_ = rows_of(*settled);
        return {};
    }

    Terminal* terminal_;
    std::string command_;
    Rows left_{};       ///< on its screen after the last clear
    bool seen_ = true;  ///< that one was done
};

}  // namespace heeler::inline HEELER_ABI
