// expect: heeler: a TreeHost needs `heeler::Result<heeler::ActionDone> wake(const heeler::WakeRequest&)` (README: Watch a task tree)
// A wake that cannot say that it failed.
#include <heeler/heeler.hpp>

#include <heeler/tree/watch/tree_watch.hpp>

struct Tracker {
    heeler::Result<heeler::TreeChanges> changes(std::string_view) { return heeler::TreeChanges{}; }
    heeler::Result<heeler::ActionDone> review(const heeler::ReviewRequest&) { return heeler::ActionDone{}; }
    bool wake(const heeler::WakeRequest&) { return true; }
    heeler::Result<heeler::AgentStanding> agent(const heeler::NodeRef&) { return heeler::AgentStanding::active; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Tracker tracker;
    heeler::TreeWatch watch{dog, tracker};
    return watch.usable() ? 0 : 1;
}
