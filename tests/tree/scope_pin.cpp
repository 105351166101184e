#include <heeler/tree/scope_pin.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

const WallTime pin_day{1'800'000'000s};

/// A tree A above B (done), C (blocked) and P, which has the children P1 and P2; its review V with the run r-1; Q
/// elsewhere. The run was woken for the stop as it is here.
struct Reviewed {
    std::vector<TreeNode> nodes;
    std::shared_ptr<TaskTree> tree;  ///< made anew by each scan
    std::uint64_t revision = 1;
    std::string reviewed;
    Scope scope;
    ScopePin pin;

    Reviewed() {
        for (const auto& [id, parent, status] :
             {std::tuple{"A", "", "in_progress"}, std::tuple{"B", "A", "done"}, std::tuple{"C", "A", "blocked"},
              std::tuple{"P", "A", "in_review"}, std::tuple{"P1", "P", "done"}, std::tuple{"P2", "P", "todo"},
              std::tuple{"V", "A", "todo"}, std::tuple{"Q", "", "todo"}})
            add(id, parent, status);
        at("V").origin = review_origin;
        at("V").origin_id = "A";
        at("V").runs = {{"r-1", "running", "ag-w", ""}};
        at("C").blockers = {"X"};
        const TreeScan stop = scan();
        scope.kind = ScopeKind::watchdog;
        scope.run = "r-1";
        scope.envelope = {"w-1", "co-1", "A", "V", "ag-w", stop.fingerprint, true, 1};
        pin = pin_of("r-1", stop, 1);
    }

    TreeNode& add(std::string id, std::string parent, std::string status) {
        TreeNode node;
        node.id = std::move(id);
        node.tenant = "co-1";
        node.parent = std::move(parent);
        node.status = std::move(status);
        nodes.push_back(std::move(node));
        return nodes.back();
    }

    TreeNode& at(std::string_view id) {
        for (TreeNode& node : nodes)
            if (node.id == id) return node;
        throw std::logic_error{"no such node"};
    }

    void remove(std::string_view id) {
        std::erase_if(nodes, [&](const TreeNode& node) { return node.id == id; });
    }

    void run_on(std::string_view id) { at(id).runs.push_back({"r-of-" + std::string{id}, "running", "ag-x", ""}); }

    TreeScan scan() {
        tree = std::make_shared<TaskTree>();
        tree->apply({true, nodes, {}, {}});
        return classify(*tree, {"co-1", "A", revision, reviewed, nullptr}, {}, pin_day);
    }

    ScopeAnswer fresh(const Mutation& mutation) {
        const TreeScan now = scan();
        return check_fresh(*tree, scope, pin, now, mutation);
    }

    void allow(const Mutation& mutation) {
        const TreeScan now = scan();
        authorise(*tree, scope, pin, now, mutation);
    }

    /// Asks, and is charged with it if it is allowed.
    ScopeAnswer act(const Mutation& mutation) {
        const ScopeAnswer answer = fresh(mutation);
        if (answer.allowed) allow(mutation);
        return answer;
    }
};

Mutation wants(std::string op, std::string target, std::string ref = {}) {
    Mutation mutation;
    mutation.actor_run = "r-1";
    mutation.op = std::move(op);
    mutation.target = std::move(target);
    mutation.ref = std::move(ref);
    return mutation;
}

Mutation wants_child(std::string parent) {
    Mutation mutation = wants("create_child", "");
    mutation.parent = std::move(parent);
    return mutation;
}

bool is_stale(const ScopeAnswer& answer, std::string_view part) {
    return !answer.allowed && answer.refusal == Refusal::stale && answer.reason.find(part) != std::string::npos &&
           !answer.state.empty();
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("a review of the stop it was woken for is fresh [M-169]") {
    Reviewed at;
    for (const std::string op : {"status", "assign", "comment", "block", "monitor"}) {
        const ScopeAnswer answer = at.fresh(wants(op, "C", "done"));
        CHECK((answer.allowed && answer.refusal == Refusal::none));
    }
    at.at("C").title = "another title";
    at.at("A").status = "todo";
    CHECK(at.fresh(wants("status", "B", "todo")).allowed);
}

TEST_CASE("a task that runs, or that somebody else changed, makes a review stale [A-95] [M-169]") {
    Reviewed at;
    const std::string woken = at.scope.envelope.fingerprint;
    at.run_on("C");
    ScopeAnswer answer = at.fresh(wants("status", "C", "todo"));
    CHECK(is_stale(answer, "the watched tree is now live"));
    CHECK((answer.state == "live" && answer.fingerprint.empty() && answer.ids.empty()));
    CHECK(is_stale(at.fresh(wants("comment", "C")), "now live"));

    at.at("C").runs.clear();
    at.at("C").assignee_agent = "ag-3";
    answer = at.fresh(wants("comment", "C"));
    CHECK(is_stale(answer, "stop fingerprint changed"));
    CHECK((answer.state == "stopped" && answer.fingerprint == at.scan().fingerprint && answer.fingerprint != woken));
    CHECK(answer.ids == Ids{"C"});
    CHECK(at.fresh(wants("status", "V", "done")).allowed);
    CHECK(at.pin == pin_of("r-1", Reviewed{}.scan(), 1));

    at.at("C").assignee_agent.clear();
    CHECK(at.fresh(wants("status", "C", "todo")).allowed);
}

TEST_CASE("only a stopped tree is fresh [M-169]") {
    Reviewed at;
    at.reviewed = at.scope.envelope.fingerprint;
    ScopeAnswer answer = at.fresh(wants("comment", "C"));
    CHECK(is_stale(answer, "already reviewed"));
    CHECK((answer.state == "already_reviewed" && answer.fingerprint == at.scope.envelope.fingerprint));
    at.reviewed.clear();
    at.at("A").hidden = true;
    answer = at.fresh(wants("comment", "C"));
    CHECK((is_stale(answer, "no longer watched") && answer.state == "not_applicable"));
    at.remove("A");
    CHECK(is_stale(at.fresh(wants("comment", "C")), "no longer watched"));
    for (int verdict = 0; verdict <= static_cast<int>(TreeVerdict::review_live); ++verdict) {
        TreeScan scan;
        scan.verdict = static_cast<TreeVerdict>(verdict);
        CHECK_FALSE(check_fresh(*at.tree, at.scope, at.pin, scan, wants("comment", "C")).allowed);
    }
}

TEST_CASE("the own review task is always fresh, an invalid scope never [M-169] [M-168]") {
    Reviewed at;
    at.run_on("C");
    CHECK(at.fresh(wants("status", "V", "blocked")).allowed);
    CHECK(at.fresh(wants("comment", "V")).allowed);
    Mutation not_own = wants("comment", "V");
    not_own.own_review_allowed = false;
    CHECK_FALSE(at.fresh(not_own).allowed);
    CHECK_FALSE(at.fresh(wants("create_child", "V")).allowed);
    at.scope.kind = ScopeKind::invalid;
    at.scope.reason = "the run is over";
    const ScopeAnswer answer = at.fresh(wants("status", "V", "done"));
    CHECK((!answer.allowed && answer.refusal == Refusal::forbidden && answer.reason == "the run is over"));
    at.scope.kind = ScopeKind::none;
    CHECK(at.fresh(wants("comment", "C")).allowed);
}

TEST_CASE("without a pin, or with that of another wake, the stop in the scope counts [M-169] [M-173]") {
    for (const int which : {0, 1, 2, 3}) {
        Reviewed at;
        const ScopePin whole = at.pin;
        at.allow(wants("status", "C", "todo"));
        if (which == 0) at.pin = {};
        if (which == 1) at.pin.run = "r-2";
        if (which == 2) at.pin.woken = "another";
        if (which == 3) at.pin.revision = 2;
        CHECK(at.fresh(wants("comment", "C")).allowed);
        at.at("C").status = "todo";
        CHECK(is_stale(at.fresh(wants("comment", "C")), "fingerprint changed"));
        at.pin.fingerprint = at.scan().fingerprint;
        CHECK(is_stale(at.fresh(wants("comment", "C")), "fingerprint changed"));
    }
    Reviewed at;
    at.scope.envelope.fingerprint.clear();
    at.pin = {};
    TreeScan blank;
    blank.verdict = TreeVerdict::stopped;
    CHECK_FALSE(check_fresh(*at.tree, at.scope, at.pin, blank, wants("comment", "C")).allowed);
}

TEST_CASE("a run goes on after what it changed itself, and nothing else after that [M-173]") {
    Reviewed at;
    const std::string woken = at.pin.fingerprint;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    at.at("C").status = "todo";
    REQUIRE(at.act(wants("assign", "B", "ag-9")).allowed);
    CHECK((at.pin.fingerprint == at.scan().fingerprint && at.pin.fingerprint != woken && at.pin.woken == woken));
    at.at("B").assignee_agent = "ag-9";
    CHECK(at.act(wants("comment", "B")).allowed);

    // P2: whatever others change then, it is not the run's own, not even where it was allowed something before.
    Reviewed before = at;
    at.at("P2").status = "blocked";
    ScopeAnswer answer = at.act(wants("comment", "B"));
    CHECK((is_stale(answer, "fingerprint changed") && answer.ids == Ids{"P2"}));
    before.at("C").assignee_user = "ann";
    answer = before.act(wants("comment", "B"));
    CHECK((is_stale(answer, "fingerprint changed") && answer.ids == Ids{"C"}));
}

TEST_CASE("a change of others beside the run's own is refused by name [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    at.at("C").status = "todo";
    at.at("P2").status = "blocked";
    at.remove("B");
    at.add("N", "A", "todo");
    const ScopePin kept = at.pin;
    const ScopeAnswer answer = at.act(wants("comment", "C"));
    CHECK(is_stale(answer, "unrelated_subtree_change"));
    CHECK(answer.reason == "unrelated_subtree_change");
    CHECK(answer.ids == Ids{"B", "N", "P2"});
    CHECK((answer.state == "stopped" && answer.fingerprint == at.scan().fingerprint));
    CHECK(at.pin == kept);
    for (int i = 0; i < 100; ++i) at.add("many-" + std::to_string(i), "A", "todo");
    CHECK(at.act(wants("comment", "C")).ids.size() == 25);
}

TEST_CASE("what is not told of a leaf is no leave to change it [M-173]") {
    Reviewed at;
    for (const std::string op : {"comment", "monitor", "approval", "arm", ""}) at.allow(wants(op, "C"));
    Mutation of_another = wants("status", "C", "todo");
    of_another.actor_run = "r-2";
    at.allow(of_another);
    at.allow(wants("status", ""));
    at.allow(wants("status", "V", "done"));
    CHECK(at.pin.authorised.empty());
    at.at("C").status = "todo";
    CHECK(is_stale(at.act(wants("comment", "C")), "fingerprint changed"));
}

TEST_CASE("a new task is the run's own only where it was to create one [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants_child("P")).allowed);
    Reviewed elsewhere = at;
    Reviewed twice = at;
    Reviewed deeper = at;
    at.add("N1", "P", "todo");
    CHECK(at.act(wants("comment", "N1")).allowed);
    CHECK(at.pin.fingerprint == at.scan().fingerprint);

    elsewhere.add("N1", "A", "todo");
    ScopeAnswer answer = elsewhere.act(wants("comment", "P"));
    CHECK((is_stale(answer, "unrelated_subtree_change") && answer.ids == Ids{"N1"}));

    twice.add("N1", "P", "todo");
    twice.add("N2", "P", "todo");
    CHECK(is_stale(twice.act(wants("comment", "P")), "unrelated_subtree_change"));
    REQUIRE(twice.pin.authorised.size() == 1);
    twice.remove("N2");
    CHECK(twice.act(wants("create_child", "P")).allowed);
    twice.add("N2", "P", "todo");
    CHECK(twice.act(wants("comment", "P")).allowed);

    Reviewed named;
    Mutation of_name = wants_child("P");
    of_name.target = "N1";
    REQUIRE(named.act(of_name).allowed);
    named.add("N2", "P", "todo");
    CHECK(named.act(wants("comment", "P")).ids == Ids{"N2"});
    named.remove("N2");
    named.add("N1", "P", "todo");
    CHECK(named.act(wants("comment", "P")).allowed);

    deeper.add("N1", "P", "todo");
    deeper.add("N2", "N1", "todo");
    CHECK(is_stale(deeper.act(wants("comment", "P")), "unrelated_subtree_change"));

    Reviewed changed;
    REQUIRE(changed.act(wants("status", "P", "todo")).allowed);
    changed.add("N1", "P", "todo");
    CHECK(is_stale(changed.act(wants("comment", "P")), "unrelated_subtree_change"));
}

TEST_CASE("a leaf below which the run created a task is a leaf no more [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants_child("C")).allowed);
    Reviewed vanished = at;
    at.add("C1", "C", "todo");
    CHECK(at.act(wants("assign", "C1", "ag-1")).allowed);
    at.at("C1").assignee_agent = "ag-1";
    CHECK(at.act(wants("comment", "C1")).allowed);
    at.at("C1").assignee_agent = "ag-2";
    CHECK(is_stale(at.act(wants("comment", "C1")), "changed"));

    Reviewed last = vanished;
    last.add("C1", "C", "todo");
    last.remove("P2");
    CHECK(last.act(wants("comment", "B")).ids == Ids{"P2"});
    vanished.remove("C");
    const ScopeAnswer answer = vanished.act(wants("comment", "B"));
    CHECK((is_stale(answer, "unrelated_subtree_change") && answer.ids == Ids{"C"}));

    Reviewed stranger;
    REQUIRE(stranger.act(wants("status", "C", "todo")).allowed);
    stranger.add("C1", "C", "todo");
    CHECK(stranger.act(wants("comment", "C1")).ids == Ids{"C", "C1"});
}

TEST_CASE("another configuration of the watch makes a review stale, whatever the run did [M-152] [M-169] [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    at.revision = 2;
    CHECK(is_stale(at.act(wants("comment", "C")), "fingerprint changed"));
    at.at("C").status = "todo";
    at.scope.envelope.revision = 2;
    CHECK(is_stale(at.act(wants("comment", "C")), "fingerprint changed"));
}

TEST_CASE("without a snapshot nothing is the run's own [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    at.pin.known = false;
    at.at("C").status = "todo";
    CHECK(is_stale(at.act(wants("comment", "C")), "fingerprint changed"));

    Reviewed large;
    for (std::size_t i = 0; i < ScopePin::most_leaves; ++i) large.add("leaf-" + std::to_string(i), "A", "done");
    const TreeScan stop = large.scan();
    large.scope.envelope.fingerprint = stop.fingerprint;
    large.pin = pin_of("r-1", stop, 1);
    CHECK((!large.pin.known && large.pin.leaves.empty()));
    CHECK(large.act(wants("status", "C", "todo")).allowed);
    large.at("C").status = "todo";
    CHECK(is_stale(large.act(wants("comment", "C")), "fingerprint changed"));
    large.remove("leaf-0");
    large.remove("leaf-1");
    large.remove("leaf-2");
    large.remove("leaf-3");
    CHECK(pin_of("r-1", large.scan(), 1).leaves.size() == ScopePin::most_leaves);
    large.pin = pin_of("r-1", large.scan(), 1);
    large.scope.envelope.fingerprint = large.pin.woken;
    CHECK(large.act(wants_child("P")).allowed);
    large.add("N1", "P", "todo");
    CHECK(is_stale(large.act(wants("comment", "C")), "fingerprint changed"));

    large.run_on("C");
    const ScopePin of_live = pin_of("r-1", large.scan(), 1);
    CHECK((!of_live.known && of_live.fingerprint.empty() && of_live.leaves.empty()));
}

TEST_CASE("a task so new that its first run may come makes a review stale, even the run's own [M-173] [M-169]") {
    Reviewed at;
    REQUIRE(at.act(wants_child("P")).allowed);
    at.add("N1", "P", "todo").created_at = pin_day - 1s;
    const ScopeAnswer answer = at.act(wants("comment", "N1"));
    CHECK((is_stale(answer, "waiting for a first run") && answer.state == "pending_first_run"));
    at.at("N1").created_at = pin_day - 15s;
    CHECK(at.act(wants("comment", "N1")).allowed);
}

TEST_CASE("what a run set in motion it may comment on, and no more [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    REQUIRE(at.act(wants_child("P")).allowed);
    at.at("C").status = "in_progress";
    at.run_on("C");
    at.add("N1", "P", "todo").wakes = {"queued"};
    CHECK(at.act(wants("comment", "C")).allowed);
    CHECK(at.pin.comment_only);
    for (const std::string op : {"status", "assign", "block", "create_child", "resolve_interaction", "monitor"})
        CHECK(is_stale(at.act(wants(op, "C", "todo")), "only comment now; what belongs together"));

    Reviewed another = at;
    another.run_on("P2");
    CHECK(is_stale(another.act(wants("comment", "C")), "now live"));
    CHECK_FALSE(another.pin.comment_only);
    another = at;
    another.run_on("A");
    CHECK_FALSE(another.act(wants("comment", "C")).allowed);
    another = at;
    another.add("N2", "P", "todo").wakes = {"queued"};
    CHECK_FALSE(another.act(wants("comment", "C")).allowed);
    another = at;
    another.run_on("P1");
    CHECK_FALSE(another.act(wants("comment", "C")).allowed);
    another = at;
    another.scope.run = "r-2";
    CHECK_FALSE(another.act(wants("comment", "C")).allowed);
    another = at;
    another.pin.known = false;
    CHECK_FALSE(another.act(wants("comment", "C")).allowed);
}

TEST_CASE("a task that was there before is not the run's own, although it was to create one beside it [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants_child("P")).allowed);
    at.run_on("P1");
    CHECK(is_stale(at.act(wants("comment", "P1")), "now live"));
    CHECK_FALSE(at.pin.comment_only);
}

TEST_CASE("a run comments on what it set in motion although it went on in between [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    REQUIRE(at.act(wants_child("P")).allowed);
    at.at("C").status = "todo";
    at.add("N1", "P", "todo");
    REQUIRE(at.act(wants("comment", "C")).allowed);
    CHECK_FALSE(at.pin.comment_only);
    at.run_on("C");
    at.run_on("N1");
    CHECK(at.act(wants("comment", "C")).allowed);
    at.at("C").runs.clear();
    at.at("N1").runs.clear();
    CHECK(at.act(wants("comment", "C")).allowed);
    CHECK_FALSE(at.pin.comment_only);
}

TEST_CASE("a task whose blockers are gone may go on after another change, and only go on [M-174]") {
    Reviewed at;
    const auto moved_on = [&](auto&& change) {
        Reviewed copy = at;
        copy.at("P2").status = "blocked";
        copy.at("C").blockers = {"B"};
        copy.add("X", "Q", "cancelled");
        change(copy);
        return copy;
    };
    const Mutation repair = wants("status", "C", "todo");
    Reviewed gone = moved_on([](Reviewed&) {});
    CHECK(gone.fresh(repair).allowed);
    CHECK(gone.pin == at.pin);
    for (const std::string status : {"done", "cancelled", "in_progress", "in_review", "blocked", "Todo", ""})
        CHECK(is_stale(gone.fresh(wants("status", "C", status)), "changed"));
    for (const std::string op : {"comment", "assign", "block", "monitor"})
        CHECK_FALSE(gone.fresh(wants(op, "C", "todo")).allowed);
    CHECK(is_stale(gone.fresh(wants("status", "P2", "todo")), "changed"));

    const auto allowed = [&](auto&& change) { return moved_on(change).fresh(repair).allowed; };
    CHECK(allowed([](Reviewed& r) { r.at("C").blockers = {"X", "B"}; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.at("C").blockers = {"B", "unknown"}; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.at("C").blockers = {"X", "Q"}; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.at("C").blockers.clear(); }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.at("C").status = "in_review"; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.at("C").parent = "Q"; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.run_on("B"); }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.reviewed = r.scan().fingerprint; }));
    CHECK_FALSE(allowed([](Reviewed& r) { r.scope.kind = ScopeKind::invalid; }));
}

TEST_CASE("a blocker that comes to its end beside the run's own change is a change of others [M-173]") {
    Reviewed at;
    at.add("X", "", "todo");
    const bool own = GENERATE(false, true);
    REQUIRE(at.act(wants(own ? "block" : "status", own ? "C" : "P1", own ? "X" : "todo")).allowed);
    own ? at.at("C").blockers.clear() : void(at.at("P1").status = "todo");
    at.at("X").status = "done";
    const ScopeAnswer answer = at.fresh(wants("comment", "B"));
    CHECK(answer.allowed == own);  // nobody waits for it any more
    CHECK(answer.ids == (own ? Ids{} : Ids{"C"}));
    CHECK((own || at.fresh(wants("status", "C", "todo")).allowed));
}

TEST_CASE("a pin survives being stored, and is bounded") {
    Reviewed at;
    at.add("X", "", "done");
    at.pin = pin_of("r-1", at.scan(), 1);
    REQUIRE(at.pin.gone.size() == 1);
    at.scope.envelope.fingerprint = at.pin.fingerprint;
    const TreeScan now = at.scan();
    for (int i = 0; i < 3000; ++i) authorise(*at.tree, at.scope, at.pin, now, wants_child("P" + std::to_string(i)));
    CHECK(at.pin.authorised.size() == ScopePin::most_grants);
    at.pin.moved = {"C"};
    at.pin.comment_only = true;
    ArchiveWriter writer{{}};
    writer(at.pin);
    ScopePin loaded;
    ArchiveReader reader{writer.bytes(), {}};
    reader(loaded);
    CHECK((reader.ok() && reader.at_end() && loaded == at.pin));
    loaded.leaves[0].values[0] += 1;
    CHECK(loaded != at.pin);

    Reviewed same;
    for (int i = 0; i < 9; ++i) same.allow(wants("status", "C", "todo"));
    CHECK(same.pin.authorised.size() == 1);
}

TEST_CASE("a permission is for one value of one field of one task, and for the stop it was judged on [M-173]") {
    const auto after = [](const Mutation& asked, auto&& change) {
        Reviewed at;
        at.at("C").interactions = {{"i-1", "pending", "request_confirmation", "plan"}, {"i-2", "pending", ""}};
        at.at("C").assignee_user = "ann";
        at.pin = pin_of("r-1", at.scan(), 1);
        at.scope.envelope.fingerprint = at.pin.woken;
        REQUIRE(at.act(asked).allowed);
        change(at.at("C"));
        return at.act(wants("comment", "C")).allowed;
    };
    const Mutation assign = wants("assign", "C", "ag-7");
    CHECK(after(assign, [](TreeNode& c) { c.assignee_agent = "ag-7"; }));
    CHECK(after(assign, [](TreeNode& c) { std::tie(c.assignee_agent, c.assignee_user) = std::tuple{"ag-7", ""}; }));
    CHECK(after(assign, [](TreeNode& c) { c.assignee_user = "ag-7"; }));
    CHECK_FALSE(after(assign, [](TreeNode& c) { c.assignee_agent = "ag-8"; }));
    CHECK_FALSE(after(assign, [](TreeNode& c) { c.assignee_user.clear(); }));
    CHECK_FALSE(after(assign, [](TreeNode& c) { c.status = "done"; }));
    CHECK_FALSE(after(assign, [](TreeNode& c) { std::tie(c.assignee_agent, c.status) = std::tuple{"ag-7", "done"}; }));
    CHECK(after(wants("assign", "C"), [](TreeNode& c) { c.assignee_user.clear(); }));

    CHECK(after(wants("status", "C", "todo"), [](TreeNode& c) { c.status = "todo"; }));
    CHECK_FALSE(after(wants("status", "C", "todo"), [](TreeNode& c) { c.status = "done"; }));
    CHECK_FALSE(after(wants("status", "C"), [](TreeNode& c) { c.status = "todo"; }));

    CHECK(after(wants("block", "C", "Y"), [](TreeNode& c) { c.blockers = {"Y", "X"}; }));
    CHECK_FALSE(after(wants("block", "C", "Y"), [](TreeNode& c) { c.blockers = {"Y"}; }));
    CHECK(after(wants("block", "C", "X"), [](TreeNode& c) { c.blockers.clear(); }));
    CHECK(after(wants("block", "C"), [](TreeNode& c) { c.blockers.clear(); }));
    CHECK_FALSE(after(wants("block", "C", "Y"), [](TreeNode& c) { c.blockers.clear(); }));

    const Mutation resolve = wants("resolve_interaction", "C", "i-1");
    CHECK(after(resolve, [](TreeNode& c) { c.interactions[0].status = "accepted"; }));
    CHECK_FALSE(after(resolve, [](TreeNode& c) { c.interactions[1].status = "accepted"; }));
    CHECK_FALSE(after(resolve, [](TreeNode& c) { c.interactions.clear(); }));
    CHECK_FALSE(after(resolve, [](TreeNode& c) { c.approvals = {{"a-1", "pending", ""}}; }));

    // What was allowed of one stop and refused is no leave to do it in the next.
    Reviewed at;
    REQUIRE(at.act(assign).allowed);
    REQUIRE(at.act(wants("status", "B", "todo")).allowed);
    at.at("B").status = "todo";
    REQUIRE(at.act(wants("comment", "B")).allowed);
    at.at("C").assignee_agent = "ag-7";
    CHECK(at.act(wants("comment", "B")).ids == Ids{"C"});
}

TEST_CASE("what was repaired in a stop of others leaves that stop theirs [M-173] [M-174]") {
    Reviewed at;
    at.at("C").blockers = {"B"};
    at.pin = pin_of("r-1", at.scan(), 1);
    at.scope.envelope.fingerprint = at.pin.woken;
    at.at("P2").status = "in_review";
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    CHECK(at.pin.authorised.empty());
    at.at("C").status = "todo";
    CHECK(at.act(wants("comment", "C")).ids == Ids{"C", "P2"});
    at.at("P2").status = "todo";
    CHECK(at.act(wants("comment", "C")).ids == Ids{"C"});
}

TEST_CASE("a run comments on what it set in motion only as long as nobody else changed the tree [M-173]") {
    Reviewed at;
    REQUIRE(at.act(wants("status", "C", "todo")).allowed);
    at.at("C").status = "in_progress";
    at.run_on("C");
    REQUIRE(at.act(wants("comment", "C")).allowed);
    Reviewed beside = at;
    beside.at("B").status = "todo";
    CHECK_FALSE(beside.act(wants("comment", "C")).allowed);
    at.at("C").assignee_user = "ann";
    CHECK_FALSE(at.act(wants("comment", "C")).allowed);

    Reviewed refused;
    REQUIRE(refused.act(wants("assign", "C", "ag-7")).allowed);
    refused.run_on("C");
    CHECK_FALSE(refused.act(wants("comment", "C")).allowed);

    Reviewed above;
    REQUIRE(above
                .act([] {
                    Mutation child = wants_child("A");
                    child.target = "N1";
                    return child;
                }())
                .allowed);
    above.run_on("P");
    CHECK_FALSE(above.act(wants("comment", "C")).allowed);
}

TEST_CASE("no change of others ever goes unnoticed beside any of the run's own [M-173]") {
    std::mt19937 random{29};
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const Ids leaves{"B", "C", "P1", "P2"};
    int moved = 0;
    for (int round = 0; round < 500; ++round) {
        Reviewed at;
        bool others = false;
        bool own = false;
        const int to_create = pick(3);
        const int created = pick(3);
        Ids allowed;
        for (const std::string& id : leaves)
            if (pick(2) == 0) allowed.push_back(id);
        for (const std::string& id : allowed) at.allow(wants("assign", id, "ag-n"));
        for (int i = 0; i < to_create; ++i) at.allow(wants_child("P"));
        for (const std::string& id : leaves) {
            if (pick(3) != 0) continue;
            // To another agent, or something else of it: that is not what was allowed.
            const int how = pick(6);
            at.at(id).assignee_agent = how == 0 ? "ag-m" : "ag-n";
            if (how == 1) at.at(id).status = "in_review";
            const bool is_own = std::find(allowed.begin(), allowed.end(), id) != allowed.end() && how > 1;
            others = others || !is_own;
            own = own || is_own;
        }
        for (int i = 0; i < created; ++i) at.add("N" + std::to_string(i), "P", "todo");
        others = others || created > to_create;
        const ScopeAnswer answer = at.act(wants("comment", "B"));
        REQUIRE(answer.allowed == !others);
        REQUIRE((at.pin.fingerprint == at.scan().fingerprint) == answer.allowed);
        moved += own && !others ? 1 : 0;
    }
    CHECK(moved > 50);
}
