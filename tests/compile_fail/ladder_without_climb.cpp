// expect: heeler: a Ladder needs `heeler::Decision climb(const heeler::LadderTurn&) const` (README: Write a ladder)
// A ladder that does not know the time.
#include <heeler/heeler.hpp>

struct Flat {
    heeler::Decision climb(const heeler::Incident& incident, const heeler::Judgement&) const {
        return heeler::Decision{incident};
    }
    heeler::Decision absorb(const heeler::LadderOutcomes& outcomes) const {
        return heeler::Decision{outcomes.incident};
    }
};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.ladder = Flat{};
}
