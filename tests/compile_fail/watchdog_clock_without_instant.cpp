// expect: heeler: a Clock needs `heeler::Instant now()` (README: Write a clock)
// One of the two times only, in a watchdog.
#include <heeler/heeler.hpp>

struct Clock {
    std::chrono::system_clock::time_point now() { return {}; }
};

int main() {
    heeler::Watchdog dog{Clock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    return dog.cycle().ok() ? 0 : 1;
}
