// A tree of GitHub issues as a watch of task trees sees it, and what the watch does through it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/tree/tree_host.hpp>

#include "api.hpp"
#include "issue.hpp"

namespace github_tree {

/// `heeler::TreeHostLike` for the issue `root` and what is below it. Each order leaves its key in a comment, unseen,
/// and looks for it first: asked again, also after a crash, it goes on where it had ended.
class Host {
public:
    static constexpr bool idempotent = true;

    Host(Api& api, Repository repository, std::string root);

    /// All of the tree, each time: one question for the root and for each issue that has others below it or blockers.
    Result<heeler::TreeChanges> changes(std::string_view cursor);
    Result<heeler::ActionDone> review(const heeler::ReviewRequest& request);
    Result<heeler::ActionDone> wake(const heeler::WakeRequest& request);
    Result<heeler::AgentStanding> agent(const heeler::NodeRef& agent);
    /// No interactions, nothing that looks again at a set time, nobody in between who takes several changes as one.
    [[nodiscard]] static std::span<const std::string_view> operations();

private:
    Result<Issue> read(const std::string& path);
    Result<void> read_below(const Issue& parent, std::vector<Issue>& found);
    Result<void> read_blockers(Issue& issue);
    Result<Issue> find_review(std::string_view node);
    Result<Issue> create_review(const heeler::ReviewRequest& request);
    Result<void> reopen_review(const Issue& review, const heeler::ReviewRequest& request);
    Result<void> link(const Issue& review, std::string_view node);
    Result<bool> has_comment(const std::string& path, std::string_view mark);
    Result<void> comment(const std::string& path, std::string_view text);

    Api& api_;
    Repository repository_;
    std::string root_;
    heeler::SystemClock clock_;
};

static_assert(heeler::check_tree_host<Host>());

}  // namespace github_tree
