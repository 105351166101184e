#include <heeler/core/time.hpp>

#include <chrono>

#include "support/catch.hpp"

namespace {

using namespace std::chrono_literals;

heeler::Instant instant(heeler::Duration elapsed, heeler::Duration wall) {
    return {heeler::Elapsed{elapsed}, heeler::WallTime{wall}};
}

TEST_CASE("A wall time is placed on the elapsed line relative to now") {
    const auto now = instant(100s, 5000s);
    CHECK(heeler::elapsed_at(now, heeler::WallTime{4990s}) == heeler::Elapsed{90s});
    CHECK(heeler::elapsed_at(now, heeler::WallTime{5010s}) == heeler::Elapsed{110s});
}

TEST_CASE("Wall and elapsed convert back and forth without loss") {
    const auto now = instant(7s, 1'700'000'000s);
    const heeler::Elapsed when{123456us};
    CHECK(heeler::elapsed_at(now, heeler::wall_at(now, when)) == when);
}

TEST_CASE("A duration is shown in seconds with its fraction") {
    CHECK(heeler::in_seconds(1500ms) == Approx(1.5));
    CHECK(heeler::in_seconds(-1us) == Approx(-0.000001));
}

TEST_CASE("Moments that no calendar holds are moved to the nearest that it does") {
    const heeler::WallTime now{1'800'000'000s};
    CHECK(heeler::in_calendar(now) == now);
    const heeler::WallTime past = heeler::in_calendar(heeler::WallTime::min());
    const heeler::WallTime future = heeler::in_calendar(heeler::WallTime::max());
    CHECK(heeler::in_calendar(past - 1us) == past);
    CHECK(heeler::in_calendar(future + 1us) == future);
    using namespace std::chrono;
    CHECK(year_month_day{floor<days>(past)}.year() == year{0});
    CHECK(year_month_day{floor<days>(future)}.year() == year{9999});
}

}  // namespace
