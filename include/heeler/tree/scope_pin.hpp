// Whether a review is still about the tree it was woken for. What the run itself was allowed to change does not make it
// stale; what anybody else changes does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/min_max.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/tree/scope_guard.hpp>
#include <heeler/tree/stop_fingerprint.hpp>
#include <heeler/tree/task_tree.hpp>
#include <heeler/tree/tree_verdict.hpp>

namespace heeler::inline HEELER_ABI {

/// One leaf of the stop that a run knows.
struct PinnedLeaf {
    std::string id{};
    std::uint64_t digest = 0;

    friend bool operator==(const PinnedLeaf&, const PinnedLeaf&) = default;

    template <class A>
    void archive(A& a) {
        a(id, digest);
    }
};

/// One change that a run was allowed. It accounts for one change of the tree, and then no more.
struct PinGrant {
    std::string node{};
    bool below = false;  ///< a task was to be created below it; otherwise it was to be changed
    bool seen = false;   ///< the tree showed it

    friend bool operator==(const PinGrant&, const PinGrant&) = default;

    template <class A>
    void archive(A& a) {
        a(node, below, seen);
    }
};

/// The stop that a run may act on. It lives as long as the run; compare and exchange it as a whole.
struct ScopePin {
    static constexpr std::size_t most_leaves = 1024;  ///< of more no snapshot is kept
    static constexpr std::size_t most_grants = 1024;  ///< what is allowed beyond is not accounted for

    std::string run{};
    std::string woken{};               ///< fingerprint of the stop that the run was woken for
    std::string fingerprint{};         ///< of the stop that it may act on now
    std::uint64_t revision = 0;        ///< of the watch's configuration, as in `WatchBinding`
    bool known = false;                ///< there is a snapshot
    bool comment_only = false;         ///< at the last check the run's own changes had put the tree in motion
    std::vector<PinnedLeaf> leaves{};  ///< the snapshot, by id
    std::vector<PinGrant> authorised{};

    friend bool operator==(const ScopePin&, const ScopePin&) = default;

    template <class A>
    void archive(A& a) {
        a(run, woken, fingerprint, revision, known, comment_only, leaves, authorised);
    }
};

namespace detail {

inline constexpr std::size_t most_stale_ids = 25;

inline void take_snapshot(ScopePin& pin, const TreeScan& scan) {
    pin.fingerprint = scan.fingerprint;
    pin.known = scan.verdict == TreeVerdict::stopped && scan.leaves.size() <= ScopePin::most_leaves;
    pin.leaves.clear();
    if (!pin.known) return;
    for (const TreeNode* leaf : scan.leaves) pin.leaves.push_back({leaf->id, leaf_digest(*leaf)});
}

[[nodiscard]] inline bool is_pin_of(const ScopePin& pin, const Scope& scope) noexcept {
    return !pin.run.empty() && pin.run == scope.run && pin.woken == scope.envelope.fingerprint &&
           pin.revision == scope.envelope.revision;
}

[[nodiscard]] inline bool is_pinned_leaf(const ScopePin& pin, const std::string& id) {
    const auto at = std::lower_bound(pin.leaves.begin(), pin.leaves.end(), id,
                                     [](const PinnedLeaf& leaf, const std::string& name) { return leaf.id < name; });
    return at != pin.leaves.end() && at->id == id;
}

[[nodiscard]] inline bool has_grant(const std::vector<PinGrant>& grants, std::string_view node, bool below) noexcept {
    return std::any_of(grants.begin(), grants.end(),
                       [&](const PinGrant& each) { return each.below == below && each.node == node; });
}

/// A grant whose change was not seen yet; now it is.
[[nodiscard]] inline bool use_grant(std::vector<PinGrant>& grants, std::string_view node, bool below) {
    for (PinGrant& each : grants)
        if (!each.seen && each.below == below && each.node == node) return each.seen = true;
    return false;
}

/// A new task is the run's own if it was allowed to create one there. From then on it may change by itself no more
/// than any other.
[[nodiscard]] inline bool use_creation(std::vector<PinGrant>& grants, const TreeNode& child) {
    if (child.parent.empty() || !use_grant(grants, child.parent, true)) return false;
    if (!use_grant(grants, child.id, false)) grants.push_back({child.id, false, true});
    return true;
}

[[nodiscard]] inline ScopeAnswer stale(const TreeScan& scan, std::string_view why) {
    ScopeAnswer answer = denied(Refusal::stale, why);
    answer.state = name_of(scan.verdict);
    answer.fingerprint = scan.fingerprint;
    return answer;
}

[[nodiscard]] inline ScopeAnswer stale_stop(const TreeScan& scan) {
    return stale(scan, "the review is stale: the stop fingerprint changed since this run was woken");
}

[[nodiscard]] inline ScopeAnswer stale_state(const TreeScan& scan) {
    constexpr std::string_view words[] = {"no longer watched",         "live",    "waiting for a first run",
                                          "already reviewed",          "stopped", "under review",
                                          "under review by a live run"};
    const auto at = static_cast<std::size_t>(scan.verdict);
    return stale(scan, concat("the review is stale: the watched tree is now ", words[at]));
}

/// A parent that was a leaf is none any more; what is not in the tree at all was taken away by somebody else.
[[nodiscard]] inline bool got_own_child(const TaskTree& tree, const Scope& scope, const ScopePin& pin,
                                        const std::string& leaf) {
    return has_grant(pin.authorised, leaf, true) && depth_inside(tree, scope.envelope, leaf);
}

/// Ids of the leaves that changed, came or went without the run. `grants` are used up by those that are its own.
[[nodiscard]] inline std::vector<std::string> changes_of_others(const TaskTree& tree, const Scope& scope,
                                                                const ScopePin& pin, const TreeScan& scan,
                                                                std::vector<PinGrant>& grants) {
    std::vector<std::string> ids;
    const auto note = [&](const std::string& id) { ids.push_back(id); };
    auto before = pin.leaves.begin();
    const auto pass_gone = [&](const std::string* until) {
        for (; before != pin.leaves.end() && (until == nullptr || before->id < *until); ++before)
            if (!got_own_child(tree, scope, pin, before->id)) note(before->id);
    };
    for (const TreeNode* leaf : scan.leaves) {
        pass_gone(&leaf->id);
        if (before == pin.leaves.end() || before->id != leaf->id) {
            if (!use_creation(grants, *leaf)) note(leaf->id);
        } else if ((before++)->digest != leaf_digest(*leaf) && !use_grant(grants, leaf->id, false)) {
            note(leaf->id);
        }
    }
    pass_gone(nullptr);
    return ids;
}

[[nodiscard]] inline bool has_unseen(const std::vector<PinGrant>& grants) noexcept {
    return std::any_of(grants.begin(), grants.end(), [](const PinGrant& each) { return !each.seen; });
}

/// The pin follows the tree if all that changed is the run's own, and something is.
[[nodiscard]] inline ScopeAnswer repin(const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& scan) {
    if (!is_pin_of(pin, scope) || !pin.known || scan.leaves.size() > ScopePin::most_leaves) return stale_stop(scan);
    std::vector<PinGrant> grants = pin.authorised;
    const std::vector<std::string> others = changes_of_others(tree, scope, pin, scan, grants);
    if (others.empty() && grants == pin.authorised) return stale_stop(scan);
    if (others.empty()) {
        pin.authorised = std::move(grants);
        take_snapshot(pin, scan);
        return granted("the tree changed by this run alone");
    }
    ScopeAnswer answer = has_unseen(pin.authorised) ? stale(scan, "unrelated_subtree_change") : stale_stop(scan);
    for (std::size_t i = 0; i < min_of(others.size(), most_stale_ids); ++i)
        answer.ids.push_back(one_line(others[i], max_run_id_bytes));
    return answer;
}

/// The tree moves, and only where the run put it in motion.
[[nodiscard]] inline bool moves_by_this_run_alone(const Scope& scope, const ScopePin& pin, const TreeScan& scan) {
    if (!is_pin_of(pin, scope) || scan.live.empty()) return false;
    std::vector<PinGrant> grants = pin.authorised;
    return std::all_of(scan.live.begin(), scan.live.end(), [&](const TreeNode* node) {
        if (has_grant(grants, node->id, false)) return true;
        return pin.known && !is_pinned_leaf(pin, node->id) && use_creation(grants, *node);
    });
}

/// The one way out of a stop that another change has overtaken: a task that waits for nothing any more goes on. No
/// other status is reached by it.
[[nodiscard]] inline bool repairs_stale_blocker(const TaskTree& tree, const Scope& scope, const Mutation& asked) {
    if (asked.op != "status" || asked.ref != "todo" || !depth_inside(tree, scope.envelope, asked.target)) return false;
    const TreeNode& node = *tree.find(scope.envelope.tenant, asked.target);
    const auto is_gone = [&](const std::string& id) {
        const TreeNode* blocker = tree.find(node.tenant, id);
        return blocker != nullptr && is_over(blocker->status);
    };
    return node.status == "blocked" && !node.blockers.empty() &&
           std::all_of(node.blockers.begin(), node.blockers.end(), is_gone);
}

[[nodiscard]] inline bool is_pinned_stop(const Scope& scope, const ScopePin& pin, const TreeScan& scan) noexcept {
    const std::string& own = is_pin_of(pin, scope) ? pin.fingerprint : scope.envelope.fingerprint;
    return !own.empty() && scan.fingerprint == own;
}

[[nodiscard]] inline bool changes_leaf(std::string_view op) noexcept {
    return op == "status" || op == "assign" || op == "block" || op == "resolve_interaction";
}

}  // namespace detail

/// The pin of a run that is woken for this stop. `revision`: of the watch's configuration, as in `WatchBinding`.
[[nodiscard]] inline ScopePin pin_of(std::string run, const TreeScan& scan, std::uint64_t revision = 0) {
    ScopePin pin;
    pin.run = std::move(run);
    pin.woken = scan.fingerprint;
    pin.revision = revision;
    detail::take_snapshot(pin, scan);
    return pin;
}

/// To be called for each mutation that was allowed: what the tree shows of it is the run's own.
inline void authorise(ScopePin& pin, const Mutation& mutation) {
    const bool below = mutation.op == "create_child";
    if (!below && !detail::changes_leaf(mutation.op)) return;
    if (!mutation.actor_run.empty() && mutation.actor_run != pin.run) return;
    PinGrant grant{below && !mutation.parent.empty() ? mutation.parent : mutation.target, below, false};
    if (pin.authorised.size() >= ScopePin::most_grants || grant.node.empty()) return;
    // Two changes of one task may be seen as one; two new tasks are two.
    const auto same = std::find(pin.authorised.begin(), pin.authorised.end(), grant);
    if (below || same == pin.authorised.end()) pin.authorised.push_back(std::move(grant));
}

/// Whether the review is still about this tree. `current` is the tree's scan now; call it after `check_scope` allowed
/// the same. The own review task is always fresh. Otherwise the tree must be `stopped` as the run knows it, or
/// different by what the run was allowed only: then the pin moves. A tree that the run put in motion may be commented
/// on. Pure but for the pin.
[[nodiscard]] inline ScopeAnswer check_fresh(const TaskTree& tree, const Scope& scope, ScopePin& pin,
                                             const TreeScan& current, const Mutation& mutation) {
    if (scope.kind == ScopeKind::none) return detail::granted("ordinary rules apply");
    if (scope.kind != ScopeKind::watchdog) return detail::forbidden(scope.reason);
    if (detail::is_own_review(scope, mutation)) return detail::granted("own review task");
    pin.comment_only = current.verdict == TreeVerdict::live && detail::moves_by_this_run_alone(scope, pin, current);
    if (pin.comment_only && mutation.op == "comment")
        return detail::granted("a comment on what this run set in motion");
    if (current.verdict != TreeVerdict::stopped) return detail::stale_state(current);
    if (detail::is_pinned_stop(scope, pin, current)) return detail::granted("the stop is the one under review");
    if (detail::repairs_stale_blocker(tree, scope, mutation)) return detail::granted("its blockers are gone");
    return detail::repin(tree, scope, pin, current);
}

}  // namespace heeler::inline HEELER_ABI
