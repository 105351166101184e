#include <heeler/run/restarts.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("starts are counted within a time, and one that is excused is none too many") {
    constexpr RestartIntensity limit{2, 1h};
    constexpr WallTime now{1'800'000'000s};
    detail::Restarts restarts;
    CHECK_FALSE(restarts.forbid(limit, false, now));
    restarts.add(limit, now - 1h);
    restarts.add(limit, now - 1min);
    CHECK_FALSE(restarts.forbid(limit, false, now));  // the first is an hour old
    restarts.add(limit, now);
    CHECK(restarts.starts.size() == 2);
    CHECK(restarts.forbid(limit, false, now));
    CHECK_FALSE(restarts.forbid(limit, true, now));
    CHECK_FALSE(restarts.forbid(limit, false, now + 1h));
    CHECK_FALSE(restarts.forbid({0, 1h}, false, now));
    restarts.poisoned_at = now;
    CHECK(restarts.forbid(limit, true, now + 24h));
    CHECK_FALSE(restarts.forbid({0, 1h}, false, now));
}

TEST_CASE("where nobody counts starts, none are kept") {
    detail::Restarts restarts;
    for (int i = 0; i < 1000; ++i) restarts.add({}, WallTime{std::chrono::seconds{i}});
    CHECK(restarts.starts.empty());
}
