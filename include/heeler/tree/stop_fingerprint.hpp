// What a stopped tree is recognised by: its leaves, what they wait for, and the configuration of its watch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

inline constexpr std::string_view stop_fingerprint_prefix = "task_watchdog_stop:";
inline constexpr int stop_fingerprint_version = 1;  ///< another one for every change of what is hashed

/// What a stop is recognised by in each of its leaves, in the order in which it is hashed.
enum class LeafField : std::uint8_t { status, assignee, blockers, interactions, approvals };

[[nodiscard]] constexpr LeafField last_value(LeafField) noexcept { return LeafField::approvals; }

inline constexpr std::array<LeafField, 5> leaf_fields{LeafField::status, LeafField::assignee, LeafField::blockers,
                                                      LeafField::interactions, LeafField::approvals};

/// A leaf that waits for a task which is over.
struct GoneBlocker {
    std::string leaf{};
    std::string blocker{};

    friend auto operator<=>(const GoneBlocker&, const GoneBlocker&) = default;

    void archive(auto& a) { a(leaf, blocker); }
};

namespace detail {

template <class T>
void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// Hosts may leave out the id of a wait; then it is known by its status and its node.
[[nodiscard]] inline std::string wait_id(const TreeWait& wait, const TreeNode& node) {
    if (!wait.id.empty()) return wait.id;
    std::string id = wait.status.empty() ? "pending" : wait.status;
    return id.append(1, ':').append(node.id);
}

template <class IsPending>
[[nodiscard]] std::vector<std::string> pending_ids(const std::vector<TreeWait>& waits, const TreeNode& node,
                                                   IsPending&& is_pending) {
    std::vector<std::string> ids;
    for (const TreeWait& wait : waits)
        if (is_pending(wait)) ids.push_back(wait_id(wait, node));
    sort_unique(ids);
    return ids;
}

template <class Strings>
void write_strings(text::JsonLine& line, std::string_view key, const Strings& strings) {
    line.key(key).begin_array();
    for (const auto& each : strings) line.exact(each);
    line.end_array();
}

inline void write_name(text::JsonLine& line, std::string_view key, std::string_view name) {
    line.key(key);
    name.empty() ? line.null() : line.exact(name);
}

}  // namespace detail

/// Ids of the node's interactions that are pending, sorted by byte order, each once.
[[nodiscard]] inline std::vector<std::string> pending_interactions(const TreeNode& node) {
    return detail::pending_ids(node.interactions, node, is_pending_interaction);
}

/// Ids of the node's approvals that are pending, sorted by byte order, each once.
[[nodiscard]] inline std::vector<std::string> pending_approvals(const TreeNode& node) {
    return detail::pending_ids(node.approvals, node, is_pending_approval);
}

namespace detail {

inline void write_field(text::JsonLine& line, const TreeNode& leaf, LeafField field) {
    switch (field) {
        case LeafField::status:
            line.key("status").exact(leaf.status);
            break;
        case LeafField::assignee:
            write_name(line, "assignee_agent", leaf.assignee_agent);
            write_name(line, "assignee_user", leaf.assignee_user);
            break;
        case LeafField::blockers: {
            std::vector<std::string_view> blockers{leaf.blockers.begin(), leaf.blockers.end()};
            sort_unique(blockers);
            write_strings(line, "blockers", blockers);
            break;
        }
        case LeafField::interactions:
            write_strings(line, "interactions", pending_interactions(leaf));
            break;
        case LeafField::approvals:
            write_strings(line, "approvals", pending_approvals(leaf));
            break;
    }
}

/// Times, titles and comments are left out: a stop that was reviewed stays the same stop when somebody writes about it.
inline void write_leaf(text::JsonLine& line, const TreeNode& leaf) {
    line.begin_object().key("id").exact(leaf.id);
    for (const LeafField field : leaf_fields) write_field(line, leaf, field);
    line.end_object();
}

/// Only where there are some, so that every other stop keeps its name.
inline void write_gone(text::JsonLine& line, const std::vector<GoneBlocker>& gone) {
    if (gone.empty()) return;
    line.key("gone").begin_array();
    for (const GoneBlocker& each : gone) line.begin_array().exact(each.leaf).exact(each.blocker).end_array();
    line.end_array();
}

[[nodiscard]] inline std::uint64_t digest_of(const text::JsonLine& line) {
    const auto bytes = text::sha256(line.text());
    std::uint64_t digest = 0;
    for (std::size_t i = 0; i < sizeof digest; ++i) digest = digest << 8 | bytes[i];
    return digest;
}

[[nodiscard]] inline bool by_node_id(const TreeNode* a, const TreeNode* b) noexcept { return a->id < b->id; }

}  // namespace detail

/// The same for the same leaves under the same configuration, in whatever order they come; another one if a leaf comes
/// or goes, a leaf's status, assignees, blockers or pending waits change, or a blocker of a leaf is over (`gone`,
/// sorted).
[[nodiscard]] inline std::string stop_fingerprint(std::string_view tenant, std::string_view root,
                                                  std::uint64_t config_revision,
                                                  const std::vector<const TreeNode*>& leaves_sorted_by_id,
                                                  const std::vector<GoneBlocker>& gone = {}) {
    std::vector<const TreeNode*> leaves = leaves_sorted_by_id;
    if (!std::is_sorted(leaves.begin(), leaves.end(), detail::by_node_id))
        std::sort(leaves.begin(), leaves.end(), detail::by_node_id);
    text::JsonLine line;
    line.begin_object().key("version").number(stop_fingerprint_version);
    line.key("tenant").exact(tenant).key("root").exact(root).key("config_revision").number(config_revision);
    line.key("leaves").begin_array();
    for (const TreeNode* leaf : leaves) detail::write_leaf(line, *leaf);
    line.end_array();
    detail::write_gone(line, gone);
    line.end_object();
    return std::string{stop_fingerprint_prefix}.append(text::sha256_hex(line.text()));
}

/// Stands for what the fingerprint says about one leaf: two stops are compared leaf by leaf with it.
[[nodiscard]] inline std::uint64_t leaf_digest(const TreeNode& leaf) {
    text::JsonLine line;
    detail::write_leaf(line, leaf);
    return detail::digest_of(line);
}

/// The same for one field of it.
[[nodiscard]] inline std::uint64_t field_digest(const TreeNode& leaf, LeafField field) {
    text::JsonLine line;
    line.begin_object();
    detail::write_field(line, leaf, field);
    line.end_object();
    return detail::digest_of(line);
}

/// Whether it was made by another version of the scheme. None at all was made by nobody.
[[nodiscard]] inline bool is_foreign_fingerprint(std::string_view fingerprint) {
    if (fingerprint.empty()) return false;
    if (!fingerprint.starts_with(stop_fingerprint_prefix)) return true;
    const std::string_view digits = fingerprint.substr(stop_fingerprint_prefix.size());
    return digits.size() != 64 || digits.find_first_not_of("0123456789abcdef") != std::string_view::npos;
}

}  // namespace heeler::inline HEELER_ABI
