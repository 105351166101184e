// Task trees of a scripted host, watched through the real engine: what their tests have in common.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/testing/scripted_tree.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

namespace trees {

using namespace heeler;
using namespace std::chrono_literals;

inline constexpr std::string_view tenant = "co-1";

[[nodiscard]] inline NodeRef ref(std::string id) { return {std::string{tenant}, std::move(id)}; }

[[nodiscard]] inline TreeNode node(std::string id, std::string parent = {}, std::string status = "blocked") {
    TreeNode made;
    made.id = std::move(id);
    made.tenant = tenant;
    made.parent = std::move(parent);
    made.status = std::move(status);
    return made;
}

[[nodiscard]] inline WatchConfig config(std::string id, std::string agent = "ag-w") {
    return {std::string{tenant}, std::move(id), std::move(agent), {}};
}

/// A person.
inline const WatchActor ada{"ada", {}};

[[nodiscard]] inline Mutation mutation(std::string op, std::string target, std::string value = {}) {
    Mutation asked;
    asked.actor_run = "r-1";
    asked.op = std::move(op);
    asked.target = std::move(target);
    asked.ref = std::move(value);
    return asked;
}

/// Empty: nothing of this name.
[[nodiscard]] inline std::string told_in(const Alert& alert, std::string_view name) {
    for (const Detail& detail : alert.details)
        if (detail.name == name) return detail.value;
    return {};
}

/// A above B and C; all at rest. The watchdog over it is looked at as a host would.
struct Forest : bench::Bench {
    ScriptedTree tree;
    RunClass rules = presets::task_tree();
    std::unique_ptr<TreeWatch> watch;
    std::mutex records_lock;
    List<AuditRow> records;  ///< what verbs put there

    Forest() {
        tree.show({node("A", {}, "in_progress"), node("B", "A"), node("C", "A", "done")});
        restart();
    }
    ~Forest() { watch.reset(); }
    Forest(const Forest&) = delete;
    Forest& operator=(const Forest&) = delete;

    /// Another process on the same store and host.
    void restart() {
        watch.reset();
        boot();
        watch = std::make_unique<TreeWatch>(*dog, tree, rules);
        watch->on_record([this](const AuditRow& row) {
            const std::lock_guard guard{records_lock};
            records.push_back(row);
        });
        REQUIRE(watch->usable());
    }
    TreeStatus arm(std::string id = "A") {
        auto armed = watch->arm(config(std::move(id)), ada);
        REQUIRE(armed);
        return *std::move(armed);
    }
    [[nodiscard]] TreeStatus status(std::string id = "A") const {
        const auto known = watch->status(ref(std::move(id)));
        REQUIRE(known);
        return *known;
    }
    CycleReport scan() { return cycle(TickCause::on_demand); }
    CycleReport minute() { return after(61s); }

    /// Armed, and the first stop is under review by the run r-1.
    void begin_review() {
        arm();
        (void)minute();
        REQUIRE(tree.edit_review(ref("A"), [](TreeNode& review) {
            review.runs = {{"r-1", "running", "ag-w", review.origin_fingerprint}};
        }));
    }
    void end_review(std::string status = "done", ReviewClaim claim = ReviewClaim::legitimate) {
        REQUIRE(tree.edit_review(ref("A"), [&](TreeNode& review) {
            review.runs.clear();
            review.status = status;
            review.claim = claim;
        }));
    }

    [[nodiscard]] std::vector<ScriptedTree::Request> asked(TreeVerb verb) const {
        std::vector<ScriptedTree::Request> found;
        for (const auto& request : tree.requests())
            if (request.verb == verb) found.push_back(request);
        return found;
    }
    /// How often somebody was really woken under this key.
    [[nodiscard]] std::size_t effects(TreeVerb verb) const {
        std::size_t count = 0;
        for (const auto& request : tree.requests()) count += request.verb == verb && request.took_effect ? 1 : 0;
        return count;
    }
    [[nodiscard]] std::size_t audited(std::string_view kind, std::string_view run = "tree:co-1/A") {
        std::size_t count = 0;
        for (const AuditRow& row : history(run).audit) count += row.kind == kind ? 1 : 0;
        return count;
    }
    [[nodiscard]] std::uint64_t commits() const { return store.calls(StoreOperation::commit); }
};

}  // namespace trees
