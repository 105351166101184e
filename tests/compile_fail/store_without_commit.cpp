// expect: heeler: a Store needs `heeler::Result<heeler::Conflicts> commit(const heeler::Batch&)` (README: Write a store)
// A store whose commit does not name the conflicts.
#include <heeler/core/concepts.hpp>

struct Store {
    heeler::Result<heeler::Snapshot> load();
    heeler::Result<heeler::List<heeler::DecisionRow>> list();
    heeler::Result<void> commit(const heeler::Batch&);
    heeler::Result<heeler::History> history(std::string_view);
};

static_assert(heeler::check_store<Store>());
