// expect: heeler: a Notifier needs `heeler::Result<heeler::Receipt> send(const heeler::Alert&)` (README: Write a notifier)
// A notifier that answers with yes or no, in a watchdog.
#include <heeler/heeler.hpp>

struct Pager {
    static constexpr std::string_view name = "pager";

    bool send(const heeler::Alert&) { return true; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, Pager{}};
    return dog.cycle().ok() ? 0 : 1;
}
