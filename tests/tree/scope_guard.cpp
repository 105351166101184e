#include <heeler/tree/scope_guard.hpp>

#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

TreeNode guarded(std::string id, std::string parent = {}, std::string status = "todo") {
    TreeNode node;
    node.id = std::move(id);
    node.tenant = "co-1";
    node.parent = std::move(parent);
    node.status = std::move(status);
    return node;
}

/// A above B and C, D below C; the review V of A with a task VC below it; Q and its child QC elsewhere; F of another
/// tenant. The run r-1 of ag-w is on V.
std::vector<TreeNode> guarded_nodes() {
    std::vector<TreeNode> nodes{guarded("A"),      guarded("B", "A", "done"), guarded("C", "A", "blocked"),
                                guarded("D", "C"), guarded("V", "A"),         guarded("VC", "V"),
                                guarded("Q"),      guarded("QC", "Q"),        guarded("F")};
    nodes[2].interactions = {
        {"i-plan", "pending", "request_confirmation", "plan"},    {"i-human", "pending", "ask_owner", "plan"},
        {"i-old", "accepted", "request_confirmation", "plan"},    {"", "pending", "request_confirmation", "plan"},
        {"i-two", "pending", "request_confirmation", "plan"},     {"i-two", "pending", "ask_owner", "plan"},
        {"i-pay", "pending", "request_confirmation", "spending"}, {"i-vague", "pending", "request_confirmation"}};
    nodes[4].origin = review_origin;
    nodes[4].origin_id = "A";
    nodes[4].origin_fingerprint = "fp-1";
    nodes[4].runs = {{"r-1", "running", "ag-w", ""}, {"r-0", "succeeded", "ag-w", ""}};
    nodes[7].interactions = {{"i-plan", "pending", "request_confirmation", "plan"}};
    nodes[8].tenant = "co-2";
    nodes[3].runs = {{"r-d", "running", "ag-w", ""}};
    return nodes;
}

TaskTree guarded_tree(std::vector<TreeNode> nodes = guarded_nodes()) {
    TaskTree tree;
    tree.apply({true, std::move(nodes), {}, {}});
    return tree;
}

WatchBinding binding_a() { return {"w-1", "co-1", "A", "V", "ag-w", "fp-1", true, 1}; }

Mutation asks(std::string op, std::string target = {}, std::string ref = {}) {
    Mutation mutation;
    mutation.actor_agent = "ag-w";
    mutation.actor_run = "r-1";
    mutation.op = std::move(op);
    mutation.target = std::move(target);
    mutation.ref = std::move(ref);
    return mutation;
}

Mutation creates(std::string parent, std::string target = {}) {
    Mutation mutation = asks("create_child", std::move(target));
    mutation.parent = std::move(parent);
    return mutation;
}

Scope scope_by(const TaskTree& tree, const Mutation& mutation, const std::optional<WatchBinding>& binding) {
    return resolve_scope(tree, mutation, [&](const std::string& tenant, const std::string& node) {
        return tenant == "co-1" && node == "A" ? binding : std::nullopt;
    });
}

ScopeAnswer guard(const TaskTree& tree, const Mutation& mutation) {
    return check_scope(tree, scope_by(tree, mutation, binding_a()), mutation);
}
ScopeAnswer guard(const Mutation& mutation) { return guard(guarded_tree(), mutation); }

/// "": allowed; otherwise number and reason.
std::string verdict_on(const ScopeAnswer& answer) {
    CHECK(answer.allowed == (answer.refusal == Refusal::none));
    CHECK_FALSE(answer.reason.empty());
    return answer.allowed ? "" : std::to_string(http_status(answer.refusal)) + " " + answer.reason;
}
std::string verdict_on(const Mutation& mutation) { return verdict_on(guard(mutation)); }

const std::string outside_text = "403 a watchdog can only change the watched tree and its own review task";
const std::string config_text = "403 a watchdog cannot change watchdog configuration";

}  // namespace

TEST_CASE("a reviewer changes the watched tree and its own review task, nothing else [A-93] [M-167]") {
    CHECK(verdict_on(asks("status", "C", "todo")).empty());
    CHECK(verdict_on(asks("comment", "A")).empty());
    CHECK(verdict_on(asks("assign", "D", "ag-2")).empty());
    CHECK(verdict_on(asks("monitor", "B")).empty());
    CHECK(verdict_on(creates("C", "new")).empty());
    CHECK(verdict_on(asks("status", "V", "done")).empty());
    CHECK(verdict_on(asks("comment", "VC")) == outside_text);
    CHECK(verdict_on(asks("comment", "Q")) == outside_text);
    CHECK(verdict_on(asks("comment", "QC")) == outside_text);
    CHECK(verdict_on(asks("comment", "F")) == outside_text);
    CHECK(verdict_on(asks("comment", "nobody")) == outside_text);
    CHECK(verdict_on(asks("comment", "")) == outside_text);
    Mutation elsewhere = asks("comment", "C");
    elsewhere.tenant = "co-2";
    CHECK(verdict_on(elsewhere) == "403 the task belongs to another tenant");
    elsewhere.tenant = "co-1";
    CHECK(verdict_on(elsewhere).empty());
    for (const std::string op : {"arm", "disarm"})
        for (const std::string target : {"A", "C", "V", "Q", ""}) CHECK(verdict_on(asks(op, target)) == config_text);
}

TEST_CASE("what is denied is denied on the own review task too [A-93] [A-97] [M-167]") {
    for (const std::string_view op : denied_operations())
        for (const std::string target : {"A", "C", "V"})
            CHECK(guard(asks(std::string{op}, target)).refusal == Refusal::forbidden);
    CHECK(verdict_on(asks("approval", "C", "p-1")) == "403 a watchdog has no operation `approval`");
    CHECK(verdict_on(asks("run", "D", "r-d")) == "403 a watchdog has no operation `run`");
    CHECK(verdict_on(asks("", "C")) == "403 a watchdog has no operation ``");
    CHECK(verdict_on(asks("STATUS", "C")) == "403 a watchdog has no operation `STATUS`");
    CHECK(verdict_on(asks("x\n\x1b[2J", "C")) == "403 a watchdog has no operation `x `");
    CHECK(guard(asks(std::string(1'000'000, 'x'), "C")).reason.size() < 200);
}

TEST_CASE("every operation of the table is allowed inside the tree and none outside [M-160] [M-167]") {
    for (const std::string_view op : operations()) {
        const std::string ref = op == "resolve_interaction" ? "i-plan" : "todo";
        CHECK(verdict_on(asks(std::string{op}, "C", ref)).empty());
        CHECK(guard(asks(std::string{op}, "QC", ref)).refusal == Refusal::forbidden);
        CHECK(guard(asks(std::string{op}, "VC", ref)).refusal == Refusal::forbidden);
    }
}

TEST_CASE("what a host does not have is refused, on the own review task too [M-160] [M-167]") {
    constexpr std::string_view named[] = {"assign"};
    for (const std::string_view op : operations())
        for (const std::string target : {"C", "V"}) {
            const Mutation mutation = asks(std::string{op}, target, op == "resolve_interaction" ? "i-plan" : "todo");
            const TaskTree tree = guarded_tree();
            Scope scope = scope_by(tree, mutation, binding_a());
            scope.offer = Offer{named};
            const bool has = op == "status" || op == "comment" || op == "assign";
            const std::string refusal = "403 a watchdog has no operation `" + std::string{op} + "`";
            CHECK(verdict_on(check_scope(tree, scope, mutation)) == (has ? "" : refusal));
        }
}

TEST_CASE("the caller may leave the own review task out of it [M-167]") {
    Mutation mutation = asks("status", "V", "done");
    mutation.own_review_allowed = false;
    CHECK(verdict_on(mutation) == outside_text);
}

TEST_CASE("a new task needs a parent in the watched tree [A-93] [M-167]") {
    CHECK(verdict_on(creates("A")).empty());
    CHECK(verdict_on(creates("D", "new")).empty());
    CHECK(verdict_on(asks("create_child", "C")).empty());
    CHECK(verdict_on(asks("create_child")) == "403 creation without a parent in the watched tree");
    for (const std::string parent : {"V", "VC", "Q", "QC", "F", "nobody"}) {
        CHECK(verdict_on(creates(parent, "new")) == "403 the parent of a new task must be of the watched tree");
        CHECK(guard(asks("create_child", parent)).refusal == Refusal::forbidden);
    }
    for (const std::string taken : {"V", "VC", "Q", "QC"})
        CHECK(verdict_on(creates("C", taken)) == "403 a task of this id exists outside the watched tree");
    CHECK(verdict_on(creates("C", "C")).empty());
}

TEST_CASE("only a pending confirmation of a plan in the tree can be resolved [A-96] [M-167]") {
    CHECK(verdict_on(asks("resolve_interaction", "C", "i-plan")).empty());
    for (const std::string ref : {"i-vague", "i-pay", "i-human", "i-old", "i-two", "", "i-none", "i-pla", "i-plan "})
        CHECK(verdict_on(asks("resolve_interaction", "C", ref)) ==
              "403 only a pending request_confirmation about the plan of a task can be resolved");
    CHECK(guard(asks("resolve_interaction", "D", "i-plan")).refusal == Refusal::forbidden);
    CHECK(verdict_on(asks("resolve_interaction", "QC", "i-plan")) == outside_text);
    auto nodes = guarded_nodes();
    nodes[2].interactions = {{"i-plan", "", "request_confirmation", "plan"}};
    nodes[4].interactions = nodes[2].interactions;
    const TaskTree tree = guarded_tree(std::move(nodes));
    CHECK(guard(tree, asks("resolve_interaction", "C", "i-plan")).allowed);
    CHECK_FALSE(guard(tree, asks("resolve_interaction", "V", "i-plan")).allowed);
}

TEST_CASE("blockers are of the same tenant, as far as anybody knows [M-167]") {
    for (const std::string ref : {"D", "Q", "unknown", ""}) CHECK(verdict_on(asks("block", "C", ref)).empty());
    CHECK(verdict_on(asks("block", "C", "F")) == "403 the blocker belongs to another tenant");
    CHECK(verdict_on(asks("block", "V", "F")) == "403 the blocker belongs to another tenant");
}

TEST_CASE("a reviewer ends no task but its own review [M-167]") {
    for (const std::string status : {"done", "cancelled"}) {
        for (const std::string target : {"A", "B", "C", "D"})
            CHECK(verdict_on(asks("status", target, status)) == "403 a watchdog ends no task but its own review task");
        CHECK(verdict_on(asks("status", "V", status)).empty());
    }
    for (const std::string status : {"todo", "in_progress", "in_review", "blocked"})
        CHECK(verdict_on(asks("status", "C", status)).empty());
}

TEST_CASE("no task is moved to a status that there is not [M-167]") {
    for (const std::string status : {"nonsense", "Todo", "todo ", "backlog"})
        for (const std::string target : {"A", "C", "D"})
            CHECK(verdict_on(asks("status", target, status)) ==
                  "403 a watchdog moves a task to todo, in_progress, in_review or blocked only");
    for (const std::string status : {"nonsense", "Done"})
        CHECK(verdict_on(asks("status", "V", status)) == "403 a review task has no such status");
    for (const std::string status : {"todo", "in_progress", "in_review", "blocked", "done", "cancelled", "backlog", ""})
        CHECK(verdict_on(asks("status", "V", status)).empty());
    CHECK(verdict_on(asks("status", "C", "")).empty());
}

TEST_CASE("only a run on a review task has a scope, all others the ordinary rules [A-93] [M-166]") {
    const TaskTree tree = guarded_tree();
    Mutation mutation = asks("comment", "Q");
    for (const std::string run : {"", "nobody", "r-d"}) {
        mutation.actor_run = run;
        const Scope scope = scope_by(tree, mutation, binding_a());
        CHECK(scope.kind == ScopeKind::none);
        CHECK(check_scope(tree, scope, mutation).reason == "ordinary rules apply");
    }
    mutation.actor_run = "r-1";
    const Scope scope = scope_by(tree, mutation, binding_a());
    REQUIRE(scope.kind == ScopeKind::watchdog);
    CHECK((scope.run == "r-1" && scope.envelope.watch == "w-1" && scope.envelope.tenant == "co-1"));
    CHECK((scope.envelope.node == "A" && scope.envelope.review == "V" && scope.envelope.fingerprint == "fp-1"));
    mutation.actor_agent.clear();
    CHECK(scope_by(tree, mutation, binding_a()).kind == ScopeKind::watchdog);

    auto nodes = guarded_nodes();
    nodes[4].runs[0].fingerprint = "fp-0";
    CHECK(scope_by(guarded_tree(std::move(nodes)), mutation, binding_a()).envelope.fingerprint == "fp-0");
}

TEST_CASE("a reviewer without a right to it is denied everything [M-168]") {
    const auto reason = [](const TaskTree& tree, const Mutation& mutation, const std::optional<WatchBinding>& binding) {
        const Scope scope = scope_by(tree, mutation, binding);
        CHECK(scope.kind == ScopeKind::invalid);
        for (const std::string target : {"C", "V", "Q"}) {
            Mutation asked = mutation;
            asked.target = target;
            const ScopeAnswer answer = check_scope(tree, scope, asked);
            CHECK((!answer.allowed && answer.refusal == Refusal::forbidden && answer.reason == scope.reason));
        }
        return scope.reason;
    };
    const TaskTree tree = guarded_tree();
    const Mutation asked = asks("comment", "C");
    Mutation other = asked;
    other.actor_agent = "ag-2";
    CHECK(reason(tree, other, binding_a()) == "the run does not belong to this agent");
    other = asked;
    other.actor_run = "r-0";
    CHECK(reason(tree, other, binding_a()) == "the run is over");
    CHECK(reason(tree, asked, std::nullopt) == "nothing is watched there");
    const auto changed = [&](auto&& change) {
        WatchBinding binding = binding_a();
        change(binding);
        return reason(tree, asked, binding);
    };
    CHECK(changed([](WatchBinding& b) { b.active = false; }) == "nothing is watched there");
    CHECK(changed([](WatchBinding& b) { b.agent = "ag-2"; }) == "the watch does not belong to this agent");
    CHECK(changed([](WatchBinding& b) { b.agent.clear(); }) == "the watch does not belong to this agent");
    CHECK(changed([](WatchBinding& b) { b.review = "V2"; }) == "the watch has another review task");
    CHECK(changed([](WatchBinding& b) { b.tenant = "co-2"; }) == "the watch is of another task");
    CHECK(changed([](WatchBinding& b) { b.node = "Q"; }) == "the watch is of another task");
    auto nodes = guarded_nodes();
    nodes[4].runs[0].agent.clear();
    other = asked;
    other.actor_agent.clear();
    WatchBinding nobodys = binding_a();
    nobodys.agent.clear();
    CHECK(reason(guarded_tree(nodes), other, nobodys) == "the watch does not belong to this agent");
    nodes = guarded_nodes();
    nodes[4].origin_id.clear();
    CHECK(reason(guarded_tree(std::move(nodes)), asked, binding_a()) == "the review task names no watched task");
}

TEST_CASE("a scope holds for its own run only [M-168]") {
    const TaskTree tree = guarded_tree();
    const Scope scope = scope_by(tree, asks("comment", "C"), binding_a());
    Mutation mutation = asks("comment", "C");
    mutation.actor_run = "r-2";
    CHECK(verdict_on(check_scope(tree, scope, mutation)) == "403 the scope is that of another run");
    mutation.actor_run.clear();
    CHECK(check_scope(tree, scope, mutation).allowed);
}

TEST_CASE("a watched task that is gone, or is itself a review task, leaves the own review task only [M-167]") {
    auto nodes = guarded_nodes();
    nodes.erase(nodes.begin());
    const TaskTree gone = guarded_tree(std::move(nodes));
    nodes = guarded_nodes();
    nodes[0].origin = review_origin;
    const TaskTree review = guarded_tree(std::move(nodes));
    for (const TaskTree* tree : {&gone, &review}) {
        CHECK_FALSE(guard(*tree, asks("comment", "C")).allowed);
        CHECK_FALSE(guard(*tree, asks("comment", "A")).allowed);
        CHECK_FALSE(guard(*tree, creates("C", "new")).allowed);
        CHECK(guard(*tree, asks("status", "V", "blocked")).allowed);
    }
}

TEST_CASE("the guard reaches as deep as the watch, and no cycle holds it up [M-167]") {
    auto nodes = guarded_nodes();
    for (int depth = 1; depth <= 104; ++depth)
        nodes.push_back(guarded("n" + std::to_string(depth), depth == 1 ? "A" : "n" + std::to_string(depth - 1)));
    nodes.push_back(guarded("x", "y"));
    nodes.push_back(guarded("y", "x"));
    nodes.push_back(guarded("self", "self"));
    const TaskTree tree = guarded_tree(std::move(nodes));
    CHECK(guard(tree, asks("comment", "n99")).allowed);
    CHECK_FALSE(guard(tree, asks("comment", "n100")).allowed);
    CHECK(guard(tree, creates("n98", "new")).allowed);
    CHECK(verdict_on(guard(tree, creates("n99", "new"))) ==
          "403 the parent is too deep: a task below it is not watched");
    for (const std::string id : {"x", "y", "self"}) CHECK_FALSE(guard(tree, asks("comment", id)).allowed);

    auto looped = guarded_nodes();
    looped[0].parent = "D";
    CHECK(guard(guarded_tree(looped), asks("comment", "D")).allowed);
    CHECK_FALSE(guard(guarded_tree(std::move(looped)), asks("comment", "QC")).allowed);
}

TEST_CASE("empty and endless values are denied") {
    CHECK_FALSE(ScopeAnswer{}.allowed);
    CHECK(check_scope({}, {}, {}).reason == "ordinary rules apply");
    Scope scope;
    scope.kind = ScopeKind::watchdog;
    for (const std::string_view op : operations()) CHECK_FALSE(check_scope({}, scope, asks(std::string{op})).allowed);
    const std::string endless(1'000'000, 'z');
    Mutation mutation = asks("comment", endless, endless);
    mutation.parent = endless;
    for (const std::string_view op : operations()) {
        mutation.op = op;
        const ScopeAnswer answer = guard(mutation);
        CHECK((!answer.allowed && answer.reason.size() < 200));
    }
    mutation.actor_run = endless;
    CHECK(scope_by(guarded_tree(), mutation, binding_a()).kind == ScopeKind::none);
}

TEST_CASE("answers have the numbers that hosts use, and survive being stored") {
    CHECK((http_status(Refusal::none) == 200 && http_status(Refusal::forbidden) == 403));
    CHECK((http_status(Refusal::stale) == 409 && http_status(Refusal::malformed) == 400));
    CHECK(http_status(static_cast<Refusal>(200)) == 403);
    ScopeAnswer told{false, Refusal::stale, "why", {"B", "C"}, "live", "fp"};
    ArchiveWriter writer{{}};
    writer(told);
    ScopeAnswer loaded;
    ArchiveReader reader{writer.bytes(), {}};
    reader(loaded);
    CHECK((reader.ok() && loaded == told));
    ScopeAnswer false_grant{true, Refusal::stale, {}, {}, {}, {}};
    ArchiveWriter damaged{{}};
    damaged(false_grant);
    ArchiveReader second{damaged.bytes(), {}};
    second(loaded);
    CHECK_FALSE(second.ok());
}

TEST_CASE("whatever is asked of whatever tree, nothing outside the watch is ever allowed [M-167]") {
    std::mt19937 random{7};
    const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
    const auto name = [&] { return "n" + std::to_string(pick(24)); };
    std::vector<std::string> ops{"", "batch"};
    for (const Capability& each : capability_table) ops.emplace_back(each.op);
    int allowed = 0;
    for (int round = 0; round < 400; ++round) {
        std::vector<TreeNode> nodes;
        for (int i = 0; i < 24; ++i) {
            TreeNode node = guarded("n" + std::to_string(i), pick(8) == 0 ? "" : name());
            if (pick(8) == 0) node.tenant = "co-2";
            if (pick(8) == 0) node.origin = review_origin;
            nodes.push_back(std::move(node));
        }
        nodes[1].tenant = "co-1";
        nodes[1].origin = review_origin;
        nodes[1].origin_id = "n0";
        nodes[1].runs = {{"r-1", "running", "ag-w", ""}};
        const TaskTree tree = guarded_tree(std::move(nodes));
        std::set<std::string> mine{"n1"};
        for (const auto& visit : tree.walk("co-1", "n0")) mine.insert(visit.node->id);
        for (int i = 0; i < 100; ++i) {
            Mutation mutation = asks(ops[static_cast<std::size_t>(pick(static_cast<int>(ops.size())))],
                                     pick(10) == 0 ? "new" : name(), name());
            if (pick(2) == 0) mutation.parent = name();
            if (pick(4) == 0) mutation.tenant = pick(2) == 0 ? "co-1" : "co-2";
            const Scope scope = resolve_scope(tree, mutation, [](const std::string& tenant, const std::string& node) {
                return std::optional<WatchBinding>{WatchBinding{"w", tenant, node, "n1", "ag-w", "fp", true, 0}};
            });
            REQUIRE(scope.kind == ScopeKind::watchdog);
            if (!check_scope(tree, scope, mutation).allowed) continue;
            ++allowed;
            REQUIRE(is_allowed(mutation.op));
            REQUIRE(mutation.tenant != "co-2");
            if (mutation.op == "create_child") {
                const std::string& parent = mutation.parent.empty() ? mutation.target : mutation.parent;
                REQUIRE((parent != "n1" && mine.count(parent) == 1));
                REQUIRE((tree.find("co-1", mutation.target) == nullptr || mine.count(mutation.target) == 1));
            } else {
                REQUIRE(mine.count(mutation.target) == 1);
            }
        }
    }
    CHECK(allowed > 1000);
}
