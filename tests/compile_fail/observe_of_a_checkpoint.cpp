// expect: heeler: a CheckpointNote is durable: call `checkpoint(run, note)` (README: How it works)
// Durable progress is not coalesced.
#include <heeler/heeler.hpp>

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    const auto run = dog.start({.name = "one"}, heeler::presets::recommended());
    if (run) dog.observe(*run, heeler::CheckpointNote{});
}
