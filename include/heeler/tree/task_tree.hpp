// The task tree of a host, kept from what it told: who is below whom, and whether anything changed there.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/tree/tree_node.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// Tenant and id of a node, without a copy.
struct TreeKey {
    std::string_view tenant{};
    std::string_view id{};

    TreeKey(std::string_view of, std::string_view node) noexcept : tenant{of}, id{node} {}
    TreeKey(const NodeRef& ref) noexcept : tenant{ref.tenant}, id{ref.id} {}

    friend bool operator==(const TreeKey&, const TreeKey&) = default;
};

struct TreeKeyHash {
    using is_transparent = void;
    std::size_t operator()(TreeKey key) const noexcept {
        constexpr std::hash<std::string_view> hash;
        return hash(key.tenant) * 31 + hash(key.id);
    }
};

struct TreeKeyEqual {
    using is_transparent = void;
    bool operator()(TreeKey a, TreeKey b) const noexcept { return a == b; }
};

/// A review task, in the order in which `TaskTree::review_of` wants them.
struct ReviewKey {
    std::string_view tenant{};
    std::string_view watched{};
    bool over = false;
    std::string_view id{};
    const TreeNode* node = nullptr;

    friend auto operator<=>(const ReviewKey&, const ReviewKey&) = default;
};

/// A run, on the node that it is on.
struct RunKey {
    std::string_view run{};
    std::string_view tenant{};
    std::string_view id{};
    const TreeNode* node = nullptr;

    friend auto operator<=>(const RunKey&, const RunKey&) = default;
};

}  // namespace detail

/// The tree as it was told last. A node is known by tenant and id; its parent is one of the same tenant. Parents may be
/// missing or told later, and may form cycles. Does no I/O and never fails. One thread at a time, readers too.
class TaskTree {
public:
    static constexpr std::size_t most_levels = 100;  ///< of a walk: the root and 99 below it

    /// A node of a walk. Leaf: the walk goes to none of its children.
    struct Visit {
        const TreeNode* node = nullptr;
        bool is_leaf = false;
    };

    /// A run and the node that it is on; neither: nobody knows it.
    struct FoundRun {
        const TreeNode* node = nullptr;
        const TreeRun* run = nullptr;
    };

    TaskTree() = default;
    TaskTree(TaskTree&&) = default;
    TaskTree& operator=(TaskTree&&) = default;

    /// What was told is known from now on; pointers from before are no longer good. Told twice: the last counts. Told
    /// and removed at once: it is there. Nodes without an id are passed over. Costs what it tells, not the tree, unless
    /// it is whole.
    void apply(TreeChanges changes) {
        ++now_;
        told_ = 0;
        for (auto told = changes.nodes.rbegin(); told != changes.nodes.rend(); ++told)
            if (!told->id.empty()) tell(*told);
        if (changes.whole) return remove_untold();
        for (const NodeRef& ref : changes.removed)
            if (Entry* entry = known(ref); entry != nullptr && entry->told != now_) remove(*entry);
    }

    /// nullptr: not known. Good until the next `apply`, as all pointers that are answered here.
    [[nodiscard]] const TreeNode* find(std::string_view tenant, std::string_view id) const {
        const Entry* entry = known({tenant, id});
        return entry == nullptr ? nullptr : &entry->node;
    }

    /// The node and those above it, the nearest first, each once and at most 100. Empty: not known.
    [[nodiscard]] std::vector<const TreeNode*> path(std::string_view tenant, std::string_view id) const {
        std::vector<const TreeNode*> found;
        const Entry* at = known({tenant, id});
        while (at != nullptr && at->known && found.size() < most_levels) {
            if (std::find(found.begin(), found.end(), &at->node) != found.end()) break;
            found.push_back(&at->node);
            at = at->parent;
        }
        return found;
    }

    /// The node and what is below it, parents first, children by id, depths 0 to 99, each once. Review tasks are left
    /// out with all that is below them. Empty: not known, or a review task.
    [[nodiscard]] std::vector<Visit> walk(std::string_view tenant, std::string_view root) const {
        std::vector<Visit> found;
        List<Step> open;
        const Entry* top = known({tenant, root});
        if (top != nullptr && !is_review(top->node)) open.push_back({top, 0});
        while (!open.empty()) {
            const Step step = open.back();
            open.pop_back();
            const std::size_t others = open.size();
            if (step.depth + 1 < most_levels) descend(step, *top, open);
            found.push_back({&step.entry->node, open.size() == others});
        }
        return found;
    }

    /// Grows with every change that a walk from this node could see, and with every change of a review task of this
    /// node; whoever looked at this stamp need not look again. 0: not known.
    [[nodiscard]] std::uint64_t stamp(std::string_view tenant, std::string_view id) const {
        const Entry* entry = known({tenant, id});
        return entry == nullptr ? 0 : entry->stamp;
    }

    /// The review task of a watched node: `preferred` if it is one, else one that is not over, else any; the smallest
    /// id of several. nullptr: none.
    [[nodiscard]] const TreeNode* review_of(std::string_view tenant, std::string_view node,
                                            std::string_view preferred) const {
        if (node.empty()) return nullptr;
        const Entry* entry = known({tenant, preferred});
        if (entry != nullptr && is_review(entry->node) && entry->node.origin_id == node) return &entry->node;
        const auto first = reviews_.lower_bound({tenant, node});
        const bool found = first != reviews_.end() && first->tenant == tenant && first->watched == node;
        return found ? first->node : nullptr;
    }

    /// Ids of runs are unique; where a host breaks that, the smallest tenant and id is answered.
    [[nodiscard]] FoundRun find_run(std::string_view run) const {
        const auto first = runs_.lower_bound({run});
        if (first == runs_.end() || first->run != run) return {};
        for (const TreeRun& each : first->node->runs)
            if (each.id == run) return {first->node, &each};
        return {};
    }

    /// Calls `f(const TreeNode&)` for each node, in no order.
    template <class F>
    void each(F&& f) const {
        for (const auto& [name, entry] : entries_)
            if (entry.known) f(entry.node);
    }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    /// A node, or the place of one that others have as their parent and nobody told of.
    struct Entry {
        TreeNode node{};
        const NodeRef* name = nullptr;
        Entry* parent = nullptr;
        std::size_t slot = 0;  ///< where its parent has it
        mutable std::vector<Entry*> children{};
        mutable bool sorted = true;  ///< the children; a walk sorts them, for only a walk wants it
        bool known = false;
        std::uint64_t stamp = 0;
        std::uint64_t told = 0;  ///< in which `apply` last
    };

    struct Step {
        const Entry* entry;
        std::size_t depth;
    };

    [[nodiscard]] static bool is_review(const TreeNode& node) noexcept { return node.origin == review_origin; }

    [[nodiscard]] const Entry* known(detail::TreeKey key) const {
        const auto found = entries_.find(key);
        return found == entries_.end() || !found->second.known ? nullptr : &found->second;
    }
    [[nodiscard]] Entry* known(detail::TreeKey key) { return const_cast<Entry*>(std::as_const(*this).known(key)); }

    [[nodiscard]] Entry& place_of(detail::TreeKey key) {
        if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
        const auto [made, fresh] = entries_.try_emplace({std::string{key.tenant}, std::string{key.id}});
        made->second.name = &made->first;
        return made->second;
    }

    void tell(TreeNode& told) {
        Entry& entry = place_of({told.tenant, told.id});
        if (entry.told == now_) return;
        entry.told = now_;
        ++told_;
        if (entry.known && entry.node == told) return;
        const bool moves = !entry.known || entry.node.parent != told.parent;
        if (entry.known) {
            leave(entry);
            if (moves) unlink(entry);
        }
        size_ += entry.known ? 0 : 1;
        entry.node = std::move(told);
        entry.known = true;
        if (moves) link(entry);
        enter(entry);
    }

    void remove(Entry& entry) {
        leave(entry);
        unlink(entry);
        entry.node = {};
        entry.known = false;
        --size_;
        drop_if_unused(entry);
    }

    void remove_untold() {
        if (told_ == size_) return;
        std::vector<Entry*> untold;
        for (auto& [name, entry] : entries_)
            if (entry.known && entry.told != now_) untold.push_back(&entry);
        for (Entry* entry : untold) remove(*entry);
    }

    void drop_if_unused(Entry& entry) {
        if (!entry.known && entry.children.empty()) entries_.erase(entries_.find(*entry.name));
    }

    void link(Entry& entry) {
        if (entry.node.parent.empty()) return;
        Entry& parent = place_of({entry.node.tenant, entry.node.parent});
        entry.parent = &parent;
        entry.slot = parent.children.size();
        parent.sorted = parent.sorted && (parent.children.empty() || parent.children.back()->node.id < entry.node.id);
        parent.children.push_back(&entry);
    }

    /// The last child takes the free place, so that it costs the same among a million.
    void unlink(Entry& entry) {
        if (entry.parent == nullptr) return;
        Entry& parent = *std::exchange(entry.parent, nullptr);
        Entry* last = parent.children.back();
        parent.children[entry.slot] = last;
        last->slot = entry.slot;
        parent.children.pop_back();
        parent.sorted = (parent.sorted && last == &entry) || parent.children.size() < 2;
        drop_if_unused(parent);
    }

    /// The indexes point into the node: they are told before it changes and after.
    void leave(Entry& entry) {
        touch(entry);
        if (is_review(entry.node)) reviews_.erase(review_key(entry.node));
        for (const TreeRun& run : entry.node.runs) runs_.erase(run_key(run, entry.node));
    }

    void enter(Entry& entry) {
        touch(entry);
        if (is_review(entry.node)) reviews_.insert(review_key(entry.node));
        for (const TreeRun& run : entry.node.runs)
            if (!run.id.empty()) runs_.insert(run_key(run, entry.node));
    }

    /// Whoever would see it in a walk has changed.
    void touch(Entry& entry) {
        Entry* at = &entry;
        for (std::size_t levels = 0; at != nullptr && levels < most_levels; ++levels, at = at->parent) at->stamp = now_;
        if (!is_review(entry.node)) return;
        if (Entry* watched = known({entry.node.tenant, entry.node.origin_id})) watched->stamp = now_;
    }

    static detail::ReviewKey review_key(const TreeNode& node) noexcept {
        return {node.tenant, node.origin_id, is_over(node.status), node.id, &node};
    }
    static detail::RunKey run_key(const TreeRun& run, const TreeNode& node) noexcept {
        return {run.id, node.tenant, node.id, &node};
    }

    /// Of all nodes below the root only the root itself can come again: every other one has one parent, and is reached
    /// through it.
    static void descend(Step step, const Entry& top, List<Step>& open) {
        const std::vector<Entry*>& children = sorted_children(*step.entry);
        for (auto child = children.rbegin(); child != children.rend(); ++child)
            if (*child != &top && !is_review((*child)->node)) open.push_back({*child, step.depth + 1});
    }

    static const std::vector<Entry*>& sorted_children(const Entry& entry) {
        std::vector<Entry*>& children = entry.children;
        if (std::exchange(entry.sorted, true)) return children;
        std::sort(children.begin(), children.end(),
                  [](const Entry* a, const Entry* b) { return a->node.id < b->node.id; });
        for (std::size_t slot = 0; slot < children.size(); ++slot) children[slot]->slot = slot;
        return children;
    }

    std::unordered_map<NodeRef, Entry, detail::TreeKeyHash, detail::TreeKeyEqual> entries_{};
    std::set<detail::ReviewKey> reviews_{};
    std::set<detail::RunKey> runs_{};
    std::size_t size_ = 0;
    std::size_t told_ = 0;   ///< nodes, in the newest `apply`
    std::uint64_t now_ = 0;  ///< how many there were
};

}  // namespace heeler::inline HEELER_ABI
