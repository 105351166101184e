// Watches task trees: each armed node is a run of a watchdog, its tree is read from a host, and what a woken reviewer
// may change is decided here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/tree/node_ref.hpp>
#include <heeler/tree/scope_guard.hpp>
#include <heeler/tree/tree_host.hpp>
#include <heeler/tree/watch/presets.hpp>
#include <heeler/tree/watch_state.hpp>

namespace heeler::inline HEELER_ABI {

/// Who changes a watch. An agent's run is a run of the host's; empty: a person.
struct WatchActor {
    std::string by{};
    std::string run{};
};

/// What a host shows of one watch.
struct TreeStatus {
    std::string watch{};  ///< id of its run
    WatchConfig config{};
    bool active = false;
    std::uint64_t revision = 0;
    TreeVerdict verdict = TreeVerdict::not_applicable;  ///< of the newest look
    std::string reason{};                               ///< of `not_applicable`
    std::string fingerprint{};                          ///< of a tree that has stopped
    std::vector<LeafSummary> leaves{};                  ///< likewise, the first of them
    std::uint64_t leaf_count = 0;
    std::vector<std::string> leaf_ids{};  ///< of all of them; at most 1024
    std::vector<std::string> live{};      ///< ids of what moves; likewise
    std::string reviewed{};               ///< the newest stop that was reviewed
    std::string review{};                 ///< the review task; empty: there was none yet
    bool review_is_open = false;          ///< for the badge of the watched node
    std::uint32_t triggers = 0;           ///< wakes of a reviewer
    std::uint32_t attempt = 0;            ///< of the stop that is under review; 0: none is
    bool escalated = false;               ///< a person is to look at it
    std::string wake_key{};               ///< of the newest wake
    std::string labels{};                 ///< what each record about the watch names, as a JSON object
};

/// The watch over the task trees of one host. Use it beside the runs that a watchdog watches, where a whole tree that
/// has come to rest is to be verified by an agent.
///
/// Threads: all verbs from any thread; they wait for the store and for the host's `changes`. The host is referred to
/// and must outlive this, which must not outlive the watchdog. One for each watchdog.
class TreeWatch {
public:
    /// The watches that the store holds go on with the watchdog's next cycle. The class must have `TaskTreeRule`; its
    /// name names it in the store.
    template <class Clock, class Store, class Notifier, class Host>
    TreeWatch(Watchdog<Clock, Store, Notifier>& dog, Host& host, RunClass rules = presets::task_tree())
        : TreeWatch{detail::Above::engine_of(dog), edge_of(host), std::move(rules)} {}
    TreeWatch(const TreeWatch&) = delete;
    TreeWatch& operator=(const TreeWatch&) = delete;
    ~TreeWatch();

    /// Whether the class could be defined.
    [[nodiscard]] const Result<void>& usable() const noexcept;

    /// Watches a node from now on, or changes how. What changes nothing is no change. Errors: `unknown_run`: no such
    /// node, or its tenant has no such agent; `conflict`: the agent cannot be given work, or another watchdog of this
    /// store holds the watch; `invalid_argument`.
    Result<TreeStatus> arm(WatchConfig config, const WatchActor& actor);
    /// Ends the watch of a node; its history stays. Absent: there was none. Errors: `conflict` as with `arm`.
    Result<std::optional<TreeStatus>> disarm(const NodeRef& node, const WatchActor& actor);
    /// Absent: the node was never armed.
    [[nodiscard]] std::optional<TreeStatus> status(const NodeRef& node) const;
    /// Something of a node changed: its watch and those of the nodes above it look again, nothing else. Any thread,
    /// beside one that ticks and delivers.
    CycleReport changed(const NodeRef& node);
    /// The same, and what follows from it is done.
    CycleReport cycle(const NodeRef& node);
    /// Those that cycles looked at since this was asked last, in that order, as they are now.
    [[nodiscard]] std::vector<TreeStatus> take_scanned();

    /// Called with what these verbs put on record, once it is stored; what cycles put there is in their reports. From
    /// the thread of the verb, so perhaps from several at once; must not call back. Set it before the first of them.
    void on_record(Callback<void(const AuditRow&)> tell);

    /// Whether somebody may change something now. Ask before each mutation, before you take locks of your own: the host
    /// is asked for what changed. Whoever acts in no review is none of its business: the answer is yes. It fails
    /// closed, also when what is allowed cannot be put on record.
    ///
    /// `apply` carries it out, unless the answer is no; it must not ask anything here, and its error becomes a no that
    /// is worth nothing later. When it returns, the host tells what it changed (`changes`): what cannot be seen then
    /// made no difference, and is worth nothing later either. Without it you carry out what was allowed before this run
    /// asks again: a reviewer stays fresh only where the tree shows just what it was allowed, and what you refused is
    /// nobody's until somebody does it.
    [[nodiscard]] ScopeAnswer check(const Mutation& mutation, const Callback<Result<void>()>& apply = {});
    /// Several changes of one reviewer, once, all or none: `apply` carries them out and is called after they were put
    /// on record, unless the answer is no; it must not ask anything here. The same request again has the same answer
    /// and no effect: of a process that died in between, it was carried out at most once.
    [[nodiscard]] ScopeAnswer batch(const BatchRequest& request, const Callback<Result<void>()>& apply = {});

private:
    friend class OrphanRecovery;

    struct Room;

    TreeWatch(detail::Engine& engine, std::unique_ptr<detail::TreePort> host, RunClass rules);

    template <class Host>
    [[nodiscard]] static std::unique_ptr<detail::TreePort> edge_of(Host& host) {
        static_assert(check_tree_host<Host>());
        return std::make_unique<detail::TreeEdge<Host>>(host);
    }

    std::unique_ptr<Room> room_;
};

/// Takes up work that agents left in progress: where no run is on such a node and nothing will go on with it, the agent
/// is woken once; if that ends and nothing moves, the node is marked blocked, with a note. All nodes of the host, also
/// in trees that are watched; but where such a tree has stopped and its reviewer has not said that this is right, it is
/// the reviewer's. A review whose run is gone is taken up as well: it is never blocked, because that would be a result;
/// its watch tells a person. It must not outlive the watch of trees.
class OrphanRecovery {
public:
    explicit OrphanRecovery(TreeWatch& trees, RunClass rules = presets::orphan_recovery());
    OrphanRecovery(const OrphanRecovery&) = delete;
    OrphanRecovery& operator=(const OrphanRecovery&) = delete;
    ~OrphanRecovery();

    /// Whether the class could be defined.
    [[nodiscard]] const Result<void>& usable() const noexcept;

private:
    struct Room;
    std::unique_ptr<Room> room_;
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/tree/watch/tree_watch-inl.hpp>
#endif
