#include <heeler/tree/tree_look.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime look_time{1'800'000'000s};

/// A above B and C, at rest, and perhaps its review V.
struct Looked {
    std::vector<TreeNode> nodes;
    WatchState state;
    TreeSettings settings;
    WallTime now = look_time;

    Looked() {
        for (const auto& [id, parent] : {std::pair{"A", ""}, std::pair{"B", "A"}, std::pair{"C", "A"}}) {
            nodes.emplace_back();
            nodes.back().id = id;
            nodes.back().tenant = "co-1";
            nodes.back().parent = parent;
            nodes.back().status = "blocked";
        }
        nodes[0].title = "Port the parser";
        state.config = {"co-1", "A", "ag-w", {}};
        state.active = true;
        state.revision = 1;
    }
    TreeNode& review(std::string status, std::string bound) {
        nodes.emplace_back();
        TreeNode& made = nodes.back();
        made.id = "V";
        made.tenant = "co-1";
        made.parent = made.origin_id = "A";
        made.origin = review_origin;
        made.status = std::move(status);
        made.origin_fingerprint = std::move(bound);
        return made;
    }
    [[nodiscard]] TreeLook operator()() const {
        TaskTree tree;
        tree.apply({true, nodes, {}, {}});
        return look_at(tree, state, settings, now);
    }
    /// Somebody was woken for the stop as it is now.
    std::string woken(bool for_certain = true) {
        const TreeLook look = (*this)();
        state.lineage = state.bound = state.order.fingerprint = look.fingerprint;
        state.order.attempt = state.order.number = 1;
        state.order.open = !for_certain;
        state.attempts = {{1, look.fingerprint, now}};
        state.woken = {{detail::short_of(look.fingerprint), 1}};
        state.triggers = 1;
        return look.fingerprint;
    }
};

std::string foreign_fingerprint() { return "task_watchdog_stop_v7:abc"; }

}  // namespace

TEST_CASE("a stop that nobody was woken for is one to be woken for [M-149]") {
    Looked at;
    const TreeLook look = at();
    CHECK(look.verdict == TreeVerdict::stopped);
    CHECK(look.due == TreeDue::wake);
    CHECK(look.attempt == 1);
    CHECK(look.number == 1);
    CHECK_FALSE(look.retried);
    CHECK(look.title == "Port the parser");
    CHECK(look.leaf_count == 2);
    CHECK(look.leaves.at(0).id == "B");
    CHECK_FALSE(is_foreign_fingerprint(look.fingerprint));
}

TEST_CASE("what is not watched, moves or is too new is no stop [M-149][M-150]") {
    Looked at;
    SECTION("not armed") {
        at.state.active = false;
        CHECK(at().verdict == TreeVerdict::not_applicable);
        CHECK(at().reason == "The watch is disabled.");
    }
    SECTION("it moves") {
        at.nodes[1].runs = {{"r", "running", "ag", {}}};
        CHECK(at().verdict == TreeVerdict::live);
        CHECK(at().live == std::vector<std::string>{"B"});
    }
    SECTION("new") {
        at.nodes[2].created_at = at.now - 14s;
        CHECK(at().verdict == TreeVerdict::pending_first_run);
        CHECK(at().live == std::vector<std::string>{"C"});
    }
    SECTION("gone") {
        at.nodes.erase(at.nodes.begin());
        CHECK(at().verdict == TreeVerdict::not_applicable);
        CHECK(at().reason == "missing");
    }
    CHECK(at().due == TreeDue::nothing);
    CHECK(at().fingerprint.empty());
}

TEST_CASE("while somebody works on the review, or it is open, nobody else is woken [M-164]") {
    Looked at;
    const std::string stop = at.woken();
    SECTION("open") {
        at.review("todo", stop);
        CHECK(at().verdict == TreeVerdict::review_open);
        CHECK(at().review == "V");
        CHECK(at().when_silent);
    }
    SECTION("in progress") {
        at.review("in_progress", stop);
        CHECK(at().verdict == TreeVerdict::review_open);
    }
    SECTION("somebody is at work") {
        at.review("todo", stop).runs = {{"r", "queued", "ag-w", {}}};
        CHECK(at().verdict == TreeVerdict::review_live);
    }
    SECTION("whoever says that the tree was restored is still at it") {
        TreeNode& review = at.review("done", stop);
        review.claim = ReviewClaim::restored;
        review.runs = {{"r", "running", "ag-w", {}}};
        CHECK(at().verdict == TreeVerdict::review_live);
        CHECK_FALSE(at().restored);
    }
    SECTION("at work on an older stop") {
        at.review("todo", stop).runs = {{"r", "running", "ag-w", {}}};
        at.nodes[1].status = "todo";
        CHECK(at().verdict == TreeVerdict::review_live);
    }
    SECTION("it waits for somebody") {
        at.review("in_review", stop).assignee_user = "ada";
        CHECK(at().verdict == TreeVerdict::review_open);
    }
    CHECK((at().due == TreeDue::nothing || at().when_silent));
}

TEST_CASE("an open review is asked for once more if it shows no sign of life, and then it is a person's [M-164]") {
    Looked at;
    const std::string stop = at.woken();
    TreeNode& review = at.review("in_progress", stop);
    SECTION("its run failed") { review.runs = {{"r", "failed", "ag-w", {}}}; }
    SECTION("its run never began") { review.runs = {{"r", "queued", "ag-w", {}}}; }
    SECTION("nobody took up the wake") { review.wakes = {"queued"}; }
    SECTION("nothing is known of a run") {}
    CHECK((at().when_silent && at().due == TreeDue::wake));
    CHECK((at().attempt == 2 && at().number == 2));
    at.state.reminded = true;
    CHECK((at().when_silent && at().due == TreeDue::escalate));
    at.state.escalated = true;
    CHECK(at().due == TreeDue::nothing);
    at.state.escalated = at.state.reminded = false;
    at.state.attempts.resize(at.settings.most_attempts);
    CHECK(at().due == TreeDue::escalate);
}

TEST_CASE("nobody is reminded of a review that goes on, or waits for people [M-164]") {
    Looked at;
    TreeNode& review = at.review("in_progress", at.woken());
    SECTION("somebody is at work") { review.runs = {{"r", "running", "ag-w", {}}}; }
    SECTION("it waits for a person") {
        review.status = "in_review";
        review.assignee_user = "ada";
    }
    SECTION("of another version") {
        review.origin_fingerprint = foreign_fingerprint();
        review.wakes = {"queued"};
    }
    CHECK(at().due == TreeDue::nothing);
    CHECK_FALSE(at().when_silent);
}

TEST_CASE("whatever its host shows of a review is a sign of life, and words are none [M-164]") {
    Looked at;
    TreeNode& review = at.review("todo", at.woken());
    const std::uint64_t sign = at().sign;
    review.title = "other words";
    at.nodes[1].title = "other words";
    CHECK(at().sign == sign);
    SECTION("status") { review.status = "in_progress"; }
    SECTION("a run") { review.runs = {{"r", "failed", "ag-w", {}}}; }
    SECTION("a wake") { review.wakes = {"queued"}; }
    SECTION("a run that will be tried again") { review.runs = {{"r", "scheduled_retry", "ag-w", {}}}; }
    SECTION("an assignee") { review.assignee_agent = "ag-v"; }
    CHECK(at().sign != sign);
}

TEST_CASE("a review that came to nothing is taken up again [M-162][M-165]") {
    Looked at;
    const std::string stop = at.woken();
    at.review(GENERATE(as<std::string>{}, "cancelled", "backlog", "in_review"), stop);
    const TreeLook look = at();
    CHECK(look.verdict == TreeVerdict::stopped);
    CHECK(look.due == TreeDue::wake);
    CHECK(look.attempt == 2);
    CHECK(look.number == 2);
    CHECK(look.reviewed.empty());
}

TEST_CASE("a review that came to a result marks the stop that it is bound to [M-162][M-163]") {
    Looked at;
    const std::string stop = at.woken();
    const std::string status = GENERATE(as<std::string>{}, "done", "blocked");
    TreeNode& review = at.review(status, stop);
    SECTION("the tree stands as it did") {
        CHECK(at().verdict == TreeVerdict::already_reviewed);
        CHECK(at().reviewed == stop);
    }
    SECTION("the tree has gone on") {
        at.nodes[1].status = "todo";
        CHECK(at().reviewed == stop);
        CHECK(at().verdict == TreeVerdict::stopped);
        CHECK(at().due == TreeDue::wake);
        CHECK(at().attempt == 1);
    }
    SECTION("its run is not over yet") {
        review.runs = {{"r", "running", "ag-w", {}}};
        CHECK(at().verdict == TreeVerdict::already_reviewed);
        CHECK(at().reviewed == stop);
    }
    SECTION("its host does not keep what it is bound to") {
        review.origin_fingerprint.clear();
        CHECK(at().reviewed == stop);
    }
    SECTION("it is bound to something else than the newest wake") {
        review.origin_fingerprint = "task_watchdog_stop:" + std::string(64, 'a');
        CHECK(at().reviewed == review.origin_fingerprint);
        CHECK(at().verdict == TreeVerdict::stopped);
    }
}

TEST_CASE("a stop that was to be restored is woken for again, so often, and then it is a person's [M-171][M-172]") {
    Looked at;
    const std::string stop = at.woken();
    at.review("done", stop).claim = ReviewClaim::restored;
    CHECK(at().restored);
    CHECK(at().reviewed.empty());
    CHECK(at().due == TreeDue::wake);
    CHECK(at().attempt == 2);
    at.state.attempts.resize(at.settings.most_attempts);
    CHECK(at().due == TreeDue::escalate);
    at.state.escalated = true;
    CHECK(at().due == TreeDue::nothing);
    CHECK(at().verdict == TreeVerdict::stopped);
    // What is really new begins anew.
    at.nodes[1].status = "todo";
    CHECK(at().due == TreeDue::wake);
    CHECK(at().attempt == 1);
}

TEST_CASE("a wake that did not happen for certain is the same wake once more [M-158]") {
    Looked at;
    const std::string stop = at.woken(false);
    CHECK(at().retried);
    CHECK(at().due == TreeDue::wake);
    CHECK(at().attempt == 1);
    CHECK(at().number == 1);
    at.review("todo", stop);  // it was made, and nobody was woken
    CHECK(at().retried);
    at.nodes[1].status = "todo";
    CHECK_FALSE(at().retried);
    CHECK(at().attempt == 1);
}

TEST_CASE("a wake that was only recorded is due again after an hour, and one that failed at once [M-158]") {
    Looked at;
    at.now = WallTime{};  // whatever clock its host has
    (void)at.woken(false);
    CHECK(at().due == TreeDue::wake);
    at.state.order.left_out = at.now;
    at.now += 1h - 1s;
    CHECK(at().due == TreeDue::nothing);
    at.now += 1s;
    CHECK(at().due == TreeDue::wake);
}

TEST_CASE("what comes back after other stops has a key of its own [M-158]") {
    Looked at;
    const std::string stop = at.woken();
    at.state.lineage = "another";
    at.state.attempts.clear();
    CHECK(at().attempt == 1);
    CHECK(at().number == 2);
    CHECK(at().fingerprint == stop);
}

TEST_CASE("the review of another version is left alone for its time, then taken over [M-155]") {
    Looked at;
    at.review("todo", foreign_fingerprint());
    CHECK(at().foreign == foreign_fingerprint());
    CHECK(at().verdict == TreeVerdict::review_open);
    at.state.foreign = foreign_fingerprint();
    at.state.foreign_since = at.now;
    at.now += 6h - 1s;
    CHECK(at().due == TreeDue::nothing);
    at.now += 1s;
    CHECK(at().due == TreeDue::wake);
    at.nodes.back().status = "done";
    at.state.foreign_since = at.now;
    CHECK(at().reviewed.empty());  // what it is about cannot be compared
    CHECK(at().due == TreeDue::wake);
}

TEST_CASE("a reviewed stop stays reviewed when leaves go, where that is wanted [M-154]") {
    Looked at;
    at.settings.rules.shrink_is_reviewed = GENERATE(true, false);
    const TreeLook look = at();
    CHECK(look.digests.empty() != at.settings.rules.shrink_is_reviewed);
    at.state.reviewed = look.fingerprint;
    at.state.reviewed_leaves = look.digests;
    CHECK(at().verdict == TreeVerdict::already_reviewed);
    at.nodes.pop_back();
    CHECK((at().verdict == TreeVerdict::already_reviewed) == at.settings.rules.shrink_is_reviewed);
}

TEST_CASE("what is waited for is told in words, and not without end [M-159]") {
    Looked at;
    at.nodes[1].interactions = {{"i-1", "pending", "request_confirmation"}, {"i-2", "answered", "question"}};
    at.nodes[2].approvals = {{"ap-1", "revision_requested", {}}};
    CHECK(at().waits == 2);
    CHECK(at().wait_texts == std::vector<std::string>{"request_confirmation i-1 of B", "approval ap-1 of C"});
    at.nodes[1].interactions[0].about = "plan";
    CHECK(at().wait_texts.front() == "request_confirmation about plan i-1 of B");
    at.nodes[0].approvals = {{"ap-0", "pending", {}}};  // what is counted is named, also above the leaves
    CHECK(at().waits == 3);
    CHECK(at().wait_texts.front() == "approval ap-0 of A");
    CHECK(at().wait_texts.size() == 3);
    for (int i = 0; i < 100; ++i) {
        at.nodes.push_back(at.nodes[1]);
        at.nodes.back().id = "N" + std::to_string(i);
    }
    const TreeLook look = at();
    CHECK(look.leaves.size() == 25);
    CHECK(look.leaf_count == 102);
    CHECK(look.leaf_ids.size() == 102);
    CHECK(look.wait_texts.size() == 25);
    for (TreeNode& each : at.nodes) each.runs = {{"run of " + each.id, "running", "ag", {}}};
    CHECK(at().live.size() == at.nodes.size());
}

TEST_CASE("a review is open until it comes to a result, and while it waits for people [M-177]") {
    Looked at;
    const std::string stop = at.woken();
    CHECK_FALSE(at().is_open);  // there is none
    TreeNode& review = at.review("todo", stop);
    const std::string open = GENERATE(as<std::string>{}, "todo", "in_progress", "in_review");
    review.status = open;
    review.assignee_user = "ada";
    CHECK(at().is_open);
    at.nodes[1].status = "todo";  // whatever the tree does
    CHECK(at().is_open);
    review.status = GENERATE(as<std::string>{}, "done", "cancelled", "blocked", "backlog");
    CHECK_FALSE(at().is_open);
}

TEST_CASE("who goes on with a review that waits [M-162]") {
    TreeNode review;
    review.status = "in_review";
    CHECK_FALSE(has_waiting_path(review));
    CHECK_FALSE(is_disposed(review));
    CHECK_FALSE(is_open_review(review));
    SECTION("a person") { review.assignee_user = "ada"; }
    SECTION("a named stage") { review.has_reviewer = true; }
    SECTION("another look") { review.has_monitor = true; }
    SECTION("an answer") { review.interactions = {{"i", {}, {}}}; }
    SECTION("an approval") { review.approvals = {{"a", "pending", {}}}; }
    CHECK(has_waiting_path(review));
    CHECK(is_disposed(review));
    CHECK(is_open_review(review));
    review.status = "cancelled";
    CHECK_FALSE(is_disposed(review));
    CHECK_FALSE(is_open_review(review));
}
