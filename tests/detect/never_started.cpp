#include <heeler/detect/never_started.hpp>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using Idle = facts::Taught<NeverStarted>;

TEST_CASE("a run without any work is stalled when it lives for more than 120 s [M-043]") {
    const Idle rule;
    At at{120s};
    at.run.last_alive = 119s;
    CHECK_FALSE(rule.check(at));
    at.now.elapsed += 1us;
    const auto found = rule.check(at);
    REQUIRE(found);
    CHECK(found->condition == Condition::stalled);
    CHECK(found->level == Level::nudge);
    CHECK(found->evidence.fact("threshold_s") == 120);
    CHECK(NeverStarted::describe(*found) == "Never started: no work for 2 minutes");
    CHECK(NeverStarted{}.due({}, {}, at.run, 0s) == 120s + 1us);
    CHECK(NeverStarted::bound({}, 60s, 5s) == "  a run that never begins to work is seen within 2m 5s\n");
}

TEST_CASE("who has worked once has started, however long ago [M-043]") {
    const Idle rule;
    At at{24h};
    at.run.last_activity = 1s;
    CHECK_FALSE(rule.check(at));
    CHECK_FALSE(NeverStarted{}.due({}, {}, at.run, 0s));
}

TEST_CASE("it counts from the start of the run, less what it waited [M-043]") {
    const Idle rule;
    At at{121s};
    at.run.started = -60s;
    CHECK(NeverStarted{}.due({}, {}, at.run, 0s) == 60s + 1us);
    at.run.waited = 61s;
    at.now.elapsed -= 1s;
    CHECK_FALSE(rule.check(at));
    at.now.elapsed += 2s;
    CHECK(rule.check(at));
    at.run.waiting_since = at.now.elapsed;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("an unknown start is not evaluable, and a late cycle proves nothing [M-040] [M-043]") {
    const Idle rule;
    At at{10h};
    at.run.late = true;
    CHECK_FALSE(rule.check(at));
    at.run.late = false;
    at.run.started.reset();
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
    CHECK_FALSE(NeverStarted{}.due({}, {}, at.run, 0s));
}

TEST_CASE("what takes long at its start is none of the grace [M-191]") {
    const Idle rule;
    At at{121s};
    CHECK(rule.check(at));
    at.run.excuses.edit().until = 300s;
    CHECK_FALSE(rule.check(at));
    CHECK(NeverStarted{}.due({}, {}, at.run, 0s) == 420s + 1us);
    at.now.elapsed = at.run.origin + 421s;
    CHECK(rule.check(at)->evidence.fact("age_s") == 121);
}

TEST_CASE("a grace that is not positive is refused", "[detect]") {
    CHECK(checked<NeverStarted>({1s}));
    for (const Duration grace : {Duration{0}, Duration{-1s}}) CHECK_FALSE(checked<NeverStarted>({grace}));
}
