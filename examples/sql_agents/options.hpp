// The command line of heeler-sql-agents.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sql_agents {

struct Options {
    std::string directory;  ///< of databases, prompts and logs
    std::string agent;      ///< a program
    std::vector<std::string> notify;
};

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace sql_agents
