// expect: heeler: a preset is a function: call it, `presets::recommended()` (README: Presets)
// `define` with the name of a preset.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    return dog.define(heeler::presets::recommended) ? 0 : 1;
}
