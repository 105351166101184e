// expect: heeler: `attach` takes an AgentControl (`inject`, `pause`, ...), an IssueSink (`file`), a ContextReset (`clear`) or a Mailbox (`unread`, `mark_read`), and with a run or the name of a class in front a source (`poll`); this type is none of them (README: Where a new thing goes)
// It can do nothing.
#include <heeler/heeler.hpp>

struct Agents {
    void nudge(std::string_view) {}
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Agents agents;
    dog.attach(agents);
}
