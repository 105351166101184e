// expect: heeler: a Ladder needs `heeler::Decision absorb(const heeler::LadderOutcomes&) const` (README: Write a ladder)
// A ladder that does not hear what came of a rung.
#include <heeler/heeler.hpp>

struct Deaf {
    heeler::Decision climb(const heeler::LadderTurn& turn) const { return heeler::Decision{turn.incident}; }
};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.ladder = Deaf{};
}
