#include <heeler/tree/recovery_batch.hpp>

#include <optional>
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

/// A tree A above B and C, its review V with the run r-1, and Q elsewhere.
struct Batched {
    std::vector<TreeNode> nodes;
    TaskTree tree;
    Scope scope;
    ScopePin pin;
    TreeScan scan;

    Batched() {
        for (const auto& [id, parent] :
             {std::pair{"A", ""}, std::pair{"B", "A"}, std::pair{"C", "A"}, std::pair{"V", "A"}, std::pair{"Q", ""}}) {
            TreeNode node;
            node.id = id;
            node.tenant = "co-1";
            node.parent = parent;
            node.status = "blocked";
            nodes.push_back(std::move(node));
        }
        nodes[3].origin = review_origin;
        nodes[3].origin_id = "A";
        look();
        scope.kind = ScopeKind::watchdog;
        scope.run = "r-1";
        scope.envelope = {"w-1", "co-1", "A", "V", "ag-w", scan.fingerprint, true, 0};
        pin = pin_of("r-1", scan);
    }

    void look() {
        tree.apply({true, nodes, {}, {}});
        scan = classify(tree, {"co-1", "A", 1, {}, nullptr}, {}, WallTime{1'800'000'000s});
    }

    ScopeAnswer ask(const BatchRequest& request, const std::optional<BatchReceipt>& earlier = {}) {
        return check_batch(tree, scope, pin, scan, request, earlier);
    }
};

Mutation part(std::string op, std::string target, std::string ref = {}) {
    Mutation mutation;
    mutation.op = std::move(op);
    mutation.target = std::move(target);
    mutation.ref = std::move(ref);
    return mutation;
}

BatchRequest request_of(std::vector<Mutation> ops, std::string id = "q-1") {
    return {"ag-w", "r-1", std::move(id), std::move(ops)};
}

BatchReceipt receipt_of(const BatchRequest& request, ScopeAnswer answer) {
    return {request.actor_run, request.request_id, std::move(answer)};
}

}  // namespace

TEST_CASE("up to three changes are allowed together [M-170]") {
    Batched at;
    std::vector<Mutation> ops;
    for (const std::size_t count : {1u, 2u, 3u}) {
        ops.resize(count, part("comment", "C"));
        CHECK(at.ask(request_of(ops)).allowed);
    }
    CHECK(at.ask(request_of({part("status", "C", "todo"), part("comment", "A"), part("status", "V", "done")})).allowed);
    ops.resize(4, part("comment", "C"));
    ScopeAnswer answer = at.ask(request_of(ops));
    CHECK((!answer.allowed && answer.refusal == Refusal::malformed && http_status(answer.refusal) == 400));
    answer = at.ask(request_of({}));
    CHECK((!answer.allowed && answer.refusal == Refusal::malformed));
    ops.resize(100'000, part("comment", "C"));
    CHECK(at.ask(request_of(ops)).refusal == Refusal::malformed);
    CHECK(at.ask(request_of({part("comment", "C")}, "")).refusal == Refusal::malformed);
    CHECK(at.pin == pin_of("r-1", at.scan));
}

TEST_CASE("one refusal refuses all, and changes nothing [M-170]") {
    for (const int bad : {0, 1, 2}) {
        Batched at;
        authorise(at.tree, at.scope, at.pin, at.scan, part("status", "B", "todo"));
        at.nodes[1].status = "todo";
        at.look();
        const ScopePin kept = at.pin;
        std::vector<Mutation> ops(3, part("status", "C", "todo"));
        ops[static_cast<std::size_t>(bad)] = part("comment", "Q");
        ScopeAnswer answer = at.ask(request_of(ops));
        CHECK((!answer.allowed && answer.refusal == Refusal::forbidden && at.pin == kept));
        ops[static_cast<std::size_t>(bad)] = part("approval", "C");
        CHECK((at.ask(request_of(ops)).refusal == Refusal::forbidden && at.pin == kept));
        ops[static_cast<std::size_t>(bad)] = part("comment", "V");
        CHECK(at.ask(request_of(ops)).allowed);
        CHECK((at.pin != kept && at.pin.fingerprint == at.scan.fingerprint));
    }
}

TEST_CASE("a batch for a tree that moves, or that others changed, is stale as a whole [M-170] [M-169]") {
    Batched at;
    at.nodes[2].runs = {{"r-c", "queued", "ag-2", ""}};
    at.look();
    const ScopePin kept = at.pin;
    ScopeAnswer answer = at.ask(request_of({part("status", "V", "done"), part("status", "B", "todo")}));
    CHECK((!answer.allowed && answer.refusal == Refusal::stale && answer.state == "live" && at.pin == kept));
    CHECK(at.ask(request_of({part("status", "V", "done")})).allowed);
    at.nodes[2].runs.clear();
    at.nodes[2].assignee_agent = "ag-3";
    at.look();
    answer = at.ask(request_of({part("comment", "B")}));
    CHECK((answer.refusal == Refusal::stale && answer.ids == std::vector<std::string>{"C"} && at.pin == kept));
}

TEST_CASE("the same request is answered the same, and another one after it is refused [M-170]") {
    Batched at;
    const BatchRequest first = request_of({part("status", "C", "todo")});
    const BatchReceipt done = receipt_of(first, at.ask(first));
    REQUIRE(done.answer.allowed);
    authorise(at.tree, at.scope, at.pin, at.scan, first);
    CHECK(at.pin.authorised.size() == 1);
    at.nodes[2].status = "todo";
    at.nodes[2].runs = {{"r-c", "queued", "ag-2", ""}};
    at.look();
    const ScopePin kept = at.pin;
    CHECK(at.ask(first, done) == done.answer);
    CHECK(at.pin == kept);

    const BatchRequest second = request_of({part("comment", "V")}, "q-2");
    const ScopeAnswer answer = at.ask(second, done);
    CHECK((!answer.allowed && answer.refusal == Refusal::stale && answer.reason == "one batch per run"));
    BatchReceipt of_another = done;
    of_another.run = "r-0";
    CHECK(at.ask(second, of_another).allowed);

    const BatchReceipt refused = receipt_of(first, detail::denied(Refusal::stale, "it was live"));
    CHECK(at.ask(first, refused) == refused.answer);
    CHECK(at.ask(second, refused).allowed);
}

TEST_CASE("a batch is seen as a whole [M-170] [M-173]") {
    Batched at;
    at.nodes[2].interactions = {{"i-1", "pending", "request_confirmation", "plan"},
                                {"i-2", "pending", "request_confirmation", "plan"}};
    at.look();
    at.pin = pin_of("r-1", at.scan);
    at.scope.envelope.fingerprint = at.pin.woken;
    const BatchRequest request = request_of({part("resolve_interaction", "C", "i-1"),
                                             part("resolve_interaction", "C", "i-2"), part("status", "C", "todo")});
    REQUIRE(at.ask(request).allowed);
    authorise(at.tree, at.scope, at.pin, at.scan, request);
    at.nodes[2].interactions.clear();
    at.nodes[2].status = "todo";
    at.look();
    CHECK(check_fresh(at.tree, at.scope, at.pin, at.scan, part("comment", "C")).allowed);
    CHECK(at.pin.moved == std::vector<std::string>{"C"});
}

TEST_CASE("a batch speaks for its own run [M-168] [M-170]") {
    Batched at;
    BatchRequest request = request_of({part("comment", "C")});
    request.ops[0].actor_run = "r-2";
    CHECK(at.ask(request).refusal == Refusal::malformed);
    request.ops[0].actor_run = "r-1";
    request.ops[0].actor_agent = "ag-2";
    CHECK(at.ask(request).refusal == Refusal::malformed);
    request.ops[0].actor_agent = "ag-w";
    CHECK(at.ask(request).allowed);
    request.actor_run = request.ops[0].actor_run = "r-2";
    CHECK(at.ask(request).reason == "the scope is that of another run");
    const ScopePin kept = at.pin;
    authorise(at.tree, at.scope, at.pin, at.scan, request);
    CHECK(at.pin == kept);
    BatchRequest of_another = request_of({part("status", "C", "todo")});
    of_another.actor_run = "r-2";
    authorise(at.tree, at.scope, at.pin, at.scan, of_another);
    CHECK(at.pin == kept);

    at.scope.kind = ScopeKind::invalid;
    at.scope.reason = "the run is over";
    const BatchReceipt earlier = receipt_of(request, detail::granted("before"));
    for (const BatchRequest& each : {request, request_of({}), request_of({part("status", "V", "done")})}) {
        const ScopeAnswer answer = at.ask(each, earlier);
        CHECK((!answer.allowed && answer.refusal == Refusal::forbidden && answer.reason == "the run is over"));
    }
    at.scope = {};
    CHECK(at.ask(request_of({part("comment", "Q")})).reason == "ordinary rules apply");
}

TEST_CASE("a receipt survives being stored") {
    BatchReceipt receipt = {"r-1", "q-1", detail::denied(Refusal::stale, "why")};
    receipt.answer.ids = {"B"};
    ArchiveWriter writer{{}};
    writer(receipt);
    BatchReceipt loaded;
    ArchiveReader reader{writer.bytes(), {}};
    reader(loaded);
    CHECK((reader.ok() && reader.at_end() && loaded == receipt));
    for (std::size_t cut = 0; cut < writer.bytes().size(); ++cut) {
        ArchiveReader shorter{std::string_view{writer.bytes()}.substr(0, cut), {}};
        BatchReceipt partial;
        shorter(partial);
        CHECK_FALSE(shorter.ok());
    }
}
