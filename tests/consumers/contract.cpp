// A host's own store, on which the suite that is installed for it runs.
#include <heeler/store/memory_store.hpp>
#include <heeler/testing/contract/store_contract.hpp>

namespace {

class CountingStore {
public:
    explicit CountingStore(heeler::MemoryStore rows) : rows_{std::move(rows)} {}

    heeler::Result<heeler::Snapshot> load() { return rows_.load(); }
    heeler::Result<heeler::List<heeler::DecisionRow>> list() { return rows_.list(); }
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) {
        ++commits;
        return rows_.commit(batch);
    }
    heeler::Result<heeler::History> history(std::string_view run) { return rows_.history(run); }

    int commits = 0;

private:
    heeler::MemoryStore rows_;
};
static_assert(heeler::check_store<CountingStore>());

struct CountingBackend {
    heeler::MemoryStore rows;
    CountingStore open() { return CountingStore{rows}; }
};

}  // namespace

TEST_CASE("a store that counts keeps the contract of stores") { heeler::store_contract::check<CountingBackend>(); }
