// expect: heeler: a Detector needs `static constexpr std::string_view kind` (README: Write a detector)
// A detector that no finding could name.
#include <heeler/core/concepts.hpp>

struct Quiet {
    struct Settings {
        int limit = 3;
    };
    struct Memory {
        int seen = 0;
    };

    void learn(Memory&, const Settings&, const heeler::Observation&) const;
    std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const;
};

static_assert(heeler::check_detector<Quiet>());
