// expect: heeler: a Store needs `heeler::Result<heeler::List<heeler::DecisionRow>> list()` (README: Write a store)
// A store that nobody can ask for decisions, in a watchdog.
#include <heeler/heeler.hpp>

struct Store {
    heeler::Result<heeler::Snapshot> load() { return heeler::Snapshot{}; }
    heeler::Result<heeler::Conflicts> commit(const heeler::Batch&) { return heeler::Conflicts{}; }
    heeler::Result<heeler::History> history(std::string_view) { return heeler::History{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, Store{}, heeler::LogNotifier{}};
    return dog.cycle().ok() ? 0 : 1;
}
