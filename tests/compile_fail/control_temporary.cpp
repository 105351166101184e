// expect: heeler: what is attached is referred to and must outlive the watchdog: give `attach` a variable, not a temporary (README: Handles and lifetimes)
// It would be gone before the first cycle.
#include <heeler/heeler.hpp>

struct Agents {
    heeler::Result<heeler::ActionDone> inject(const heeler::ActionRequest&) { return heeler::ActionDone{}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    dog.attach(Agents{});
}
