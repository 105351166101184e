// expect: heeler: the verb `carry_out` of a Mailbox is `heeler::Result<void> carry_out(const heeler::Mail&)` (README: Write a mailbox)
// A command that cannot fail would be passed over.
#include <heeler/heeler.hpp>

struct Inbox {
    heeler::Result<std::vector<heeler::Mail>> unread() { return std::vector<heeler::Mail>{}; }
    heeler::Result<void> mark_read(const std::string&) { return {}; }
    void carry_out(const heeler::Mail&) {}
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Inbox inbox;
    dog.attach(inbox);
}
