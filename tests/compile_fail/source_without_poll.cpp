// expect: heeler: a RunSource needs `heeler::Result<heeler::Polled> poll(std::string_view)` (README: Write a source)
// A source that forgets where it was.
#include <heeler/heeler.hpp>

struct Transcript {
    heeler::Polled poll() { return {}; }
};

int main() {
    heeler::Watchdog dog{heeler::SystemClock{}, heeler::MemoryStore{}, heeler::LogNotifier{}};
    Transcript transcript;
    const auto run = dog.start({.name = "one"}, heeler::presets::recommended());
    return run && dog.attach(*run, transcript) ? 0 : 1;
}
