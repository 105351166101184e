// Empties the context of an agent in a terminal by the command that it has for this. POSIX.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <heeler/agent/terminal_input.hpp>
#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI {

/// Clears an agent's conversation by typing `command` (`submit_line`). Nothing else is touched: what the agent keeps of
/// itself (prompt, tools, session, tags) is for its own command to keep. A terminal that is somebody else's as well (a
/// `TmuxPane`) must name the program that has this command: any other would take it for something else, and a shell
/// execute it. Where the terminal tells its size, a clear is done when that shows it: there is less than before, or as
/// little as after the last one. The terminal must outlive it. One thread at a time.
template <TerminalLike Terminal>
class CommandReset {
public:
    explicit CommandReset(Terminal& terminal, std::string command = "/clear")
        : terminal_{&terminal}, command_{std::move(command)} {}

    /// Blocks for `submit_delay`, what the terminal needs, and up to 2 s until the clear is seen. Errors: those of
    /// `submit_line`; `rejected` if no program is named; `timed_out` if nothing shows that it was cleared.
    [[nodiscard]] Result<void> clear() {
        if constexpr (requires { terminal_->program().empty(); })
            if (terminal_->program().empty())
                return fail(ErrorCode::rejected,
                            "nothing is cleared: the terminal does not name the program that takes " + command_);
        if constexpr (requires { terminal_->size(); }) {
            const std::optional<std::uint64_t> before = terminal_->size();
            const Result<void> typed = submit_line(*terminal_, command_);
            return typed && before ? seen_since(*before) : typed;
        } else {
            return submit_line(*terminal_, command_);
        }
    }

    /// How much there is to clear, where the terminal tells, in its own unit; absent: not known now.
    [[nodiscard]] std::optional<std::uint64_t> size() requires requires(Terminal& terminal) {
        { terminal.size() } -> std::convertible_to<std::optional<std::uint64_t>>;
    }
    { return terminal_->size(); }

private:
    [[nodiscard]] Result<void> seen_since(std::uint64_t before) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
        do {
            const std::optional<std::uint64_t> now = terminal_->size();
            if (!now || *now < before || *now <= least_.value_or(0)) {
                least_ = now;
                return {};
            }
            detail::rest_for(std::chrono::milliseconds(50));
        } while (std::chrono::steady_clock::now() < until);
        return fail(ErrorCode::timed_out, command_ + " was typed, and the terminal shows as much as before");
    }

    Terminal* terminal_;
    std::string command_;
    std::optional<std::uint64_t> least_{};  ///< its size after the last clear
};

}  // namespace heeler::inline HEELER_ABI
