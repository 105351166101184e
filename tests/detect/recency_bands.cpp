#include <heeler/detect/recency_bands.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("A-11: 10 min and 30 min belong to the band between them [M-048]") {
    constexpr RecencyBands bands;
    STATIC_REQUIRE(bands.of(Duration{}) == Band::working);
    STATIC_REQUIRE(bands.of(Duration{9min + 59s}) == Band::working);
    STATIC_REQUIRE(bands.of(Duration{10min} - 1us) == Band::working);
    STATIC_REQUIRE(bands.of(Duration{10min}) == Band::wait);
    STATIC_REQUIRE(bands.of(Duration{30min}) == Band::wait);
    STATIC_REQUIRE(bands.of(Duration{30min} + 1us) == Band::take_over);
    STATIC_REQUIRE(bands.of(Duration{30min + 1s}) == Band::take_over);
    STATIC_REQUIRE(bands.of({}) == Band::restart);
    CHECK(name_of(bands.of(Duration{30min + 1s})) == "take_over");
}

TEST_CASE("bands have an order [M-186]") {
    CHECK(RecencyBands{}.check());
    CHECK(RecencyBands{60s, 60s}.check());
    CHECK_FALSE(RecencyBands{0s, 60s}.check());
    const auto refused = RecencyBands{600s, 599s}.check();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("take_over_above is 599") != std::string::npos);
}
