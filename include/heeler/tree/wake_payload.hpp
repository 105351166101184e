// What a reviewer is told when it is woken for a stopped tree, and what its review task says about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/min_max.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/tree/mandate.hpp>
#include <heeler/tree/stop_fingerprint.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

/// A leaf at rest, as far as its stop depends on it. Lists are sorted, each id once.
struct LeafSummary {
    std::string id{};
    std::string status{};
    std::string assignee_agent{};
    std::string assignee_user{};
    std::vector<std::string> blockers{};
    std::vector<std::string> interactions{};  ///< pending
    std::vector<std::string> approvals{};     ///< pending

    void archive(auto& a) { a(id, status, assignee_agent, assignee_user, blockers, interactions, approvals); }

    friend bool operator==(const LeafSummary&, const LeafSummary&) = default;
};

/// What a wake is about.
struct WakeFacts {
    std::string watch{};
    std::string tenant{};
    std::string node{};  ///< that is watched
    std::string title{};
    std::string fingerprint{};
    std::uint64_t attempt = 1;          ///< of the same stop
    std::uint64_t wake = 1;             ///< of this watch, since it was made
    std::vector<LeafSummary> leaves{};  ///< those beyond `max_wake_leaves` are counted only
    std::size_t leaf_count = 0;         ///< of all leaves; never less than were given
    std::size_t waits = 0;              ///< pending interactions and approvals; never less than were given
    std::vector<std::string> wait_texts{};
    std::vector<std::string> ahead{};  ///< ids of what was made in the future, as is told
    std::string instructions{};        ///< of the watch; empty: none
};

inline constexpr std::size_t max_wake_leaves = 25;     ///< of a wake
inline constexpr std::size_t max_comment_leaves = 12;  ///< of a comment

namespace detail {

inline constexpr std::size_t max_leaf_ids = 25;   ///< of one list of one leaf, and of the waits
inline constexpr std::size_t max_shown_id = 128;  ///< bytes
inline constexpr std::size_t max_shown_text = 256;

[[nodiscard]] inline std::string shown_id(std::string_view id) { return text::shown_name(id, max_shown_id); }

inline void add_texts(text::JsonLine& json, std::string_view key, const std::vector<std::string>& texts,
                      std::size_t bytes) {
    json.key(key).begin_array();
    for (std::size_t i = 0; i < min_of(texts.size(), max_leaf_ids); ++i) json.string(text::one_line(texts[i], bytes));
    json.end_array();
}

inline void add_id_or_null(text::JsonLine& json, std::string_view key, std::string_view id) {
    json.key(key);
    id.empty() ? json.null() : json.string(shown_id(id));
}

inline void add_leaf(text::JsonLine& json, const LeafSummary& leaf) {
    json.begin_object().key("id").string(shown_id(leaf.id)).key("status").string(shown_id(leaf.status));
    add_id_or_null(json, "assigneeAgent", leaf.assignee_agent);
    add_id_or_null(json, "assigneeUser", leaf.assignee_user);
    add_texts(json, "blockers", leaf.blockers, max_shown_id);
    add_texts(json, "interactions", leaf.interactions, max_shown_id);
    add_texts(json, "approvals", leaf.approvals, max_shown_id);
    json.end_object();
}

inline void add_operations(text::JsonLine& json, std::string_view key, const Offer& offer, bool offered) {
    json.key(key).begin_array();
    for (const Capability& each : capability_table)
        if (offer.has(each.op) == offered) json.string(each.op);
    json.end_array();
}

inline void add_capabilities(text::JsonLine& json, const Offer& offer) {
    json.key("capabilities").begin_object();
    json.key("targetScope").string("watched_task_and_non_watchdog_descendants");
    add_operations(json, "operations", offer, true);
    add_operations(json, "deniedOperations", offer, false);
    if (offer.has_batch())
        json.key("batch")
            .begin_object()
            .key("mostOperations")
            .number(max_batch_ops)
            .key("perRun")
            .number(1)
            .end_object();
    json.end_object();
}

[[nodiscard]] inline std::size_t leaf_count_of(const WakeFacts& facts) {
    return max_of(facts.leaf_count, facts.leaves.size());
}
[[nodiscard]] inline std::size_t wait_count_of(const WakeFacts& facts) {
    return max_of(facts.waits, facts.wait_texts.size());
}

}  // namespace detail

/// What of a leaf is told and kept: ids sanitised and cut, the first 25 of each list.
[[nodiscard]] inline LeafSummary summary_of(const TreeNode& node) {
    LeafSummary leaf;
    leaf.id = detail::shown_id(node.id);
    leaf.status = detail::shown_id(node.status);
    leaf.assignee_agent = detail::shown_id(node.assignee_agent);
    leaf.assignee_user = detail::shown_id(node.assignee_user);
    leaf.blockers = node.blockers;
    detail::sort_unique(leaf.blockers);
    leaf.interactions = pending_interactions(node);
    leaf.approvals = pending_approvals(node);
    for (auto* ids : {&leaf.blockers, &leaf.interactions, &leaf.approvals}) {
        if (ids->size() > detail::max_leaf_ids) ids->resize(detail::max_leaf_ids);
        for (std::string& id : *ids) id = detail::shown_id(id);
    }
    return leaf;
}

/// What a wake is about: one JSON object on one line, without the brief. Ids and texts are sanitised and cut; of each
/// list of a leaf, and of the waits, the first 25 are told. The same facts make the same bytes.
[[nodiscard]] inline std::string wake_payload(const WakeFacts& facts) {
    using detail::shown_id;
    text::JsonLine json;
    json.begin_object();
    json.key("wakeReason").string("task_watchdog_stopped_subtree").key("source").string("task_watchdog");
    json.key("watchdogId").string(shown_id(facts.watch)).key("tenant").string(shown_id(facts.tenant));
    json.key("watchedIssueId").string(shown_id(facts.node));
    json.key("stopFingerprint").string(shown_id(facts.fingerprint)).key("attempt").number(facts.attempt);
    json.key("leaves").begin_array();
    for (std::size_t i = 0; i < detail::min_of(facts.leaves.size(), max_wake_leaves); ++i)
        detail::add_leaf(json, facts.leaves[i]);
    json.end_array().key("leafCount").number(detail::leaf_count_of(facts));
    json.key("pendingWaits").begin_object().key("count").number(detail::wait_count_of(facts));
    detail::add_texts(json, "items", facts.wait_texts, detail::max_shown_text);
    json.end_object().key("customInstructions");
    const auto custom = capped_instructions(facts.instructions);
    custom ? json.string(*custom) : json.null();
    json.key("resumeIntent").boolean(true).key("followUpRequested").boolean(true).end_object();
    return std::move(json).text();
}

/// The same object with the brief: what the reviewer is to do, and what it may. That is added where the host is asked:
/// what is offered depends on who is asked then.
[[nodiscard]] inline std::string briefed(std::string_view payload, std::string_view instructions, const Offer& offer) {
    text::JsonLine brief;
    brief.begin_object().key("mandate").string(compose_mandate(instructions, offer));
    detail::add_capabilities(brief, offer);
    brief.end_object();
    return text::concat(payload.substr(0, payload.size() - 1), ",", std::string_view{brief.text()}.substr(1));
}

/// "Watchdog review for A".
[[nodiscard]] inline std::string review_title(std::string_view node) {
    return text::concat("Watchdog review for ", detail::shown_id(node));
}

/// What the watch itself writes on the review task when it begins, or goes on with, a review.
[[nodiscard]] inline std::string review_comment(const WakeFacts& facts, bool resumed) {
    using detail::shown_id;
    std::string text =
        text::concat("Watchdog review ", resumed ? "resumed" : "started", " for `", shown_id(facts.node), "`");
    if (!facts.title.empty()) text::append(text, ": ", text::one_line(facts.title, detail::max_shown_text));
    text::append(text, "\nAttempt ", std::to_string(facts.attempt), ", wake ", std::to_string(facts.wake));
    text::append(text, "\nStop fingerprint: `", shown_id(facts.fingerprint), "`\nStopped leaves:\n");
    const std::size_t shown = detail::min_of(facts.leaves.size(), max_comment_leaves);
    for (std::size_t i = 0; i < shown; ++i)
        text::append(text, "- ", shown_id(facts.leaves[i].id), ": ", shown_id(facts.leaves[i].status), "\n");
    if (const std::size_t all = detail::leaf_count_of(facts); all > shown)
        text::append(text, "...and ", std::to_string(all - shown), " more\n");
    text::append(text, "Pending waits: ", std::to_string(detail::wait_count_of(facts)), "\n");
    for (std::size_t i = 0; i < detail::min_of(facts.wait_texts.size(), max_comment_leaves); ++i)
        text::append(text, "- ", text::one_line(facts.wait_texts[i], detail::max_shown_text), "\n");
    for (std::size_t i = 0; i < detail::min_of(facts.ahead.size(), max_comment_leaves); ++i)
        text::append(text, i == 0 ? "Made in the future, and judged all the same: " : ", ", shown_id(facts.ahead[i]));
    if (!facts.ahead.empty()) text += "\n";
    return text;
}

}  // namespace heeler::inline HEELER_ABI
