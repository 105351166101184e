// The hooks of heeler-watch in the configuration of an agent: what the agent starts when something happens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/result.hpp>

namespace watch {

/// Agents that have hooks of this kind.
[[nodiscard]] std::vector<std::string> agents_with_hooks();

/// One agent's configuration file, as it is and as it would be.
struct HookChange {
    std::string file;
    std::string before;  ///< empty: there is none
    std::string after;
    std::string then;  ///< what the agent's person has to do besides; empty: nothing

    [[nodiscard]] bool any() const noexcept { return before != after; }
};

/// With the hooks, each once, whatever was there of them before, or without them; everything else stays as it is.
/// `program`: what the agent is to start; `guard`: before each call, too. Errors: `invalid_argument` for an agent
/// without hooks and for a file that is not what the agent reads, `io`.
[[nodiscard]] heeler::Result<HookChange> with_hooks(const std::string& agent, const std::string& home,
                                                    const std::string& program, bool guard);
[[nodiscard]] heeler::Result<HookChange> without_hooks(const std::string& agent, const std::string& home);

/// Whether the agent has them all, with a guard or without, and the program that it starts is there.
[[nodiscard]] bool has_hooks(const std::string& agent, const std::string& home);

/// The old file is kept beside the new one, with ".before-heeler" behind its name.
[[nodiscard]] heeler::Result<void> write_change(const HookChange& change);

/// Whether the agent asks, by this event, before it makes a call.
[[nodiscard]] bool is_before_call(std::string_view agent, std::string_view event);

/// What the agent takes as an answer to an event, so that it reads the text; empty if it reads none then.
[[nodiscard]] std::string hook_answer(std::string_view agent, std::string_view event, std::string_view text);

}  // namespace watch
