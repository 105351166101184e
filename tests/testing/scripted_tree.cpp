#include <heeler/testing/scripted_tree.hpp>

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;

namespace {

const NodeRef scripted_root{"co-1", "A"};

TreeNode scripted_node(std::string id, std::string parent = {}) {
    TreeNode node;
    node.id = std::move(id);
    node.tenant = "co-1";
    node.parent = std::move(parent);
    node.status = "blocked";
    return node;
}

ReviewRequest review_request(std::string_view key = "k", std::string_view fingerprint = "f-1") {
    ReviewRequest asked;
    asked.key = key;
    asked.tenant = "co-1";
    asked.node = "A";
    asked.agent = "ag-w";
    asked.fingerprint = fingerprint;
    asked.comment = "look at it";
    return asked;
}

WakeRequest wake_request(std::string_view key = "k") {
    WakeRequest asked;
    asked.key = key;
    asked.tenant = "co-1";
    asked.node = asked.task = "A";
    asked.agent = "ag-w";
    asked.payload = "{}";
    return asked;
}

std::string ids_in(const std::vector<TreeNode>& nodes) {
    std::string ids;
    for (const TreeNode& node : nodes) ids += node.id + " ";
    return ids;
}

static_assert(TreeHostLike<ScriptedTree>);

}  // namespace

TEST_CASE("a scripted tree tells what it was given, and nothing twice") {
    ScriptedTree tree;
    ScriptedTree handle = tree;
    handle.show({scripted_node("B", "A"), scripted_node("A")});
    auto first = tree.changes("");
    REQUIRE(first);
    CHECK(first->whole);
    CHECK(ids_in(first->nodes) == "A B ");
    const auto again = tree.changes(first->cursor);
    REQUIRE(again);
    CHECK_FALSE(again->whole);
    CHECK(again->nodes.empty());
    CHECK(again->removed.empty());

    handle.put(scripted_node("C"));
    handle.remove({"co-1", "B"});
    CHECK(handle.edit(scripted_root, [](TreeNode& node) { node.status = "done"; }));
    CHECK_FALSE(handle.edit({"co-2", "A"}, [](TreeNode&) {}));
    const auto later = tree.changes(first->cursor);
    REQUIRE(later);
    CHECK(later->whole);
    CHECK(ids_in(later->nodes) == "A C ");
    CHECK(later->nodes[0].status == "done");

    tree.fail_changes(true);
    CHECK(tree.changes("").error().code == ErrorCode::failed);
    tree.fail_changes(false);
    CHECK(tree.changes(""));
}

TEST_CASE("a scripted tree has one review task for a node, and keeps it") {
    ScriptedTree tree;
    tree.show({scripted_node("A")});
    const auto made = tree.review(review_request());
    REQUIRE(made);
    CHECK(made->note == "review-A");
    CHECK(tree.edit_review(scripted_root, [](TreeNode& review) {
        CHECK(review.parent == "A");
        CHECK(review.origin == review_origin);
        CHECK(review.origin_fingerprint == "f-1");
        CHECK(review.assignee_agent == "ag-w");
        review.status = "done";
        review.claim = ReviewClaim::restored;
    }));
    CHECK(tree.review(review_request("k-2", "f-2"))->note == "review-A");
    CHECK(ids_in(tree.nodes()) == "A review-A ");
    CHECK(tree.nodes()[1].status == "todo");
    CHECK(tree.nodes()[1].origin_fingerprint == "f-2");
    CHECK(tree.nodes()[1].claim == ReviewClaim::legitimate);

    tree.show({scripted_node("B"), scripted_node("A")});
    CHECK(ids_in(tree.nodes()) == "A B review-A ");
    TreeNode listed = scripted_node("V-9", "A");
    listed.origin = review_origin;
    listed.origin_id = "A";
    tree.show({scripted_node("A"), listed});
    CHECK(ids_in(tree.nodes()) == "A V-9 ");
    CHECK(tree.nodes()[1].origin_fingerprint == "f-2");
    CHECK_FALSE(tree.edit_review({"co-1", "B"}, [](TreeNode&) {}));
}

TEST_CASE("each verb of a scripted tree answers as told, and has the effect that goes with it") {
    ScriptedTree tree;
    tree.show({scripted_node("A")});
    const BlockRequest block{"b", "co-1", "A", "nobody is at work"};
    tree.edit(scripted_root, [](TreeNode& node) { node.status = "in_progress"; });
    tree.answer(TreeVerb::review, ControlAnswer::fail);
    tree.answer(TreeVerb::wake, ControlAnswer::timeout_but_done);
    tree.answer(TreeVerb::block, ControlAnswer::reject);
    CHECK(tree.review(review_request()).error().code == ErrorCode::failed);
    CHECK(tree.wake(wake_request("w")).error().code == ErrorCode::timed_out);
    CHECK(tree.block(block).error().code == ErrorCode::rejected);
    CHECK(ids_in(tree.nodes()) == "A ");
    CHECK(tree.nodes()[0].status == "in_progress");
    tree.answer(TreeVerb::block, ControlAnswer::ok);
    CHECK(tree.block(block));
    CHECK(tree.nodes()[0].status == "blocked");

    const auto asked = tree.requests();
    REQUIRE(asked.size() == 4);
    CHECK_FALSE(asked[0].took_effect);
    CHECK(asked[0].text == "look at it");
    CHECK(asked[1].took_effect);
    CHECK(asked[1].verb == TreeVerb::wake);
    CHECK(asked[1].task == "A");
    CHECK(asked[1].text == "{}");
    CHECK_FALSE(asked[2].took_effect);
    CHECK(asked[3].text == "nobody is at work");
}

TEST_CASE("a scripted tree knows keys only if it is told to") {
    ScriptedTree tree;
    tree.show({scripted_node("A")});
    CHECK(tree.find("k").error().code == ErrorCode::unsupported);
    CHECK_FALSE(tree.idempotent());
    CHECK(tree.wake(wake_request()));
    CHECK(tree.wake(wake_request()));
    CHECK(tree.requests()[1].took_effect);
    tree.answer_find(Found::absent);
    CHECK(tree.find("k") == Found::absent);
    tree.find_what_happened();
    CHECK(tree.find("k") == Found::found);
    CHECK(tree.find("other") == Found::absent);
    tree.set_idempotent(true);
    CHECK(tree.wake(wake_request()));
    CHECK_FALSE(tree.requests()[2].took_effect);
}

TEST_CASE("everybody can be given work by a scripted tree as long as nobody is named") {
    ScriptedTree tree;
    CHECK(tree.agent({"co-1", "ag"}) == AgentStanding::active);
    tree.employ({{{"co-1", "ag"}, AgentStanding::paused}});
    CHECK(tree.agent({"co-1", "ag"}) == AgentStanding::paused);
    CHECK(tree.agent({"co-2", "ag"}).error().code == ErrorCode::unknown_run);
}
