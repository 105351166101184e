// What watches see of their trees, as sources of the runs that they are.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/plain_loops.hpp>
#include <heeler/core/source.hpp>
#include <heeler/tree/stranded_rule.hpp>
#include <heeler/tree/tree_look.hpp>
#include <heeler/tree/watch/watched_trees.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The source of all armed watches. Polled from the thread that ticks.
class WatchSource {
public:
    WatchSource(WatchedTrees& trees, const TreeSettings& settings) : trees_{trees}, settings_{settings} {}

    Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        return trees_.with_news([&](const TaskTree& tree) -> Result<std::vector<PolledRun>> {
            const WallTime now = trees_.engine.wall_time();
            texts_.clear();
            note(runs);
            std::vector<PolledRun> polled;
            for (const RunCursor& run : runs)
                if (auto seen = look(tree, run.run, now)) polled.push_back({run.run, *std::move(seen)});
            return polled;
        });
    }

    /// The watches that were looked at since this was asked last. Any thread.
    [[nodiscard]] std::deque<std::string> take_scanned() {
        const std::lock_guard guard{lock_};
        return std::exchange(scanned_, {});
    }

private:
    static constexpr std::size_t most_scanned = 65536;

    /// What a look was made from: until that changes there is nothing to see.
    struct Looked {
        NodeRef node{};
        std::uint64_t stamp = 0;
        std::string saved{};
        bool waits = false;  ///< time alone may change it, or a task elsewhere
    };

    void note(std::span<const RunCursor> runs) {
        const std::lock_guard guard{lock_};
        for (const RunCursor& run : runs) scanned_.push_back(run.run);
        while (scanned_.size() > most_scanned) scanned_.pop_front();
    }

    [[nodiscard]] std::optional<Polled> look(const TaskTree& tree, const std::string& run, WallTime now) {
        const auto handle = trees_.engine.handle_of(run);
        auto saved = handle ? trees_.engine.recall(*handle, TaskTreeRule::kind) : std::nullopt;
        if (!saved) return std::nullopt;
        Looked& last = looked_[run];
        if (!last.waits && last.saved == *saved && last.stamp == tree.stamp(last.node.tenant, last.node.id))
            return std::nullopt;
        const auto state = decoded<WatchState>(*saved);
        if (!state || !state->active) return std::nullopt;
        TreeLook seen = look_at(tree, *state, settings_, now);
        const NodeRef node{state->config.tenant, state->config.node};
        last = {node, tree.stamp(node.tenant, node.id), *std::move(saved),
                seen.verdict == TreeVerdict::pending_first_run || !seen.foreign.empty() || state->order.open ||
                    seen.waits_for_tasks};
        TreeLook before = state->look;
        before.at = seen.at;
        if (encoded(before) == encoded(seen)) return std::nullopt;
        return told(run, *state, std::move(seen));
    }

    [[nodiscard]] Polled told(const std::string& run, const WatchState& state, TreeLook seen) {
        Polled polled;
        if (!seen.reviewed.empty() && seen.reviewed != state.reviewed) {
            text::JsonLine line = TaskTreeRule::labels(state, run, seen.reviewed);
            line.end_object();
            polled.records.push_back({"issue.task_watchdog_fingerprint_reviewed", std::move(line).text()});
        }
        for (const std::string& id : seen.ahead)
            if (!contains(state.look.ahead, id)) polled.records.push_back(made_ahead(state, run, seen, id));
        const bool is_over = is_quiet(seen.verdict) || state.look.at == WallTime{};  // or the watch was set anew
        texts_.push_back(encoded(std::move(seen)));
        polled.events.push_back({Reading{TaskTreeRule::look_reading, texts_.back()}, {}, {}, 0});
        if (is_over) polled.events.push_back({Progress{state.triggers}, {}, {}, 0});
        return polled;
    }

    [[nodiscard]] static Record made_ahead(const WatchState& state, const std::string& run, const TreeLook& seen,
                                           const std::string& id) {
        text::JsonLine line = TaskTreeRule::labels(state, run, seen.fingerprint);
        line.key("target").string(id).key("reason");
        line.string("its host says that it was made in the future; it is judged all the same").end_object();
        return {"issue.task_watchdog_contradiction", std::move(line).text()};
    }

    WatchedTrees& trees_;
    const TreeSettings& settings_;
    std::deque<std::string> texts_;  ///< of the last poll
    std::map<std::string, Looked> looked_;
    std::mutex lock_;
    std::deque<std::string> scanned_;
};

/// The source of what agents have in progress, and its list. From the thread that ticks.
class OrphanSource {
public:
    OrphanSource(WatchedTrees& trees, const TreeSettings& settings) : trees_{trees}, settings_{settings} {}

    Result<std::vector<RunSpec>> list() {
        return trees_.with_news([&](const TaskTree& tree) -> Result<std::vector<RunSpec>> {
            std::vector<RunSpec> listed;
            nodes_.clear();
            tree.each([&](const TreeNode& node) {
                const NodeRef ref{node.tenant, node.id};
                if (!is_work_of_agent(node)) return;
                RunSpec spec;
                spec.name = orphan_id(ref);
                spec.metric = MetricKind::undefined;
                nodes_.emplace(spec.name, ref);
                listed.push_back(std::move(spec));
            });
            return listed;
        });
    }

    Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        return trees_.with_news([&](const TaskTree& tree) -> Result<std::vector<PolledRun>> {
            texts_.clear();
            looks_.clear();
            std::vector<PolledRun> polled;
            for (const RunCursor& run : runs) {
                const auto known = nodes_.find(run.name);
                const TreeNode* node =
                    known == nodes_.end() ? nullptr : tree.find(known->second.tenant, known->second.id);
                if (node != nullptr) polled.push_back({run.run, look(tree, *node)});
            }
            return polled;
        });
    }

private:
    [[nodiscard]] Polled look(const TaskTree& tree, const TreeNode& node) {
        StrandedLook seen;
        seen.at = trees_.engine.wall_time();
        seen.tenant = node.tenant;
        seen.node = node.id;
        seen.agent = node.assignee_agent;
        if (node.runs.empty()) seen.created = node.created_at;
        seen.live = is_live(node);
        if (!seen.live)
            for (const TaskTree::Visit& below : tree.walk(node.tenant, node.id)) seen.live |= is_live(*below.node);
        seen.stranded = !seen.live && is_work_of_agent(node) && is_taken_up(tree, node);
        texts_.push_back(encoded(std::move(seen)));
        Polled polled;
        polled.events.push_back({Reading{StrandedRule::kind, texts_.back()}, {}, {}, 0});
        return polled;
    }

    /// Whoever is woken below a stop that is under review makes the review stale, so that is left to the reviewer; what
    /// moves otherwise, or rests with leave, has no reviewer.
    [[nodiscard]] bool is_taken_up(const TaskTree& tree, const TreeNode& node) {
        for (const TreeNode* above : tree.path(node.tenant, node.id)) {
            if (above->origin == review_origin) return true;  // no watch sees it
            const TreeLook* seen = look_of(tree, {above->tenant, above->id});
            if (seen != nullptr && is_under_review(seen->verdict)) return false;
        }
        return true;
    }
    [[nodiscard]] static bool is_under_review(TreeVerdict verdict) noexcept {
        return verdict == TreeVerdict::stopped || verdict == TreeVerdict::review_open ||
               verdict == TreeVerdict::review_live;
    }

    /// What the watch of a node sees now, whatever it was told last; nullptr: it is not watched.
    [[nodiscard]] const TreeLook* look_of(const TaskTree& tree, const NodeRef& node) {
        const auto [known, is_new] = looks_.try_emplace(node);
        const auto state = is_new ? trees_.state_of(watch_id(node)) : std::nullopt;
        if (state && state->active) known->second = look_at(tree, *state, settings_, trees_.engine.wall_time());
        return known->second ? &*known->second : nullptr;
    }

    WatchedTrees& trees_;
    const TreeSettings& settings_;
    std::map<std::string, NodeRef> nodes_;                ///< of the last list
    std::deque<std::string> texts_;                       ///< of the last poll
    std::map<NodeRef, std::optional<TreeLook>> looks_{};  ///< likewise
};

}  // namespace heeler::inline HEELER_ABI::detail
