// expect: heeler: a Detector needs `static constexpr std::string_view kind` (README: Write a detector)
// Any type could be meant.
#include <heeler/heeler.hpp>

struct NotADetector {};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.detectors.turn_on<NotADetector>();
}
