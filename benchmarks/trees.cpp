// A watched task tree: looking it through, being told of it again, and one change in it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heeler/tree/tree_verdict.hpp>

#include "compare.hpp"

namespace bench {
namespace {

using namespace heeler;

std::string task_id(std::size_t number) { return "task-" + std::to_string(1'000'000 + number); }

/// Ten below each, as a host would tell them: assigned, with a run that is over.
TreeNode task_node(std::size_t number) {
    TreeNode node;
    node.tenant = "company";
    node.id = task_id(number);
    if (number > 0) node.parent = task_id((number - 1) / 10);
    node.status = "blocked";
    node.assignee_agent = "agent-" + std::to_string(number % 16);
    node.title = "one of the many things that there are to do";
    node.created_at = WallTime{std::chrono::seconds{number}};
    node.blockers = {task_id(number / 2)};
    node.runs = {{"run-" + std::to_string(number), "succeeded", node.assignee_agent, {}}};
    return node;
}

std::vector<TreeNode> task_nodes(std::size_t count) {
    std::vector<TreeNode> nodes;
    for (std::size_t number = 0; number < count; ++number) nodes.push_back(task_node(number));
    return nodes;
}

TaskTree task_tree(std::size_t count) {
    TaskTree tree;
    tree.apply({true, task_nodes(count), {}, {}});
    return tree;
}

TreeScan scan_of(const TaskTree& tree, const std::string& root) {
    return classify(tree, {"company", root, 1, {}, nullptr}, {}, WallTime{std::chrono::days{20'000}});
}

/// The least a scan can do: it looks at every run.
std::size_t live_runs(const std::vector<TreeNode>& nodes) {
    std::size_t live = 0;
    for (const TreeNode& node : nodes) live += is_live(node) ? 1 : 0;
    return live;
}

/// The least that a scan of a stopped tree can do: it hashes what it says about the leaves.
std::string leaf_text(const TreeScan& scan) {
    text::JsonLine line;
    line.begin_array();
    for (const TreeNode* leaf : scan.leaves) detail::write_leaf(line, *leaf);
    return line.end_array().text();
}

void add_scans(Effort effort, Rows& rows, std::size_t count) {
    TaskTree tree = task_tree(count);
    const std::vector<TreeNode> nodes = task_nodes(count);
    const std::string root = task_id(0);
    const std::string text = leaf_text(scan_of(tree, root));
    const auto scan = [&] { return time_one(count, [&] { benchmark::DoNotOptimize(scan_of(tree, root)); }); };
    const std::string of = ", " + std::to_string(count) + " nodes, one";
    rows.push_back(compare(effort, "scan of a stopped tree" + of, 5.0, scan,
                           [&] { return time_one(count, [&] { benchmark::DoNotOptimize(text::sha256(text)); }); }));
    TreeNode running = task_node(count - 1);
    running.runs.push_back({"run", "running", "agent-1", {}});
    tree.apply({false, {std::move(running)}, {}, {}});
    rows.push_back(compare(effort, "scan of a live tree" + of, 8.0, scan,
                           [&] { return time_one(count, [&] { benchmark::DoNotOptimize(live_runs(nodes)); }); }));
}

/// Against a table that finds the same nodes unchanged. Either lets go of what it was told.
void add_same(Effort effort, Rows& rows, std::size_t count) {
    TaskTree tree = task_tree(count);
    const std::vector<TreeNode> nodes = task_nodes(count);
    std::unordered_map<std::string, TreeNode> table;
    for (const TreeNode& node : nodes) table.emplace(node.id, node);
    rows.push_back(compare(
        effort, "told the same, " + std::to_string(count) + " nodes, one", 3.0,
        [&] {
            TreeChanges changes{true, nodes, {}, {}};
            return time_one(count, [&] { tree.apply(std::move(changes)); });
        },
        [&] {
            std::vector<TreeNode> told = nodes;
            return time_one(count, [&] {
                std::size_t same = 0;
                for (const TreeNode& node : told) same += table.at(node.id) == node ? 1 : 0;
                benchmark::DoNotOptimize(same);
                told = {};
            });
        }));
}

/// Changes of one node each, all over the tree, and a look at the stamp of the root after each.
double change_one(TaskTree& tree, std::size_t nodes, std::size_t count, bool& done) {
    std::vector<TreeChanges> changes;
    for (std::size_t i = 0; i < count; ++i) {
        TreeNode node = task_node(1 + i * 7'919 % (nodes - 1));
        node.status = done ? "blocked" : "done";
        changes.push_back({false, {std::move(node)}, {}, {}});
    }
    done = !done;
    const std::string root = task_id(0);
    std::uint64_t stamp = tree.stamp("company", root);
    std::size_t moved = 0;
    const double took = time_one(count, [&] {
        for (TreeChanges& change : changes) {
            tree.apply(std::move(change));
            moved += tree.stamp("company", root) != std::exchange(stamp, tree.stamp("company", root)) ? 1 : 0;
        }
    });
    if (moved != count) std::abort();
    return took;
}

void add_change(Effort effort, Rows& rows, std::size_t many, std::size_t few) {
    TaskTree large = task_tree(many);
    TaskTree small = task_tree(few);
    bool large_done = false;
    bool small_done = false;
    const std::size_t count = few / 2;
    rows.push_back(compare(
        effort, "one change, " + std::to_string(many) + " nodes against " + std::to_string(few), 4.0,
        [&] { return change_one(large, many, count, large_done); },
        [&] { return change_one(small, few, count, small_done); }));
}

}  // namespace

void add_trees(Effort effort, Rows& rows) {
    const std::size_t many = effort.of(100'000, 2'000);
    add_scans(effort, rows, many);
    add_same(effort, rows, many);
    add_change(effort, rows, many, effort.of(1'000, 200));
}

}  // namespace bench
