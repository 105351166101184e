// expect: heeler: a Ladder needs `heeler::Decision climb(const heeler::Incident&, const heeler::Judgement&, heeler::Duration now, heeler::Elapsed, heeler::Duration verify_after) const` (README: Write a ladder)
// A ladder that does not know the time.
#include <heeler/heeler.hpp>

struct Flat {
    heeler::Decision climb(const heeler::Incident& incident, const heeler::Judgement&) const {
        return heeler::Decision{incident};
    }
    heeler::Decision absorb(const heeler::Incident& incident, const std::vector<heeler::Action>&, heeler::Duration,
                            heeler::Elapsed, heeler::Duration) const {
        return heeler::Decision{incident};
    }
};

int main() {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.ladder = Flat{};
}
