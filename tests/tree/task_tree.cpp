#include <heeler/tree/task_tree.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <heeler/tree/tree_verdict.hpp>

#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

TreeNode task(std::string id, std::string parent = {}, std::string status = "todo") {
    TreeNode node;
    node.tenant = "co-1";
    node.id = std::move(id);
    node.parent = std::move(parent);
    node.status = std::move(status);
    return node;
}

TreeNode review_task(std::string id, std::string parent, std::string of, std::string status = "todo") {
    TreeNode node = task(std::move(id), std::move(parent), std::move(status));
    node.origin = review_origin;
    node.origin_id = std::move(of);
    return node;
}

TreeNode of_tenant(std::string tenant, TreeNode node) {
    node.tenant = std::move(tenant);
    return node;
}

TreeChanges all_of(std::vector<TreeNode> nodes) { return {true, std::move(nodes), {}, {}}; }
TreeChanges delta_of(std::vector<TreeNode> nodes, std::vector<NodeRef> removed = {}) {
    return {false, std::move(nodes), std::move(removed), {}};
}

TaskTree tree_of(std::vector<TreeNode> nodes) {
    TaskTree tree;
    tree.apply(all_of(std::move(nodes)));
    return tree;
}

/// "A B* C*": the walk, leaves starred.
std::string walked(const TaskTree& tree, std::string_view root, std::string_view tenant = "co-1") {
    std::string text;
    for (const auto& visit : tree.walk(tenant, root))
        text.append(text.empty() ? "" : " ").append(visit.node->id).append(visit.is_leaf ? "*" : "");
    return text;
}

std::string path_of(const TaskTree& tree, std::string_view id, std::string_view tenant = "co-1") {
    std::string text;
    for (const TreeNode* node : tree.path(tenant, id)) text.append(text.empty() ? "" : " ").append(node->id);
    return text;
}

/// The stamps of these nodes, to see whose moved since.
class Stamps {
public:
    Stamps(const TaskTree& tree, std::vector<std::string> ids) : tree_{tree} {
        for (std::string& id : ids) before_[id] = tree.stamp("co-1", id);
    }
    /// Whose stamp grew, by id; those that shrank are shouted.
    std::string grown() const {
        std::string text;
        for (const auto& [id, before] : before_) {
            const std::uint64_t now = tree_.stamp("co-1", id);
            if (now != before) text.append(text.empty() ? "" : " ").append(now < before ? "SHRUNK:" : "").append(id);
        }
        return text;
    }

private:
    const TaskTree& tree_;
    std::map<std::string, std::uint64_t> before_;
};

std::vector<TreeNode> chain_of(std::size_t count) {
    std::vector<TreeNode> nodes;
    for (std::size_t i = 0; i < count; ++i)
        nodes.push_back(task("n" + std::to_string(i), i == 0 ? "" : "n" + std::to_string(i - 1)));
    return nodes;
}

}  // namespace

TEST_CASE("a walk goes down by parent, children by the bytes of their ids [M-145]") {
    const TaskTree tree = tree_of({task("b", "A"), task("a2", "a"), task("B", "A"), task("A"), task("a", "A"),
                                   task("a10", "a"), task("other"), task("\xC3\xA9", "A"), task("a\"\n", "A")});
    CHECK(walked(tree, "A") == "A B* a a10* a2* a\"\n* b* \xC3\xA9*");
    CHECK(walked(tree, "a") == "a a10* a2*");
    CHECK(walked(tree, "b") == "b*");
    CHECK(walked(tree, "nobody").empty());
    CHECK(walked(tree, "").empty());
    CHECK(tree.size() == 9);
    CHECK(path_of(tree, "a10") == "a10 a A");
    CHECK(path_of(tree, "nobody").empty());
    std::size_t seen = 0;
    tree.each([&](const TreeNode&) { ++seen; });
    CHECK(seen == 9);
}

TEST_CASE("review tasks are left out with all that is below them [M-146]") {
    const TaskTree tree = tree_of({task("A"), task("B", "A"), review_task("R", "A", "A"), task("below", "R"),
                                   review_task("S", "B", "B"), task("C", "A")});
    CHECK(walked(tree, "A") == "A B* C*");
    CHECK(walked(tree, "B") == "B*");
    CHECK(walked(tree, "R").empty());
    CHECK(walked(tree, "below") == "below*");
}

TEST_CASE("a walk ends after a hundred levels [M-145] [A-89]") {
    const TaskTree tree = tree_of(chain_of(105));
    const auto visits = tree.walk("co-1", "n0");
    REQUIRE(visits.size() == 100);
    CHECK(visits.back().node->id == "n99");
    CHECK(visits.back().is_leaf);
    CHECK_FALSE(visits[98].is_leaf);
    CHECK(tree.walk("co-1", "n5").size() == 100);
    CHECK(tree.walk("co-1", "n6").size() == 99);
    const auto path = tree.path("co-1", "n104");
    REQUIRE(path.size() == 100);
    CHECK(path.back()->id == "n5");
}

TEST_CASE("a walk comes out of every cycle of parents [M-145] [A-89]") {
    const TaskTree tree = tree_of({task("self", "self"), task("below", "self"), task("x", "z"), task("y", "x"),
                                   task("z", "y"), task("tail", "y"), task("end", "tail")});
    CHECK(walked(tree, "self") == "self below*");
    CHECK(walked(tree, "x") == "x y tail end* z*");
    CHECK(walked(tree, "z") == "z x y tail end*");
    CHECK(walked(tree, "tail") == "tail end*");
    CHECK(path_of(tree, "self") == "self");
    CHECK(path_of(tree, "end") == "end tail y x z");
    CHECK(path_of(tree, "z") == "z y x");
}

TEST_CASE("a parent may be told later, go, and come again [M-145]") {
    TaskTree tree = tree_of({task("A"), task("C", "B"), task("D", "C")});
    CHECK(walked(tree, "A") == "A*");
    CHECK(walked(tree, "C") == "C D*");
    CHECK(tree.find("co-1", "B") == nullptr);
    CHECK((tree.stamp("co-1", "B") == 0 && tree.size() == 3));
    tree.apply(delta_of({task("B", "A")}));
    CHECK(walked(tree, "A") == "A B C D*");
    tree.apply(delta_of({}, {{"co-1", "B"}, {"co-1", "B"}, {"co-1", "nobody"}}));
    CHECK(walked(tree, "A") == "A*");
    CHECK(path_of(tree, "D") == "D C");
    tree.apply(delta_of({task("B", "A")}));
    CHECK(path_of(tree, "D") == "D C B A");
    tree.apply(delta_of({task("C", "A")}));
    CHECK(walked(tree, "A") == "A B* C D*");
    tree.apply(delta_of({}, {{"co-1", "A"}, {"co-1", "D"}, {"co-1", "C"}, {"co-1", "B"}}));
    CHECK(tree.size() == 0);
}

TEST_CASE("trees of two tenants do not touch [M-145]") {
    TaskTree tree =
        tree_of({task("A"), task("B", "A"), of_tenant("co-2", task("A")), of_tenant("co-2", task("C", "A")),
                 of_tenant("co-2", task("D", "B")), of_tenant("", task("E", "A")), of_tenant("", task("A"))});
    CHECK(walked(tree, "A") == "A B*");
    CHECK(walked(tree, "A", "co-2") == "A C*");
    CHECK(walked(tree, "A", "") == "A E*");
    CHECK(walked(tree, "A", "co-3").empty());
    CHECK(path_of(tree, "D", "co-2") == "D");
    const auto mine = tree.stamp("co-1", "A");
    const auto theirs = tree.stamp("co-2", "A");
    tree.apply(delta_of({of_tenant("co-2", task("C", "A", "done"))}, {{"co-2", "B"}, {"co-1", "C"}}));
    CHECK(tree.stamp("co-1", "A") == mine);
    CHECK(tree.stamp("co-2", "A") > theirs);
    CHECK((tree.find("co-1", "B") != nullptr && tree.size() == 7));
}

TEST_CASE("of a node that is told twice the last counts, one without an id not at all [M-145]") {
    TaskTree tree;
    const std::vector<TreeNode> told{task("A"), task("B", "A", "todo"), task("", "A"), task("B", "", "done")};
    tree.apply(all_of(told));
    CHECK(tree.size() == 2);
    CHECK(tree.find("co-1", "B")->status == "done");
    CHECK(walked(tree, "A") == "A*");
    const Stamps stamps{tree, {"A", "B"}};
    tree.apply(all_of(told));
    CHECK(stamps.grown().empty());
    tree.apply(delta_of({task("B", "A")}, {{"co-1", "B"}}));
    CHECK(walked(tree, "A") == "A B*");
}

TEST_CASE("a whole tree replaces what was known [M-145]") {
    TaskTree tree = tree_of({task("A"), task("B", "A"), task("C", "B"), task("D", "A")});
    tree.apply(all_of({task("A"), task("C", "B"), task("E", "A")}));
    CHECK(walked(tree, "A") == "A E*");
    CHECK(tree.size() == 3);
    tree.apply(all_of({}));
    CHECK((tree.size() == 0 && tree.find("co-1", "A") == nullptr));
    tree.apply(all_of({task("A"), task("B", "A")}));
    CHECK(walked(tree, "A") == "A B*");
    const TaskTree moved = std::move(tree);
    CHECK(walked(moved, "A") == "A B*");
}

TEST_CASE("a change moves the stamps of its path and no others [M-145]") {
    TaskTree tree = tree_of({task("A"), task("B", "A"), task("C", "B"), task("D", "A"), task("X"), task("Y", "X")});
    const std::vector<std::string> everyone{"A", "B", "C", "D", "X", "Y"};
    const auto changed = [&](TreeChanges changes) {
        const Stamps stamps{tree, everyone};
        tree.apply(std::move(changes));
        return stamps.grown();
    };
    CHECK(changed(delta_of({task("C", "B")})).empty());
    CHECK(changed(delta_of({})).empty());
    CHECK(changed(delta_of({task("C", "B", "done")})) == "A B C");
    CHECK(changed(delta_of({task("D", "A", "done")})) == "A D");
    CHECK(changed(delta_of({task("N", "D")})) == "A D");
    CHECK(changed(delta_of({}, {{"co-1", "N"}})) == "A D");
    TreeNode running = task("Y", "X");
    running.runs = {{"r1", "queued", {}, {}}};
    CHECK(changed(delta_of({running})) == "X Y");
    running.runs[0].status = "running";
    CHECK(changed(delta_of({running})) == "X Y");
    CHECK(changed(delta_of({task("B", "X")})) == "A B X");
    CHECK(changed(delta_of({task("C", "B")})) == "B C X");
    CHECK(changed(delta_of({task("B", "unknown")})) == "B X");
    CHECK(changed(delta_of({task("unknown", "A")})) == "A");
    CHECK(changed(delta_of({task("C", "B", "blocked")})) == "A B C");
}

TEST_CASE("a whole tree that is as it was moves no stamp [M-145]") {
    std::vector<TreeNode> nodes{task("A"),      task("B", "A"), review_task("R", "A", "A"), task("lost", "nobody"),
                                task("x", "y"), task("y", "x")};
    nodes[1].runs = {{"r1", "running", "ag-1", {}}, {"r1", "failed", "ag-1", {}}};
    TaskTree tree = tree_of(nodes);
    const Stamps stamps{tree, {"A", "B", "R", "lost", "x", "y"}};
    tree.apply(all_of(nodes));
    std::reverse(nodes.begin(), nodes.end());
    tree.apply(all_of(nodes));
    CHECK(stamps.grown().empty());
    nodes.pop_back();
    tree.apply(all_of(nodes));
    CHECK((tree.stamp("co-1", "A") == 0 && tree.find("co-1", "B") != nullptr));
}

TEST_CASE("a stamp hears what a walk sees: a hundred levels, and the review [M-145]") {
    TaskTree tree = tree_of(chain_of(105));
    const Stamps stamps{tree, {"n0", "n1", "n5", "n104"}};
    tree.apply(delta_of({task("n100", "n99", "done")}));
    CHECK(stamps.grown() == "n1 n5");
    tree.apply(delta_of({task("n99", "n98", "done")}));
    CHECK(stamps.grown() == "n0 n1 n5");

    tree = tree_of({task("A"), task("B", "A"), task("elsewhere"), review_task("R", "elsewhere", "B")});
    const Stamps before{tree, {"A", "B", "elsewhere"}};
    tree.apply(delta_of({review_task("R", "elsewhere", "B", "done")}));
    CHECK(before.grown() == "B elsewhere");
}

TEST_CASE("a node has one review task: the bound one, then one that is open, then any") {
    TaskTree tree = tree_of({task("A"), review_task("R3", "A", "A"), review_task("R2", "A", "A", "blocked"),
                             review_task("R1", "A", "A", "done"), review_task("R0", "A", "other"),
                             of_tenant("co-2", review_task("R00", "A", "A")), task("T", "A")});
    const auto review = [&](std::string_view node, std::string_view preferred) -> std::string {
        const TreeNode* found = tree.review_of("co-1", node, preferred);
        return found == nullptr ? "none" : found->id;
    };
    CHECK(review("A", "R1") == "R1");
    CHECK(review("A", "R3") == "R3");
    CHECK(review("A", "") == "R2");
    CHECK(review("A", "T") == "R2");
    CHECK(review("A", "R0") == "R2");
    CHECK(review("A", "R00") == "R2");
    CHECK(review("T", "R1") == "none");
    CHECK(review("", "R1") == "none");
    tree.apply(delta_of({review_task("R2", "A", "A", "cancelled")}, {{"co-1", "R3"}}));
    CHECK(review("A", "") == "R1");
    tree.apply(delta_of({task("R1", "A")}));
    CHECK(review("A", "R1") == "R2");
    tree.apply(delta_of({review_task("R2", "A", "T")}));
    CHECK(review("A", "") == "none");
    CHECK(review("T", "") == "R2");
}

TEST_CASE("a run is found on its node") {
    TreeNode one = task("A");
    one.runs = {{"r1", "running", "ag-1", "fp"}, {"", "running", {}, {}}, {"r2", "failed", {}, {}}};
    TaskTree tree = tree_of({one, task("B")});
    REQUIRE(tree.find_run("r2").run != nullptr);
    CHECK(tree.find_run("r1").run->agent == "ag-1");
    CHECK(tree.find_run("r2").node->id == "A");
    CHECK((tree.find_run("").node == nullptr && tree.find_run("r").run == nullptr));
    one.runs.pop_back();
    TreeNode two = task("B");
    two.runs = {{"r2", "queued", {}, {}}};
    tree.apply(delta_of({two, one}));
    CHECK(tree.find_run("r2").node->id == "B");
    tree.apply(delta_of({}, {{"co-1", "B"}}));
    CHECK(tree.find_run("r2").node == nullptr);
    CHECK(tree.find_run("r1").node->id == "A");
}

// The next two would not end if anything in them grew with the square.
constexpr int many = heeler_test::is_slowed ? 20'000 : 100'000;

TEST_CASE("a hundred thousand levels are told, changed and removed [M-145]") {
    std::vector<TreeNode> nodes = chain_of(many);
    const std::string last = nodes.back().id;
    TaskTree tree = tree_of(nodes);
    CHECK(tree.walk("co-1", "n0").size() == 100);
    CHECK(tree.path("co-1", last).size() == 100);
    nodes[0].parent = last;
    std::reverse(nodes.begin(), nodes.end());
    tree.apply(all_of(std::move(nodes)));
    CHECK(tree.walk("co-1", "n" + std::to_string(many - 10)).size() == 100);
    tree.apply(all_of({}));
    CHECK(tree.size() == 0);
}

TEST_CASE("a hundred thousand children of one node, or a million, are told, changed and removed [M-145]") {
    const int count = std::getenv("HEELER_CRASH_ALL") != nullptr ? 1'000'000 : many;  // the more take a gigabyte
    const auto id_of = [](int number) { return std::to_string(number * 7'919LL % 1'000'003); };
    std::vector<TreeNode> nodes;
    for (int i = 0; i < count; ++i) nodes.push_back(task(id_of(i), "root"));
    TaskTree tree = tree_of(std::move(nodes));
    tree.apply(delta_of({task("root")}));
    const auto visits = tree.walk("co-1", "root");
    REQUIRE(visits.size() == static_cast<std::size_t>(count) + 1);
    CHECK(std::is_sorted(visits.begin() + 1, visits.end(),
                         [](const auto& a, const auto& b) { return a.node->id < b.node->id; }));
    for (int i = 0; i < 1'000; ++i) {
        const std::string id = id_of(count / 2 + i);
        tree.apply(delta_of({task(id, "root", "done")}));
        tree.apply(delta_of({task(id, "elsewhere")}));
        tree.apply(delta_of({}, {{"co-1", id}}));
    }
    CHECK(tree.walk("co-1", "root").size() == static_cast<std::size_t>(count) - 999);
    tree.apply(all_of({}));
    CHECK(tree.size() == 0);
}

namespace {

/// A small source of numbers that is the same everywhere (xorshift).
class Dice {
public:
    explicit Dice(std::uint64_t seed) : state_{seed * 0x9E3779B97F4A7C15 + 1} {}
    std::size_t below(std::size_t limit) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::size_t>((state_ >> 16) % limit);
    }
    std::string one_of(std::vector<std::string> those) { return those[below(those.size())]; }

private:
    std::uint64_t state_;
};

constexpr std::size_t world_ids = 14;

TreeNode any_node(Dice& dice) {
    TreeNode node = task("k" + std::to_string(dice.below(world_ids)), {},
                         dice.one_of({"todo", "in_progress", "in_review", "blocked", "done", "cancelled"}));
    node.tenant = dice.below(5) == 0 ? "co-2" : "co-1";
    if (dice.below(6) != 0) node.parent = "k" + std::to_string(dice.below(world_ids + 2));
    if (dice.below(8) == 0) {
        node.origin = review_origin;
        node.origin_id = "k" + std::to_string(dice.below(world_ids));
    }
    const std::string run = "r" + std::to_string(dice.below(20));
    if (dice.below(6) == 0) node.runs = {{run, dice.one_of({"queued", "running", "failed"}), {}, {}}};
    if (dice.below(9) == 0) node.wakes = {dice.one_of({"queued", "done"})};
    if (dice.below(5) == 0) node.interactions = {{"i1", dice.one_of({"", "pending", "resolved"}), {}}};
    if (dice.below(5) == 0) node.blockers = {"b"};
    if (dice.below(4) == 0) node.created_at = WallTime{std::chrono::seconds{dice.below(30)}};
    return node;
}

std::string scan_text(const TaskTree& tree, std::string_view tenant, std::string_view id) {
    TreeQuestion question;
    question.tenant = tenant;
    question.node = id;
    question.revision = 1;
    const TreeScan scan = classify(tree, question, {}, WallTime{30s});
    std::string text{name_of(scan.verdict)};
    text.append(scan.reason).append(scan.fingerprint).append(std::to_string(scan.waits));
    for (const auto* nodes : {&scan.live, &scan.pending, &scan.leaves})
        for (const TreeNode* node : *nodes) text.append(" ").append(node->id);
    return text;
}

/// All that can be asked about one node, but its stamp.
std::string node_text(const TaskTree& tree, std::string_view tenant, std::string_view id) {
    const TreeNode* review = tree.review_of(tenant, id, "k3");
    return walked(tree, id, tenant) + "|" + scan_text(tree, tenant, id) + "|" + (review ? review->id : "");
}

using World = std::map<std::pair<std::string, std::string>, TreeNode>;

TreeChanges any_delta(Dice& dice, World& world) {
    TreeChanges changes = delta_of({});
    for (std::size_t i = dice.below(3); i > 0 && !world.empty(); --i) {
        const auto gone = std::next(world.begin(), static_cast<std::ptrdiff_t>(dice.below(world.size())));
        changes.removed.push_back({gone->first.first, gone->first.second});
        world.erase(gone);
    }
    for (std::size_t i = dice.below(4); i > 0; --i) {
        changes.nodes.push_back(any_node(dice));
        world[{changes.nodes.back().tenant, changes.nodes.back().id}] = changes.nodes.back();
    }
    return changes;
}

}  // namespace

TEST_CASE("changes make the tree that the whole would have made, and every difference moves a stamp [M-145] [M-149]") {
    std::size_t told = 0;
    std::size_t quiet = 0;
    for (std::uint64_t seed = 1; seed <= (heeler_test::is_slowed ? 10 : 40); ++seed) {
        Dice dice{seed};
        World world;
        TaskTree tree;
        std::map<std::pair<std::string, std::string>, std::pair<std::string, std::uint64_t>> before;
        for (int step = 0; step < 60; ++step) {
            tree.apply(any_delta(dice, world));
            std::vector<TreeNode> nodes;
            for (const auto& [name, node] : world) nodes.push_back(node);
            const TaskTree fresh = tree_of(std::move(nodes));
            REQUIRE(tree.size() == fresh.size());
            for (const std::string tenant : {"co-1", "co-2"})
                for (std::size_t i = 0; i < world_ids + 2; ++i) {
                    const std::string id = "k" + std::to_string(i);
                    const std::string text = node_text(tree, tenant, id);
                    REQUIRE(text == node_text(fresh, tenant, id));
                    REQUIRE(path_of(tree, id, tenant) == path_of(fresh, id, tenant));
                    auto& [known, stamp] = before[{tenant, id}];
                    const std::uint64_t now = tree.stamp(tenant, id);
                    if (known != text) REQUIRE((now > stamp || now == 0));
                    (now == stamp ? quiet : told) += 1;
                    known = text;
                    stamp = now;
                }
            for (std::size_t i = 0; i < 20; ++i) {
                const auto ours = tree.find_run("r" + std::to_string(i));
                const auto theirs = fresh.find_run("r" + std::to_string(i));
                REQUIRE((ours.node == nullptr) == (theirs.node == nullptr));
                if (ours.node != nullptr) REQUIRE((*ours.node == *theirs.node && *ours.run == *theirs.run));
            }
        }
    }
    CHECK((told > 1'000 && quiet > 1'000));
}
