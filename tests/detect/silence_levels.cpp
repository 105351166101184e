#include <heeler/detect/silence_levels.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;

TEST_CASE(
    "A-121: more than 300 s of silence are suspicious, more than 900 s critical, and neither opens an incident "
    "[M-045]") {
    facts::Taught<HeartbeatContract<ActivityAge>> rule;
    rule.settings = silence_levels();
    REQUIRE(HeartbeatContract<ActivityAge>::validate(rule.settings));
    const auto after = [&](Duration silence) {
        At at{100s + silence};
        at.run.last_activity = 100s;
        return rule.check(at);
    };
    CHECK_FALSE(after(300s));
    const auto suspicious = after(300s + 1us);
    REQUIRE(suspicious);
    CHECK((suspicious->level == Level::watch && suspicious->evidence.rule == "suspicious_silence"));
    CHECK(after(900s)->level == Level::watch);
    const auto critical = after(901s);
    REQUIRE(critical);
    CHECK((critical->condition == Condition::silent && critical->level == Level::nudge));
    CHECK(critical->evidence.rule == "critical_silence");
    CHECK((critical->evidence.fact("age_s") == 901 && critical->evidence.fact("threshold_s") == 900));
    CHECK_FALSE(Condition::silent.opens_incident());
    CHECK(name_of(Condition::silent) == "STALLED");
    CHECK(Condition::silent.status() == Status::stalled);
}

TEST_CASE("a run that was never active has no silence to judge [M-045]") {
    facts::Taught<HeartbeatContract<ActivityAge>> rule;
    rule.settings = silence_levels();
    CHECK(rule.check(At{2000s})->condition == Condition::not_evaluable);
}

TEST_CASE("levels leave the other settings of silence as they are [M-045]") {
    HeartbeatContract<ActivityAge>::Settings settings{.act_after = 600s, .veto_within = 900s};
    inform(settings, {60s, 120s});
    CHECK((settings.warn_after == 60s && settings.act_after == 120s && settings.informs));
    CHECK(settings.veto_within == 900s);
    CHECK_FALSE(HeartbeatContract<ActivityAge>::validate(silence_levels({900s, 900s})));
}

TEST_CASE("that silence is only told is said of the class [M-045]") {
    const auto bound = HeartbeatContract<ActivityAge>::bound(silence_levels(), 60s, 60s);
    CHECK(bound == "  silence is seen within 16m 0s, and only told\n");
}
