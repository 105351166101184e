// Empties the context of an agent in a terminal by the command that it has for this. POSIX.
#pragma once

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
/// execute it. The terminal must outlive it. One thread at a time.
template <TerminalLike Terminal>
class CommandReset {
public:
    explicit CommandReset(Terminal& terminal, std::string command = "/clear")
        : terminal_{&terminal}, command_{std::move(command)} {}

    /// Blocks for `submit_delay` and what the terminal needs. Errors: those of `submit_line`; `rejected` if no program
    /// is named.
    [[nodiscard]] Result<void> clear() {
        if constexpr (requires { terminal_->program().empty(); })
            if (terminal_->program().empty())
                return fail(ErrorCode::rejected,
                            "nothing is cleared: the terminal does not name the program that takes " + command_);
        return submit_line(*terminal_, command_);
    }

    /// How much there is to clear, where the terminal tells, in its own unit; absent: not known now.
    [[nodiscard]] std::optional<std::uint64_t> size() requires requires(Terminal& terminal) {
        { terminal.size() } -> std::convertible_to<std::optional<std::uint64_t>>;
    }
    { return terminal_->size(); }

private:
    Terminal* terminal_;
    std::string command_;
};

}  // namespace heeler::inline HEELER_ABI
