// Keeps what it watches in SQLite, as the README's orchestrator does.
#include <heeler/heeler.hpp>
#include <heeler/store/sqlite_store.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::SqliteStore{":memory:"}, heeler::LogNotifier{}};
    return dog.start({.name = "nightly-refactor", .task = "Make the tests pass"}, heeler::presets::recommended()) ? 0
                                                                                                                  : 1;
}
