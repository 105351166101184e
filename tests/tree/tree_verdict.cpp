#include <heeler/tree/tree_verdict.hpp>

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

const WallTime verdict_day{1'800'000'000s};

TreeNode item(std::string id, std::string parent, std::string status) {
    TreeNode node;
    node.tenant = "co-1";
    node.id = std::move(id);
    node.parent = std::move(parent);
    node.status = std::move(status);
    node.created_at = verdict_day - 60s;
    return node;
}

TreeNode with_run(TreeNode node, std::string status) {
    node.runs.push_back({"run-of-" + node.id, std::move(status), "ag-1", {}});
    return node;
}

TreeNode with_wake(TreeNode node, std::string status) {
    node.wakes.push_back(std::move(status));
    return node;
}

TreeNode with_question(TreeNode node, std::string status = "pending") {
    node.interactions.push_back({"i-1", std::move(status), "question"});
    return node;
}

TreeNode born(TreeNode node, Duration ago) {
    node.created_at = verdict_day - ago;
    return node;
}

TreeNode review_item(std::string id, std::string parent) {
    TreeNode node = item(std::move(id), std::move(parent), "todo");
    node.origin = review_origin;
    node.origin_id = "A";
    return node;
}

/// A with B and C below it, and whatever else; watched at A.
struct Watched {
    explicit Watched(std::vector<TreeNode> nodes) { tree.apply({true, std::move(nodes), {}, {}}); }

    [[nodiscard]] TreeScan scan(std::string_view reviewed = {}) const { return scan_at("A", reviewed); }
    [[nodiscard]] TreeScan scan_at(std::string_view node, std::string_view reviewed = {}) const {
        return classify(tree, {"co-1", node, revision, reviewed, reviewed_leaves}, rules, verdict_day);
    }

    TaskTree tree{};
    TreeRules rules{};
    std::uint64_t revision = 1;
    const std::vector<std::uint64_t>* reviewed_leaves = nullptr;
};

std::string ids_of(const std::vector<const TreeNode*>& nodes) {
    std::string text;
    for (const TreeNode* node : nodes) text.append(text.empty() ? "" : " ").append(node->id);
    return text;
}

/// "live B C", "stopped B C", "not_applicable hidden".
std::string told(const TreeScan& scan) {
    std::string text{name_of(scan.verdict)};
    text.append(" ").append(scan.reason);
    return text.append(ids_of(scan.live)).append(ids_of(scan.pending)).append(ids_of(scan.leaves));
}

std::string told_of(std::vector<TreeNode> nodes) { return told(Watched{std::move(nodes)}.scan()); }

}  // namespace

TEST_CASE("verdicts have names [M-149]") {
    CHECK(name_of(TreeVerdict::not_applicable) == "not_applicable");
    CHECK(name_of(TreeVerdict::pending_first_run) == "pending_first_run");
    CHECK(name_of(TreeVerdict::already_reviewed) == "already_reviewed");
    CHECK(name_of(TreeVerdict::stopped) == "stopped");
    CHECK(name_of(TreeVerdict::review_open) == "review_open");
    CHECK(name_of(TreeVerdict::review_live) == "review_live");
}

TEST_CASE("a tree is live while something in it runs or is about to [A-80] [M-148]") {
    const auto with_c = [](TreeNode c) { return told_of({item("A", "", "todo"), item("B", "A", "done"), c}); };
    const TreeNode c = item("C", "A", "in_progress");
    for (const char* status : {"queued", "running", "scheduled_retry"}) CHECK(with_c(with_run(c, status)) == "live C");
    for (const char* status : {"succeeded", "interrupted", "failed", "cancelled", "timed_out", "", "paused"})
        CHECK(with_c(with_run(c, status)) == "stopped B C");
    for (const char* status : {"queued", "deferred_issue_execution"}) CHECK(with_c(with_wake(c, status)) == "live C");
    CHECK(with_c(with_wake(c, "done")) == "stopped B C");
    CHECK(with_c(with_run(with_run(c, "failed"), "running")) == "live C");
    CHECK(told_of({with_run(item("A", "", "todo"), "running"), with_wake(item("D", "C", "todo"), "queued"),
                   with_run(item("B", "A", "done"), "queued"), item("C", "A", "todo")}) == "live A B D");
}

TEST_CASE("what only lies near the tree does not make it live [M-148] [M-145]") {
    TreeNode foreign = with_run(item("F", "A", "todo"), "running");
    foreign.tenant = "co-2";
    CHECK(told_of({item("A", "", "todo"), with_run(item("over", "", "todo"), "running"), foreign}) == "stopped A");
    CHECK(told_of({item("A", "over", "todo"), with_run(item("over", "", "todo"), "running")}) == "stopped A");
}

TEST_CASE("a run on or below a review task keeps no tree alive [M-146]") {
    Watched one{{item("A", "", "todo"), with_run(review_item("R", "A"), "running"),
                 with_run(item("R1", "R", "todo"), "running")}};
    CHECK(told(one.scan()) == "stopped A");
    CHECK(one.scan().included == 1);
}

TEST_CASE("where there is nothing to watch the verdict says why [M-149]") {
    Watched one{{with_run(item("A", "", "todo"), "running"), review_item("R", "A")}};
    CHECK(told(one.scan_at("nobody")) == "not_applicable missing");
    CHECK(told(one.scan_at("R")) == "not_applicable review");
    CHECK(classify(one.tree, {"co-2", "A"}, {}, verdict_day).verdict == TreeVerdict::not_applicable);
    TreeNode hidden = with_run(item("A", "", "todo"), "running");
    hidden.hidden = true;
    one.tree.apply({false, {hidden}, {}, {}});
    CHECK(told(one.scan()) == "not_applicable hidden");
    CHECK((one.scan().included == 0 && one.scan().fingerprint.empty()));
    // Below the watched node nobody asks for it.
    TreeNode below = with_run(item("B", "A", "todo"), "running");
    below.hidden = true;
    CHECK(told_of({item("A", "", "todo"), below}) == "live B");
}

TEST_CASE("no status is at rest or in motion by itself [M-147]") {
    for (const char* status :
         {"done", "cancelled", "blocked", "in_review", "todo", "in_progress", "backlog", "", "odd"})
        CHECK(told_of({item("A", "", "todo"), item("B", "A", status)}) == "stopped B");
    CHECK(told_of({item("A", "", "todo"), with_question(item("B", "A", "in_progress"))}) == "stopped B");
}

TEST_CASE("a review that waits counts as live where the host wants it [M-147] [M-148]") {
    Watched one{{item("A", "", "todo"), with_question(item("B", "A", "in_review"))}};
    CHECK(told(one.scan()) == "stopped B");
    one.rules.waiting_review_is_live = true;
    CHECK(told(one.scan()) == "live B");
    one.tree.apply({false, {with_question(item("B", "A", "in_review"), "resolved")}, {}, {}});
    CHECK(told(one.scan()) == "stopped B");
    one.tree.apply({false, {with_question(item("B", "A", "blocked"))}, {}, {}});
    CHECK(told(one.scan()) == "stopped B");
    TreeNode approved = item("B", "A", "in_review");
    approved.approvals = {{"a-1", "revision_requested", {}}};
    one.tree.apply({false, {approved}, {}, {}});
    CHECK(told(one.scan()) == "live B");
}

TEST_CASE("a stop that was reviewed is known again [M-156] [M-149]") {
    Watched one{{item("A", "", "todo"), with_question(item("B", "A", "in_review"))}};
    const TreeScan first = one.scan();
    REQUIRE(told(first) == "stopped B");
    CHECK(first.fingerprint.starts_with(stop_fingerprint_prefix));
    CHECK(first.fingerprint == stop_fingerprint("co-1", "A", 1, first.leaves));
    const TreeScan again = one.scan(first.fingerprint);
    CHECK((told(again) == "already_reviewed B" && again.fingerprint == first.fingerprint));
    one.tree.apply({false, {with_question(item("B", "A", "blocked"))}, {}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "stopped B");
}

TEST_CASE("another configuration asks for another review [M-152]") {
    Watched one{{item("A", "", "todo"), item("B", "A", "blocked")}};
    const std::string reviewed = one.scan().fingerprint;
    one.revision = 2;
    CHECK(told(one.scan(reviewed)) == "stopped B");
    one.revision = 1;
    CHECK(told(one.scan(reviewed)) == "already_reviewed B");
}

TEST_CASE("what people write about the tree leaves it reviewed [M-153]") {
    Watched one{{item("A", "", "todo"), item("B", "A", "blocked")}};
    const std::string reviewed = one.scan().fingerprint;
    TreeNode b = born(item("B", "A", "blocked"), 30s);
    b.title = "another title";
    TreeNode a = item("A", "", "in_progress");
    a.title = "another title too";
    one.tree.apply({false, {a, b}, {}, {}});
    CHECK(told(one.scan(reviewed)) == "already_reviewed B");
}

TEST_CASE("each thing that matters makes a new stop [M-151]") {
    const auto after = [](std::vector<TreeNode> changes) {
        Watched one{{item("A", "", "todo"), item("B", "A", "blocked")}};
        const std::string reviewed = one.scan().fingerprint;
        one.tree.apply({false, std::move(changes), {}, {}});
        return told(one.scan(reviewed));
    };
    TreeNode b = item("B", "A", "blocked");
    CHECK(after({with_question(b)}) == "stopped B");
    CHECK(after({item("B", "A", "done")}) == "stopped B");
    CHECK(after({item("C", "A", "blocked")}) == "stopped B C");
    TreeNode assigned = b;
    assigned.assignee_user = "ann";
    CHECK(after({assigned}) == "stopped B");
    TreeNode blocked = b;
    blocked.blockers = {"X"};
    CHECK(after({blocked}) == "stopped B");
    TreeNode approval = b;
    approval.approvals = {{"a-1", "pending", {}}};
    CHECK(after({approval}) == "stopped B");
    CHECK(after({item("A", "", "in_progress")}) == "already_reviewed B");
}

TEST_CASE("leaves are the nodes without others below them, review tasks do not count [M-146] [M-151]") {
    Watched one{{item("A", "", "todo"), item("C", "B", "todo"), item("B", "A", "todo"), item("D", "A", "done"),
                 review_item("R", "D"), review_item("S", "C")}};
    CHECK(told(one.scan()) == "stopped C D");
    CHECK(one.scan().included == 4);
    const std::vector<std::uint64_t> digests = one.scan().digests();
    REQUIRE(digests.size() == 2);
    CHECK(digests[0] < digests[1]);
}

TEST_CASE("a new node has its first run before it [M-150]") {
    const auto one_born = [](Duration ago) {
        return told_of({item("A", "", "todo"), born(item("B", "A", "todo"), ago)});
    };
    CHECK(one_born(104ms) == "pending_first_run B");
    CHECK(one_born(15s - 1us) == "pending_first_run B");
    CHECK(one_born(15s) == "stopped B");
    CHECK(one_born(60s) == "stopped B");
    CHECK(one_born(-1s) == "pending_first_run B");
    CHECK(one_born(-15s) == "stopped B");  // nobody knows when it was made
    CHECK(told_of({born(item("A", "", "todo"), 1s), born(item("B", "A", "todo"), 1s)}) == "pending_first_run A B");
    CHECK(told_of({item("A", "", "todo"), born(item("B", "A", "done"), 1s), born(item("C", "A", "cancelled"), 1s)}) ==
          "stopped B C");
    TreeNode unknown = item("B", "A", "todo");
    unknown.created_at.reset();
    CHECK(told_of({item("A", "", "todo"), unknown}) == "stopped B");
    TreeNode ancient = unknown;
    ancient.created_at = WallTime::min();
    CHECK(told_of({item("A", "", "todo"), ancient}) == "stopped B");

    Watched none{{item("A", "", "todo"), born(item("B", "A", "todo"), 1s)}};
    none.rules.first_run_grace = 0s;
    CHECK(told(none.scan()) == "stopped B");
    none.rules.first_run_grace = 1s;
    CHECK(told(none.scan()) == "stopped B");
}

TEST_CASE("what was made in the future is judged, and named whatever the tree does [M-150]") {
    Watched one{{item("A", "", "todo"), born(item("B", "A", "todo"), -1s), born(item("C", "A", "done"), -24h)}};
    CHECK(told(one.scan()) == "pending_first_run B");  // clocks may differ by so much
    REQUIRE(one.scan().ahead.size() == 1);
    CHECK(one.scan().ahead[0]->id == "C");
    one.rules.first_run_grace = 0s;
    CHECK(told(one.scan()) == "stopped B C");
    CHECK(one.scan().ahead.size() == 2);
    one.tree.apply({false, {with_run(item("A", "", "todo"), "running")}, {}, {}});
    CHECK(told(one.scan()) == "live A");
    CHECK(one.scan().ahead.size() == 2);
    one.tree.apply({false, {born(item("B", "A", "todo"), 0s)}, {}, {}});
    CHECK(one.scan().ahead.size() == 1);
}

TEST_CASE("a completed run ends the grace, a run that begins makes it live [M-150] [M-149]") {
    const TreeNode fresh = born(item("B", "A", "todo"), 104ms);
    const auto with_b = [](TreeNode b) { return told_of({item("A", "", "todo"), std::move(b)}); };
    for (const char* status : {"succeeded", "interrupted", "failed", "cancelled", "timed_out"})
        CHECK(with_b(with_run(fresh, status)) == "stopped B");
    CHECK(with_b(with_run(fresh, "odd")) == "pending_first_run B");
    CHECK(with_b(with_run(fresh, "queued")) == "live B");
    CHECK(with_b(with_wake(fresh, "queued")) == "live B");
}

TEST_CASE("what is new goes before what was reviewed, what moves before both [M-149]") {
    Watched one{{item("A", "", "todo"), item("B", "A", "blocked")}};
    const std::string reviewed = one.scan().fingerprint;
    one.tree.apply({false, {born(item("B", "A", "blocked"), 1s)}, {}, {}});
    const TreeScan pending = one.scan(reviewed);
    CHECK((told(pending) == "pending_first_run B" && pending.fingerprint.empty()));
    one.tree.apply({false, {with_run(born(item("B", "A", "blocked"), 1s), "queued")}, {}, {}});
    const TreeScan live = one.scan(reviewed);
    CHECK((told(live) == "live B" && live.fingerprint.empty()));
    one.tree.apply({false, {born(item("B", "A", "blocked"), 20s)}, {}, {}});
    CHECK(told(one.scan(reviewed)) == "already_reviewed B");
}

TEST_CASE("waits are counted on every node, leaf or not [M-147]") {
    TreeNode b = with_question(item("B", "A", "todo"));
    b.approvals = {{"a-1", "pending", {}}, {"a-2", "revision_requested", {}}, {"a-3", "approved", {}}};
    Watched one{{with_question(item("A", "", "todo")), b, with_question(item("C", "B", "done"), "resolved"),
                 with_question(review_item("R", "A"))}};
    CHECK(one.scan().waits == 4);
    one.tree.apply({false, {with_run(item("C", "B", "todo"), "running")}, {}, {}});
    CHECK((told(one.scan()) == "live C" && one.scan().waits == 4));
}

TEST_CASE("a stop that only shrank stays reviewed, if that is wanted and its leaves are known [M-154]") {
    Watched one{{item("A", "", "todo"), item("B", "A", "blocked"), item("C", "A", "blocked")}};
    const TreeScan first = one.scan();
    const std::vector<std::uint64_t> leaves = first.digests();
    one.rules.shrink_is_reviewed = true;
    one.reviewed_leaves = &leaves;
    CHECK(told(one.scan()) == "stopped B C");
    one.tree.apply({false, {item("B", "A", "done")}, {}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "already_reviewed B C");

    one.rules.shrink_is_reviewed = false;
    CHECK(told(one.scan(first.fingerprint)) == "stopped B C");
    one.rules.shrink_is_reviewed = true;
    one.reviewed_leaves = nullptr;
    CHECK(told(one.scan(first.fingerprint)) == "stopped B C");
    one.reviewed_leaves = &leaves;
    CHECK(told(one.scan()) == "stopped B C");

    one.tree.apply({false, {}, {{"co-1", "B"}}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "already_reviewed C");

    TreeNode c = item("C", "A", "blocked");
    c.blockers = {"X"};
    one.tree.apply({false, {c, item("X", "", "todo")}, {}, {}});
    const TreeScan waiting = one.scan();
    const std::vector<std::uint64_t> then = waiting.digests();
    one.reviewed_leaves = &then;
    CHECK((waiting.waits_for_tasks && waiting.gone.empty()));
    CHECK(told(one.scan(waiting.fingerprint)) == "already_reviewed C");
    one.tree.apply({false, {item("X", "", "done")}, {}, {}});
    CHECK(told(one.scan(waiting.fingerprint)) == "stopped C");  // less is waited for, and somebody can go on
    CHECK_FALSE(one.scan().waits_for_tasks);
    one.reviewed_leaves = &leaves;
    one.tree.apply({false, {item("C", "A", "todo")}, {}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "stopped C");
    one.tree.apply({false, {item("C", "A", "blocked"), item("D", "A", "todo")}, {}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "stopped C D");
    one.tree.apply({false, {}, {{"co-1", "C"}, {"co-1", "D"}}, {}});
    CHECK(told(one.scan(first.fingerprint)) == "stopped A");
}
