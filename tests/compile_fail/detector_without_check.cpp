// expect: heeler: a Detector needs `std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const` (README: Write a detector)
// A verdict without evidence.
#include <heeler/core/concepts.hpp>

struct Quiet {
    static constexpr std::string_view kind = "quiet";

    struct Settings {
        int limit = 3;
    };
    struct Memory {
        int seen = 0;
    };

    void learn(Memory&, const Settings&, const heeler::Observation&) const;
    bool check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const;
};

static_assert(heeler::check_detector<Quiet>());
