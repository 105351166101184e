// What the run of a reviewer may change: the tree it watches and its own review task, and nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/text/append.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/tree/mandate.hpp>
#include <heeler/tree/task_tree.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

/// A change that somebody asks for.
struct Mutation {
    std::string actor_agent{};  ///< empty: that of the run
    std::string actor_run{};
    std::string op{};      ///< a name in `capability_table`
    std::string target{};  ///< of `create_child`: the new task, or the parent where `parent` is empty
    std::string parent{};  ///< of `create_child`
    std::string tenant{};  ///< of the target; empty: that of the watch
    /// The new status or assignee (of a new task as well), the interaction, the blocker. A blocker that the task waits
    /// for already is taken away (empty: all of them), another one is added.
    std::string ref{};
    bool to_person = false;  ///< the assignee in `ref` is no agent
    bool own_review_allowed = true;
};

/// How a node is watched at this moment, as it is stored.
struct WatchBinding {
    std::string watch{};
    std::string tenant{};
    std::string node{};
    std::string review{};       ///< id of the review task
    std::string agent{};        ///< the reviewer
    std::string fingerprint{};  ///< of the stop that is under review
    bool active = false;
    std::uint64_t revision = 0;  ///< of the watch's configuration; 0: hosts that have none
};

enum class ScopeKind : std::uint8_t {
    none,     ///< no run of a reviewer: the host's ordinary rules apply, and they alone
    invalid,  ///< a run on a review task that has no right to it: everything is denied
    watchdog
};

/// Who asks, and for which watch.
struct Scope {
    ScopeKind kind = ScopeKind::none;
    std::string reason{};     ///< of `invalid`
    std::string run{};        ///< of `invalid` and `watchdog`
    WatchBinding envelope{};  ///< of `watchdog`; its fingerprint is the one that the run was woken for
    Offer offer{};            ///< of `watchdog`: what there is to ask for
};

enum class Refusal : std::uint8_t {
    none,
    forbidden,  ///< never
    stale,      ///< not any more: the tree is not what the run was woken for
    malformed   ///< no such thing can be asked
};

[[nodiscard]] constexpr Refusal last_value(Refusal) noexcept { return Refusal::malformed; }

/// The number by which hosts answer it over HTTP.
[[nodiscard]] constexpr int http_status(Refusal refusal) noexcept {
    constexpr int numbers[] = {200, 403, 409, 400};
    const auto at = static_cast<std::size_t>(refusal);
    return at < std::size(numbers) ? numbers[at] : 403;
}

struct ScopeAnswer {
    bool allowed = false;
    Refusal refusal = Refusal::forbidden;
    std::string reason{};
    std::vector<std::string> ids{};  ///< what others changed, of a `stale` one; at most 25
    std::string state{};             ///< of a `stale` one: the tree's verdict now
    std::string fingerprint{};       ///< of a `stale` one: the tree's now; empty: it has not stopped

    friend bool operator==(const ScopeAnswer&, const ScopeAnswer&) = default;

    void archive(auto& a) {
        a(allowed, refusal, reason, ids, state, fingerprint);
        if (a.is_loading())
            if (allowed != (refusal == Refusal::none)) a.refuse();
    }
};

namespace detail {

[[nodiscard]] inline ScopeAnswer granted(std::string_view why) {
    ScopeAnswer answer;
    answer.allowed = true;
    answer.refusal = Refusal::none;
    answer.reason = why;
    return answer;
}

[[nodiscard]] inline ScopeAnswer denied(Refusal refusal, std::string_view why) {
    ScopeAnswer answer;
    answer.refusal = refusal;
    answer.reason = why;
    return answer;
}

[[nodiscard]] inline ScopeAnswer forbidden(std::string_view why) { return denied(Refusal::forbidden, why); }

[[nodiscard]] inline ScopeAnswer no_operation(std::string_view op) {
    return forbidden(text::concat("a watchdog has no operation `", text::one_line(op, 64), "`"));
}

/// How far below the watched node; nothing: it is not of the watched tree.
[[nodiscard]] inline std::optional<std::size_t> depth_inside(const TaskTree& tree, const WatchBinding& watch,
                                                             std::string_view id) {
    const auto path = tree.path(watch.tenant, id);
    for (std::size_t depth = 0; depth < path.size(); ++depth) {
        if (path[depth]->origin == review_origin) return std::nullopt;
        if (path[depth]->id == watch.node) return depth;
    }
    return std::nullopt;
}

[[nodiscard]] inline bool is_own_review(const Scope& scope, const Mutation& mutation) noexcept {
    return mutation.own_review_allowed && mutation.op != "create_child" && !mutation.target.empty() &&
           mutation.target == scope.envelope.review;
}

/// Empty: nothing speaks against it.
[[nodiscard]] inline std::string_view why_invalid(const TreeNode& review, const TreeRun& run, const Mutation& mutation,
                                                  const std::optional<WatchBinding>& watch) noexcept {
    if (!mutation.actor_agent.empty() && mutation.actor_agent != run.agent)
        return "the run does not belong to this agent";
    if (!is_live_run(run.status)) return "the run is over";
    if (review.origin_id.empty()) return "the review task names no watched task";
    if (!watch || !watch->active) return "nothing is watched there";
    if (watch->tenant != review.tenant || watch->node != review.origin_id) return "the watch is of another task";
    if (watch->agent.empty() || watch->agent != run.agent) return "the watch does not belong to this agent";
    return watch->review == review.id ? "" : "the watch has another review task";
}

/// A task that exists somewhere else cannot be waited for.
[[nodiscard]] inline bool is_of_another_tenant(const TaskTree& tree, const std::string& tenant, const std::string& id) {
    if (id.empty() || tree.find(tenant, id) != nullptr) return false;
    bool elsewhere = false;
    tree.each([&](const TreeNode& node) { elsewhere = elsewhere || node.id == id; });
    return elsewhere;
}

/// Ids are the host's: of several waits of one id, each must be one that may be answered.
[[nodiscard]] inline bool is_plan_confirmation(const TreeNode& node, const std::string& id) noexcept {
    const auto is_it = [&](const TreeWait& wait) { return wait.id == id; };
    const auto is_eligible = [&](const TreeWait& wait) {
        return !is_it(wait) ||
               (is_pending_interaction(wait) && wait.kind == "request_confirmation" && wait.about == "plan");
    };
    const auto& waits = node.interactions;
    return !id.empty() && std::any_of(waits.begin(), waits.end(), is_it) &&
           std::all_of(waits.begin(), waits.end(), is_eligible);
}

/// The parent must be of the tree and the child then too; no name can be given to it that is taken elsewhere.
[[nodiscard]] inline ScopeAnswer check_creation(const TaskTree& tree, const WatchBinding& watch,
                                                const Mutation& asked) {
    const std::string& parent = asked.parent.empty() ? asked.target : asked.parent;
    if (parent.empty()) return forbidden("creation without a parent in the watched tree");
    const auto depth = depth_inside(tree, watch, parent);
    if (!depth) return forbidden("the parent of a new task must be of the watched tree");
    if (*depth + 1 >= TaskTree::most_levels) return forbidden("the parent is too deep: a task below it is not watched");
    if (tree.find(watch.tenant, asked.target) != nullptr && !depth_inside(tree, watch, asked.target))
        return forbidden("a task of this id exists outside the watched tree");
    return granted("below a task of the watched tree");
}

[[nodiscard]] constexpr bool is_status_for_reviewers(std::string_view status) noexcept {
    for (const std::string_view each : statuses_for_reviewers)
        if (each == status) return true;
    return false;
}

/// Of a task inside the watched tree.
[[nodiscard]] inline ScopeAnswer check_detail(const TaskTree& tree, const WatchBinding& watch, const Mutation& asked) {
    const TreeNode& node = *tree.find(watch.tenant, asked.target);
    if (asked.op == "resolve_interaction" && !is_plan_confirmation(node, asked.ref))
        return forbidden("only a pending request_confirmation about the plan of a task can be resolved");
    if (asked.op == "block" && is_of_another_tenant(tree, watch.tenant, asked.ref))
        return forbidden("the blocker belongs to another tenant");
    if (asked.op == "status" && is_over(asked.ref)) return forbidden("a watchdog ends no task but its own review task");
    if (asked.op == "status" && !asked.ref.empty() && !is_status_for_reviewers(asked.ref))
        return forbidden("a watchdog moves a task to todo, in_progress, in_review or blocked only");
    return granted("inside the watched tree");
}

/// Of the own review task.
[[nodiscard]] inline ScopeAnswer check_own_review(const TaskTree& tree, const WatchBinding& watch,
                                                  const Mutation& asked) {
    if (asked.op == "resolve_interaction") return forbidden("a reviewer does not answer for its own review task");
    if (asked.op == "block" && is_of_another_tenant(tree, watch.tenant, asked.ref))
        return forbidden("the blocker belongs to another tenant");
    const std::string& to = asked.ref;
    if (asked.op == "status" && !to.empty() && !is_over(to) && to != "backlog" && !is_status_for_reviewers(to))
        return forbidden("a review task has no such status");
    return granted("own review task");
}

}  // namespace detail

/// Who asks. No run, a run that nobody knows, one that is on no review task: `none`. `binding_of(tenant, node)` answers
/// an `std::optional<WatchBinding>` for the watched node; anything that does not fit makes it `invalid`.
template <class BindingOf>
[[nodiscard]] Scope resolve_scope(const TaskTree& tree, const Mutation& mutation, BindingOf&& binding_of) {
    Scope scope;
    if (mutation.actor_run.empty()) return scope;
    const auto found = tree.find_run(mutation.actor_run);
    if (found.run == nullptr || found.node->origin != review_origin) return scope;
    scope.kind = ScopeKind::invalid;
    scope.run = found.run->id;
    std::optional<WatchBinding> watch;
    if (!found.node->origin_id.empty()) watch = binding_of(found.node->tenant, found.node->origin_id);
    scope.reason = detail::why_invalid(*found.node, *found.run, mutation, watch);
    if (!scope.reason.empty()) return scope;
    scope.kind = ScopeKind::watchdog;
    scope.envelope = std::move(*watch);
    if (!found.run->fingerprint.empty()) scope.envelope.fingerprint = found.run->fingerprint;
    return scope;
}

/// Whether such a run may ever do this, with the tree as it is: in this order tenant, operation, own review task, the
/// watched tree. Says nothing about whether the review is still about this tree: that is `check_fresh`. Whatever is
/// allowed is still subject to the host's ordinary rules. Pure.
[[nodiscard]] inline ScopeAnswer check_scope(const TaskTree& tree, const Scope& scope, const Mutation& mutation) {
    const WatchBinding& watch = scope.envelope;
    if (scope.kind == ScopeKind::none) return detail::granted("ordinary rules apply");
    if (scope.kind != ScopeKind::watchdog) return detail::forbidden(scope.reason);
    if (!mutation.actor_run.empty() && mutation.actor_run != scope.run)
        return detail::forbidden("the scope is that of another run");
    if (!mutation.tenant.empty() && mutation.tenant != watch.tenant)
        return detail::forbidden("the task belongs to another tenant");
    if (mutation.op == "arm" || mutation.op == "disarm")
        return detail::forbidden("a watchdog cannot change watchdog configuration");
    if (!scope.offer.has(mutation.op)) return detail::no_operation(mutation.op);
    if (detail::is_own_review(scope, mutation)) return detail::check_own_review(tree, watch, mutation);
    if (mutation.op == "create_child") return detail::check_creation(tree, watch, mutation);
    if (!detail::depth_inside(tree, watch, mutation.target))
        return detail::forbidden("a watchdog can only change the watched tree and its own review task");
    return detail::check_detail(tree, watch, mutation);
}

}  // namespace heeler::inline HEELER_ABI
