// expect: heeler: an AgentControl is referred to and must outlive the watchdog: give `control` a variable, not a temporary (README: Write an agent control)
// It would be gone before the first cycle.
#include <heeler/heeler.hpp>

struct Agents {
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest&) { return heeler::ActionDone{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    dog.control(Agents{});
}
