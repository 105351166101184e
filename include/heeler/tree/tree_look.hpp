// One look at a watched tree: what it does, whether its stop was reviewed, and what follows. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/min_max.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/tree/stop_fingerprint.hpp>
#include <heeler/tree/task_tree.hpp>
#include <heeler/tree/watch_state.hpp>

namespace heeler::inline HEELER_ABI {

/// How a tree is watched.
struct TreeSettings {
    TreeRules rules{};                               ///< when a tree counts as stopped
    std::uint32_t most_attempts = 3;                 ///< wakes for one stop; then a person is told, once. 1 to 20
    Duration foreign_grace = std::chrono::hours{6};  ///< a review of another version's scheme is left alone for so long
    /// An open review that shows no sign of life for so long is asked for once more; after as long again it is a
    /// person's.
    Duration review_limit = std::chrono::hours{1};
};

/// Somebody or something will go on with a task that is in review: a person, a named stage, another look at a set time,
/// an answer that is awaited.
[[nodiscard]] inline bool has_waiting_path(const TreeNode& task) {
    if (!task.assignee_user.empty() || task.has_reviewer || task.has_monitor) return true;
    return !pending_interactions(task).empty() || !pending_approvals(task).empty();
}

/// A review that came to a result: done, blocked, or waiting for somebody in particular. A cancelled one did not.
[[nodiscard]] inline bool is_disposed(const TreeNode& review) {
    if (review.status == "done" || review.status == "blocked") return true;
    return review.status == "in_review" && has_waiting_path(review);
}

/// A review that still goes on, for which nobody needs to be woken.
[[nodiscard]] inline bool is_open_review(const TreeNode& review) {
    if (is_over(review.status) || review.status == "backlog") return false;
    return review.status != "in_review" || has_waiting_path(review);
}

namespace detail {

/// Of a review as its host shows it: another value is a sign of life.
[[nodiscard]] inline std::uint64_t sign_of(const TreeNode& review) {
    text::JsonLine line;
    line.begin_array().exact(review.origin_fingerprint);
    write_leaf(line, review);
    for (const TreeRun& run : review.runs) line.exact(run.id).exact(run.status);
    for (const std::string& wake : review.wakes) line.exact(wake);
    line.end_array();
    return digest_of(line);
}

/// A run goes on now: that one waits in a queue, or for its next try, is no sign of life.
[[nodiscard]] inline bool is_at_work(const TreeNode& review) noexcept {
    const auto goes_on = [](const TreeRun& run) { return run.status == "running"; };
    return std::any_of(review.runs.begin(), review.runs.end(), goes_on);
}

/// Asks one question after the other; the first that has an answer decides.
class TreeLooker {
public:
    TreeLooker(const TaskTree& tree, const WatchState& state, const TreeSettings& settings, WallTime now)
        : tree_{tree},
          state_{state},
          settings_{settings},
          review_{tree.review_of(state.config.tenant, state.config.node, state.review)} {
        look_.at = now;
    }

    [[nodiscard]] TreeLook operator()() {
        if (!state_.active) {
            look_.reason = "The watch is disabled.";
            return std::move(look_);
        }
        note_review();
        const std::string_view reviewed = look_.reviewed.empty() ? state_.reviewed : look_.reviewed;
        const bool same = !look_.reviewed.empty() && look_.reviewed == state_.order.fingerprint;
        const auto* leaves = same ? &state_.order.digests : &state_.reviewed_leaves;
        const TreeScan scan = classify(
            tree_,
            {state_.config.tenant, state_.config.node, state_.revision, reviewed, leaves->empty() ? nullptr : leaves},
            settings_.rules, look_.at);
        take(scan);
        if (look_.verdict == TreeVerdict::already_reviewed && waits_for_people())
            look_.verdict = TreeVerdict::review_open;
        if (look_.verdict == TreeVerdict::stopped) stopped();
        return std::move(look_);
    }

private:
    static constexpr Duration again_after = std::chrono::hours{1};  ///< of what was only recorded
    static constexpr std::size_t most_shown = 25;                   ///< leaves with all that is known of them, waits
    static constexpr std::size_t most_ids = 1024;                   ///< of leaves, of live nodes
    static constexpr std::size_t most_foreign = 128;                ///< bytes of a fingerprint that is not ours
    static constexpr std::size_t most_digests = 1024;  ///< of more leaves none are kept: the whole stop is compared

    /// What the review came to concerns the stop that it is bound to, whatever the tree does now.
    void note_review() {
        if (review_ == nullptr) return;
        look_.review = review_->id;
        look_.sign = sign_of(*review_);
        if (is_foreign_fingerprint(review_->origin_fingerprint))
            look_.foreign = review_->origin_fingerprint.substr(0, most_foreign);
        const std::string& bound = bound_to();
        look_.adopted = review_->id != state_.review && !bound.empty() && bound == state_.bound;
        look_.is_open = is_open_review(*review_) && review_->status != "blocked";
        if (bound.empty() || !is_disposed(*review_)) return;
        if (review_->claim != ReviewClaim::restored)
            look_.reviewed = bound;
        else if (!is_live(*review_))  // it may still be at it
            look_.restored = bound == state_.lineage;
    }

    [[nodiscard]] const std::string& bound_to() const {
        const bool told = !review_->origin_fingerprint.empty() && look_.foreign.empty();
        return told ? review_->origin_fingerprint : state_.bound;
    }

    [[nodiscard]] bool waits_for_people() const {
        return review_ != nullptr && review_->status == "in_review" && is_open_review(*review_) &&
               bound_to() == look_.fingerprint;
    }

    void take(const TreeScan& scan) {
        look_.verdict = scan.verdict;
        look_.reason = scan.reason;
        look_.fingerprint = scan.fingerprint;
        look_.leaf_count = scan.leaves.size();
        look_.waits = scan.waits;
        look_.waits_for_tasks = scan.waits_for_tasks;
        if (const TreeNode* root = tree_.find(state_.config.tenant, state_.config.node))
            look_.title = text::one_line(root->title, detail::max_shown_text);
        const auto& moving = scan.verdict == TreeVerdict::live ? scan.live : scan.pending;
        for (std::size_t i = 0; i < moving.size() && i < most_ids; ++i)
            look_.live.push_back(detail::shown_id(moving[i]->id));
        for (std::size_t i = 0; i < scan.ahead.size() && i < most_shown; ++i)
            look_.ahead.push_back(detail::shown_id(scan.ahead[i]->id));
        if (scan.fingerprint.empty()) return;
        for (std::size_t i = 0; i < scan.leaves.size() && i < most_shown; ++i)
            look_.leaves.push_back(summary_of(*scan.leaves[i]));
        for (std::size_t i = 0; i < scan.leaves.size() && i < most_ids; ++i)
            look_.leaf_ids.push_back(detail::shown_id(scan.leaves[i]->id));
        for (const TreeNode* node : scan.waiting) add_waits(*node);
        if (settings_.rules.shrink_is_reviewed && scan.leaves.size() <= most_digests) look_.digests = scan.digests();
    }

    void add_waits(const TreeNode& node) {
        for (const TreeWait& wait : node.interactions)
            if (is_pending_interaction(wait)) add_wait(wait.kind.empty() ? "interaction" : wait.kind, wait, node.id);
        for (const TreeWait& wait : node.approvals)
            if (is_pending_approval(wait)) add_wait("approval", wait, node.id);
    }

    void add_wait(std::string_view kind, const TreeWait& wait, std::string_view node) {
        if (look_.wait_texts.size() >= most_shown) return;
        std::string text = detail::shown_id(kind);
        if (!wait.about.empty()) text::append(text, " about ", detail::shown_id(wait.about));
        text::append(text, " ", detail::shown_id(wait.id), " of ", detail::shown_id(node));
        look_.wait_texts.push_back(std::move(text));
    }

    void stopped() {
        if (review_ != nullptr && is_live(*review_)) {
            look_.verdict = TreeVerdict::review_live;
            watch_reviewer();
        } else if (is_under_review()) {
            look_.verdict = TreeVerdict::review_open;
            watch_reviewer();
        } else if (state_.lineage != look_.fingerprint) {
            wake(1);
        } else if (state_.order.open && state_.order.fingerprint == look_.fingerprint) {
            if (state_.order.left_out && look_.at - *state_.order.left_out < again_after) return;
            look_.retried = true;  // nothing came of it for certain
            wake(state_.order.attempt);
        } else if (state_.attempts.size() < settings_.most_attempts) {
            wake(static_cast<std::uint32_t>(state_.attempts.size()) + 1);
        } else if (!state_.escalated) {
            look_.due = TreeDue::escalate;
        }
    }

    /// What follows if the review shows no sign of life from now on.
    void watch_reviewer() {
        const bool same = state_.lineage == look_.fingerprint;
        const bool is_given_up = same && state_.escalated && !state_.host.unclear;
        if (!look_.foreign.empty() || is_at_work(*review_) || is_given_up) return;
        look_.when_silent = true;
        const auto woken = same ? static_cast<std::uint32_t>(state_.attempts.size()) : 0;
        if (same && (state_.reminded || woken >= settings_.most_attempts))
            look_.due = TreeDue::escalate;
        else
            wake(woken + 1);
    }

    [[nodiscard]] bool is_under_review() const {
        if (review_ == nullptr || !is_open_review(*review_)) return false;
        if (!look_.foreign.empty()) {
            const bool known = state_.foreign == look_.foreign;
            return !known || look_.at - state_.foreign_since < settings_.foreign_grace;
        }
        return bound_to() == look_.fingerprint && !state_.order.open;
    }

    void wake(std::uint32_t attempt) {
        look_.due = TreeDue::wake;
        look_.attempt = attempt;
        look_.number = look_.retried ? state_.order.number
                                     : detail::max_of(attempt, state_.times_woken(short_of(look_.fingerprint)) + 1);
    }

    const TaskTree& tree_;
    const WatchState& state_;
    const TreeSettings& settings_;
    const TreeNode* review_;
    TreeLook look_;
};

}  // namespace detail

/// What a watch sees now, and what follows from it.
[[nodiscard]] inline TreeLook look_at(const TaskTree& tree, const WatchState& state, const TreeSettings& settings,
                                      WallTime now) {
    return detail::TreeLooker{tree, state, settings, now}();
}

}  // namespace heeler::inline HEELER_ABI
