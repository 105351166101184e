// expect: heeler: a Detector needs a copyable type `Settings` with defaults (README: Write a detector)
// Numbers that nobody takes.
#include <heeler/heeler.hpp>

struct NoSettings {
    static constexpr std::string_view kind = "no_settings";
    struct Memory {};
    void learn(Memory&, const heeler::Observation&) const {}
};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.detectors.turn_on<NoSettings>({.limit = 3});
}
