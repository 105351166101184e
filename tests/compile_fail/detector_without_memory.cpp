// expect: heeler: a Detector needs a movable type `Memory` with defaults (README: Write a detector)
// Memory that is tied to its place.
#include <heeler/core/concepts.hpp>

struct Quiet {
    static constexpr std::string_view kind = "quiet";

    struct Settings {
        int limit = 3;
    };
    struct Memory {
        Memory() = default;
        Memory(Memory&&) = delete;
    };

    void learn(Memory&, const Settings&, const heeler::Observation&) const;
    std::optional<heeler::Finding> check(const Memory&, const Settings&, const heeler::Run&, heeler::Instant) const;
};

static_assert(heeler::check_detector<Quiet>());
