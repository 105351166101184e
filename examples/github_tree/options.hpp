// The command line of heeler-github-tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <heeler/core/time.hpp>

namespace github_tree {

struct Options {
    std::string repository{};  ///< "owner/name"
    int issue = 0;
    std::string reviewer{};
    std::vector<std::string> agents{};
    std::string instructions{};
    std::string api = "https://api.github.com";
    std::string token{};  ///< from the environment
    std::string store{};  ///< SQLite file; empty: memory
    heeler::Duration every = std::chrono::minutes{1};
    heeler::Duration grace = std::chrono::minutes{5};
    heeler::Duration silent = std::chrono::hours{2};
    std::vector<std::string> notify{};  ///< channels
    bool once = false;
};

inline constexpr int exit_usage = 2;

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace github_tree
