// The command line of heeler-session-monitor.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/time.hpp>

namespace monitor {

struct Options {
    std::filesystem::path directory;
    std::string issues;               ///< "github:OWNER/REPO", or where issues become files; empty: in the directory
    std::vector<std::string> notify;  ///< channels
    std::string ping;                 ///< of a dead man's switch; empty: none
    std::string project;              ///< of sessions that do not say theirs; empty: the directory's name
    std::filesystem::path config;     ///< settings as JSON; empty: none
    std::string sqlite_file;          ///< of the store; empty: memory
    heeler::Duration every = std::chrono::seconds{1};
    std::optional<heeler::Duration> length;  ///< absent: until a signal comes
    bool until_idle = false;
    int scale = 60;
};

inline constexpr int exit_usage = 2;

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace monitor
