#include <heeler/clock/system_clock.hpp>

#include <chrono>

#include <heeler/core/concepts.hpp>

#include "support/catch.hpp"

static_assert(heeler::check_clock<heeler::SystemClock>());

TEST_CASE("the system clock is monotonic and knows the date [M-006]") {
    heeler::SystemClock clock;
    const auto before = std::chrono::system_clock::now();
    const auto first = clock.now();
    const auto second = clock.now();
    const auto after = std::chrono::system_clock::now();

    CHECK(second.elapsed >= first.elapsed);
    CHECK(first.wall >= std::chrono::floor<heeler::Duration>(before));
    CHECK(second.wall <= after);
}
