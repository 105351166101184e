// expect: heeler: a preset is a function: call it, `presets::recommended()` (README: Presets)
// `attach` with the name of a preset.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    return dog.attach({.name = "one"}, heeler::presets::long_run) ? 0 : 1;
}
