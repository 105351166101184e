#include <heeler/detect/heartbeat_contract.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using facts::sample;
using facts::Taught;
using ByIntervals = Taught<HeartbeatContract<Intervals>>;

namespace {

At with_metric(std::int64_t value) {
    At at{300s};
    at.run.reported_value = value;
    return at;
}

}  // namespace

TEST_CASE("two intervals without a change are a stall, one is not [M-031]", "[M-031]") {
    ByIntervals rule;
    rule.learn(sample(5, 0));
    CHECK_FALSE(rule.check(with_metric(5)));
    rule.learn(sample(5, 0));
    const auto found = rule.check(with_metric(5));
    REQUIRE(found);
    CHECK(found->condition == Condition::stalled);
    CHECK(found->evidence.rule == "zero_delta");
}

TEST_CASE("a change starts the count again [M-031]", "[M-031]") {
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(sample(6, 1)).learn(sample(6, 0));
    CHECK_FALSE(rule.check(with_metric(6)));
}

TEST_CASE("a metric that went back is a new baseline: the streak stays as it is [D-24]", "[D-24]") {
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(sample(1, -4));
    CHECK_FALSE(rule.check(with_metric(1)));
    rule.learn(sample(1, 0));
    CHECK(rule.check(with_metric(1)));
}

TEST_CASE("an interval that was partly unwatched counts against nobody, a change in it counts [D-39]", "[D-39]") {
    IntervalSample broken = sample(5, 0);
    broken.whole = false;
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(broken).learn(broken);
    CHECK_FALSE(rule.check(with_metric(5)));
    broken.delta = 1;
    rule.learn(broken).learn(sample(6, 0));
    CHECK_FALSE(rule.check(with_metric(6)));
}

TEST_CASE("without a metric twice the expected duration decides, strictly [M-032]", "[M-032]") {
    ByIntervals rule;
    At at{1200s};
    at.run.metric = MetricKind::undefined;
    at.run.expected = 600s;
    CHECK_FALSE(rule.check(at));
    At later{1200s + 1us};
    later.run.metric = MetricKind::undefined;
    later.run.expected = 600s;
    REQUIRE(rule.check(later));
    CHECK(rule.check(later)->condition == Condition::stalled);
    CHECK(HeartbeatContract<Intervals>{}.due({}, {}, at.run, 0s) == 1200s + 1us);
}

TEST_CASE("without a metric and an expected duration it cannot judge [M-032] [M-040]", "[M-032]") {
    ByIntervals rule;
    At at{10h};
    at.run.metric = MetricKind::undefined;
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
    at.run.expected = 600s;
    at.run.started.reset();
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
}

TEMPLATE_TEST_CASE("an age above the limit is a stall, the limit itself is not [M-028]", "[M-028]", AliveAge,
                   ActivityAge, ProgressAge) {
    Taught<HeartbeatContract<TestType>> rule;
    rule.settings = {300s, 600s, 0s};
    const auto level_at = [&](Duration age) {
        At at{1000s + age};
        at.run.last_alive = at.run.last_activity = at.run.last_progress = 1000s;
        const auto found = rule.check(at);
        return found ? found->level : Level::none;
    };
    CHECK(level_at(300s) == Level::none);
    CHECK(level_at(300s + 1us) == Level::watch);
    CHECK(level_at(600s) == Level::watch);
    CHECK(level_at(600s + 1us) == Level::nudge);
}

TEST_CASE("an age without a moment to count from is said, not guessed [M-040]", "[M-040]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    const auto found = rule.check(At{10h});
    REQUIRE(found);
    CHECK(found->condition == Condition::not_evaluable);
    CHECK(found->level == Level::none);
    rule.settings.startup_grace = 100s;
    CHECK_FALSE(rule.check(At{700s}));
    CHECK(rule.check(At{700s + 1us})->level == Level::nudge);
}

TEST_CASE("a late cycle and a wait judge no ages [D-23] [D-28]", "[D-28]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    At at{10h};
    at.run.last_progress = 0s;
    at.run.late = true;
    CHECK_FALSE(rule.check(at));
    at.run.late = false;
    CHECK(rule.check(at));
    at.run.waiting_since = at.run.origin;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("it asks to be looked at when silence alone changes its verdict", "[M-028]") {
    const HeartbeatContract<ProgressAge> rule;
    const HeartbeatContract<ProgressAge>::Settings settings{300s, 600s, 0s};
    Run run;
    run.last_progress = 1000s;
    CHECK(rule.due({}, settings, run, 1000s) == 1300s + 1us);
    CHECK(rule.due({}, settings, run, 1300s + 1us) == 1600s + 1us);
    CHECK_FALSE(rule.due({}, settings, run, 1600s + 1us));
    run.last_progress.reset();
    CHECK_FALSE(rule.due({}, settings, run, 0s));
}
