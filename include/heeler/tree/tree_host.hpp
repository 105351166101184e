// What a host of task trees does for a watch: tells what changed, keeps review tasks, wakes agents.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/result.hpp>
#include <heeler/tree/mandate.hpp>
#include <heeler/tree/node_ref.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

/// The review task of a watched node is to be there: created as its child, or the one that is there reopened (`todo`),
/// assigned and bound anew. A host that already has one for this node answers that one's id, whoever made it.
struct ReviewRequest {
    std::string_view key{};  ///< idempotency key
    std::string_view watch{};
    std::string_view tenant{};
    std::string_view node{};         ///< that is watched: parent and `origin_id` of the task
    std::string_view review{};       ///< the task that is to be used again; empty: there is none that is known
    std::string_view agent{};        ///< its assignee
    std::string_view fingerprint{};  ///< its `origin_fingerprint` from now on
    std::string_view title{};        ///< for a new one
    std::string_view comment{};      ///< what it says about this stop
};

/// An agent is woken, with this payload, once for each key.
struct WakeRequest {
    std::string_view key{};  ///< idempotency key
    std::string_view watch{};
    std::string_view tenant{};
    std::string_view node{};  ///< that is watched, or that is stranded
    std::string_view task{};  ///< on which it is to work: the review task, or the node itself
    std::string_view agent{};
    std::string_view fingerprint{};  ///< to be kept with the run that is started (`TreeRun::fingerprint`)
    std::string_view payload{};      ///< one JSON object
};

/// A node that nobody will take up again is marked `blocked`, with a note that people see.
struct BlockRequest {
    std::string_view key{};  ///< idempotency key
    std::string_view tenant{};
    std::string_view node{};
    std::string_view note{};
};

/// Whether an agent can be given work.
enum class AgentStanding : std::uint8_t { active, paused, terminated, pending_approval, budget_blocked };

[[nodiscard]] constexpr std::string_view name_of(AgentStanding standing) noexcept {
    constexpr std::string_view names[] = {"active", "paused", "terminated", "pending_approval", "budget_blocked"};
    return names[static_cast<std::size_t>(standing)];
}

template <class T>
concept TellsChanges = requires(T& host, std::string_view cursor) {
    { host.changes(cursor) } -> std::same_as<Result<TreeChanges>>;
};
template <class T>
concept KeepsReviews = requires(T& host, const ReviewRequest& request) {
    { host.review(request) } -> std::same_as<Result<ActionDone>>;
};
template <class T>
concept WakesAgents = requires(T& host, const WakeRequest& request) {
    { host.wake(request) } -> std::same_as<Result<ActionDone>>;
};
template <class T>
concept KnowsAgents = requires(T& host, const NodeRef& agent) {
    { host.agent(agent) } -> std::same_as<Result<AgentStanding>>;
};
template <class T>
concept BlocksNodes = requires(T& host, const BlockRequest& request) {
    { host.block(request) } -> std::same_as<Result<ActionDone>>;
};

template <class T>
concept NamesOperations = requires(T& host) {
    { host.operations() } -> std::convertible_to<std::span<const std::string_view>>;
};

/// | verb | what |
/// |---|---|
/// | `changes(cursor) -> Result<TreeChanges>` | what the tree looks like, or what changed since the cursor |
/// | `review(request) -> Result<ActionDone>` | `note` of the answer is the id of the review task |
/// | `wake(request) -> Result<ActionDone>` | |
/// | `agent({tenant, id}) -> Result<AgentStanding>` | `unknown_run`: the tenant has no such agent |
/// | `block(request) -> Result<ActionDone>` | optional: for stranded nodes |
/// | `operations() -> std::span<const std::string_view>` | optional, for hosts that have not all that
/// `capability_table` allows, or no `batch`: those that they have. A reviewer is told of no others, and refused them |
/// | `find(key) -> Result<Found>`, `idempotent` | optional, as an agent control has them |
///
/// `changes` is called from the threads that tick, that change watches and that ask the scope guard, one at a time, and
/// must not call back; the others from the thread that delivers, `agent` from those that arm and that ask the scope
/// guard. What their errors mean stands with `ActionDone`.
template <class T>
concept TreeHostLike = TellsChanges<T> && KeepsReviews<T> && WakesAgents<T> && KnowsAgents<T>;

template <class T>
consteval bool check_tree_host() {
    static_assert(TellsChanges<T>,
                  "heeler: a TreeHost needs `heeler::Result<heeler::TreeChanges> changes(std::string_view cursor)` "
                  "(README: Watch a task tree)");
    static_assert(KeepsReviews<T>,
                  "heeler: a TreeHost needs `heeler::Result<heeler::ActionDone> review(const heeler::ReviewRequest&)` "
                  "(README: Watch a task tree)");
    static_assert(WakesAgents<T>,
                  "heeler: a TreeHost needs `heeler::Result<heeler::ActionDone> wake(const heeler::WakeRequest&)` "
                  "(README: Watch a task tree)");
    static_assert(KnowsAgents<T>,
                  "heeler: a TreeHost needs `heeler::Result<heeler::AgentStanding> agent(const heeler::NodeRef&)` "
                  "(README: Watch a task tree)");
    return true;
}

namespace detail {

/// A host of any type, as a watch calls it.
struct TreePort {
    virtual ~TreePort() = default;
    [[nodiscard]] virtual Result<TreeChanges> changes(std::string_view cursor) = 0;
    [[nodiscard]] virtual Result<ActionDone> review(const ReviewRequest& request) = 0;
    [[nodiscard]] virtual Result<ActionDone> wake(const WakeRequest& request) = 0;
    [[nodiscard]] virtual Result<AgentStanding> agent(const NodeRef& agent) = 0;
    [[nodiscard]] virtual Result<ActionDone> block(const BlockRequest& request) = 0;
    [[nodiscard]] virtual Offer operations() = 0;
    [[nodiscard]] virtual Result<Found> find(std::string_view key) = 0;
    [[nodiscard]] virtual bool idempotent() = 0;
};

template <class T>
concept FindsKeys = requires(T& host, std::string_view key) {
    { host.find(key) } -> std::same_as<Result<Found>>;
};

template <class Host>
class TreeEdge final : public TreePort {
public:
    explicit TreeEdge(Host& host) noexcept : host_{host} {}
    [[nodiscard]] Result<TreeChanges> changes(std::string_view cursor) override {
        return guarded(ErrorCode::failed, who, [&] { return host_.changes(cursor); });
    }
    [[nodiscard]] Result<ActionDone> review(const ReviewRequest& request) override {
        return guarded(ErrorCode::timed_out, who, [&] { return host_.review(request); });
    }
    [[nodiscard]] Result<ActionDone> wake(const WakeRequest& request) override {
        return guarded(ErrorCode::timed_out, who, [&] { return host_.wake(request); });
    }
    [[nodiscard]] Result<AgentStanding> agent(const NodeRef& agent) override {
        return guarded(ErrorCode::failed, who, [&] { return host_.agent(agent); });
    }
    [[nodiscard]] Result<ActionDone> block(const BlockRequest& request) override {
        if constexpr (BlocksNodes<Host>)
            return guarded(ErrorCode::timed_out, who, [&] { return host_.block(request); });
        else
            return fail(ErrorCode::unsupported, "the tree's host has no verb `block`");
    }
    [[nodiscard]] Offer operations() override {
        if constexpr (NamesOperations<Host>) {
            const auto named = [&]() -> Result<Offer> { return Offer{host_.operations()}; };
            return guarded(ErrorCode::failed, who, named).value_or(Offer{std::span<const std::string_view>{}});
        } else {
            return {};
        }
    }
    [[nodiscard]] Result<Found> find(std::string_view key) override {
        if constexpr (FindsKeys<Host>)
            return guarded(ErrorCode::failed, who, [&] { return host_.find(key); });
        else
            return fail(ErrorCode::unsupported, "the tree's host has no verb `find`");
    }
    [[nodiscard]] bool idempotent() override {
        if constexpr (requires {
                          { host_.idempotent() } -> std::convertible_to<bool>;
                      })
            return host_.idempotent();
        else if constexpr (requires {
                               { Host::idempotent } -> std::convertible_to<bool>;
                           })
            return Host::idempotent;
        else
            return false;
    }

private:
    static constexpr std::string_view who = "the tree's host";
    Host& host_;
};

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
