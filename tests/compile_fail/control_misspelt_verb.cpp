// expect: heeler: an AgentControl's verbs are `inject pause resume isolate snapshot terminate prove_stopped spawn find retire`; one of this type's is misspelt (README: Write an agent control)
// It would never be asked to terminate.
#include <heeler/heeler.hpp>

struct Agents {
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest&) { return heeler::ActionDone{}; }
    heeler::Result<heeler::ActionDone> kill(const heeler::ActionRequest&) { return heeler::ActionDone{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Agents agents;
    dog.attach(agents);
}
