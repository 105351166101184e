// The command line of heeler-worker-monitor.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <heeler/agent/tmux_pane.hpp>
#include <heeler/core/time.hpp>

namespace worker_monitor {

struct Options {
    heeler::TmuxSocket socket;
    std::string here;               ///< id of the pane that this runs in; empty: in none
    std::string own;                ///< id of the pane that is cleared; empty: none is
    std::string agent;              ///< the program that must have the keyboard there
    std::string clear = "/clear";   ///< what is typed into it
    std::string check;              ///< what is typed there to have its agent look; empty: nothing
    bool tell_clears = false;       ///< to the orchestrator
    std::string after_clear;        ///< what is typed after a clear; empty: nothing
    bool clear_tool = false;        ///< nothing is watched: the agent in the pane clears it by a tool
    std::string name_regex;         ///< workers by name; empty: by the settings
    std::filesystem::path metrics;  ///< empty: nowhere
    std::filesystem::path config;   ///< settings as JSON; empty: none
    std::string sqlite_file;        ///< of the store; empty: memory
    heeler::Duration every = std::chrono::seconds{30};
    std::optional<heeler::Duration> length;  ///< absent: until a signal comes
    std::vector<std::string> orchestrator;   ///< a command; empty: the panes with its tag
    bool restart = false;                    ///< it is started again when it ends
    std::vector<std::string> notify;         ///< channels
};

inline constexpr int exit_usage = 2;

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace worker_monitor
