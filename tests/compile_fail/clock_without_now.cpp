// expect: heeler: a Clock needs `heeler::Instant now()` (README: Write a clock)
// A clock that reads one of the two times only.
#include <heeler/core/concepts.hpp>

struct WallClock {
    heeler::WallTime now();
};

static_assert(heeler::check_clock<WallClock>());
