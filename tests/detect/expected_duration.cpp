#include <heeler/detect/expected_duration.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using Expecting = facts::Taught<ExpectedDuration>;

TEST_CASE("a run that takes longer than expected is shown, with both numbers and whatever its metric says",
          "[detect]") {
    const Expecting rule;
    At at{1200s};
    at.run.expected = 1200s;
    at.run.reported_value = 7;
    at.run.last_progress = 1199s;
    CHECK_FALSE(rule.check(at));
    at.now.elapsed += 1us;
    const auto found = rule.check(at);
    REQUIRE(found);
    CHECK((found->condition == Condition::overdue && found->level == Level::watch));
    CHECK((found->condition.status() == Status::healthy && !found->condition.opens_incident()));
    CHECK((found->evidence.fact("elapsed_s") == 1200.000001 && found->evidence.fact("threshold_s") == 1200));
    CHECK(ExpectedDuration::describe(*found) == "Running for 20m 0s, expected to take 20m 0s");
    CHECK(ExpectedDuration{}.due({}, {}, at.run, 0s) == 1200s + 1us);
}

TEST_CASE("expected time counts from the start of the run, less what it waited [M-187]", "[detect]") {
    const Expecting rule;
    At at{100s};
    at.run.expected = 120s;
    at.run.started = -60s;
    CHECK(rule.check(at));
    CHECK(ExpectedDuration{}.due({}, {}, at.run, 0s) == 60s + 1us);
    at.run.waited = 40s;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("nothing is expected of a run of which nobody said how long it takes, or when it started [M-187]",
          "[detect]") {
    const Expecting rule;
    At at{24h};
    CHECK_FALSE(rule.check(at));
    CHECK_FALSE(ExpectedDuration{}.due({}, {}, at.run, 0s));
    at.run.expected = 1s;
    at.run.started.reset();
    CHECK_FALSE(rule.check(at));
    CHECK_FALSE(ExpectedDuration{}.due({}, {}, at.run, 0s));
}
