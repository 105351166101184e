// expect: heeler: an AgentControl needs at least one of the verbs `inject pause resume isolate snapshot terminate prove_stopped spawn find retire` (README: Write an agent control)
// It can do nothing.
#include <heeler/heeler.hpp>

struct Agents {
    void nudge(std::string_view) {}
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Agents agents;
    dog.control(agents);
}
