#include <heeler/detect/scaled_thresholds.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("suspicion is a third of the timeout, 5 to 10 min, and critical 40 min at one hour and at four [M-047]") {
    CHECK(scaled_thresholds(1h).warn_after == 10min);
    CHECK(scaled_thresholds(1h).act_after == 40min);
    CHECK(scaled_thresholds(4h).warn_after == 10min);
    CHECK(scaled_thresholds(4h).act_after == 40min);
    CHECK(scaled_thresholds(24min).warn_after == 8min);
    CHECK(scaled_thresholds(24min).act_after == 16min);
    CHECK(scaled_thresholds(12min).warn_after == 5min);
    CHECK(scaled_thresholds(12min).act_after == 8min);
}

TEST_CASE("where 5 min would leave no room suspicion is half of the timeout [M-047]") {
    CHECK(scaled_thresholds(10min).warn_after == 5min);
    CHECK(scaled_thresholds(6min).warn_after == 3min);
    CHECK(scaled_thresholds(6min).act_after == 4min);
}

TEST_CASE("suspicion always comes before critical, and both before the timeout [M-047]") {
    for (Duration timeout = 1ms; timeout < 24h * 3650; timeout += timeout / 7) {
        CAPTURE(timeout.count());
        const auto silence = scaled_thresholds(timeout);
        CHECK(*silence.warn_after < silence.act_after);
        CHECK(silence.act_after < timeout);
        CHECK(HeartbeatContract<ActivityAge>::validate(silence));
    }
}

TEST_CASE("a timeout that is not positive has no levels [M-047]") {
    for (const Duration timeout : {Duration{0}, Duration{-1h}})
        CHECK_FALSE(HeartbeatContract<ActivityAge>::validate(scaled_thresholds(timeout)));
}
