// expect: heeler: the verb `inject` of an AgentControl is `heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest&)` (README: Write an agent control)
// A verb that cannot say that it failed.
#include <heeler/heeler.hpp>

struct Agents {
    bool inject(const heeler::ActionRequest&) { return true; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Agents agents;
    dog.attach(agents);
}
