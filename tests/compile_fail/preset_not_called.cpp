// expect: heeler: a preset is a function: call it, `presets::recommended()` (README: Presets)
// `start` with the name of a preset.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "one"}, heeler::presets::recommended);
    return run ? 0 : 1;
}
