#include <heeler/testing/fault_store.hpp>

#include <heeler/store/memory_store.hpp>
#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

using namespace heeler;
using store_contract::commit;
using store_contract::history;
using store_contract::ids;
using store_contract::new_run;

namespace {

using Faulty = FaultStore<MemoryStore>;

struct FaultBackend {
    Faulty store;
    Faulty open() { return store; }
    void pass(Duration time) { store.inner().let_pass(time); }
};

/// A store for one watchdog alone.
struct LoneStore {
    Result<Snapshot> load() { return Snapshot{}; }
    Result<List<DecisionRow>> list() { return List<DecisionRow>{}; }
    Result<Conflicts> commit(const Batch&) { return Conflicts{}; }
    Result<History> history(std::string_view) { return History{}; }
};

static_assert(LeasingStoreLike<Faulty>);
static_assert(StoreLike<FaultStore<LoneStore>> && !LeasingStoreLike<FaultStore<LoneStore>>);

Batch batch_of(List<RunBatch> runs) {
    Batch batch;
    batch.runs = std::move(runs);
    return batch;
}

template <class T>
std::string code(const Result<T>& result) {
    return result ? "ok" : std::string{name_of(result.error().code)};
}

}  // namespace

TEST_CASE("without faults FaultStore is the store inside", "[store]") {
    store_contract::check<FaultBackend>();
    lease_contract::check<FaultBackend>();
}

TEST_CASE("leases and claims fail and crash on demand", "[store]") {
    Faulty store;
    const Lease lease = lease_contract::claim(store, "dog", "d");
    const Claim asked = lease_contract::claim_of(lease);
    CHECK(commit(store, {new_run("a"), new_run("b")}).empty());
    store.fail(StoreOperation::claim, ErrorCode::io);
    CHECK(code(store.claim({"dog", "d"}, std::chrono::minutes{1})) == "io");
    CHECK(code(store.release(lease)) == "io");
    CHECK(code(store.claim_runs(asked)) == "io");
    CHECK(code(store.holders()) == "io");
    CHECK(store.calls(StoreOperation::claim) == 5);
    store.heal();

    store.crash_at_commit(1, CrashPoint::before_answer);
    CHECK(lease_contract::claim(store, "dog", "d").epoch == 1);  // neither this is a commit, nor an idle claim
    CHECK(code(store.claim_runs(lease_contract::claim_of(lease, {}))) == "ok");
    CHECK(code(store.claim_runs(asked)) == "lost");
    CHECK(store.dead());
    CHECK(code(store.claim({"dog", "d"}, std::chrono::minutes{1})) == "lost");
    store.revive();
    CHECK(lease_contract::taken(store, asked).empty());  // it was executed
    CHECK(history(store, "a").row->holder == "dog");
}

TEST_CASE("each operation fails on demand until it is healed", "[store]") {
    Faulty store;
    Faulty handle = store;
    CHECK(commit(store, {new_run("a")}).empty());
    handle.fail(StoreOperation::load, ErrorCode::corrupt);
    handle.fail(StoreOperation::list, ErrorCode::busy);
    handle.fail(StoreOperation::history, ErrorCode::io);
    handle.fail(StoreOperation::commit, ErrorCode::full);
    CHECK(code(store.load()) == "corrupt");
    CHECK(code(store.list()) == "busy");
    CHECK(code(store.history("a")) == "io");
    CHECK(code(store.commit(batch_of({new_run("b")}))) == "full");
    handle.heal();
    CHECK(ids(store) == "a ");
    CHECK(store.calls(StoreOperation::load) == 2);
    CHECK(store.calls(StoreOperation::commit) == 2);
    CHECK(store.calls(StoreOperation::history) == 1);
}

TEST_CASE("a commit that answers an error may have been executed", "[store]") {
    Faulty store;
    store.fail(StoreOperation::commit, ErrorCode::timed_out, FaultEffect::executed);
    CHECK(code(store.commit(batch_of({new_run("a")}))) == "timed_out");
    CHECK(ids(store) == "a ");
}

TEST_CASE("commits fail for one run only", "[store]") {
    Faulty store;
    Batch asked;
    asked.decisions = {{0, "a", Verb::ack, {}, "", {}}, {0, "b", Verb::ack, {}, "", {}}};
    CHECK(commit(store, asked).empty());
    store.fail_run("a", ErrorCode::conflict);
    Batch batch = batch_of({new_run("a"), new_run("b")});
    batch.applied = {1, 2};
    CHECK(commit(store, batch) == Conflicts{"a"});
    CHECK(ids(store) == "b ");
    CHECK(store_contract::list(store).size() == 1);
    store.fail_run("c", ErrorCode::io);
    CHECK(code(store.commit(batch_of({new_run("c"), new_run("d")}))) == "io");
    CHECK(ids(store) == "b ");
    store.fail_run("c", ErrorCode::io, FaultEffect::executed);
    CHECK(code(store.commit(batch_of({new_run("c"), new_run("d")}))) == "io");
    CHECK(ids(store) == "b c d ");
}

TEST_CASE("after a crash nothing works until the store is revived", "[store]") {
    Faulty store;
    SECTION("after the answer") {
        store.crash_at_commit(2);
        CHECK(commit(store, {new_run("a")}).empty());
        CHECK(commit(store, {new_run("b")}).empty());
    }
    SECTION("before the answer") {
        store.crash_at_commit(2, CrashPoint::before_answer);
        CHECK(commit(store, {new_run("a")}).empty());
        CHECK(code(store.commit(batch_of({new_run("b")}))) == "lost");
    }
    SECTION("at once") {
        CHECK(commit(store, {new_run("a"), new_run("b")}).empty());
        store.crash_at_commit(0);
    }
    CHECK(store.dead());
    CHECK(code(store.load()) == "lost");
    CHECK(code(store.list()) == "lost");
    CHECK(code(store.history("a")) == "lost");
    CHECK(code(store.commit(batch_of({new_run("c")}))) == "lost");
    CHECK(ids(store.inner()) == "a b ");
    store.revive();
    CHECK(ids(store) == "a b ");
    CHECK(commit(store, {new_run("c")}).empty());
    CHECK(commit(store, {new_run("d")}).empty());
}
