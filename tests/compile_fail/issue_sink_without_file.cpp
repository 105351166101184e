// expect: heeler: an IssueSink needs `heeler::Result<heeler::ActionDone> file(const heeler::Issue&)` (README: Write an issue sink)
// A tracker whose failures would be lost.
#include <heeler/heeler.hpp>

struct Tracker {
    void file(const heeler::Issue&) {}
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Tracker tracker;
    dog.attach(tracker);
}
