// Whether a review is still about the tree it was woken for. What the run itself was allowed to change does not make it
// stale where the tree shows just that; whatever else changes does.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// One leaf of the stop that a run knows, with a digest of each of `leaf_fields`.
struct PinnedLeaf {
    std::string id{};
    std::array<std::uint64_t, leaf_fields.size()> values{};

    friend bool operator==(const PinnedLeaf&, const PinnedLeaf&) = default;

    void archive(auto& a) { a(id, values); }
};

/// One change that a run was allowed, judged on the stop that its pin has: a new value of one field of a task, or a new
/// task below it. It accounts for just that change of just that stop, once.
struct PinGrant {
    std::string node{};
    bool below = false;                   ///< a task was to be created below it
    std::string child{};                  ///< its id; empty: the host gives it one
    LeafField field = LeafField::status;  ///< otherwise: what was to be changed,
    std::uint64_t from = 0;               ///< from what, as `field_digest`,
    std::uint64_t to = 0;                 ///< and to what
    std::vector<PinnedLeaf> made{};       ///< the new task as it was made, where that is known

    friend bool operator==(const PinGrant&, const PinGrant&) = default;

    void archive(auto& a) { a(node, below, child, field, from, to, made); }
};

/// The stop that a run may act on. It lives as long as the run; compare and exchange it as a whole.
struct ScopePin {
    static constexpr std::size_t most_leaves = 1024;  ///< of more no snapshot is kept
    static constexpr std::size_t most_grants = 1024;  ///< what is allowed beyond is not accounted for

    std::string run{};
    std::string woken{};                 ///< fingerprint of the stop that the run was woken for
    std::string fingerprint{};           ///< of the stop that it may act on now
    std::uint64_t revision = 0;          ///< of the watch's configuration, as in `WatchBinding`
    bool known = false;                  ///< there is a snapshot
    bool comment_only = false;           ///< at the last check the run's own changes had put the tree in motion
    std::vector<PinnedLeaf> leaves{};    ///< the snapshot, by id
    std::vector<GoneBlocker> gone{};     ///< likewise: what leaves waited for and was over
    std::vector<PinGrant> authorised{};  ///< judged on `fingerprint`, and not seen yet
    std::vector<std::string> moved{};    ///< tasks that the tree showed as the run's own changes leave them

    friend bool operator==(const ScopePin&, const ScopePin&) = default;

    void archive(auto& a) {
        a(run, woken, fingerprint, revision, known, comment_only, leaves, gone, authorised, moved);
    }
};

namespace detail {

inline constexpr std::size_t most_stale_ids = 25;

[[nodiscard]] constexpr std::size_t index_of(LeafField field) noexcept { return static_cast<std::size_t>(field); }

[[nodiscard]] inline PinnedLeaf pinned(const TreeNode& leaf) {
    PinnedLeaf values;
    values.id = leaf.id;
    for (const LeafField field : leaf_fields) values.values[index_of(field)] = field_digest(leaf, field);
    return values;
}

inline void take_snapshot(ScopePin& pin, const TreeScan& scan) {
    pin.fingerprint = scan.fingerprint;
    pin.known = scan.verdict == TreeVerdict::stopped && scan.leaves.size() <= ScopePin::most_leaves;
    pin.leaves.clear();
    pin.gone.clear();
    if (!pin.known) return;
    pin.gone = scan.gone;
    for (const TreeNode* leaf : scan.leaves) pin.leaves.push_back(pinned(*leaf));
}

[[nodiscard]] inline bool has_values(const TreeNode& leaf, const PinnedLeaf& pinned) {
    return std::all_of(leaf_fields.begin(), leaf_fields.end(),
                       [&](LeafField field) { return field_digest(leaf, field) == pinned.values[index_of(field)]; });
}

[[nodiscard]] inline bool is_pin_of(const ScopePin& pin, const Scope& scope) noexcept {
    return !pin.run.empty() && pin.run == scope.run && pin.woken == scope.envelope.fingerprint &&
           pin.revision == scope.envelope.revision;
}

[[nodiscard]] inline bool is_one_of(const std::vector<std::string>& ids, std::string_view id) noexcept {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
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
    return stale(scan, text::concat("the review is stale: the watched tree is now ", words[at]));
}

/// The tree held against a pin.
struct PinDifference {
    std::vector<bool> used{};           ///< of the pin's grants: those whose new task is there
    std::vector<std::string> own{};     ///< leaves that came or changed as the run was allowed, and no further
    std::vector<std::string> others{};  ///< leaves that changed, came or went otherwise
};

/// What moves has been taken up: it is compared when it rests.
[[nodiscard]] inline bool is_as_made(const PinGrant& grant, const TreeNode& child) {
    return std::all_of(grant.made.begin(), grant.made.end(),
                       [&](const PinnedLeaf& made) { return has_values(child, made) || is_live(child); });
}

/// A new task is the run's own if it was allowed to create it there, once, and nobody changed it before it is seen.
[[nodiscard]] inline bool use_creation(const ScopePin& pin, std::vector<bool>& used, const TreeNode& child) {
    for (const std::string_view name : {std::string_view{child.id}, std::string_view{}})
        for (std::size_t i = 0; i < pin.authorised.size(); ++i) {
            const PinGrant& grant = pin.authorised[i];
            if (used[i] || !grant.below || grant.node != child.parent || grant.child != name) continue;
            if (is_as_made(grant, child)) return used[i] = true;
        }
    return false;
}

/// A task that moves because of what the run was allowed. Whoever took it up may have changed its status since.
[[nodiscard]] inline bool is_moved_by(const ScopePin& pin, const TreeNode& node) {
    const auto shows = [&](const PinGrant& grant) {
        if (grant.below || grant.node != node.id) return false;
        const std::uint64_t now = field_digest(node, grant.field);
        return now == grant.to || (grant.field == LeafField::status && now != grant.from);
    };
    return is_one_of(pin.moved, node.id) || std::any_of(pin.authorised.begin(), pin.authorised.end(), shows);
}

/// Whether all that differs of a leaf is what the run was to make of it.
[[nodiscard]] inline bool differs_as_allowed(const ScopePin& pin, const PinnedLeaf& before, const TreeNode& node) {
    return std::all_of(leaf_fields.begin(), leaf_fields.end(), [&](LeafField field) {
        const std::uint64_t from = before.values[index_of(field)], to = field_digest(node, field);
        if (from == to || (field == LeafField::status && is_live(node) && is_moved_by(pin, node))) return true;
        const PinGrant wanted{node.id, false, {}, field, from, to};
        return std::find(pin.authorised.begin(), pin.authorised.end(), wanted) != pin.authorised.end();
    });
}

/// A leaf below which the run created a task is none any more; what is not in the tree at all was taken away by
/// somebody else.
[[nodiscard]] inline bool got_own_child(const TaskTree& tree, const Scope& scope, const ScopePin& pin,
                                        const std::vector<bool>& used, const PinnedLeaf& leaf) {
    bool has_child = false;
    for (std::size_t i = 0; i < used.size(); ++i) has_child |= used[i] && pin.authorised[i].node == leaf.id;
    return has_child && depth_inside(tree, scope.envelope, leaf.id) &&
           differs_as_allowed(pin, leaf, *tree.find(scope.envelope.tenant, leaf.id));
}

/// `leaves`: of the tree now, by id.
[[nodiscard]] inline PinDifference difference(const TaskTree& tree, const Scope& scope, const ScopePin& pin,
                                              const std::vector<const TreeNode*>& leaves) {
    PinDifference found;
    found.used.resize(pin.authorised.size());
    std::vector<const PinnedLeaf*> gone;
    auto before = pin.leaves.begin();
    for (const TreeNode* leaf : leaves) {
        for (; before != pin.leaves.end() && before->id < leaf->id; ++before) gone.push_back(&*before);
        const PinnedLeaf* was = before != pin.leaves.end() && before->id == leaf->id ? &*before++ : nullptr;
        if (was != nullptr && has_values(*leaf, *was)) continue;
        const bool own = was == nullptr ? use_creation(pin, found.used, *leaf) : differs_as_allowed(pin, *was, *leaf);
        (own ? found.own : found.others).push_back(leaf->id);
    }
    for (; before != pin.leaves.end(); ++before) gone.push_back(&*before);
    for (const PinnedLeaf* leaf : gone)
        if (!got_own_child(tree, scope, pin, found.used, *leaf)) found.others.push_back(leaf->id);
    std::sort(found.others.begin(), found.others.end());
    return found;
}

/// A blocker that came to its end, or goes on, is others' business unless the run changed it or who waits for it.
inline void add_blockers(PinDifference& found, const ScopePin& pin, const TreeScan& scan) {
    std::vector<GoneBlocker> changed;
    std::set_symmetric_difference(pin.gone.begin(), pin.gone.end(), scan.gone.begin(), scan.gone.end(),
                                  std::back_inserter(changed));
    for (const GoneBlocker& each : changed)
        if (!is_one_of(found.own, each.leaf) && !is_one_of(found.own, each.blocker)) found.others.push_back(each.leaf);
    sort_unique(found.others);
}

/// Nothing keeps the tree from being at rest but tasks that the run itself just created.
[[nodiscard]] inline bool awaits_only_own(const ScopePin& pin, const TreeScan& scan) {
    const auto is_own = [&](const TreeNode* node) {
        const auto makes = [&](const PinGrant& grant) {
            return grant.below && grant.node == node->parent && (grant.child.empty() || grant.child == node->id);
        };
        return is_one_of(pin.moved, node->id) || std::any_of(pin.authorised.begin(), pin.authorised.end(), makes);
    };
    return scan.verdict == TreeVerdict::pending_first_run &&
           std::all_of(scan.pending.begin(), scan.pending.end(), is_own);
}

/// The pin follows the tree if all that changed is the run's own, and something is. What it was allowed and did not do
/// was about a stop that is no more.
[[nodiscard]] inline ScopeAnswer repin(const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& scan) {
    if (!is_pin_of(pin, scope) || !pin.known || scan.leaves.size() > ScopePin::most_leaves) return stale_stop(scan);
    PinDifference found = difference(tree, scope, pin, scan.leaves);
    add_blockers(found, pin, scan);
    if (found.others.empty() && found.own.empty()) return stale_stop(scan);
    if (found.others.empty()) {
        for (std::string& id : found.own)
            if (pin.moved.size() < ScopePin::most_grants && !is_one_of(pin.moved, id))
                pin.moved.push_back(std::move(id));
        pin.authorised.clear();
        take_snapshot(pin, scan);
        return granted("the tree changed by this run alone");
    }
    ScopeAnswer answer = pin.authorised.empty() ? stale_stop(scan) : stale(scan, "unrelated_subtree_change");
    for (std::size_t i = 0; i < min_of(found.others.size(), most_stale_ids); ++i)
        answer.ids.push_back(text::one_line(found.others[i], max_run_id_bytes));
    return answer;
}

/// The tree moves, only where the run put it in motion, and nobody changed anything else of it.
[[nodiscard]] inline bool moves_by_this_run_alone(const TaskTree& tree, const Scope& scope, const ScopePin& pin,
                                                  const TreeScan& scan) {
    if (!is_pin_of(pin, scope) || !pin.known || scan.live.empty()) return false;
    const auto leaves = those_of(tree.walk(scope.envelope.tenant, scope.envelope.node),
                                 [](const TaskTree::Visit& visit) { return visit.is_leaf; });
    const PinDifference found = difference(tree, scope, pin, leaves);
    return found.others.empty() && std::all_of(scan.live.begin(), scan.live.end(), [&](const TreeNode* node) {
               return is_moved_by(pin, *node) || is_one_of(found.own, node->id);
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

/// Makes of the node what a mutation wants (one that `changes_leaf`), and says of which field.
[[nodiscard]] inline LeafField carry_out(TreeNode& node, const Mutation& asked) {
    if (asked.op == "status") {
        node.status = asked.ref;
        return LeafField::status;
    }
    if (asked.op == "block") {
        if (asked.ref.empty())
            node.blockers.clear();
        else if (std::erase(node.blockers, asked.ref) == 0)
            node.blockers.push_back(asked.ref);
        return LeafField::blockers;
    }
    if (asked.op == "resolve_interaction") {
        std::erase_if(node.interactions, [&](const TreeWait& wait) { return wait.id == asked.ref; });
        return LeafField::interactions;
    }
    node.assignee_agent = asked.ref;
    node.assignee_user.clear();
    return LeafField::assignee;
}

inline void add_grant(std::vector<PinGrant>& grants, PinGrant grant) {
    // Two changes of one task may be seen as one; two new tasks are two.
    if (grant.below || std::find(grants.begin(), grants.end(), grant) == grants.end())
        grants.push_back(std::move(grant));
}

/// `after`: the task as it is after what was allowed with this and before this.
inline void grant_change(std::vector<PinGrant>& grants, const TreeNode& now, TreeNode& after, const Mutation& asked) {
    const LeafField field = carry_out(after, asked);
    const auto grant = [&](const TreeNode& to) {
        add_grant(grants, {now.id, false, {}, field, field_digest(now, field), field_digest(to, field)});
    };
    grant(after);
    if (field != LeafField::assignee) return;
    // A host may leave the person to whom it was given, and a person may be meant.
    TreeNode other = after;
    other.assignee_user = now.assignee_user;
    grant(other);
    if (asked.ref.empty()) return;
    other.assignee_agent.clear();
    other.assignee_user = asked.ref;
    grant(other);
}

inline void grant_creation(std::vector<PinGrant>& grants, const TaskTree& tree, const std::string& tenant,
                           const Mutation& asked) {
    const bool named = !asked.parent.empty() && !asked.target.empty();
    if (named && tree.find(tenant, asked.target) != nullptr) return;  // it is there: it cannot be created
    PinGrant grant;
    grant.node = asked.parent.empty() ? asked.target : asked.parent;
    grant.below = true;
    if (named) grant.child = asked.target;
    if (!grant.node.empty()) add_grant(grants, std::move(grant));
}

/// What mutations that were allowed together may make of this stop.
[[nodiscard]] inline std::vector<PinGrant> grants_of(const TaskTree& tree, const Scope& scope, const ScopePin& pin,
                                                     const TreeScan& current, const std::vector<Mutation>& mutations) {
    std::vector<PinGrant> grants;
    if (!is_pin_of(pin, scope) || current.fingerprint.empty() || current.fingerprint != pin.fingerprint) return grants;
    const std::string& tenant = scope.envelope.tenant;
    std::vector<TreeNode> after;
    for (const Mutation& asked : mutations) {
        if (is_own_review(scope, asked) || (!asked.actor_run.empty() && asked.actor_run != pin.run)) continue;
        if (asked.op == "create_child") grant_creation(grants, tree, tenant, asked);
        const TreeNode* now = changes_leaf(asked.op) ? tree.find(tenant, asked.target) : nullptr;
        if (now == nullptr) continue;
        const auto known =
            std::find_if(after.begin(), after.end(), [&](const TreeNode& node) { return node.id == asked.target; });
        grant_change(grants, *now, known == after.end() ? after.emplace_back(*now) : *known, asked);
    }
    return grants;
}

/// To be called when what was allowed is done and nothing else yet: new tasks are known as they were made.
inline void note_creations(const TaskTree& tree, const Scope& scope, ScopePin& pin) {
    for (PinGrant& grant : pin.authorised) {
        if (!grant.below || grant.child.empty() || !grant.made.empty()) continue;
        const TreeNode* made = tree.find(scope.envelope.tenant, grant.child);
        if (made != nullptr && made->parent == grant.node) grant.made.push_back(pinned(*made));
    }
}

inline void add_grants(ScopePin& pin, std::vector<PinGrant> grants) {
    for (PinGrant& grant : grants)
        if (pin.authorised.size() < ScopePin::most_grants) add_grant(pin.authorised, std::move(grant));
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

/// To be called for each mutation that `check_fresh` allowed on the same tree: when the tree shows it as it was
/// allowed, that is the run's own, and nothing else is. `current` as there.
inline void authorise(const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& current,
                      const Mutation& mutation) {
    detail::add_grants(pin, detail::grants_of(tree, scope, pin, current, {mutation}));
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
    pin.comment_only =
        current.verdict == TreeVerdict::live && detail::moves_by_this_run_alone(tree, scope, pin, current);
    if (pin.comment_only && mutation.op == "comment")
        return detail::granted("a comment on what this run set in motion");
    if (pin.comment_only)
        return detail::stale(current, text::concat("the review is stale: this run has put the tree in motion and can "
                                                   "only comment now; what belongs together is asked for in one batch "
                                                   "of at most ",
                                                   std::to_string(max_batch_ops)));
    if (current.verdict != TreeVerdict::stopped) return detail::stale_state(current);
    if (detail::is_pinned_stop(scope, pin, current)) return detail::granted("the stop is the one under review");
    if (detail::repairs_stale_blocker(tree, scope, mutation)) return detail::granted("its blockers are gone");
    return detail::repin(tree, scope, pin, current);
}

}  // namespace heeler::inline HEELER_ABI
