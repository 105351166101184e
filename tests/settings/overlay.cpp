#include <heeler/settings/overlay.hpp>

#include <cmath>
#include <limits>

#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/liveness_counter.hpp>
#include <heeler/detect/never_started.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using Kind = SettingFault::Kind;
using Object = SettingValue::Object;

namespace {

RunClass watcher() {
    RunClass rules = presets::long_run();
    rules.name = "watching";
    rules.ladder = WatchLadder{};
    return rules;
}

SettingValue a_text(const char* value) { return {std::string{value}}; }
SettingValue whole(std::int64_t value) { return {value}; }
SettingValue object(Object parts) { return {std::move(parts)}; }

/// Applies one setting to the preset and answers what was wrong.
std::vector<SettingFault> lay(RunClass& rules, const char* name, SettingValue value) {
    return overlay(rules, {{name, std::move(value), {}}});
}

/// The setting is not taken, and the fault says so.
void check_refused(const char* name, SettingValue value, Kind kind, const char* message) {
    RunClass rules = presets::long_run();
    CAPTURE(name);
    const auto faults = lay(rules, name, std::move(value));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == kind);
    CHECK(faults[0].setting == name);
    CHECK(faults[0].message == message);
}

}  // namespace

TEST_CASE("a setting of each name is taken [M-186]") {
    RunClass rules = watcher();
    const auto faults =
        overlay(rules, {{"interval_s", whole(90), {}},
                        {"silence_s", {700.5}, {}},
                        {"duration_limit_s", whole(7200), {}},
                        {"loop_rule", a_text("any_period"), {}},
                        {"token_budget", object({{"soft", whole(1'000'000), {}}}), {}},
                        {"failure_streak", object({{"count", whole(7), {}}}), {}},
                        {"never_started_s", whole(150), {}},
                        {"liveness_counter", object({{"period_s", whole(60), {}}, {"max", whole(3), {}}}), {}},
                        {"debounce", whole(3), {}},
                        {"max_attempts", whole(4), {}},
                        {"action_budget", object({{"per_tick", whole(1), {}}, {"per_run_per_day", whole(2), {}}}), {}},
                        {"auto_steer", {true}, {}},
                        {"mode", a_text("shadow"), {}},
                        {"alert_cooldown_s", whole(1800), {}},
                        {"renotify_every_s", whole(3600), {}},
                        {"unobservable_after_s", whole(900), {}},
                        {"flapping_every_s", whole(60), {}},
                        {"retry_failed_alerts", {false}, {}},
                        {"name_pattern", a_text("*-worker"), {}}});
    for (const auto& fault : faults) INFO(fault.message);
    CHECK(faults.empty());
    CHECK(rules.interval.fixed == 90s);
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 700500ms);
    CHECK(rules.detectors.find<RunTimeout>()->limit == 7200s);
    CHECK(rules.detectors.find<LoopDetector<Line>>()->rule.max_period == BlockRule{}.max_period);
    CHECK(rules.detectors.find<TokenBudget>()->soft == 1'000'000);
    CHECK(rules.detectors.find<FailureStreak>()->count == 7);
    CHECK(rules.detectors.find<NeverStarted>()->grace == 150s);
    CHECK(rules.detectors.find<LivenessCounter>()->period == 60s);
    CHECK(rules.detectors.find<LivenessCounter>()->max == 3);
    CHECK(rules.limits.debounce == 3);
    RunClass acting = presets::long_run();
    CHECK(lay(acting, "max_attempts", whole(4)).empty());
    RunClass waits = presets::recommended();
    CHECK(lay(waits, "max_attempts", whole(5)).empty());
    CHECK(lay(waits, "verify_after_s", whole(60)).empty());
    for (const Response& response : waits.ladder.as<RecoveryLadder>()->responses)
        CHECK((response.waits.empty() && !response.each_once));
    CHECK(acting.ladder.as<RecoveryLadder>()->max_attempts == 4);
    CHECK(rules.limits.rungs_per_tick == 1);
    CHECK(rules.limits.rungs_per_run_per_day == 2);
    CHECK(rules.ladder.as<WatchLadder>()->steers.size() == 3);
    CHECK(rules.mode == Mode::shadow);
    CHECK(rules.alerts.cooldown == 1800s);
    CHECK(rules.alerts.renotify_every == 3600s);
    CHECK(rules.alerts.unobservable_after == 900s);
    CHECK(rules.alerts.flapping_every == 60s);
    RunClass workers = presets::worker_monitor();
    CHECK(lay(workers, "unobservable_after_s", whole(900)).empty());
    CHECK(workers.alerts.conditions.front().kind == "run.unobservable");
    CHECK_FALSE(rules.alerts.outbox.retry);
    REQUIRE(rules.applicability.filter);
    CHECK(rules.applicability.filter->name_pattern == "*-worker");
    CHECK(rules.applicability.filter->tags_any == std::vector<std::string>{"worker"});
    CHECK(lay(rules, "name_pattern", a_text("")).empty());
    CHECK(rules.applicability.filter->name_pattern.empty());
}

TEST_CASE("text stands for the number or the word that is wanted [M-186]") {
    RunClass rules = watcher();
    CHECK(overlay(rules, {{"interval_s", a_text("60"), {}},
                          {"debounce", a_text("2"), {}},
                          {"action_budget.per_tick", a_text("1"), {}},
                          {"alert_cooldown_s", a_text("0.5"), {}}})
              .empty());
    CHECK(rules.interval.fixed == 60s);
    CHECK(rules.limits.debounce == 2);
    CHECK(rules.limits.rungs_per_tick == 1);
    CHECK(rules.alerts.cooldown == 500ms);
}

TEST_CASE("null leaves a setting as it is [M-186]") {
    RunClass rules = watcher();
    rules.interval.fixed = 45s;
    CHECK(overlay(rules, {{"interval_s", {}, {}}, {"action_budget", {}, {}}, {"mode", {}, {}}}).empty());
    CHECK(rules.interval.fixed == 45s);
}

TEST_CASE("what has the wrong type is named with what it must be, and the default is kept [M-186]") {
    check_refused("interval_s", a_text("abc"), Kind::wrong_type,
                  "'interval_s' is 'abc', but must be a number: 1 to 86400 seconds; the default is kept");
    check_refused("interval_s", a_text("60s"), Kind::wrong_type,
                  "'interval_s' is '60s', but must be a number: 1 to 86400 seconds; the default is kept");
    check_refused("interval_s", {true}, Kind::wrong_type,
                  "'interval_s' is true, but must be a number: 1 to 86400 seconds; the default is kept");
    check_refused("interval_s", object({{"a", whole(1), {}}}), Kind::wrong_type,
                  "'interval_s' is an object, but must be a number: 1 to 86400 seconds; the default is kept");
    check_refused("debounce", {2.5}, Kind::wrong_type,
                  "'debounce' is 2.5, but must be a whole number from 1 to 1000; the default is kept");
    check_refused("mode", a_text("on"), Kind::wrong_type,
                  "'mode' is 'on', but must be 'active' or 'shadow'; the default is kept");
    check_refused("auto_steer", a_text("maybe"), Kind::wrong_type,
                  "'auto_steer' is 'maybe', but must be true or false (as text also 1, yes, on, 0, no, off); the "
                  "default is kept");
    check_refused("name_pattern", whole(5), Kind::wrong_type,
                  "'name_pattern' is 5, but must be text of at most 128 bytes without control characters; the default "
                  "is kept");
    check_refused("action_budget", whole(5), Kind::wrong_type,
                  "'action_budget' is 5, but must be an object with per_tick, per_run_per_day; the default is kept");
    for (const char* not_finite : {"nan", "inf", "1e999", "", " 60", "60 ", "0x10"}) {
        RunClass rules = presets::long_run();
        CAPTURE(not_finite);
        const auto faults = lay(rules, "interval_s", a_text(not_finite));
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].kind == Kind::wrong_type);
        CHECK_FALSE(rules.interval.fixed);
    }
}

TEST_CASE("what is outside its limits is named with them, and the default is kept [M-186]") {
    check_refused("debounce", whole(0), Kind::out_of_range,
                  "'debounce' is 0, but must be a whole number from 1 to 1000; the default is kept");
    check_refused("max_attempts", whole(101), Kind::out_of_range,
                  "'max_attempts' is 101, but must be a whole number from 1 to 100; the default is kept");
    check_refused("interval_s", {0.5}, Kind::out_of_range,
                  "'interval_s' is 0.5, but must be 1 to 86400 seconds; the default is kept");
    check_refused("interval_s", {1e300}, Kind::out_of_range,
                  "'interval_s' is 1e+300, but must be 1 to 86400 seconds; the default is kept");
    check_refused("alert_cooldown_s", whole(-1), Kind::out_of_range,
                  "'alert_cooldown_s' is -1, but must be 0 to 315360000 seconds; the default is kept");
    check_refused("action_budget.per_tick", whole(std::numeric_limits<std::int64_t>::max()), Kind::out_of_range,
                  "'action_budget.per_tick' is 9223372036854775807, but must be a whole number from 0 to 1000000; the "
                  "default is kept");
    for (const std::string& pattern : {std::string(129, 'a'), std::string{"a\n"}}) {
        RunClass rules = presets::long_run();
        const auto faults = lay(rules, "name_pattern", a_text(pattern.c_str()));
        REQUIRE(faults.size() == 1);
        CHECK(faults[0].kind == Kind::out_of_range);
        CHECK_FALSE(rules.applicability.filter);
    }
    check_refused("duration_limit_s", whole(0), Kind::out_of_range,
                  "'duration_limit_s' is 0, but must be 1 to 315360000 seconds; the default is kept");
}

TEST_CASE("each limit itself is taken [M-186]") {
    RunClass rules = presets::long_run();
    for (const std::int64_t seconds : {1, 86400}) CHECK(lay(rules, "interval_s", whole(seconds)).empty());
    for (const std::int64_t count : {1, 1000}) CHECK(lay(rules, "debounce", whole(count)).empty());
    for (const std::int64_t count : {0, 1'000'000}) CHECK(lay(rules, "action_budget.per_tick", whole(count)).empty());
}

TEST_CASE("one wrong part of an object does not spoil the others [M-186]") {
    RunClass rules = presets::long_run();
    const auto faults =
        lay(rules, "action_budget",
            object({{"per_day", whole(1), {}}, {"per_tick", a_text("x"), {}}, {"per_run_per_day", whole(3), {}}}));
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].kind == Kind::unknown);
    CHECK(faults[0].setting == "action_budget.per_day");
    CHECK(faults[1].setting == "action_budget.per_tick");
    CHECK_FALSE(rules.limits.rungs_per_tick);
    CHECK(rules.limits.rungs_per_run_per_day == 3);
}

TEST_CASE("an unknown name is told the nearest one, or all [M-186]") {
    check_refused("intervl_s", whole(3), Kind::unknown, "'intervl_s' is no setting; did you mean 'interval_s'?");
    check_refused("actoin_budget", object({{"per_tick", whole(1), {}}}), Kind::unknown,
                  "'actoin_budget' is no setting; did you mean 'action_budget'?");
    check_refused("token_budget.sofd", whole(3), Kind::unknown,
                  "'token_budget.sofd' is no setting; did you mean 'token_budget.soft'?");
    RunClass rules = presets::long_run();
    const auto faults = lay(rules, "colour", a_text("blue"));
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0].message, Catch::Matchers::StartsWith("'colour' is no setting; known are interval_s, "));
    const auto nameless = lay(rules, "", whole(1));
    REQUIRE(nameless.size() == 1);
    CHECK_THAT(nameless[0].message, Catch::Matchers::StartsWith("'' is no setting; known are interval_s, "));
    for (const std::string_view name : setting_names())
        CHECK_THAT(faults[0].message, ContainsSubstring(std::string{name}));
    CHECK(faults[0].message.find("blue") == std::string::npos);
}

TEST_CASE("a variable is named as its author spells it [M-186]") {
    RunClass rules = presets::long_run();
    const auto faults = overlay(rules, {{"intervl_s", a_text("3"), "HEELER_INTERVL_S"},
                                        {"interval_s", a_text("abc"), "HEELER_INTERVAL_S"},
                                        {"action_budget.per_tik", a_text("3"), "MINE_ACTION_BUDGET__PER_TIK"}});
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].setting == "HEELER_INTERVL_S");
    CHECK(faults[0].message == "'HEELER_INTERVL_S' is no setting; did you mean 'HEELER_INTERVAL_S'?");
    CHECK(faults[1].setting == "HEELER_INTERVAL_S");
    CHECK_THAT(faults[1].message, ContainsSubstring("'HEELER_INTERVAL_S' is 'abc'"));
    CHECK(faults[2].message ==
          "'MINE_ACTION_BUDGET__PER_TIK' is no setting; did you mean 'MINE_ACTION_BUDGET__PER_TICK'?");
}

TEST_CASE("a fault is clean text, whatever the file holds [M-186]") {
    RunClass rules = presets::long_run();
    const auto faults =
        overlay(rules, {{"\x1b[31mred\x1b[0m", whole(1), {}}, {"mode", a_text("a\x1b]0;x\x07\n\"b"), {}}});
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].setting == "red");
    for (const auto& fault : faults) CHECK(fault.message.find('\x1b') == std::string::npos);
}

TEST_CASE("a setting that the rest of the class contradicts is not taken [M-186]") {
    RunClass rules = presets::long_run();
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>({300s, 600s, {}, {}});
    const auto faults = lay(rules, "silence_s", whole(200));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::out_of_range);
    CHECK_THAT(faults[0].message, ContainsSubstring("'silence_s' cannot be 200: silence: ") &&
                                      ContainsSubstring("longer than warn_after; the default is kept"));
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 600s);
}

TEST_CASE("a silence that lasts as long as a run may is a contradiction [M-047] [M-186]") {
    RunClass rules = watcher();
    const auto faults = overlay(rules, {{"silence_s", whole(3600), {}}, {"duration_limit_s", whole(3600), {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(faults[0].setting == "silence_s");
    CHECK_THAT(faults[0].message, ContainsSubstring("after 1h 0m") && ContainsSubstring("'duration_limit_s'"));
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 3600s);
    CHECK(lay(rules, "silence_s", whole(3599)).empty());

    SECTION("whichever age it is of") {
        RunClass recommended = presets::recommended();
        CHECK(lay(recommended, "duration_limit_s", whole(601)).empty());
        const auto too_short = lay(recommended, "duration_limit_s", whole(600));
        REQUIRE(too_short.size() == 1);
        CHECK(too_short[0].setting == "progress_age");
    }
}

TEST_CASE("levels of silence are taken in whichever order they come [M-047] [M-186]") {
    const NamedSetting suspicious{"suspicious_s", whole(3600), {}}, critical{"critical_s", whole(14400), {}};
    for (const Object& levels : {Object{suspicious, critical}, Object{critical, suspicious}}) {
        RunClass rules = watcher();
        REQUIRE(lay(rules, "silence_levels", object(levels)).empty());
        const auto* silence = rules.detectors.find<HeartbeatContract<ActivityAge>>();
        REQUIRE(silence != nullptr);
        CHECK(silence->warn_after == 3600s);
        CHECK(silence->act_after == 14400s);
        CHECK(lay(rules, "silence_levels", object({{"critical_s", whole(200), {}}, {"suspicious_s", whole(100), {}}}))
                  .empty());
        CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 200s);
    }
}

TEST_CASE("a level of suspicion that is not below the critical one is not taken [M-047] [M-186]") {
    RunClass rules = watcher();
    const auto faults =
        lay(rules, "silence_levels", object({{"suspicious_s", whole(900), {}}, {"critical_s", whole(900), {}}}));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::out_of_range);
    CHECK(faults[0].setting == "silence_levels.suspicious_s");
    CHECK_THAT(faults[0].message, ContainsSubstring("cannot be 900: silence: act_after is 900"));
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 900s);
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->warn_after == 300s);
}

TEST_CASE("a level of silence turns both on, and people are told by whichever class [M-045] [M-186]") {
    for (RunClass rules : {presets::long_run(), presets::session_monitor(), presets::worker_monitor()}) {
        CAPTURE(rules.name);
        rules.alerts.conditions.clear();
        REQUIRE(lay(rules, "silence_levels", object({{"suspicious_s", whole(120), {}}})).empty());
        const auto* silence = rules.detectors.find<HeartbeatContract<ActivityAge>>();
        REQUIRE(silence != nullptr);
        CHECK((silence->informs && silence->warn_after == 120s && silence->act_after == 900s));
        REQUIRE(lay(rules, "silence_levels", object({{"critical_s", whole(600), {}}})).empty());
        CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->warn_after == 120s);
        REQUIRE(rules.alerts.conditions.size() == 1);
        CHECK((rules.alerts.conditions[0].condition == Condition::silent &&
               rules.alerts.conditions[0].over == "run.recovered"));
    }
}

TEST_CASE("silence is either told or acted on [M-045] [M-186]") {
    const NamedSetting stall{"silence_s", whole(3600), {}};
    const NamedSetting levels{"silence_levels", object({{"critical_s", whole(1200), {}}}), {}};
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->endings.clear();
    auto faults = overlay(rules, {stall, levels});
    REQUIRE(faults.size() == 1);
    CHECK((faults[0].kind == Kind::contradiction && faults[0].setting == "silence_s"));
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->informs);
    CHECK(overlay(rules, {levels, stall}).size() == 1);
    CHECK_FALSE(rules.detectors.find<HeartbeatContract<ActivityAge>>()->informs);
    CHECK(overlay(rules, {levels, {"silence_s", SettingValue{}, {}}}).empty());
}

TEST_CASE("a silence that is only told gives no session up, so none ends before it is told [M-045] [M-186]") {
    RunClass rules = presets::session_monitor();
    CHECK(lay(rules, "silence_levels", object({{"critical_s", whole(2400), {}}})).empty());
}

TEST_CASE("a critical level that a run cannot live to see is a contradiction [M-047] [M-186]") {
    RunClass rules = watcher();
    const auto faults = overlay(rules, {{"duration_limit_s", whole(3600), {}},
                                        {"silence_levels", object({{"critical_s", whole(3600), {}}}), {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(faults[0].setting == "silence_levels.critical_s");
}

TEST_CASE("of a setting that is given twice only the last may wait for others [M-186]") {
    RunClass rules = watcher();
    REQUIRE(lay(rules, "silence_levels", object({{"suspicious_s", whole(300), {}}})).empty());
    const auto faults = overlay(rules, {{"silence_levels.critical_s", whole(200), {}},
                                        {"silence_levels.critical_s", whole(900), {}},
                                        {"silence_levels.suspicious_s", whole(100), {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(rules.detectors.find<HeartbeatContract<ActivityAge>>()->act_after == 900s);
}

TEST_CASE("a run that is given up at its first silence is a contradiction [M-186]") {
    RunClass rules = presets::session_monitor();
    CHECK(lay(rules, "silence_s", whole(1799)).empty());
    const auto faults = lay(rules, "silence_s", whole(1800));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(faults[0].setting == "silence_s");
    CHECK_THAT(faults[0].message, ContainsSubstring("is given up after 1800 s"));
}

TEST_CASE("no preset contradicts itself [M-186]") {
    for (RunClass rules : {presets::recommended(), presets::long_run(), presets::session_monitor()}) {
        CAPTURE(rules.name);
        CHECK(overlay(rules, {}).empty());
    }
}

TEST_CASE("a setting that is given twice is said, and the last counts [M-186]") {
    RunClass rules = presets::long_run();
    const auto faults = overlay(rules, {{"debounce", whole(3), {}}, {"debounce", whole(5), {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(rules.limits.debounce == 5);
    CHECK(lay(rules, "debounce", whole(6)).empty());
}

TEST_CASE("steering can be turned off and on by any word for it [M-126]") {
    for (const char* no : {"0", "false", "no", "off", "False", "NO", "Off"}) {
        RunClass rules = watcher();
        rules.ladder.as<WatchLadder>()->steers = {{Condition::stalled, 60s}};
        CHECK(lay(rules, "auto_steer", a_text(no)).empty());
        CHECK(rules.ladder.as<WatchLadder>()->steers.empty());
        CHECK(rules.detectors.kinds() == watcher().detectors.kinds());
    }
    for (const char* yes : {"1", "true", "yes", "on", "TRUE"}) {
        RunClass rules = watcher();
        CHECK(lay(rules, "auto_steer", a_text(yes)).empty());
        REQUIRE(rules.ladder.as<WatchLadder>()->steers.size() == 3);
        CHECK(rules.ladder.as<WatchLadder>()->steers[0].condition == Condition::loop_detected);
        CHECK(rules.ladder.as<WatchLadder>()->steers[1].cooldown == 900s);
        CHECK(rules.ladder.as<WatchLadder>()->steers[2].cooldown == 3600s);
    }
    RunClass rules = watcher();
    rules.ladder.as<WatchLadder>()->steers = {{Condition::stalled, 60s}};
    CHECK(lay(rules, "auto_steer", whole(1)).empty());
    CHECK(rules.ladder.as<WatchLadder>()->steers.size() == 1);
    CHECK(lay(rules, "auto_steer", whole(2)).size() == 1);
    CHECK(lay(rules, "auto_steer", whole(0)).empty());
    CHECK(rules.ladder.as<WatchLadder>()->steers.empty());
}

TEST_CASE("steering a class that does not only watch is a contradiction [M-126] [M-186]") {
    RunClass rules = presets::long_run();
    const auto faults = lay(rules, "auto_steer", {true});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == Kind::contradiction);
    CHECK(faults[0].setting == "auto_steer");
}

TEST_CASE("the period follows an interval that it was, or that is shorter [M-186]") {
    RunClass rules = presets::long_run();
    rules.schedule.period = 300s;
    rules.interval.fixed = 300s;
    CHECK(lay(rules, "interval_s", whole(60)).empty());
    CHECK(rules.schedule.period == 60s);
    CHECK(lay(rules, "interval_s", whole(600)).empty());
    CHECK(rules.schedule.period == 600s);

    RunClass sessions = presets::session_monitor();
    CHECK(lay(sessions, "interval_s", whole(60)).empty());
    CHECK(sessions.schedule.period == 60s);

    RunClass own = presets::recommended();
    CHECK(lay(own, "interval_s", whole(30)).empty());
    CHECK(own.schedule.period == 1s);
}
