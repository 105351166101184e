// The command line of heeler-watch.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/time.hpp>

#include "../common/store_place.hpp"

namespace watch {

/// What is to be done with the hooks of an agent.
enum class HookVerb { none, install, remove, status, run };

struct Options {
    HookVerb hooks = HookVerb::none;  ///< if any, only the agent, the home, `yes` and `guard` count
    std::string agent;                ///< of the hooks
    bool yes = false;                 ///< written without a question
    bool guard = false;               ///< with a hook before each call
    std::string home;                 ///< below which agents keep their sessions
    std::vector<std::string> notify;  ///< channels
    std::string ping;                 ///< of a dead man's switch; empty: none
    std::filesystem::path config;     ///< settings as JSON; empty: none
    common::StorePlace store;         ///< empty with `once`
    heeler::Duration every = std::chrono::seconds{5};
    heeler::Duration live = std::chrono::hours{2};
    std::optional<heeler::Duration> length;  ///< absent: until a signal comes
    bool once = false;
};

inline constexpr int exit_usage = 2;

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace watch
