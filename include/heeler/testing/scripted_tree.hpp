// A task tree without a tracker: it shows what it was given, keeps the review tasks that it is asked for, and answers
// as told. For tests, replays, dry runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/callback.hpp>
#include <heeler/core/result.hpp>
#include <heeler/testing/scripted_control.hpp>
#include <heeler/text/append.hpp>
#include <heeler/tree/tree_host.hpp>

namespace heeler::inline HEELER_ABI {

/// The verbs of a tree's host that do something.
enum class TreeVerb : std::uint8_t { review, wake, block };

inline constexpr std::array<std::string_view, 3> tree_verb_names{"review", "wake", "block"};

/// A handle on a shared script (`TreeHostLike`): copies share it. Every verb answers `ok` at first, `find` is
/// unsupported, and every agent is active as long as none is named. May be used from any thread.
class ScriptedTree {
public:
    /// One thing that was asked for, whatever was answered.
    struct Request {
        TreeVerb verb = TreeVerb::review;
        std::string key;
        NodeRef node;
        std::string task;  ///< of a wake: on which to work
        std::string agent;
        std::string fingerprint;
        std::string text;  ///< payload, comment or note
        bool took_effect = false;
    };

    ScriptedTree() : state_{std::make_shared<State>()} {}

    /// All there is, but for the review tasks that were made here: those stay, unless another review of the same node
    /// is among these. What a listed review does not say of the stop that it is about stays as well.
    void show(std::vector<TreeNode> nodes) {
        const std::lock_guard lock{state_->mutex};
        std::map<NodeRef, TreeNode> shown;
        for (TreeNode& node : nodes) {
            const NodeRef ref{node.tenant, node.id};
            shown.insert_or_assign(ref, std::move(node));
        }
        for (auto& [ref, made] : state_->nodes) {
            if (made.origin != review_origin) continue;
            TreeNode* listed = nullptr;
            for (auto& [id, node] : shown)
                if (node.origin == review_origin && node.origin_id == made.origin_id && node.tenant == made.tenant)
                    listed = &node;
            if (listed == nullptr)
                shown.emplace(ref, made);
            else if (listed->origin_fingerprint.empty())
                listed->origin_fingerprint = made.origin_fingerprint;
        }
        state_->nodes = std::move(shown);
        ++state_->version;
    }
    /// Adds a node, or replaces it.
    void put(TreeNode node) {
        const std::lock_guard lock{state_->mutex};
        const NodeRef ref{node.tenant, node.id};
        state_->nodes.insert_or_assign(ref, std::move(node));
        ++state_->version;
    }
    void remove(const NodeRef& node) {
        const std::lock_guard lock{state_->mutex};
        state_->nodes.erase(node);
        ++state_->version;
    }
    /// Changes a node; false: there is none.
    bool edit(const NodeRef& node, const Callback<void(TreeNode&)>& change) {
        const std::lock_guard lock{state_->mutex};
        const auto known = state_->nodes.find(node);
        if (known == state_->nodes.end()) return false;
        change(known->second);
        ++state_->version;
        return true;
    }
    /// Changes the review task of a node; false: there is none.
    bool edit_review(const NodeRef& watched, const Callback<void(TreeNode&)>& change) {
        const std::lock_guard lock{state_->mutex};
        TreeNode* review = review_of(watched);
        if (review == nullptr) return false;
        change(*review);
        ++state_->version;
        return true;
    }
    [[nodiscard]] std::vector<TreeNode> nodes() const {
        const std::lock_guard lock{state_->mutex};
        std::vector<TreeNode> all;
        for (const auto& [ref, node] : state_->nodes) all.push_back(node);
        return all;
    }

    /// Who can be given work from now on; nobody named: everybody.
    void employ(std::map<NodeRef, AgentStanding> agents) {
        const std::lock_guard lock{state_->mutex};
        state_->agents = std::move(agents);
    }
    /// How a verb answers from now on.
    void answer(TreeVerb verb, ControlAnswer with) {
        const std::lock_guard lock{state_->mutex};
        state_->answers[static_cast<std::size_t>(verb)] = with;
    }
    /// Nothing can be read from now on, or everything again.
    void fail_changes(bool fails) {
        const std::lock_guard lock{state_->mutex};
        state_->unreadable = fails;
    }
    void answer_find(Result<Found> with) {
        const std::lock_guard lock{state_->mutex};
        state_->find = std::move(with);
        state_->finds = false;
    }
    /// `find` tells the truth from now on.
    void find_what_happened() {
        const std::lock_guard lock{state_->mutex};
        state_->finds = true;
    }
    /// Whether a repeated key has no second effect.
    void set_idempotent(bool idempotent) {
        const std::lock_guard lock{state_->mutex};
        state_->idempotent = idempotent;
    }
    /// Everything asked for, oldest first.
    [[nodiscard]] std::vector<Request> requests() const {
        const std::lock_guard lock{state_->mutex};
        return state_->requests;
    }

    // --- what a watch calls ---

    [[nodiscard]] Result<TreeChanges> changes(std::string_view cursor) const {
        const std::lock_guard lock{state_->mutex};
        if (state_->unreadable) return heeler::fail(ErrorCode::failed, "the tree cannot be read, as scripted");
        TreeChanges changes;
        changes.cursor = std::to_string(state_->version);
        changes.whole = cursor != changes.cursor;
        if (changes.whole)
            for (const auto& [ref, node] : state_->nodes) changes.nodes.push_back(node);
        return changes;
    }
    [[nodiscard]] Result<AgentStanding> agent(const NodeRef& agent) const {
        const std::lock_guard lock{state_->mutex};
        if (state_->agents.empty()) return AgentStanding::active;
        const auto known = state_->agents.find(agent);
        if (known != state_->agents.end()) return known->second;
        return heeler::fail(ErrorCode::unknown_run, text::concat("the tenant has no agent `", agent.id, "`"));
    }
    [[nodiscard]] Result<ActionDone> review(const ReviewRequest& asked) {
        return act({TreeVerb::review,
                    std::string{asked.key},
                    {std::string{asked.tenant}, std::string{asked.node}},
                    {},
                    std::string{asked.agent},
                    std::string{asked.fingerprint},
                    std::string{asked.comment}});
    }
    [[nodiscard]] Result<ActionDone> wake(const WakeRequest& asked) {
        return act({TreeVerb::wake,
                    std::string{asked.key},
                    {std::string{asked.tenant}, std::string{asked.node}},
                    std::string{asked.task},
                    std::string{asked.agent},
                    std::string{asked.fingerprint},
                    std::string{asked.payload}});
    }
    [[nodiscard]] Result<ActionDone> block(const BlockRequest& asked) {
        return act({TreeVerb::block,
                    std::string{asked.key},
                    {std::string{asked.tenant}, std::string{asked.node}},
                    {},
                    {},
                    {},
                    std::string{asked.note}});
    }
    [[nodiscard]] Result<Found> find(std::string_view key) const {
        const std::lock_guard lock{state_->mutex};
        if (!state_->finds) return state_->find;
        return happened(key) ? Found::found : Found::absent;
    }
    [[nodiscard]] bool idempotent() const {
        const std::lock_guard lock{state_->mutex};
        return state_->idempotent;
    }

private:
    struct State {
        std::mutex mutex;
        std::map<NodeRef, TreeNode> nodes;
        std::map<NodeRef, AgentStanding> agents;
        std::array<ControlAnswer, tree_verb_names.size()> answers{};
        Result<Found> find = heeler::fail(ErrorCode::unsupported, "find: not in the script");
        bool finds = false;
        bool idempotent = false;
        bool unreadable = false;
        std::uint64_t version = 1;
        std::vector<Request> requests;
    };

    [[nodiscard]] bool happened(std::string_view key) const {
        const auto& all = state_->requests;
        return std::any_of(all.begin(), all.end(),
                           [&](const Request& one) { return one.took_effect && one.key == key; });
    }

    [[nodiscard]] TreeNode* review_of(const NodeRef& watched) const {
        for (auto& [ref, node] : state_->nodes)
            if (node.origin == review_origin && node.tenant == watched.tenant && node.origin_id == watched.id)
                return &node;
        return nullptr;
    }

    Result<ActionDone> act(Request asked) {
        const std::lock_guard lock{state_->mutex};
        const ControlAnswer with = state_->answers[static_cast<std::size_t>(asked.verb)];
        const bool repeated = state_->idempotent && happened(asked.key);
        asked.took_effect = !repeated && (with == ControlAnswer::ok || with == ControlAnswer::timeout_but_done);
        ActionDone done;
        if (asked.took_effect) carry_out(asked);
        if (const TreeNode* review = review_of(asked.node); review != nullptr && asked.verb == TreeVerb::review)
            done.note = review->id;
        const auto verb = static_cast<std::size_t>(asked.verb);
        state_->requests.push_back(std::move(asked));
        if (with == ControlAnswer::ok) return done;
        constexpr std::array codes{ErrorCode::failed,      ErrorCode::failed,    ErrorCode::rejected,
                                   ErrorCode::unsupported, ErrorCode::timed_out, ErrorCode::ended};
        const auto index = static_cast<std::size_t>(with);
        return heeler::fail(codes[index],
                            text::concat(tree_verb_names[verb], ": ", control_answer_names[index], ", as scripted"));
    }

    void carry_out(const Request& asked) {
        ++state_->version;
        if (asked.verb == TreeVerb::block) {
            if (const auto node = state_->nodes.find(asked.node); node != state_->nodes.end())
                node->second.status = "blocked";
        }
        if (asked.verb != TreeVerb::review) return;
        TreeNode* review = review_of(asked.node);
        if (review == nullptr) {
            const NodeRef ref{asked.node.tenant, text::concat("review-", asked.node.id)};
            review = &state_->nodes[ref];
            review->id = ref.id;
            review->tenant = ref.tenant;
            review->parent = review->origin_id = asked.node.id;
            review->origin = review_origin;
            review->title = text::concat("Watchdog review for ", asked.node.id);
        }
        review->status = "todo";
        review->claim = ReviewClaim::legitimate;
        review->assignee_agent = asked.agent;
        review->assignee_user.clear();
        review->has_reviewer = false;
        review->origin_fingerprint = asked.fingerprint;
    }

    std::shared_ptr<State> state_;
};

}  // namespace heeler::inline HEELER_ABI
