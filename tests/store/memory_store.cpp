#include <heeler/store/memory_store.hpp>

#include "contract/lease_contract.hpp"
#include "contract/store_contract.hpp"

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
