#include <heeler/tree/stranded_rule.hpp>

#include <optional>
#include <string>
#include <utility>

#include <heeler/core/detector.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr WallTime stranded_time{1'800'000'000s};

/// A node of an agent, looked at now and then.
struct StrandedNode {
    StrandedRule rule;
    StrandedRule::Settings settings;
    StrandedState state;
    Run run;
    WallTime now = stranded_time;
    std::optional<WallTime> created{};

    StrandedNode() { run.id = "orphan:co-1/W"; }

    bool look(bool live, bool stranded) {
        StrandedLook seen{now, "co-1", "W", "ag-1", created, live, stranded};
        const std::string text = encoded(std::move(seen));
        Observation observed;
        observed.event = Reading{StrandedRule::kind, text};
        rule.learn(state, settings, observed);
        return found().has_value();
    }
    void acted(ActionKind kind, ActionOutcome outcome) {
        Observation observed;
        observed.event = Acted{kind, outcome, {}};
        rule.learn(state, settings, observed);
    }
    void intervened() {
        Observation observed;
        observed.event = Watermark{};
        rule.learn(state, settings, observed);
    }
    [[nodiscard]] std::optional<Finding> found() { return rule.check(state, settings, run, {}); }
};

TreeNode work_in_progress() {
    TreeNode node;
    node.status = "in_progress";
    node.assignee_agent = "ag-1";
    return node;
}

}  // namespace

TEST_CASE("work in progress of an agent may be orphaned, and no other [M-115]") {
    CHECK(is_work_of_agent(work_in_progress()));
    TreeNode node = work_in_progress();
    SECTION("status") { node.status = GENERATE(as<std::string>{}, "todo", "blocked", "done", "in_review", ""); }
    SECTION("nobody's") { node.assignee_agent.clear(); }
    SECTION("a person's") { node.assignee_user = "ada"; }
    SECTION("a review, which its watch looks after") { node.origin = review_origin; }
    SECTION("hidden") { node.hidden = true; }
    CHECK_FALSE(is_work_of_agent(node));
}

TEST_CASE("stranded work is found for a wake, and once more when that is over [M-115]") {
    StrandedNode at;
    CHECK_FALSE(at.found());
    CHECK_FALSE(at.look(true, false));
    REQUIRE(at.look(false, true));
    CHECK(at.found()->condition == TreeCondition::stranded);
    CHECK(at.found()->evidence.fact("wakes") == 0);
    CHECK_THAT(StrandedRule::describe(*at.found()), ContainsSubstring("nothing will take up"));
    at.acted(ActionKind::wake, GENERATE(ActionOutcome::done, ActionOutcome::unknown));
    at.intervened();          // a person hears of what nobody knows
    CHECK_FALSE(at.found());  // it has its time to begin
    at.now += 15s;
    SECTION("it was taken up and came to an end") {
        CHECK_FALSE(at.look(true, false));
        REQUIRE(at.look(false, true));
    }
    SECTION("nobody came") { REQUIRE(at.look(false, true)); }
    CHECK(at.found()->evidence.fact("wakes") == 1);
    CHECK_THAT(StrandedRule::describe(*at.found()), ContainsSubstring("stopped again"));
    at.acted(ActionKind::block, ActionOutcome::done);
    at.now += 24h;
    CHECK_FALSE(at.look(false, true));
}

TEST_CASE("a wake that did not happen is none [M-115]") {
    StrandedNode at;
    REQUIRE(at.look(false, true));
    at.acted(ActionKind::wake, GENERATE(ActionOutcome::failed, ActionOutcome::rejected, ActionOutcome::skipped));
    REQUIRE(at.found());
    CHECK(at.found()->evidence.fact("wakes") == 0);
}

TEST_CASE("a host that lets nobody take it up is told of once, until it moves [M-115]") {
    StrandedNode at;
    REQUIRE(at.look(false, true));
    for (int time = 1; time <= 3; ++time) at.acted(ActionKind::wake, ActionOutcome::failed);
    REQUIRE(at.found());
    CHECK(at.found()->condition == TreeCondition::refused);
    const auto details = at.rule.details(at.state, at.settings, at.run, *at.found());
    REQUIRE(details.size() == 4);
    CHECK(details[0].value == "W");
    CHECK(details[2].value == "the host refused the wake 3 times in a row");
    CHECK_THAT(details[3].value, ContainsSubstring("asked for the wake again"));
    SECTION("told") { at.intervened(); }
    SECTION("it moved") {
        CHECK_FALSE(at.look(true, false));
        REQUIRE(at.look(false, true));
    }
    REQUIRE(at.found());
    CHECK(at.found()->condition == TreeCondition::stranded);
}

TEST_CASE("work that was just made has its time for a first run [M-115]") {
    StrandedNode at;
    at.created = at.now - 14s;
    CHECK_FALSE(at.look(false, true));
    at.now += 1s;
    CHECK(at.look(false, true));
    at.settings.grace = 0s;
    at.created = at.now;
    CHECK(at.look(false, true));
    CHECK(StrandedRule::validate(at.settings));
    at.settings.grace = -1s;
    CHECK_FALSE(StrandedRule::validate(at.settings));
}

TEST_CASE("a wake and a block of stranded work have a key each [M-115]") {
    StrandedNode at;
    (void)at.look(false, true);
    const auto order = [&](ActionKind kind) { return at.rule.compose_action(at.state, at.settings, at.run, kind); };
    CHECK(order(ActionKind::wake)->key == "orphan_recovery:orphan:co-1/W:wake");
    CHECK_THAT(order(ActionKind::wake)->text,
               ContainsSubstring(R"("wakeReason":"orphan_recovery")") && ContainsSubstring(R"("issueId":"W")"));
    CHECK(order(ActionKind::block)->key == "orphan_recovery:orphan:co-1/W:block");
    CHECK_THAT(order(ActionKind::block)->text, ContainsSubstring("`ag-1`"));
    CHECK_FALSE(order(ActionKind::review));
    const auto record = [&](ActionKind kind, ActionOutcome outcome) {
        return at.rule.record_action(at.state, at.settings, at.run, kind, outcome);
    };
    CHECK(record(ActionKind::wake, ActionOutcome::done)->kind == "issue.orphan_recovery_woken");
    CHECK(record(ActionKind::block, ActionOutcome::done)->kind == "issue.orphan_recovery_blocked");
    CHECK_FALSE(record(ActionKind::wake, ActionOutcome::unknown));
    CHECK_FALSE(record(ActionKind::escalate, ActionOutcome::done));
}

TEST_CASE("damaged looks at stranded work change nothing, and what is remembered survives saving [M-115]") {
    StrandedNode at;
    (void)at.look(false, true);
    at.acted(ActionKind::wake, ActionOutcome::done);
    const std::string saved = encoded(StrandedState{at.state});
    for (const std::string& text : {std::string{}, std::string{"nonsense"}, saved}) {
        Observation observed;
        observed.event = Reading{StrandedRule::kind, text};
        at.rule.learn(at.state, at.settings, observed);
        observed.event = Reading{"other", text};
        at.rule.learn(at.state, at.settings, observed);
    }
    CHECK(encoded(StrandedState{at.state}) == saved);
    const auto loaded = decoded<StrandedState>(saved);
    REQUIRE(loaded);
    CHECK(loaded->woken == stranded_time);
    CHECK(loaded->look.agent == "ag-1");
    for (std::size_t length = 0; length < saved.size(); ++length)
        CHECK_FALSE(decoded<StrandedState>(saved.substr(0, length)));
    static_assert(check_detector<StrandedRule>());
}
