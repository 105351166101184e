#include <heeler/detect/run_timeout.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using Rule = facts::Taught<RunTimeout>;

TEST_CASE("a run may work as long as its limit, and no longer [M-076]") {
    const Rule rule;
    At at{3600s};
    at.run.timeout = 3600s;
    CHECK_FALSE(rule.check(at));
    at.now.elapsed += 1us;
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::timeout);
    CHECK(RunTimeout{}.due({}, {}, at.run, 0s) == 3600s + 1us);
}

TEST_CASE("the run's own limit goes before the class's [M-076]") {
    Rule rule;
    At at{3600s};
    CHECK_FALSE(rule.check(at));
    rule.settings.limit = 60s;
    CHECK(rule.check(at));
    at.run.timeout = 7200s;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("time before the registration counts, time spent waiting does not [D-28]") {
    const Rule rule;
    At at{100s};
    at.run.timeout = 150s;
    CHECK_FALSE(rule.check(at));
    at.run.started = -51s;
    CHECK(rule.check(at));
    at.run.waited = 2s;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("a limit without a start is not evaluable [M-040]") {
    const Rule rule;
    At at{100s};
    at.run.timeout = 1s;
    at.run.started.reset();
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
    CHECK_FALSE(RunTimeout{}.due({}, {}, at.run, 0s));
}

TEST_CASE("A-58: the class's limit of two hours, strictly [M-075]") {
    Rule rule;
    rule.settings.limit = 7200s;
    const auto found_at = [&](Duration age) { return rule.check(At{age}); };
    CHECK_FALSE(found_at(7199s));
    CHECK_FALSE(found_at(7200s));
    const auto found = found_at(7201s);
    REQUIRE(found);
    CHECK(found->condition == Condition::timeout);
    REQUIRE(found->evidence.count == 2);
    CHECK((found->evidence.facts[0].name == "elapsed_s" && found->evidence.facts[0].value == 7201));
    CHECK((found->evidence.facts[1].name == "threshold_s" && found->evidence.facts[1].value == 7200));
    CHECK(RunTimeout{}.due({}, rule.settings, At{0s}.run, 0s) == 7200s + 1us);
}

TEST_CASE("that no time limit is set is said where the class is described [M-076]") {
    CHECK(RunTimeout::bound({}, 60s, 1s) ==
          "  warning: no time limit is set (duration_limit_s); 8h is a usual one, 24h "
          "with lineage_limit_s\n");
    CHECK(RunTimeout::bound({3600s}, 60s, 1s).empty());
    CHECK(RunTimeout::bound({.limit = {}, .lineage_limit = 3600s}, 60s, 1s).empty());
}

TEST_CASE("work may last as long as the limit of its lineage, whoever does it by now [M-076]") {
    Rule rule;
    rule.settings.lineage_limit = 3600s;
    At at{600s};
    at.run.children.edit().first = "first";
    at.run.children.edit().lasted = 3000s;
    CHECK_FALSE(rule.check(at));
    CHECK(RunTimeout{}.due({}, rule.settings, at.run, 0s) == 600s + 1us);
    at.now.elapsed += 1us;
    const auto found = rule.check(at);
    REQUIRE(found);
    CHECK(found->condition == Condition::timeout);
    CHECK(found->level == Level::stop);
    CHECK(found->evidence.rule == "lineage_timeout");
    CHECK(found->evidence.fact("threshold_s") == 3600);
    CHECK(found->subject.view() == "first");
    CHECK(RunTimeout::describe(*found) == "Running for 1 hour, since run first began");
    SECTION("what the run waits for does not count, but for runs below it") {
        at.run.waiting_since = at.now.elapsed - 2us;
        at.run.state = RunState::waiting_human;
        CHECK_FALSE(rule.check(at));
        at.run.state = RunState::waiting_child;
        CHECK(rule.check(at));
    }
    SECTION("the run's own limit is no less") {
        at.run.timeout = 60s;
        rule.settings.lineage_limit = 7200s;
        REQUIRE(rule.check(at));
        CHECK(rule.check(at)->evidence.rule == "timeout");
        CHECK(RunTimeout{}.due({}, rule.settings, at.run, 0s) == 60s + 1us);
    }
}

TEST_CASE("a run that goes on with nobody is a lineage of its own, from its start on [M-076]") {
    Rule rule;
    rule.settings.lineage_limit = 60s;
    At at{61s};
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->subject.view() == "r");
    at.run.started = 1s;
    CHECK_FALSE(rule.check(at));
    CHECK(RunTimeout{}.due({}, rule.settings, at.run, 0s) == 61s + 1us);
    at.run.started.reset();
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
}
