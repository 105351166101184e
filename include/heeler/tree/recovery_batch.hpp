// Up to three changes of a reviewer that happen together or not at all, once per run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/tree/scope_guard.hpp>
#include <heeler/tree/scope_pin.hpp>
#include <heeler/tree/task_tree.hpp>
#include <heeler/tree/tree_verdict.hpp>

namespace heeler::inline HEELER_ABI {

/// Changes that are asked for together. An operation without an actor has that of the request.
struct BatchRequest {
    std::string actor_agent{};
    std::string actor_run{};
    std::string request_id{};  ///< the same for the same request, whenever it is asked again
    std::vector<Mutation> ops{};
};

/// What a run's request was answered. Kept by whoever carries the batch out.
struct BatchReceipt {
    std::string run{};
    std::string request_id{};
    ScopeAnswer answer{};

    friend bool operator==(const BatchReceipt&, const BatchReceipt&) = default;

    void archive(auto& a) { a(run, request_id, answer); }
};

namespace detail {

/// Empty: the request can be judged.
[[nodiscard]] inline std::string_view why_malformed(const BatchRequest& request) noexcept {
    if (request.request_id.empty()) return "a batch needs a request id";
    if (request.ops.empty()) return "a batch without operations";
    if (request.ops.size() > max_batch_ops) return "a batch has at most 3 operations";
    for (const Mutation& each : request.ops) {
        if (!each.actor_run.empty() && each.actor_run != request.actor_run) return "a batch has one run";
        if (!each.actor_agent.empty() && !request.actor_agent.empty() && each.actor_agent != request.actor_agent)
            return "a batch has one agent";
    }
    return {};
}

}  // namespace detail

/// A request that was answered before is answered the same, and nothing is to be carried out for it again: compare its
/// id with that of `earlier`, the run's last receipt. After an allowed batch a run has no other. Each operation is
/// judged by the same tree; the first that is refused refuses all, and then the pin stays as it was. Pure but for the
/// pin.
[[nodiscard]] inline ScopeAnswer check_batch(const TaskTree& tree, const Scope& scope, ScopePin& pin,
                                             const TreeScan& current, const BatchRequest& request,
                                             const std::optional<BatchReceipt>& earlier) {
    if (scope.kind == ScopeKind::invalid) return detail::forbidden(scope.reason);
    if (scope.kind == ScopeKind::watchdog && scope.run != request.actor_run)
        return detail::forbidden("the scope is that of another run");
    if (scope.kind == ScopeKind::watchdog && !scope.offer.has_batch()) return detail::no_operation("batch");
    if (const auto why = detail::why_malformed(request); !why.empty()) return detail::denied(Refusal::malformed, why);
    if (earlier && earlier->run == request.actor_run) {
        if (earlier->request_id == request.request_id) return earlier->answer;
        if (earlier->answer.allowed) return detail::stale(current, "one batch per run");
    }
    ScopePin moved = pin;
    ScopeAnswer answer;
    for (const Mutation& each : request.ops) {
        answer = check_scope(tree, scope, each);
        if (answer.allowed) answer = check_fresh(tree, scope, moved, current, each);
        if (!answer.allowed) return answer;
    }
    pin = std::move(moved);
    return detail::granted(scope.kind == ScopeKind::none ? "ordinary rules apply" : "all operations are allowed");
}

/// `authorise` for the operations of a batch that was allowed, as they are carried out together.
inline void authorise(const TaskTree& tree, const Scope& scope, ScopePin& pin, const TreeScan& current,
                      const BatchRequest& request) {
    if (request.actor_run != pin.run) return;
    detail::add_grants(pin, detail::grants_of(tree, scope, pin, current, request.ops));
}

}  // namespace heeler::inline HEELER_ABI
