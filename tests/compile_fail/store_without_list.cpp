// expect: heeler: a Store needs `heeler::Result<heeler::List<heeler::DecisionRow>> list()` (README: Write a store)
// A store without decisions.
#include <heeler/core/concepts.hpp>

struct Store {
    heeler::Result<heeler::Snapshot> load();
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch&);
    heeler::Result<heeler::History> history(std::string_view);
};

static_assert(heeler::check_store<Store>());
