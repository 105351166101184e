// A store of your own: what was stored is read once, then batches are written, each as a whole or not at all. This one
// has a shipped store do the work. That yours does what a store must is tested by
// heeler/testing/contract/store_contract.hpp.
#include <cstdio>

#include <heeler/heeler.hpp>

namespace {

class CountingStore {
public:
    heeler::Result<heeler::Snapshot> load() { return inner_.load(); }
    heeler::Result<heeler::List<heeler::DecisionRow>> list() { return inner_.list(); }
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch& batch) {
        rows += batch.runs.size();
        return inner_.commit(batch);
    }
    heeler::Result<heeler::History> history(std::string_view run) { return inner_.history(run); }

    std::size_t rows = 0;

private:
    heeler::MemoryStore inner_;
};
static_assert(heeler::check_store<CountingStore>());

}  // namespace

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, CountingStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "nightly-refactor"}, heeler::presets::recommended());
    if (!run || run->not_stored) return 1;
    const std::size_t before = dog.store().rows;
    if (!dog.finish(*run)) return 1;
    const auto kept = dog.store().history("nightly-refactor");
    if (!kept || !kept->row) return 1;
    std::printf("the run is stored before start() returns: %s\n", before > 0 ? "yes" : "no");
    std::printf("and its end before finish() returns: %s\n", name_of(kept->row->state).data());
}
