// How an issue of GitHub reads as a node of a task tree.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include <heeler/core/time.hpp>
#include <heeler/tree/tree_node.hpp>

#include "api.hpp"

namespace github_tree {

/// Labels say what GitHub has no words for.
namespace label {
inline constexpr const char* review = "heeler:review";      ///< an issue of the watch: somebody checks a stopped tree
inline constexpr const char* restored = "heeler:restored";  ///< how that came out, where it is not legitimate
inline constexpr const char* wake = "heeler:wake";          ///< the agent is to begin; it takes the label away
inline constexpr const char* run = "heeler:run";            ///< an agent is at work; it takes the label away
inline constexpr const char* blocked = "blocked";
inline constexpr const char* in_review = "in review";
inline constexpr const char* in_progress = "in progress";
inline constexpr const char* backlog = "backlog";
}  // namespace label

struct Repository {
    std::string name{};              ///< "owner/name"
    std::set<std::string> agents{};  ///< accounts that are agents, as bots are anyway
    heeler::Duration silent{};       ///< what was not updated for so long is neither at work nor woken any more
};

/// An issue with what the tree needs besides the node.
struct Issue {
    heeler::TreeNode node{};
    std::string path{};   ///< "/repos/owner/name/issues/7"
    std::int64_t id = 0;  ///< by which sub-issues are added; not its number
    bool has_children = false;
    bool has_blockers = false;
};

/// The issue at `place`; its node has no id if it is none, or a pull request.
[[nodiscard]] Issue issue_at(const Json& json, const std::string& place, const Repository& in, heeler::WallTime now);

/// An issue of the repository is called by its number, one of another "owner/name#7".
[[nodiscard]] std::string path_of(std::string_view id, const Repository& in);

/// What an issue of the watch has in its text, unseen: what it reviews, and which stop.
[[nodiscard]] std::string review_mark(std::string_view node, std::string_view fingerprint);
/// The start of it, for any stop.
[[nodiscard]] std::string review_mark(std::string_view node);

}  // namespace github_tree
