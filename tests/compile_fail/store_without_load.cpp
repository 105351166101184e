// expect: heeler: a Store needs `heeler::Result<heeler::Snapshot> load()` (README: Write a store)
// A store that cannot say that loading failed.
#include <heeler/core/concepts.hpp>

struct Store {
    heeler::Snapshot load();
    heeler::Result<heeler::List<heeler::DecisionRow>> list();
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch&);
    heeler::Result<heeler::History> history(std::string_view);
};

static_assert(heeler::check_store<Store>());
