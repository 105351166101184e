#include <heeler/tree/watch/tree_ladder.hpp>

#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

Judgement tree_judgement(std::optional<Condition> found, bool progressed = false) {
    Judgement seen;
    seen.worst = found;
    seen.conditions = found ? bit_of(*found) : 0;
    seen.progressed = progressed;
    return seen;
}

std::string plan_in_words(const Decision& decision) {
    std::string text;
    for (const Step& step : decision.plan) text += std::string{name_of(step.action)} + (step.needs ? "! " : " ");
    return text;
}

/// One watch as time goes on.
struct TreeClimber {
    TreeLadder ladder;
    Incident incident;
    Duration now{};

    Decision climb(std::optional<Condition> found, bool progressed = false) {
        Decision decision = ladder.climb({incident, tree_judgement(found, progressed), now, Elapsed{now}, 60s});
        incident = decision.incident;
        return decision;
    }
    Decision absorb(std::vector<std::pair<ActionKind, ActionOutcome>> what) {
        List<Action> actions;
        for (const auto& [kind, outcome] : what) {
            actions.emplace_back();
            actions.back().kind = kind;
            actions.back().outcome = outcome;
        }
        Decision decision = ladder.absorb({incident, actions, now, Elapsed{now}, 60s});
        incident = decision.incident;
        return decision;
    }
};

}  // namespace

TEST_CASE("a stop has its review made, and its reviewer woken only if that worked [M-157][M-158]") {
    TreeClimber at;
    const Decision decision = at.climb(TreeCondition::stopped);
    CHECK(plan_in_words(decision) == "review wake! ");
    CHECK(decision.incident.open());
    CHECK(decision.condition == TreeCondition::stopped);
    CHECK_FALSE(at.absorb({{ActionKind::review, ActionOutcome::done}, {ActionKind::wake, ActionOutcome::done}}).acts());
    CHECK_FALSE(at.climb({}).acts());
    CHECK(at.incident.open());
    CHECK(at.climb({}, true).last == InterventionOutcome::recovered);
    CHECK_FALSE(at.incident.open());
    CHECK_FALSE(at.climb({}, true).acts());
}

TEST_CASE("nothing found and no incident is nothing to do") {
    TreeClimber at;
    CHECK_FALSE(at.climb({}).acts());
    CHECK_FALSE(at.climb({}, true).last);
    CHECK_FALSE(at.climb(Condition::stalled).acts());
    CHECK(at.incident.number == 0);
}

TEST_CASE("a host that refuses is asked after 1, 2, 4 ... minutes, at most an hour, whoever is told meanwhile") {
    const bool no_review = GENERATE(true, false);
    TreeClimber at;
    std::string minutes;
    for (int minute = 0; minute <= 300; ++minute, at.now += 60s) {
        if (!at.climb(TreeCondition::stopped).acts()) continue;
        minutes += std::to_string(minute) + " ";
        const Decision after =
            no_review
                ? at.absorb({{ActionKind::review, ActionOutcome::failed}, {ActionKind::wake, ActionOutcome::blocked}})
                : at.absorb({{ActionKind::review, ActionOutcome::done}, {ActionKind::wake, ActionOutcome::rejected}});
        CHECK_FALSE(after.acts());
        if (minute != 7) continue;
        const Decision told = at.climb(TreeCondition::refused);  // at once, though it is asked again later
        CHECK(plan_in_words(told) == "escalate ");
        CHECK(told.reason == "the host refuses");
        CHECK(told.incident.phase == Phase::climbing);
        CHECK_FALSE(at.absorb({{ActionKind::escalate, ActionOutcome::done}}).acts());
    }
    CHECK(minutes == "0 1 3 7 15 31 63 123 183 243 ");
    CHECK(at.incident.attempts == 0);  // nothing was tried that counts

    at.now += 1h;
    REQUIRE(at.climb(TreeCondition::stopped).acts());
    (void)at.absorb({{ActionKind::review, ActionOutcome::done}, {ActionKind::wake, ActionOutcome::done}});
    CHECK(at.incident.unclear == 0);
}

TEST_CASE("what nobody knows the outcome of is a person's business at once") {
    TreeClimber at;
    (void)at.climb(TreeCondition::stopped);
    const Decision after =
        at.absorb({{ActionKind::review, ActionOutcome::done}, {ActionKind::wake, ActionOutcome::unknown}});
    CHECK_FALSE(after.acts());
    CHECK(after.corrected == InterventionOutcome::unknown);
    const Decision decision = at.climb(TreeCondition::unclear);
    CHECK(plan_in_words(decision) == "escalate ");
    CHECK(decision.reason == "nobody knows whether it happened");
    CHECK(at.incident.phase == Phase::climbing);  // what is missing then is asked for again
}

TEST_CASE("restorations that are used up are told to a person [M-172]") {
    TreeClimber at;
    const Decision decision = at.climb(TreeCondition::unrestored);
    CHECK(plan_in_words(decision) == "escalate ");
    CHECK(decision.reason == "restorations are used up");
    CHECK(decision.incident.attempts == 0);
    CHECK_FALSE(at.absorb({{ActionKind::escalate, ActionOutcome::done}}).acts());
    CHECK_FALSE(at.climb({}).acts());
}

TEST_CASE("what is stranded is woken once, then blocked [M-115]") {
    TreeClimber at;
    CHECK(plan_in_words(at.climb(TreeCondition::stranded)) == "wake ");
    (void)at.absorb({{ActionKind::wake, ActionOutcome::rejected}});
    at.now += 60s;
    CHECK(plan_in_words(at.climb(TreeCondition::stranded)) == "wake ");
    (void)at.absorb({{ActionKind::wake, ActionOutcome::done}});
    at.now += 60s;
    CHECK(plan_in_words(at.climb(TreeCondition::stranded)) == "block ");
}

TEST_CASE("the tree ladder says what it does") {
    CHECK_THAT(TreeLadder{}.describe(), ContainsSubstring("once for each stop") && ContainsSubstring("three times"));
    static_assert(LadderLike<TreeLadder>);
}
