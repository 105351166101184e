// expect: heeler: `start` and `attach` answer a Result: test it, then use `*run` as the handle (README: Handles and lifetimes)
// The answer of `start` may be an error.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "one"}, heeler::presets::recommended());
    return dog.finish(run) ? 0 : 1;
}
