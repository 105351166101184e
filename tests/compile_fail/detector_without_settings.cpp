// expect: heeler: a Detector needs a copyable type `Settings` with defaults (README: Write a detector)
// Settings that must be given a value.
#include <heeler/core/concepts.hpp>

struct Quiet {
    static constexpr std::string_view kind = "quiet";

    struct Settings {
        explicit Settings(int);
    };
    struct Memory {
        int seen = 0;
    };

    void learn(Memory&, const Settings&, const heeler::Observation&) const;
    std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const;
};

static_assert(heeler::check_detector<Quiet>());
