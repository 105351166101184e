#include <heeler/tree/stop_fingerprint.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

TreeNode leaf_of(std::string id, std::string status, std::string agent) {
    TreeNode node;
    node.tenant = "co-1";
    node.id = std::move(id);
    node.status = std::move(status);
    node.assignee_agent = std::move(agent);
    return node;
}

TreeNode leaf_b() { return leaf_of("B", "done", "ag-1"); }
TreeNode leaf_c() {
    TreeNode node = leaf_of("C", "blocked", "ag-2");
    node.blockers = {"X"};
    node.interactions = {{"i-1", "pending", "question"}};
    return node;
}

std::string print_of(const std::vector<TreeNode>& leaves, std::uint64_t revision = 1) {
    std::vector<const TreeNode*> pointers;
    for (const TreeNode& leaf : leaves) pointers.push_back(&leaf);
    return stop_fingerprint("co-1", "A", revision, pointers);
}

const std::string first_print = "task_watchdog_stop:c93be4521252a3fd320386d1a13a047f7f3a415fa787e10e20d71bd3c9989fcd";

}  // namespace

TEST_CASE("fingerprints are the same everywhere, in whatever order leaves come [A-88] [M-151] [M-152]") {
    CHECK(print_of({leaf_b(), leaf_c()}) == first_print);
    CHECK(print_of({leaf_c(), leaf_b()}) == first_print);
    CHECK(print_of({leaf_b(), leaf_c()}, 2) ==
          "task_watchdog_stop:1e74449a618561d5522b216a5f6565ea9eddbb18983ab9d414e9cadbc60f970e");
    TreeNode todo = leaf_c();
    todo.status = "todo";
    CHECK(print_of({todo, leaf_b()}) ==
          "task_watchdog_stop:8009b71c31f76f33c797863fd19c5da47e9ac4d7c693c2d389501397a072c40e");
}

TEST_CASE("a fingerprint is that of plain JSON, whatever can be seen of an id [M-151]") {
    TreeNode odd = leaf_b();
    odd.status = "done\xE2\x80\xAE\xE2\x80\x8B";
    CHECK(print_of({odd}) == "task_watchdog_stop:efac16200110ee775ef5ea32fb30bef968890b34c21e79778c35478a37b981ac");
}

TEST_CASE("what people write about a leaf leaves its fingerprint [M-153]") {
    TreeNode told = leaf_c();
    told.title = "another title";
    told.created_at = WallTime{1s};
    told.parent = "B";
    told.runs = {{"r1", "failed", "ag-1", {}}};
    told.wakes = {"done"};
    told.interactions = {{"i-0", "resolved", "question"}, {"i-1", {}, "another kind"}, {"i-1", "pending", {}}};
    told.approvals = {{"a-1", "approved", {}}, {"a-2", {}, {}}};
    told.blockers = {"X", "X"};
    told.hidden = told.has_monitor = told.has_reviewer = true;
    told.claim = ReviewClaim::restored;
    CHECK(print_of({leaf_b(), told}) == first_print);
    CHECK(leaf_digest(told) == leaf_digest(leaf_c()));
}

TEST_CASE("whatever matters of a leaf changes the fingerprint [M-151]") {
    std::set<std::string> prints{first_print};
    std::set<std::uint64_t> digests{leaf_digest(leaf_c())};
    const auto changed = [&](auto&& change) {
        TreeNode node = leaf_c();
        change(node);
        digests.insert(leaf_digest(node));
        return prints.insert(print_of({leaf_b(), node})).second;
    };
    CHECK(changed([](TreeNode& node) { node.id = "D"; }));
    CHECK(changed([](TreeNode& node) { node.status = "in_review"; }));
    CHECK(changed([](TreeNode& node) { node.assignee_agent = "ag-3"; }));
    CHECK(changed([](TreeNode& node) { node.assignee_agent.clear(); }));
    CHECK(changed([](TreeNode& node) { node.assignee_user = "ann"; }));
    CHECK(changed([](TreeNode& node) { std::swap(node.assignee_user, node.assignee_agent); }));
    CHECK(changed([](TreeNode& node) { node.blockers.clear(); }));
    CHECK(changed([](TreeNode& node) { node.blockers.push_back("Y"); }));
    CHECK(changed([](TreeNode& node) { node.interactions.clear(); }));
    CHECK(changed([](TreeNode& node) { node.interactions[0].status = "resolved", node.blockers = {"Z"}; }));
    CHECK(changed([](TreeNode& node) { node.interactions.push_back({"i-2", "pending", {}}); }));
    CHECK(changed([](TreeNode& node) { node.approvals = {{"a-1", "pending", {}}}; }));
    CHECK(changed([](TreeNode& node) { node.approvals = {{"a-2", "revision_requested", {}}}; }));
    CHECK(digests.size() == prints.size());
    CHECK(prints.insert(print_of({leaf_b()})).second);
    CHECK(prints.insert(print_of({leaf_b(), leaf_c(), leaf_of("D", "todo", {})})).second);
    const TreeNode b = leaf_b();
    const TreeNode c = leaf_c();
    CHECK(prints.insert(stop_fingerprint("co-2", "A", 1, {&b, &c})).second);
    CHECK(prints.insert(stop_fingerprint("co-1", "AA", 1, {&b, &c})).second);
}

TEST_CASE("what a leaf waits for is sorted and told once [M-151]") {
    TreeNode node = leaf_of("N", "in_review", {});
    node.interactions = {{"i-2", "pending", {}},  {"", "pending", {}},    {"i-1", {}, {}},
                         {"i-3", "resolved", {}}, {"i-2", "pending", {}}, {"", {}, {}}};
    node.approvals = {{"", "revision_requested", {}}, {"a", "pending", {}}, {"b", "rejected", {}}, {"c", {}, {}}};
    CHECK(pending_interactions(node) == std::vector<std::string>{"i-1", "i-2", "pending:N"});
    CHECK(pending_approvals(node) == std::vector<std::string>{"a", "revision_requested:N"});
    CHECK(pending_approvals(leaf_b()).empty());
    TreeNode turned = node;
    std::reverse(turned.interactions.begin(), turned.interactions.end());
    std::reverse(turned.approvals.begin(), turned.approvals.end());
    CHECK(print_of({turned}) == print_of({node}));
}

TEST_CASE("no id can pass for another leaf [M-151]") {
    TreeNode forged = leaf_of("B\",\"status\":\"done", "", {});
    CHECK(print_of({forged}) != print_of({leaf_of("B", "done", {})}));
    TreeNode two = leaf_b();
    two.blockers = {"X", "Y"};
    TreeNode one = leaf_b();
    one.blockers = {"X\",\"Y"};
    CHECK(print_of({one}) != print_of({two}));
    CHECK(print_of({leaf_of("B\n", "done", {})}) != print_of({leaf_of("B", "done", {})}));
    CHECK(print_of({leaf_of("B", "done", "null")}) != print_of({leaf_of("B", "done", {})}));
}

TEST_CASE("a fingerprint of another version is seen [M-155]") {
    CHECK_FALSE(is_foreign_fingerprint(""));
    CHECK_FALSE(is_foreign_fingerprint(first_print));
    CHECK(is_foreign_fingerprint("task_watchdog_stop:"));
    CHECK(is_foreign_fingerprint("task_watchdog_stop:v2:c93b"));
    CHECK(is_foreign_fingerprint(first_print.substr(0, first_print.size() - 1)));
    CHECK(is_foreign_fingerprint(first_print + "0"));
    CHECK(is_foreign_fingerprint(first_print.substr(0, first_print.size() - 1) + "D"));
    CHECK(is_foreign_fingerprint(first_print.substr(1)));
    CHECK(is_foreign_fingerprint("task_watchdog_stoq:" + first_print.substr(19)));
}

namespace {

using Material = std::tuple<std::string, std::string, std::string, std::string, std::set<std::string>,
                            std::set<std::string>, std::set<std::string>>;

Material material_of(const TreeNode& node) {
    std::set<std::string> interactions;
    std::set<std::string> approvals;
    for (const TreeWait& wait : node.interactions)
        if (wait.status != "resolved") interactions.insert(wait.id);
    for (const TreeWait& wait : node.approvals)
        if (wait.status != "resolved") approvals.insert(wait.id);
    return {node.id,
            node.status,
            node.assignee_agent,
            node.assignee_user,
            {node.blockers.begin(), node.blockers.end()},
            interactions,
            approvals};
}

/// Few values, so that many pairs are equal in what matters.
std::vector<TreeNode> any_leaves(std::uint64_t& state) {
    const auto below = [&](std::uint64_t limit) {
        state = state * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
        return (state >> 33) % limit;
    };
    const auto text = [&](std::string stem, std::uint64_t limit) { return stem + std::to_string(below(limit)); };
    std::vector<TreeNode> leaves;
    for (std::uint64_t i = below(3); i > 0; --i) {
        TreeNode node = leaf_of("l" + std::to_string(i), text("s", 2), below(3) == 0 ? text("ag", 2) : "");
        node.title = text("t", 9);
        if (below(3) == 0) node.assignee_user = "ann";
        for (std::uint64_t n = below(3); n > 0; --n) node.blockers.push_back(text("b", 2));
        for (std::uint64_t n = below(2); n > 0; --n)
            node.interactions.push_back({text("i", 2), below(2) == 0 ? "pending" : "resolved", text("kind", 3)});
        for (std::uint64_t n = below(2); n > 0; --n)
            node.approvals.push_back({text("a", 2), below(2) == 0 ? "revision_requested" : "resolved", {}});
        leaves.push_back(std::move(node));
    }
    return leaves;
}

}  // namespace

TEST_CASE("a fingerprint changes if and only if something that matters does [M-151] [M-153]") {
    std::uint64_t state = 7;
    std::size_t same = 0;
    std::vector<std::pair<std::set<Material>, std::string>> seen;
    for (int i = 0; i < 400; ++i) {
        const std::vector<TreeNode> leaves = any_leaves(state);
        std::set<Material> material;
        for (const TreeNode& leaf : leaves) material.insert(material_of(leaf));
        const std::string print = print_of(leaves);
        REQUIRE_FALSE(is_foreign_fingerprint(print));
        std::size_t differ = 0;
        for (const auto& [other, other_print] : seen) {
            differ += (other == material) == (other_print == print) ? 0 : 1;
            same += other == material ? 1 : 0;
        }
        REQUIRE(differ == 0);
        seen.emplace_back(std::move(material), print);
    }
    CHECK((same > 100 && same < 60'000));
}
