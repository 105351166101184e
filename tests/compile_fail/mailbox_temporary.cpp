// expect: heeler: what is attached is referred to and must outlive the watchdog: give `attach` a variable, not a temporary (README: Handles and lifetimes)
// It would be gone before the first cycle.
#include <heeler/heeler.hpp>

struct Inbox {
    heeler::Result<std::vector<heeler::Mail>> unread() { return std::vector<heeler::Mail>{}; }
    heeler::Result<void> mark_read(const std::string&) { return {}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    dog.attach(Inbox{});
}
