// How task trees are watched: rooms are put together here, and watches are armed.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/tree/watch/guard.hpp>
#include <heeler/tree/watch/records.hpp>
#include <heeler/tree/watch/source.hpp>
#include <heeler/tree/watch/tree_control.hpp>
#include <heeler/tree/watch/tree_watch.hpp>
#include <heeler/tree/watch/watched_trees.hpp>

namespace heeler::inline HEELER_ABI {

struct TreeWatch::Room {
    Room(detail::Engine& of, std::unique_ptr<detail::TreePort> host, RunClass rules)
        : engine{of}, class_name{rules.name}, trees{of, std::move(host)} {
        const TreeSettings* set = rules.detectors.find<TaskTreeRule>();
        if (set == nullptr) {
            usable = fail(ErrorCode::invalid_argument,
                          "class `" + class_name + "`: the detector `task_tree` is off; nothing would be watched");
            return;
        }
        settings = *set;
        usable = engine.define(std::move(rules));
        if (!usable) return;
        static_cast<void>(engine.control(class_name, detail::ControlRef{control}));
        if (auto watched = engine.watch(class_name, detail::GroupSourceRef{source}); !watched) usable = watched;
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
        static_cast<void>(engine.control(class_name, {}));
        static_cast<void>(engine.watch(class_name, detail::GroupSourceRef{}));
    }

    /// The watch of the node and those of the nodes above it.
    [[nodiscard]] std::vector<RunHandle> watches_above(const NodeRef& node) {
        std::vector<RunHandle> found;
        if (!usable) return found;
        static_cast<void>(trees.with_news([&](const TaskTree& tree) -> Result<void> {
            for (const TreeNode* above : tree.path(node.tenant, node.id))
                if (const auto handle = engine.handle_of(detail::watch_id({above->tenant, above->id})))
                    found.push_back(*handle);
            return {};
        }));
        return found;
    }

    /// The node is there, and its tenant has an agent that can be given work.
    [[nodiscard]] Result<void> check_armable(const WatchConfig& config) {
        auto shown = trees.with_news([&](const TaskTree& tree) -> Result<void> {
            const std::string name = "`" + text::sanitise(config.node, 160) + "`";
            const auto path = tree.path(config.tenant, config.node);
            if (path.empty()) return fail(ErrorCode::unknown_run, "the tenant has no node " + name);
            for (const TreeNode* above : path)
                if (above->origin == review_origin)
                    return fail(ErrorCode::invalid_argument,
                                name + " is a watchdog's review task, or below one: it cannot be watched");
            return {};
        });
        if (!shown) return shown;
        return trees.check_employable({config.tenant, config.agent});
    }

    /// The run of a watch, which is registered if there is none; whoever else registered it was faster.
    [[nodiscard]] Result<RunHandle> handle_for(const std::string& watch, const WatchConfig& config) {
        if (const auto handle = engine.handle_of(watch)) return *handle;
        if (auto handle = engine.find(watch); handle || handle.error().code != ErrorCode::unknown_run) return handle;
        RunSpec spec;
        spec.id = watch;
        spec.name = text::sanitise(config.node, 128);
        spec.metric = MetricKind::reported;
        auto started = engine.start(std::move(spec), class_name);
        if (!started && started.error().code == ErrorCode::duplicate) return engine.find(watch);
        if (!started) return tl::unexpected<Error>(std::move(started.error()));
        return RunHandle{*started};
    }

    [[nodiscard]] static TreeStatus status_of(const std::string& watch, const WatchState& state) {
        const TreeLook& look = state.look;
        TreeStatus status{watch,
                          state.config,
                          state.active,
                          state.revision,
                          look.verdict,
                          look.reason,
                          look.fingerprint,
                          look.leaves,
                          look.leaf_count,
                          look.leaf_ids,
                          look.live,
                          state.reviewed,
                          state.review.empty() ? look.review : state.review};
        status.triggers = state.triggers;
        status.attempt = static_cast<std::uint32_t>(state.attempts.size());
        status.escalated = state.escalated;
        const bool waits = look.verdict == TreeVerdict::review_open || look.verdict == TreeVerdict::review_live;
        const bool is_made = look.verdict == TreeVerdict::stopped && !state.lineage.empty() && !state.review.empty() &&
                             !state.escalated;  // since the look
        status.review_is_open = state.active && (look.is_open || waits || is_made);
        if (state.order.number > 0)
            status.wake_key = text::concat("task_watchdog:", watch, ":", state.order.fingerprint,
                                           ":attempt:", std::to_string(state.order.number));
        text::JsonLine labels = TaskTreeRule::labels(state, watch, state.bound);
        labels.end_object();
        status.labels = std::move(labels).text();
        return status;
    }

    detail::Engine& engine;
    std::string class_name;
    TreeSettings settings;
    Result<void> usable;
    detail::WatchedTrees trees;
    detail::TreeRecords records{engine};
    detail::WatchSource source{trees, settings};
    detail::TreeControl control{trees};
    detail::TreeGuard guard{trees, records, settings};
    std::mutex arming;
};

HEELER_INLINE TreeWatch::TreeWatch(detail::Engine& engine, std::unique_ptr<detail::TreePort> host, RunClass rules)
    : room_{std::make_unique<Room>(engine, std::move(host), std::move(rules))} {}
HEELER_INLINE TreeWatch::~TreeWatch() = default;

HEELER_INLINE const Result<void>& TreeWatch::usable() const noexcept { return room_->usable; }

namespace detail {

[[nodiscard]] inline Result<void> check_watch(const WatchConfig& config) {
    const auto is_id = [](const std::string& id) { return !id.empty() && id.size() <= 1024; };
    if (is_id(config.node) && is_id(config.agent) && config.tenant.size() <= 1024) return {};
    return fail(ErrorCode::invalid_argument,
                "a watch needs a node and an agent, by ids of 1 to 1024 bytes, in a tenant of at most 1024 bytes");
}

[[nodiscard]] inline Record config_record(std::string_view kind, const std::string& watch, const WatchState& state,
                                          const WatchConfig& config, const WatchActor& actor) {
    WatchState named = state;
    named.config = config;
    text::JsonLine line = TaskTreeRule::labels(named, watch, {});
    line.key("agent").string(shown_id(config.agent)).key("actor").string(shown_id(actor.by)).key("runId");
    actor.run.empty() ? line.null() : line.string(shown_id(actor.run));
    line.end_object();
    return {std::string{kind}, std::move(line).text()};
}

}  // namespace detail

HEELER_INLINE Result<TreeStatus> TreeWatch::arm(WatchConfig config, const WatchActor& actor) {
    if (!room_->usable) return tl::unexpected<Error>(room_->usable.error());
    config.instructions = normalize_instructions(config.instructions.value_or(""));
    if (auto good = detail::check_watch(config); !good) return tl::unexpected<Error>(std::move(good.error()));
    if (auto good = room_->check_armable(config); !good) return tl::unexpected<Error>(std::move(good.error()));
    const std::lock_guard one{room_->arming};
    const std::string watch = detail::watch_id({config.tenant, config.node});
    auto handle = room_->handle_for(watch, config);
    if (!handle) return tl::unexpected<Error>(std::move(handle.error()));
    const WatchState before = room_->trees.state_of(watch).value_or(WatchState{});
    WatchChange change{std::move(config), true, actor.run.empty(), room_->engine.wall_time()};
    if (changes_anything(before, change)) {
        const bool is_new = before.revision == 0 || !before.active;
        std::vector<Record> records{detail::config_record(is_new ? "issue.watchdog_created" : "issue.watchdog_updated",
                                                          watch, before, change.config, actor)};
        const std::string text = encoded(std::move(change));
        const Reading reading{TaskTreeRule::change_reading, text};
        if (auto stored = room_->records.note(*handle, watch, &reading, std::move(records)); !stored)
            return tl::unexpected<Error>(std::move(stored.error()));
    } else if (auto stored = room_->records.store_rest(*handle, watch); !stored) {
        return tl::unexpected<Error>(std::move(stored.error()));
    }
    return Room::status_of(watch, room_->trees.state_of(watch).value_or(WatchState{}));
}

HEELER_INLINE Result<std::optional<TreeStatus>> TreeWatch::disarm(const NodeRef& node, const WatchActor& actor) {
    if (!room_->usable) return tl::unexpected<Error>(room_->usable.error());
    const std::lock_guard one{room_->arming};
    const std::string watch = detail::watch_id(node);
    const auto handle = room_->engine.find(watch);
    if (!handle && handle.error().code == ErrorCode::unknown_run) return std::optional<TreeStatus>{};
    if (!handle) return tl::unexpected<Error>(handle.error());
    if (auto stored = room_->records.store_rest(*handle, watch); !stored)
        return tl::unexpected<Error>(std::move(stored.error()));
    const auto before = room_->trees.state_of(watch);
    if (!before || !before->active) return std::optional<TreeStatus>{};
    std::vector<Record> records{detail::config_record("issue.watchdog_removed", watch, *before, before->config, actor)};
    const std::string text = encoded(WatchChange{before->config, false, actor.run.empty(), room_->engine.wall_time()});
    const Reading reading{TaskTreeRule::change_reading, text};
    if (auto stored = room_->records.note(*handle, watch, &reading, std::move(records)); !stored)
        return tl::unexpected<Error>(std::move(stored.error()));
    return std::optional<TreeStatus>{Room::status_of(watch, room_->trees.state_of(watch).value_or(*before))};
}

HEELER_INLINE std::optional<TreeStatus> TreeWatch::status(const NodeRef& node) const {
    const std::string watch = detail::watch_id(node);
    const auto state = room_->trees.state_of(watch);
    if (!state) return std::nullopt;
    return Room::status_of(watch, *state);
}

HEELER_INLINE void TreeWatch::on_record(Callback<void(const AuditRow&)> tell) { room_->records.tell(std::move(tell)); }

HEELER_INLINE CycleReport TreeWatch::changed(const NodeRef& node) {
    return room_->engine.tick(TickCause::changed, [&] { return room_->watches_above(node); });
}

HEELER_INLINE CycleReport TreeWatch::cycle(const NodeRef& node) {
    return room_->engine.cycle(TickCause::changed, [&] { return room_->watches_above(node); });
}

HEELER_INLINE std::vector<TreeStatus> TreeWatch::take_scanned() {
    std::vector<TreeStatus> seen;
    for (const std::string& watch : room_->source.take_scanned())
        if (const auto state = room_->trees.state_of(watch)) seen.push_back(Room::status_of(watch, *state));
    return seen;
}

HEELER_INLINE ScopeAnswer TreeWatch::check(const Mutation& mutation, const Callback<Result<void>()>& apply) {
    return room_->guard.check(mutation, apply);
}

HEELER_INLINE ScopeAnswer TreeWatch::batch(const BatchRequest& request, const Callback<Result<void>()>& apply) {
    return room_->guard.batch(request, apply);
}

// --- orphans ---

struct OrphanRecovery::Room {
    Room(TreeWatch::Room& watches, RunClass rules)
        : engine{watches.engine},
          class_name{rules.name},
          usable{watches.usable},
          source{watches.trees, watches.settings} {
        if (usable) usable = engine.define(std::move(rules));
        if (!usable) return;
        static_cast<void>(engine.control(class_name, detail::ControlRef{watches.control}));
        if (auto watched = engine.watch(class_name, detail::GroupSourceRef{source}); !watched) usable = watched;
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
        static_cast<void>(engine.control(class_name, {}));
        static_cast<void>(engine.watch(class_name, detail::GroupSourceRef{}));
    }

    detail::Engine& engine;
    std::string class_name;
    Result<void> usable;
    detail::OrphanSource source;
};

HEELER_INLINE OrphanRecovery::OrphanRecovery(TreeWatch& trees, RunClass rules)
    : room_{std::make_unique<Room>(*trees.room_, std::move(rules))} {}
HEELER_INLINE OrphanRecovery::~OrphanRecovery() = default;

HEELER_INLINE const Result<void>& OrphanRecovery::usable() const noexcept { return room_->usable; }

}  // namespace heeler::inline HEELER_ABI
