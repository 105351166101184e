// expect: heeler: a Ladder needs `heeler::Decision absorb(const heeler::Incident&, const std::vector<heeler::Action>&, heeler::Duration now, heeler::Elapsed, heeler::Duration verify_after) const` (README: Write a ladder)
// A ladder that does not hear what came of a rung.
#include <heeler/heeler.hpp>

struct Deaf {
    heeler::Decision climb(const heeler::Incident& incident, const heeler::Judgement&, heeler::Duration,
                           heeler::Elapsed, heeler::Duration) const {
        return heeler::Decision{incident};
    }
};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.ladder = Deaf{};
}
