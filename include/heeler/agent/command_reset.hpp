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
/// itself (prompt, tools, session, tags) is for its own command to keep. The terminal must outlive it. One thread at a
/// time.
template <TerminalLike Terminal>
class CommandReset {
public:
    explicit CommandReset(Terminal& terminal, std::string command = "/clear")
        : terminal_{&terminal}, command_{std::move(command)} {}

    /// Blocks for `submit_delay` and what the terminal needs. Errors: those of `submit_line`.
    [[nodiscard]] Result<void> clear() { return submit_line(*terminal_, command_); }

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
