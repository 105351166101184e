// expect: heeler: a Mailbox needs `heeler::Result<void> mark_read(const std::string& id)` (README: Write a mailbox)
// Commands to the watchdog would stay unread for ever.
#include <heeler/heeler.hpp>

struct Inbox {
    heeler::Result<std::vector<heeler::Mail>> unread() { return std::vector<heeler::Mail>{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Inbox inbox;
    dog.attach(inbox);
}
