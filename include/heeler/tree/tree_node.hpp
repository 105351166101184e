// A task tree as its host sees it: nodes with their status, runs, waits, and what changed since the last look.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/tree/node_ref.hpp>

namespace heeler::inline HEELER_ABI {

/// `origin` of a review task: such a node and everything below it belongs to no watch.
inline constexpr std::string_view review_origin = "task_watchdog";

/// An agent at work on a node, or that was. Live: `queued`, `running`, `scheduled_retry`.
struct TreeRun {
    std::string id{};
    std::string status{};
    std::string agent{};
    /// Of a run that a wake started: the fingerprint that was in the wake. Empty: that which the review is bound to.
    std::string fingerprint{};

    friend bool operator==(const TreeRun&, const TreeRun&) = default;
};

/// An interaction or an approval. Pending: an interaction that is `pending` (or has no status), an approval that is
/// `pending` or `revision_requested`.
struct TreeWait {
    std::string id{};
    std::string status{};
    std::string kind{};
    std::string about{};  ///< of a confirmation: `plan`, or what else; a reviewer answers those about a plan only

    friend bool operator==(const TreeWait&, const TreeWait&) = default;
};

/// How a review came out, where its host says so.
enum class ReviewClaim : unsigned char {
    legitimate,  ///< the stop is as it should be
    restored,    ///< the reviewer put the tree back in motion, as it says
};

/// One node, whole: whatever of it changes, all of it is told again.
struct TreeNode {
    std::string id{};
    std::string tenant{};
    std::string parent{};              ///< id of a node of the same tenant; empty: none
    std::string status{};              ///< `done` and `cancelled` are over; others are for people
    std::string origin{};              ///< who made it; `review_origin` for review tasks
    std::string origin_id{};           ///< of a review task: the node that is watched
    std::string origin_fingerprint{};  ///< of a review task: the stop that it is about
    std::string assignee_agent{};
    std::string assignee_user{};
    std::string title{};
    std::optional<WallTime> created_at{};
    std::vector<std::string> blockers{};  ///< ids of what it waits for
    std::vector<TreeWait> interactions{};
    std::vector<TreeWait> approvals{};
    std::vector<TreeRun> runs{};
    std::vector<std::string> wakes{};             ///< statuses; queued: `queued`, `deferred_issue_execution`
    bool hidden = false;                          ///< people do not see it any more: it is not watched
    bool has_reviewer = false;                    ///< somebody is named who must decide about it (a typed stage)
    bool has_monitor = false;                     ///< something else looks at it again at a set time
    ReviewClaim claim = ReviewClaim::legitimate;  ///< of a review task

    friend bool operator==(const TreeNode&, const TreeNode&) = default;
};

/// What a host's tree looks like, or what changed of it since a cursor that the host made.
struct TreeChanges {
    bool whole = true;  ///< `nodes` is all there is; otherwise those that are new or changed
    std::vector<TreeNode> nodes{};
    std::vector<NodeRef> removed{};
    std::string cursor{};  ///< where to go on; kept in memory only, empty again after a restart
};

[[nodiscard]] constexpr bool is_over(std::string_view status) noexcept {
    return status == "done" || status == "cancelled";
}
[[nodiscard]] constexpr bool is_live_run(std::string_view status) noexcept {
    return status == "queued" || status == "running" || status == "scheduled_retry";
}
[[nodiscard]] constexpr bool is_queued_wake(std::string_view status) noexcept {
    return status == "queued" || status == "deferred_issue_execution";
}
[[nodiscard]] inline bool is_pending_interaction(const TreeWait& wait) noexcept {
    return wait.status.empty() || wait.status == "pending";
}
[[nodiscard]] inline bool is_pending_approval(const TreeWait& wait) noexcept {
    return wait.status == "pending" || wait.status == "revision_requested";
}
/// A run or a queued wake: the node moves by itself.
[[nodiscard]] inline bool is_live(const TreeNode& node) noexcept {
    for (const TreeRun& run : node.runs)
        if (is_live_run(run.status)) return true;
    for (const std::string& wake : node.wakes)
        if (is_queued_wake(wake)) return true;
    return false;
}

}  // namespace heeler::inline HEELER_ABI
