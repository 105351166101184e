// expect: heeler: a Detector's `Memory` must be trivially copyable or have `archive` (README: Write a detector)
// Memory that a restart would lose.
#include <heeler/core/concepts.hpp>

struct Quiet {
    static constexpr std::string_view kind = "quiet";

    struct Settings {
        int limit = 3;
    };
    struct Memory {
        std::vector<int> seen;
    };

    void learn(Memory&, const Settings&, const heeler::Observation&) const;
    std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const;
};

static_assert(heeler::check_detector<Quiet>());
