// Every threshold of the five systems has a name, and so have those of a host's own detectors.
#include <heeler/settings/class_differences.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/settings/worker_monitor.hpp>
#include <heeler/source/environment_settings.hpp>
#include <heeler/tree/watch/presets.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include <heeler/settings/presets.hpp>
#include <heeler/settings/ready_class.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// One setting in the preset whose threshold it is: how it reads there, before and after.
struct Threshold {
    const char* name;
    const char* value;
    RunClass (*preset)();
    double (*read)(const RunClass&);
    double before, after;
};

RunClass steering() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    return rules;
}

/// What no preset has on.
RunClass equal_calls() {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<LoopDetector<Call>>({{1, 32, 3, 5, 200}, {}});
    return rules;
}

template <class D, class Read>
double of(const RunClass& rules, Read read) {
    const auto* settings = rules.detectors.find<D>();
    return settings == nullptr ? -1 : static_cast<double>(read(*settings));
}
template <class D>
double age(const RunClass& rules, std::optional<Duration> (*read)(const typename D::Settings&)) {
    const auto* settings = rules.detectors.find<D>();
    return settings == nullptr || !read(*settings) ? -1 : in_seconds(*read(*settings));
}
double cooldown(const RunClass& rules, std::size_t at) {
    return in_seconds(rules.ladder.as<WatchLadder>()->steers[at].cooldown);
}

using BySilence = HeartbeatContract<ActivityAge>;
using ByProgress = HeartbeatContract<ProgressAge>;
using ByLife = HeartbeatContract<AliveAge>;
using ByCheckpoints = HeartbeatContract<CheckpointAge>;
using TailLoop = LoopDetector<Call, TailRule>;
using Zeros = HeartbeatContract<Intervals>;

#define LENGTH_OF(D, member)                                                                        \
    [](const RunClass& c) {                                                                         \
        return age<D>(c, [](const D::Settings& s) -> std::optional<Duration> { return s.member; }); \
    }
#define NUMBER_OF(D, member) [](const RunClass& c) { return of<D>(c, [](const auto& s) { return s.member; }); }
#define CLASS_LENGTH(member) [](const RunClass& c) { return in_seconds(c.member); }

const Threshold thresholds[] = {
    // S000 and its sequel
    {"interval_s", "600", presets::checkpoint_continuation, CLASS_LENGTH(schedule.period), 900, 600},
    {"checkpoint_age_s", "1500", presets::checkpoint_continuation, LENGTH_OF(ByCheckpoints, act_after), 1200, 1500},
    {"max_continuations", "3", presets::checkpoint_continuation,
     [](const RunClass& c) { return double(c.ladder.as<RecoveryLadder>()->max_continuations); }, 2, 3},
    {"retry.reset_after_s", "60", presets::checkpoint_continuation,
     [](const RunClass& c) {
         const auto& retry = c.ladder.as<RecoveryLadder>()->retry;
         return in_seconds(retry ? retry->reset_after : Backoff{}.reset_after);
     },
     600, 60},
    {"restarts.most", "5", presets::recommended, [](const RunClass& c) { return double(c.limits.restarts.most); }, 3,
     5},
    {"restarts.within_s", "3600", presets::recommended, CLASS_LENGTH(limits.restarts.within), 86'400, 3600},
    {"relay.timeout_s", "3000", presets::checkpoint_relay, LENGTH_OF(RelayTimeout, timeout), 3600, 3000},
    {"relay.continue_at_s", "4000", presets::checkpoint_relay, LENGTH_OF(RelayCheck, continue_at), 3900, 4000},
    {"relay.give_up_at_s", "9000", presets::checkpoint_relay, LENGTH_OF(RelayTimeout, give_up_at), 7800, 9000},
    {"relay.look_again_s", "200", presets::checkpoint_relay, LENGTH_OF(RelayCheck, look_again), 300, 200},
    {"relay.working_below_s", "500", presets::checkpoint_relay, LENGTH_OF(RelayCheck, bands.working_below), 600, 500},
    {"relay.take_over_above_s", "2000", presets::checkpoint_relay, LENGTH_OF(RelayCheck, bands.take_over_above), 1800,
     2000},
    // S001
    {"interval.short_s", "30", presets::long_run, CLASS_LENGTH(interval.short_task), 60, 30},
    {"interval.long_s", "120", presets::long_run, CLASS_LENGTH(interval.long_task), 300, 120},
    {"interval.short_until_s", "900", presets::long_run, CLASS_LENGTH(interval.short_until), 1800, 900},
    {"shortest_s", "10", presets::long_run, CLASS_LENGTH(applicability.shortest), 60, 10},
    {"zero_intervals", "3", presets::long_run, NUMBER_OF(Zeros, zero_intervals), 2, 3},
    {"fallback_factor", "1.5", presets::long_run, NUMBER_OF(Zeros, fallback_factor), 2, 1.5},
    {"loop_lines.max_period", "9", presets::long_run, NUMBER_OF(LoopDetector<Line>, rule.max_period), 5, 9},
    {"loop_lines.min_period", "4", presets::long_run, NUMBER_OF(LoopDetector<Line>, rule.min_period), 5, 4},
    {"loop_lines.min_repeats", "4", presets::long_run, NUMBER_OF(LoopDetector<Line>, rule.min_repeats), 3, 4},
    {"loop_lines.min_items", "20", presets::long_run, NUMBER_OF(LoopDetector<Line>, rule.min_items), 15, 20},
    {"loop_lines.window", "100", presets::long_run, NUMBER_OF(LoopDetector<Line>, rule.window), 200, 100},
    {"burn.factor", "4.5", presets::long_run, NUMBER_OF(BurnRateTracker<ApiCalls>, factor), 3, 4.5},
    {"burn.min_history", "2", presets::long_run, NUMBER_OF(BurnRateTracker<BytesWritten>, min_history), 1, 2},
    {"burn.in_a_row", "4", presets::long_run, NUMBER_OF(BurnRateTracker<Tokens>, in_a_row), 1, 4},
    {"duration_limit_s", "5000", presets::session_monitor, LENGTH_OF(RunTimeout, limit), 7200, 5000},
    {"lineage_limit_s", "86400", presets::long_run, LENGTH_OF(RunTimeout, lineage_limit), -1, 86'400},
    {"max_attempts", "3", presets::long_run,
     [](const RunClass& c) { return double(c.ladder.as<RecoveryLadder>()->max_attempts); }, 2, 3},
    {"verify_after_s", "600", presets::long_run, CLASS_LENGTH(verify_after), 0, 600},
    {"max_pause_s", "900", presets::long_run,
     [](const RunClass& c) { return in_seconds(c.ladder.as<RecoveryLadder>()->max_pause); }, 1800, 900},
    {"grace_s", "90", presets::long_run, CLASS_LENGTH(grace), 0, 90},
    // S002
    {"first_run_grace_s", "30", presets::task_tree, LENGTH_OF(TaskTreeRule, rules.first_run_grace), 15, 30},
    {"foreign_grace_s", "3600", presets::task_tree, LENGTH_OF(TaskTreeRule, foreign_grace), 21'600, 3600},
    {"review_limit_s", "600", presets::task_tree, LENGTH_OF(TaskTreeRule, review_limit), 3600, 600},
    {"max_attempts", "2", presets::task_tree, NUMBER_OF(TaskTreeRule, most_attempts), 3, 2},
    {"silence_levels.suspicious_s", "200", presets::long_run, LENGTH_OF(BySilence, warn_after), -1, 200},
    // S003
    {"interval_s", "20", presets::worker_monitor, CLASS_LENGTH(schedule.period), 30, 20},
    {"stuck_threshold", "5", presets::worker_monitor, NUMBER_OF(WorkerState, stuck_after), 3, 5},
    {"preview_lines", "3", presets::worker_monitor, NUMBER_OF(WorkerState, lines), 5, 3},
    {"worker_tags", "worker, builder,", presets::worker_monitor,
     [](const RunClass& c) { return double(c.applicability.filter->tags_any.size()); }, 1, 2},
    {"worker_match", "both", presets::worker_monitor,
     [](const RunClass& c) { return double(c.applicability.filter->both); }, 0, 1},
    {"alerts_to", "boss", presets::worker_monitor, [](const RunClass& c) { return double(c.alerts.to.size()); }, 12, 4},
    {"notification_retries", "1", presets::worker_monitor,
     [](const RunClass& c) { return double(*c.alerts.outbox.at_once); }, 3, 1},
    // S004
    {"silence_s", "500", presets::session_monitor, LENGTH_OF(BySilence, act_after), 600, 500},
    {"veto_within_s", "800", presets::session_monitor, LENGTH_OF(BySilence, veto_within), 900, 800},
    {"loop_tail.min_repeats", "6", presets::session_monitor, NUMBER_OF(TailLoop, rule.min_repeats), 5, 6},
    {"loop_tail.window", "40", presets::session_monitor, NUMBER_OF(TailLoop, rule.window), 50, 40},
    {"error_cascade.threshold", "6", presets::session_monitor, NUMBER_OF(ErrorCascade, threshold), 5, 6},
    {"error_cascade.window", "30", presets::session_monitor, NUMBER_OF(ErrorCascade, window), 20, 30},
    {"alert_cooldown_s", "600", presets::session_monitor, CLASS_LENGTH(alerts.cooldown), 1800, 600},
    {"given_up_after_s", "2400", presets::session_monitor,
     [](const RunClass& c) { return in_seconds(*c.ladder.as<WatchLadder>()->endings[1].silent_longer); }, 1800, 2400},
    {"steer_cooldown.loop_s", "100", steering, [](const RunClass& c) { return cooldown(c, 0); }, 900, 100},
    {"steer_cooldown.errors_s", "200", steering, [](const RunClass& c) { return cooldown(c, 1); }, 900, 200},
    {"steer_cooldown.tokens_s", "300", steering, [](const RunClass& c) { return cooldown(c, 2); }, 3600, 300},
    // the library's own preset
    {"escalation.wait_s", "600", presets::recommended,
     [](const RunClass& c) { return in_seconds(c.alerts.escalation.levels[2].after); }, 900, 600},
    {"escalation.ack_lasts_s", "60", presets::recommended, CLASS_LENGTH(alerts.escalation.ack_lasts), 14'400, 60},
    {"longest_wait_s", "7200", presets::recommended, LENGTH_OF(NeedsInput, longest_wait), 21'600, 7200},
    {"after_children_s", "60", presets::recommended, LENGTH_OF(NeedsInput, after_children), 600, 60},
    {"wait_reminder_s", "7200", presets::recommended, LENGTH_OF(NeedsInput, wait_reminder), 14'400, 7200},
    {"wait_reminder_s", "7200", presets::long_run, LENGTH_OF(NeedsInput, wait_reminder), -1, 7200},
    {"wait_escalation_s", "7200", presets::recommended, LENGTH_OF(NeedsInput, wait_escalation), 86'400, 7200},
    {"wait_escalation_s", "7200", presets::long_run, LENGTH_OF(NeedsInput, wait_escalation), -1, 7200},
    {"progress_age.shown_s", "200", presets::recommended, LENGTH_OF(ByProgress, warn_after), 300, 200},
    {"progress_age.acted_on_s", "700", presets::recommended, LENGTH_OF(ByProgress, act_after), 600, 700},
    {"progress_age.startup_grace_s", "60", presets::recommended, LENGTH_OF(ByProgress, startup_grace), 300, 60},
    {"liveness.suspect_s", "30", presets::recommended, LENGTH_OF(ByLife, warn_after), 60, 30},
    {"liveness.lost_s", "240", presets::recommended, LENGTH_OF(ByLife, act_after), 180, 240},
    {"tool_calls.shown_s", "600", presets::recommended, LENGTH_OF(ByProgress, warn_in_tool), 900, 600},
    {"loop.errclass_shown", "4", presets::recommended, NUMBER_OF(Loop, errclass.shown), 3, 4},
    {"tool_calls.allowed_s", "3000", presets::recommended, LENGTH_OF(ByProgress, in_tool), 2700, 3000},
    {"tool_calls.grace_s", "60", presets::recommended, LENGTH_OF(ByProgress, tool_grace), 30, 60},
    {"tool_calls.cap_s", "3600", presets::recommended, LENGTH_OF(ByProgress, tool_cap), 7200, 3600},
    {"loop.repeat_adjacent", "4", presets::recommended, NUMBER_OF(Loop, repeat.adjacent), 3, 4},
    {"loop_calls.max_period", "16", equal_calls, NUMBER_OF(LoopDetector<Call>, rule.max_period), 32, 16},
    {"loop_calls.min_repeats", "4", equal_calls, NUMBER_OF(LoopDetector<Call>, rule.min_repeats), 3, 4},
    {"loop_calls.min_items", "8", equal_calls, NUMBER_OF(LoopDetector<Call>, rule.min_items), 5, 8},
    {"loop_calls.window", "150", equal_calls, NUMBER_OF(LoopDetector<Call>, rule.window), 200, 150},
    {"outbox.first_retry_s", "2", presets::long_run, CLASS_LENGTH(alerts.outbox.first_retry), 1, 2},
    {"outbox.longest_retry_s", "100", presets::long_run, CLASS_LENGTH(alerts.outbox.longest_retry), 300, 100},
    {"outbox.jitter", "yes", presets::long_run, [](const RunClass& c) { return c.alerts.outbox.jitter ? 1.0 : 0.0; }, 0,
     1},
    {"outbox.jitter", "no", presets::recommended, [](const RunClass& c) { return c.alerts.outbox.jitter ? 1.0 : 0.0; },
     1, 0},
    {"outbox.inhibit", "yes", presets::long_run, [](const RunClass& c) { return c.alerts.outbox.inhibit ? 1.0 : 0.0; },
     0, 1},
    {"outbox.give_up_after_s", "3600", presets::long_run, CLASS_LENGTH(alerts.outbox.give_up_after), 86'400, 3600},
    {"outbox.group_wait_s", "60", presets::long_run, CLASS_LENGTH(alerts.outbox.group_wait), 0, 60},
    {"outbox.group_interval_s", "600", presets::long_run, CLASS_LENGTH(alerts.outbox.group_interval), 0, 600},
};

/// A detector of a host.
struct DiskWatch {
    static constexpr std::string_view kind = "disk_watch";
    struct Settings {
        std::uint32_t most = 10;
        double share = 0.9;
        Duration patience = 60s;
        bool strict = false;
        std::string path = "/";
    };
    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("most", settings.most, 1, 100);
        named.number("share", settings.share, 0, 1);
        named.length("patience_s", settings.patience, 1s, 1h);
        named.flag("strict", settings.strict);
        named.text("path", settings.path, 64);
    }
    static Result<void> validate(const Settings& settings) {
        if (!settings.strict || settings.most < 50) return {};
        return fail(ErrorCode::invalid_argument, "disk_watch: strict is for fewer than 50");
    }
    void learn(Memory&, const Settings&, const Observation&) const {}
    std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const { return std::nullopt; }
};

RunClass with_disk_watch() {
    RunClass rules = presets::long_run();
    rules.detectors.turn_on<DiskWatch>();
    return rules;
}

std::vector<SettingFault> set(RunClass& rules, std::string name, SettingValue value) {
    return overlay(rules, {{std::move(name), std::move(value), {}}});
}

}  // namespace

TEST_CASE("every threshold of the five systems is set by its name, in the preset that has it [M-186]") {
    const auto names = setting_names();
    for (const Threshold& each : thresholds) {
        CAPTURE(each.name);
        RunClass rules = each.preset();
        CHECK(each.read(rules) == each.before);
        CHECK(std::find(names.begin(), names.end(), each.name) != names.end());
        for (const auto& fault : set(rules, each.name, {std::string{each.value}})) FAIL_CHECK(fault.message);
        CHECK(each.read(rules) == each.after);
        CHECK(detail::ReadyClass::check(rules));
    }
}

TEST_CASE("a setting in which two classes differ is named, with its value in each") {
    const auto as_shown = [](std::string_view value) -> std::string {
        if (value == "yes" || value == "no") return value == "yes" ? "true" : "false";
        return std::string{value == "worker, builder," ? "worker, builder" : value};
    };
    for (const Threshold& each : thresholds) {
        CAPTURE(each.name, each.value);
        const RunClass before = each.preset();
        if (before.detectors.find<TaskTreeRule>() != nullptr) continue;  // its own settings are not compared
        CHECK(differences(before, each.preset()).empty());
        RunClass after = each.preset();
        REQUIRE(set(after, each.name, {std::string{each.value}}).empty());
        std::vector<SettingDifference> named;
        for (const SettingDifference& one : differences(before, after))
            if (one.name == each.name) named.push_back(one);
        REQUIRE(named.size() == 1);
        CHECK(named[0].second == as_shown(each.value));
        CHECK(named[0].first != named[0].second);
        const auto back = differences(after, before);
        CHECK(std::any_of(back.begin(), back.end(), [&](const SettingDifference& one) {
            return one.name == each.name && one.first == named[0].second && one.second == named[0].first;
        }));
    }
}

TEST_CASE("no setting can be made otherwise without a difference that bears its name") {
    // A rule stands for several settings; what is set of trees is theirs, and told by their own view.
    const std::vector<std::string_view> not_told{"loop_rule", "shrink_policy", "first_run_grace_s", "foreign_grace_s",
                                                 "review_limit_s"};
    const RunClass classes[] = {presets::recommended(),
                                presets::long_run(),
                                presets::session_monitor(),
                                presets::worker_monitor(),
                                presets::checkpoint_relay(),
                                presets::checkpoint_continuation(),
                                steering(),
                                equal_calls()};
    for (const std::string_view name : setting_names()) {
        if (std::find(not_told.begin(), not_told.end(), name) != not_told.end()) continue;
        CAPTURE(name);
        bool told = false;
        for (const RunClass& before : classes)
            for (const char* value : {"1", "2", "4", "7", "40", "0.2", "0.7", "100", "700", "5000", "yes", "no", "both",
                                      "shadow", "presumed"}) {
                if (told) break;
                RunClass after = before;
                if (!set(after, std::string{name}, {std::string{value}}).empty()) continue;
                for (const SettingDifference& one : differences(before, after)) told |= one.name == name;
            }
        CHECK(told);
    }
}

TEST_CASE("what is off in one of two classes, and what has words but no name, is a difference as well") {
    const auto told = [](const RunClass& first, const RunClass& second, std::string_view name) {
        for (const SettingDifference& one : differences(first, second))
            if (one.name == name) return one.first + " | " + one.second;
        return std::string{"the same"};
    };
    const RunClass exact = presets::long_run(), own = presets::recommended();
    CHECK(told(exact, own, "detector loop") == "off | on");
    CHECK(told(exact, own, "loop.repeat_adjacent") == "off | 3");
    CHECK(told(own, exact, "zero_intervals") == "off | 2");
    CHECK(told(exact, own, "progress_age.acted_on_s") == "off | 600");
    CHECK(told(exact, own, "burn.factor") == "3 | 5");
    CHECK(told(exact, own, "schedule.period_s") == "none | 1");
    CHECK(told(exact, own, "interval_s") == "none | 60");
    CHECK(told(exact, own, "ladder STALLED") ==
          "inject:nudge | inject:nudge, 120 s; inject:nudge, 180 s; inject:break_pattern, 300 s; each once");
    CHECK(told(exact, own, "ladder.final_rung") == "snapshot escalate terminate | pause snapshot escalate");
    CHECK(told(exact, own, "escalation.levels") == "parent, origin | parent, origin after 900, people after 900");
    CHECK(told(exact, presets::session_monitor(), "ladder") == "recovery | watch");
    RunClass disk = with_disk_watch();
    CHECK(told(exact, disk, "disk_watch.path") == "off | /");
    REQUIRE(set(disk, "disk_watch.strict", {true}).empty());
    CHECK(told(with_disk_watch(), disk, "disk_watch.strict") == "false | true");
}

TEST_CASE("every setting of the loop detector is among the known names [M-186]") {
    struct Names final : NamedSettings {
        std::vector<std::string> all{};
        void see(const SettingField& field) override { all.push_back("loop." + std::string{field.name}); }
    } wanted;
    Loop::Settings settings;
    Loop::by_name(settings, wanted);
    const auto names = setting_names();
    CHECK(wanted.all.size() > 50);
    for (const std::string& each : wanted.all) {
        CAPTURE(each);
        CHECK(std::find(names.begin(), names.end(), each) != names.end());
    }
}

TEST_CASE("a steer without a pause is refused by its name, as by define [M-186]") {
    RunClass rules = steering();
    const auto faults = set(rules, "steer_cooldown.loop_s", {std::int64_t{0}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == SettingFault::Kind::out_of_range);
    CHECK(detail::ReadyClass::check(rules));
}

TEST_CASE("a threshold that its detector cannot work with is refused in the detector's words [M-186]") {
    RunClass rules = presets::session_monitor();
    const auto faults = set(rules, "error_cascade.window", {std::int64_t{65}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == SettingFault::Kind::out_of_range);
    CHECK_THAT(faults[0].message, ContainsSubstring("window"));
    CHECK(rules.detectors.find<ErrorCascade>()->window == 20);
}

TEST_CASE("the settings of a host's detector are set by the names that it gives them [M-186]") {
    RunClass rules = with_disk_watch();
    CHECK(set(rules, "disk_watch",
              {SettingValue::Object{{"most", {std::int64_t{20}}, {}},
                                    {"share", {0.5}, {}},
                                    {"patience_s", {std::int64_t{90}}, {}},
                                    {"strict", {true}, {}},
                                    {"path", {std::string{"/srv"}}, {}}}})
              .empty());
    const auto& settings = *rules.detectors.find<DiskWatch>();
    CHECK(settings.most == 20);
    CHECK(settings.share == 0.5);
    CHECK(settings.patience == 90s);
    CHECK(settings.strict);
    CHECK(settings.path == "/srv");

    const auto fault = [&](const char* name, SettingValue value) {
        const auto faults = set(rules, name, std::move(value));
        REQUIRE(faults.size() == 1);
        return faults[0];
    };
    CHECK(fault("disk_watch.most", {std::int64_t{101}}).message ==
          "'disk_watch.most' is 101, but must be a whole number from 1 to 100; the default is kept");
    CHECK_THAT(fault("disk_watch.most", {std::int64_t{60}}).message, ContainsSubstring("strict is for fewer than 50"));
    CHECK_THAT(fault("disk_watch.mots", {std::int64_t{1}}).message, ContainsSubstring("'disk_watch.most'"));
    CHECK_THAT(fault("disk_watch", {true}).message, ContainsSubstring("most, share, patience_s, strict, path"));
    CHECK(rules.detectors.find<DiskWatch>()->most == 20);

    RunClass without = presets::long_run();
    CHECK(set(without, "disk_watch.most", {std::int64_t{1}}).front().kind == SettingFault::Kind::unknown);
}

TEST_CASE("each setting has one name, whether its detector is on or not [M-186]") {
    for (RunClass (*preset)() :
         {presets::recommended, presets::long_run, presets::session_monitor, presets::worker_monitor,
          presets::checkpoint_relay, presets::checkpoint_continuation}) {
        const RunClass rules = preset();
        CAPTURE(rules.name);
        const auto everywhere = setting_names();
        CHECK(setting_names(rules) == std::vector<std::string>(everywhere.begin(), everywhere.end()));
    }
    const auto with_more = setting_names(with_disk_watch());
    CHECK(with_more.size() == setting_names().size() + 5);
    CHECK(with_more.back() == "disk_watch.path");
}

TEST_CASE("the limits that hold for a name hold for a class as well, however it was made [M-186]") {
    const auto wrong = [](const RunClass& rules) {
        const auto good = detail::ReadyClass::check(rules);
        return good ? std::string{} : good.error().message;
    };
    const auto with = [](DiskWatch::Settings settings) {
        RunClass rules = presets::long_run();
        rules.detectors.turn_on<DiskWatch>(std::move(settings));
        return rules;
    };
    CHECK(wrong(with({})).empty());
    CHECK(wrong(with({.most = 101})) == "disk_watch: most is 101; it must be 1 to 100");
    CHECK(wrong(with({.share = 1.5})) == "disk_watch: share is 1.500000; it must be 0 to 1");
    CHECK_THAT(wrong(with({.share = std::numeric_limits<double>::quiet_NaN()})), ContainsSubstring("share is "));
    CHECK(wrong(with({.patience = 2h})) == "disk_watch: patience_s is 7200; it must be 1 to 3600");
    CHECK(wrong(with({.path = std::string(65, '/')})) == "disk_watch: path is 65; it must be 0 to 64");
    CHECK_THAT(wrong(with({.most = 60, .strict = true})), ContainsSubstring("strict is for fewer than 50"));

    RunClass timed = presets::long_run();
    timed.detectors.turn_on<RunTimeout>({});
    CHECK(wrong(timed).empty());
    timed.detectors.turn_on<RunTimeout>({500ms});
    CHECK(wrong(timed) == "timeout: limit_s is 0.500000; it must be 1 to 315360000");
    CHECK(set(timed, "duration_limit_s", {0.5}).front().message ==
          "'duration_limit_s' is 0.5, but must be 1 to 315360000 seconds; the default is kept");
}

TEST_CASE("they are found in the environment, too [M-186]") {
    RunClass rules = with_disk_watch();
    REQUIRE(::setenv("HEELTHR_DISK_WATCH__MOST", "30", 1) == 0);
    REQUIRE(::setenv("HEELTHR_ERROR_CASCADE__THRESHOLD", "9", 1) == 0);
    CHECK(overlay(rules, settings_from_environment(setting_names(rules), "HEELTHR_")).empty());
    (void)::unsetenv("HEELTHR_DISK_WATCH__MOST");
    (void)::unsetenv("HEELTHR_ERROR_CASCADE__THRESHOLD");
    CHECK(rules.detectors.find<DiskWatch>()->most == 30);
    CHECK(rules.detectors.find<ErrorCascade>()->threshold == 9);
}
