// Carries out through a tree's host what is committed for its watches: reviews, wakes, blocks.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include <heeler/core/action.hpp>
#include <heeler/tree/stranded_rule.hpp>
#include <heeler/tree/watch/watched_trees.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What the engine asks as it asks an agent control. From the thread that delivers.
class TreeControl {
public:
    explicit TreeControl(WatchedTrees& trees) : trees_{trees} {}

    Result<ActionDone> review(const ActionRequest& asked) {
        const auto state = trees_.state_of(asked.run);
        if (!state) return fail(ErrorCode::failed, "nothing is known of the watch");
        const std::string title = text::concat("Watchdog review for ", state->config.node);
        auto done =
            trees_.host().review({asked.key, asked.run, state->config.tenant, state->config.node, state->look.review,
                                  state->config.agent, state->order.fingerprint, title, asked.text});
        if (done && done->note.empty())
            return fail(ErrorCode::unknown_run, "the tree's host did not say which task the review is");
        if (done) {
            const std::lock_guard guard{lock_};
            made_[std::string{asked.run}] = done->note;
        }
        return done;
    }

    Result<ActionDone> wake(const ActionRequest& asked) {
        const auto orphan = memory_of<StrandedRule>(trees_.engine, asked.run);
        if (orphan)
            return trees_.host().wake({asked.key,
                                       asked.run,
                                       orphan->look.tenant,
                                       orphan->look.node,
                                       orphan->look.node,
                                       orphan->look.agent,
                                       {},
                                       asked.text});
        const auto state = trees_.state_of(asked.run);
        if (!state) return fail(ErrorCode::failed, "nothing is known of the watch");
        if (!state->order.fingerprint.empty() && state->order.fingerprint == state->reviewed)
            return fail(ErrorCode::rejected, "the stop was reviewed meanwhile");
        const std::string task = review_task(std::string{asked.run}, *state);
        const std::string payload = with_brief(asked.text, *state);
        return trees_.host().wake({asked.key, asked.run, state->config.tenant, state->config.node, task,
                                   state->config.agent, state->order.fingerprint, payload});
    }

    Result<ActionDone> block(const ActionRequest& asked) {
        const auto orphan = memory_of<StrandedRule>(trees_.engine, asked.run);
        if (!orphan) return fail(ErrorCode::failed, "nothing is known of the node");
        return trees_.host().block({asked.key, orphan->look.tenant, orphan->look.node, asked.text});
    }

    Result<Found> find(std::string_view key) { return trees_.host().find(key); }
    [[nodiscard]] bool idempotent() { return trees_.host().idempotent(); }

private:
    [[nodiscard]] std::string with_brief(std::string_view payload, const WatchState& state) {
        return briefed(payload, state.config.instructions.value_or(""), trees_.host().operations());
    }

    /// The task that was just made; after a restart in between, the one that the host shows.
    [[nodiscard]] std::string review_task(const std::string& run, const WatchState& state) {
        {
            const std::lock_guard guard{lock_};
            if (const auto known = made_.find(run); known != made_.end()) return known->second;
        }
        auto shown = trees_.with_news([&](const TaskTree& tree) -> Result<std::string> {
            const TreeNode* review = tree.review_of(state.config.tenant, state.config.node, state.review);
            return review != nullptr ? review->id : state.review;
        });
        return shown ? *shown : state.review;
    }

    WatchedTrees& trees_;
    std::mutex lock_;
    std::map<std::string, std::string> made_;  ///< review tasks by watch
};

}  // namespace heeler::inline HEELER_ABI::detail
