// expect: heeler: a Mailbox needs `heeler::Result<std::vector<heeler::Mail>> unread()` (README: Write a mailbox)
// A mailbox that cannot say that it could not be read.
#include <heeler/heeler.hpp>

struct Inbox {
    std::vector<heeler::Mail> unread() { return {}; }
    heeler::Result<void> mark_read(const std::string&) { return {}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Inbox inbox;
    dog.attach(inbox);
}
