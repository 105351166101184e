// The command line of heeler-task-tree.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "keeper.hpp"

namespace tracker {

struct Options {
    std::filesystem::path directory{};  ///< of the two databases
    int port = 8080;
    KeeperSettings keeper{};
    std::vector<std::string> notify{};  ///< channels
    bool sample = false;
    bool demo = false;
    std::string reviewer{};  ///< URL of the tracker to review for; empty: be the tracker
    std::string token{};     ///< of the reviewer; from the environment, where nobody else sees it
    bool once = false;
};

inline constexpr int exit_usage = 2;

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace tracker
