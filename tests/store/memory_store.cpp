#include <heeler/store/memory_store.hpp>

#include <heeler/spend.hpp>
#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

using namespace heeler;

namespace {

struct MemoryBackend {
    MemoryStore store;
    MemoryStore open() { return store; }
    void pass(Duration time) { store.let_pass(time); }
};

}  // namespace

TEST_CASE("MemoryStore keeps the contract of stores", "[store]") { store_contract::check<MemoryBackend>(); }

TEST_CASE("MemoryStore keeps the contract of leases", "[store]") { lease_contract::check<MemoryBackend>(); }

TEST_CASE("copies of a MemoryStore share one content", "[store]") {
    MemoryStore one;
    MemoryStore other = one;
    CHECK(store_contract::commit(one, {store_contract::new_run("a")}).empty());
    CHECK(store_contract::ids(other) == "a ");
    MemoryStore apart;
    CHECK(store_contract::ids(apart).empty());
}

TEST_CASE("a log in memory holds the newest 256 records of a run, and all that is to be done [M-185]") {
    MemoryStore store;
    Action intended;
    intended.key = "to be done";
    for (int i = 0; i < 300; ++i) {
        RunBatch run = store_contract::new_run("a");
        run.row.version = static_cast<std::uint64_t>(i);
        if (i == 0) run.actions = {intended};
        Action done;
        done.key = std::to_string(i);
        done.outcome = ActionOutcome::done;
        done.intervention = static_cast<std::uint32_t>(i);
        run.actions.push_back(done);
        run.audit = {{{}, std::to_string(i), "a", "{}"}};
        Batch batch;
        batch.runs = {run};
        batch.audit = {{{}, std::to_string(i), "", "{}"}};
        REQUIRE(store_contract::commit(store, batch).empty());
    }
    const History kept = store_contract::history(store, "a");
    REQUIRE(kept.audit.size() == MemoryStore::most_records);
    CHECK(kept.audit.front().kind == "44");
    CHECK(kept.audit.back().kind == "299");
    REQUIRE(kept.actions.size() == MemoryStore::most_records);
    CHECK(kept.actions[0].key == "to be done");
    CHECK(kept.actions[1].key == "45");
    CHECK(kept.actions.back().key == "299");
    CHECK(store_contract::history(store, "").audit.size() == MemoryStore::most_records);
    const auto loaded = store.load()->runs.at(0).actions;
    REQUIRE(loaded.size() == 2);
    CHECK(loaded[0].key == "to be done");
    CHECK(loaded[1].key == "299");
}
