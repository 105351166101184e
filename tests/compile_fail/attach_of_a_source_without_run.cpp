// expect: heeler: `attach` takes an AgentControl (`inject`, `pause`, ...), an IssueSink (`file`), a ContextReset (`clear`) or a Mailbox (`unread`, `mark_read`), and with a run or the name of a class in front a source (`poll`); this type is none of them (README: Where a new thing goes)
// A source is polled for a run, or for the runs of a class: which, it cannot say itself.
#include <heeler/heeler.hpp>

struct Transcript {
    heeler::Result<heeler::Polled> poll(std::string_view) { return heeler::Polled{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Transcript transcript;
    dog.attach(transcript);
}
