// expect: heeler: `start`, `attach` and `find` answer a Result: test it, then `observe(*run, ...)` (README: Handles and lifetimes)
// The answer of `start` may be an error.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    dog.observe(dog.start({.name = "one"}, heeler::presets::recommended()), heeler::Heartbeat{});
}
