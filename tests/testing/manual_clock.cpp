#include <heeler/testing/manual_clock.hpp>

#include <heeler/core/concepts.hpp>

#include "support/catch.hpp"

using namespace std::chrono_literals;
using heeler::Elapsed;
using heeler::Instant;
using heeler::ManualClock;
using heeler::WallTime;

static_assert(heeler::check_clock<ManualClock>());

TEST_CASE("a manual clock stands still until it is moved [M-005]") {
    const ManualClock clock{{Elapsed{5s}, WallTime{100s}}};
    CHECK(clock.now().elapsed == Elapsed{5s});
    CHECK(clock.now().elapsed == clock.now().elapsed);
    CHECK(clock.now().wall == WallTime{100s});
}

TEST_CASE("copies of a manual clock show the same time [M-005]") {
    ManualClock clock;
    const ManualClock copy = clock;
    clock.advance(90s);
    CHECK(copy.now().elapsed == Elapsed{90s});
    CHECK(copy.now().wall == WallTime{90s});
}

TEST_CASE("the two lines of a manual clock can part [M-005]") {
    ManualClock clock{{Elapsed{10s}, WallTime{1000s}}};

    SECTION("somebody sets the wall clock back") {
        clock.step_wall(-300s);
        CHECK(clock.now().elapsed == Elapsed{10s});
        CHECK(clock.now().wall == WallTime{700s});
    }
    SECTION("the machine sleeps") {
        clock.suspend(3600s);
        CHECK(clock.now().elapsed == Elapsed{10s});
        CHECK(clock.now().wall == WallTime{4600s});
    }
    SECTION("both are set") {
        clock.set({Elapsed{20s}, WallTime{50s}});
        CHECK(clock.now().elapsed == Elapsed{20s});
        CHECK(clock.now().wall == WallTime{50s});
    }
}
