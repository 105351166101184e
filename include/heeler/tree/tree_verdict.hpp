// Whether a watched tree moves, has just begun, or has stopped, and whether somebody looked at that stop already.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/tree/stop_fingerprint.hpp>
#include <heeler/tree/task_tree.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

enum class TreeVerdict : std::uint8_t {
    not_applicable,     ///< there is nothing to watch; `TreeScan::reason` says why
    live,               ///< something in it moves by itself
    pending_first_run,  ///< something in it is so new that its first run may just not have begun
    already_reviewed,   ///< it has stopped as it had when it was reviewed
    stopped,            ///< and nobody looked at that yet
    review_open,        ///< stopped, and the review of this stop is not finished
    review_live         ///< stopped, and somebody is at work on the review
};

[[nodiscard]] constexpr TreeVerdict last_value(TreeVerdict) noexcept { return TreeVerdict::review_live; }

[[nodiscard]] constexpr std::string_view name_of(TreeVerdict verdict) noexcept {
    constexpr std::string_view names[] = {"not_applicable", "live",        "pending_first_run", "already_reviewed",
                                          "stopped",        "review_open", "review_live"};
    return names[static_cast<std::size_t>(verdict)];
}

struct TreeRules {
    Duration first_run_grace = std::chrono::seconds{15};  ///< 0: none
    bool waiting_review_is_live = false;  ///< a node `in_review` that waits for an interaction or approval is live
    bool shrink_is_reviewed = false;      ///< a reviewed stop stays reviewed when leaves of it are done or go away
};

/// Which tree, and what is known of its last review.
struct TreeQuestion {
    std::string_view tenant{};
    std::string_view node{};
    std::uint64_t revision = 0;   ///< of the watch's configuration
    std::string_view reviewed{};  ///< fingerprint; empty: none
    /// Digests of the leaves of that stop, sorted; only of the same revision. nullptr: not known.
    const std::vector<std::uint64_t>* reviewed_leaves = nullptr;
};

/// What was found. Nodes are sorted by id and good until the tree's next `apply`.
struct TreeScan {
    TreeVerdict verdict = TreeVerdict::not_applicable;
    std::string_view reason{};  ///< of `not_applicable`: "missing", "review" (it is a review task) or "hidden"
    std::vector<const TreeNode*> live{};     ///< of `live`: those that move
    std::vector<const TreeNode*> pending{};  ///< of `pending_first_run`: those that are new
    std::vector<const TreeNode*> leaves{};   ///< of `stopped` and `already_reviewed`
    std::vector<const TreeNode*> waiting{};  ///< those with pending interactions or approvals, leaves or not
    std::vector<const TreeNode*> ahead{};    ///< those made in the future, as is told; they are judged all the same
    std::vector<GoneBlocker> gone{};         ///< of `stopped` and `already_reviewed`; sorted
    bool waits_for_tasks = false;            ///< likewise: a leaf has a blocker that is not over
    std::size_t included = 0;                ///< nodes of the tree
    std::size_t waits = 0;                   ///< their pending interactions and approvals
    std::string fingerprint{};               ///< of `stopped` and `already_reviewed`

    [[nodiscard]] bool has_gone_blocker(const TreeNode& leaf) const {
        const auto first = std::lower_bound(gone.begin(), gone.end(), GoneBlocker{leaf.id, {}});
        return first != gone.end() && first->leaf == leaf.id;
    }
    /// Of the leaves, sorted. One whose blocker is over has none: it is another leaf than it was.
    [[nodiscard]] std::vector<std::uint64_t> digests() const {
        std::vector<std::uint64_t> all;
        all.reserve(leaves.size());
        for (const TreeNode* leaf : leaves)
            if (!has_gone_blocker(*leaf)) all.push_back(leaf_digest(*leaf));
        std::sort(all.begin(), all.end());
        return all;
    }
};

namespace detail {

[[nodiscard]] inline std::string_view why_not_watched(const TreeNode* root) noexcept {
    if (root == nullptr) return "missing";
    if (root->origin == review_origin) return "review";
    return root->hidden ? "hidden" : "";
}

[[nodiscard]] inline std::size_t pending_waits(const TreeNode& node) noexcept {
    return static_cast<std::size_t>(
        std::count_if(node.interactions.begin(), node.interactions.end(), is_pending_interaction) +
        std::count_if(node.approvals.begin(), node.approvals.end(), is_pending_approval));
}

[[nodiscard]] constexpr bool is_finished_run(std::string_view status) noexcept {
    return status == "succeeded" || status == "interrupted" || status == "failed" || status == "cancelled" ||
           status == "timed_out";
}

/// Made so far in the future that clocks do not differ so much: a mistake, and no reason to wait.
[[nodiscard]] inline bool is_made_ahead(const TreeNode& node, Duration grace, WallTime now) noexcept {
    if (!node.created_at) return false;
    const Duration age = in_calendar(now) - in_calendar(*node.created_at);
    return age < Duration{} && age <= -grace;
}

/// Its first run may be about to begin.
[[nodiscard]] inline bool awaits_first_run(const TreeNode& node, Duration grace, WallTime now) noexcept {
    if (grace <= Duration{} || is_over(node.status) || !node.created_at) return false;
    for (const TreeRun& run : node.runs)
        if (is_finished_run(run.status)) return false;
    const Duration age = in_calendar(now) - in_calendar(*node.created_at);
    return age < grace && !is_made_ahead(node, grace, now);
}

/// The nodes of a walk of which something is true, by id.
template <class IsOne>
[[nodiscard]] std::vector<const TreeNode*> those_of(const std::vector<TaskTree::Visit>& visits, IsOne&& is_one) {
    std::vector<const TreeNode*> found;
    for (const TaskTree::Visit& visit : visits)
        if (is_one(visit)) found.push_back(visit.node);
    std::sort(found.begin(), found.end(), by_node_id);
    return found;
}

/// Nothing is at rest now that was not when it was reviewed. What is over has only left that stop.
[[nodiscard]] inline bool has_only_shrunk(const TreeScan& scan, const std::vector<std::uint64_t>& reviewed) {
    return std::all_of(scan.leaves.begin(), scan.leaves.end(), [&](const TreeNode* leaf) {
        return is_over(leaf->status) || (!scan.has_gone_blocker(*leaf) &&
                                         std::binary_search(reviewed.begin(), reviewed.end(), leaf_digest(*leaf)));
    });
}

[[nodiscard]] inline bool is_reviewed(const TreeScan& scan, const TreeQuestion& question, const TreeRules& rules) {
    if (question.reviewed.empty()) return false;
    if (scan.fingerprint == question.reviewed) return true;
    const std::vector<std::uint64_t>* leaves = question.reviewed_leaves;
    return rules.shrink_is_reviewed && leaves != nullptr && has_only_shrunk(scan, *leaves);
}

/// What the leaves wait for, in the tree or outside it, as far as its host tells of it.
inline void note_blockers(TreeScan& scan, const TaskTree& tree) {
    for (const TreeNode* leaf : scan.leaves)
        for (const std::string& blocker : leaf->blockers) {
            const TreeNode* known = tree.find(leaf->tenant, blocker);
            const bool is_gone = known != nullptr && is_over(known->status);
            if (is_gone && !is_over(leaf->status)) scan.gone.push_back({leaf->id, blocker});
            scan.waits_for_tasks |= !is_gone;
        }
    sort_unique(scan.gone);
}

}  // namespace detail

/// Looks at the tree alone: `review_open` and `review_live` are never answered. What moves goes before what is new,
/// and both before the stop. Pure.
[[nodiscard]] inline TreeScan classify(const TaskTree& tree, const TreeQuestion& question, const TreeRules& rules,
                                       WallTime now) {
    using Visit = TaskTree::Visit;
    TreeScan scan;
    scan.reason = detail::why_not_watched(tree.find(question.tenant, question.node));
    if (!scan.reason.empty()) return scan;
    const std::vector<Visit> visits = tree.walk(question.tenant, question.node);
    scan.included = visits.size();
    scan.waiting = detail::those_of(visits, [](const Visit& visit) { return detail::pending_waits(*visit.node) > 0; });
    for (const TreeNode* node : scan.waiting) scan.waits += detail::pending_waits(*node);
    scan.ahead = detail::those_of(
        visits, [&](const Visit& visit) { return detail::is_made_ahead(*visit.node, rules.first_run_grace, now); });
    scan.live = detail::those_of(visits, [&](const Visit& visit) {
        if (is_live(*visit.node)) return true;
        return rules.waiting_review_is_live && visit.node->status == "in_review" &&
               detail::pending_waits(*visit.node) > 0;
    });
    scan.verdict = TreeVerdict::live;
    if (!scan.live.empty()) return scan;
    scan.pending = detail::those_of(
        visits, [&](const Visit& visit) { return detail::awaits_first_run(*visit.node, rules.first_run_grace, now); });
    scan.verdict = TreeVerdict::pending_first_run;
    if (!scan.pending.empty()) return scan;
    scan.leaves = detail::those_of(visits, [](const Visit& visit) { return visit.is_leaf; });
    detail::note_blockers(scan, tree);
    scan.fingerprint = stop_fingerprint(question.tenant, question.node, question.revision, scan.leaves, scan.gone);
    scan.verdict = detail::is_reviewed(scan, question, rules) ? TreeVerdict::already_reviewed : TreeVerdict::stopped;
    return scan;
}

}  // namespace heeler::inline HEELER_ABI
