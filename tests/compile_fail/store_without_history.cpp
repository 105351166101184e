// expect: heeler: a Store needs `heeler::Result<heeler::History> history(std::string_view)` (README: Write a store)
// A store without history.
#include <heeler/core/concepts.hpp>

struct Store {
    heeler::Result<heeler::Snapshot> load();
    heeler::Result<heeler::List<heeler::DecisionRow>> list();
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch&);
};

static_assert(heeler::check_store<Store>());
