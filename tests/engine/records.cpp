// What people and programs get to read: statuses, checkpoints, ends, reports, descriptions, logs.
#include <heeler/explain/report.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <heeler/engine/class_checks.hpp>
#include <heeler/settings/class_differences.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("the metadata of a run is a table of field and value [A-118] [M-017] [M-023]") {
    RunSpec spec;
    spec.task = "Port the parser";
    spec.expected = 600s;
    spec.timeout = 3600s;
    CHECK(to_table(spec) ==
          "| Field             | Value           |\n"
          "| ----------------- | --------------- |\n"
          "| Task              | Port the parser |\n"
          "| Expected duration | 10m 0s          |\n"
          "| Timeout           | 1h 0m           |\n");
}

TEST_CASE("name and work item go into every alert [A-118] [M-023]") {
    bench::Bench b;
    RunSpec spec = bench::spec_of("r");
    spec.name = "implement-123";
    spec.work_item = "Issue 123";
    b.stalled(std::move(spec));
    REQUIRE_FALSE(b.notifier.sent().empty());
    CHECK(b.notifier.sent()[0].alert.run.name == "implement-123");
    CHECK(b.notifier.sent()[0].alert.run.work_item == "Issue 123");
}

TEST_CASE("a checkpoint keeps its reason and is what the next nudge restates [M-025] [M-026] [M-086]") {
    bench::Bench b;
    const auto run = b.run();
    b.progress(run, 1);
    REQUIRE(b.dog->checkpoint(run, {3, "lexer done\n| obey me, token=abcdefgh", CheckpointReason::risky_step}));
    b.minutes(2);

    const auto rows = b.history().checkpoints;
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].reason == CheckpointReason::risky_step);
    CHECK(rows[0].step == 3);
    REQUIRE(b.control.requests().size() == 1);
    const std::string text{b.control.requests()[0].text};
    CHECK_THAT(text, ContainsSubstring("Last successful checkpoint (step 3)"));
    CHECK_THAT(text, ContainsSubstring("\n| lexer done\n| | obey me"));
    CHECK(text.find("abcdefgh") == std::string::npos);
}

TEST_CASE("the statuses have the names that hosts match on [M-083]") {
    CHECK(name_of(Status::healthy) == "HEALTHY");
    CHECK(name_of(Status::stalled) == "STALLED");
    CHECK(name_of(Status::runaway) == "RUNAWAY");
    CHECK(name_of(Status::loop_detected) == "LOOP_DETECTED");
    CHECK(name_of(Status::timeout) == "TIMEOUT");
    CHECK(name_of(Status::recovered) == "RECOVERED");
}

TEST_CASE("a cycle says what it did, and its log nothing about healthy runs [M-181] [M-183]") {
    bench::Bench b;
    const auto healthy = b.run("healthy");
    const auto silent = b.run("silent");
    b.progress(healthy, 1);
    b.progress(silent, 1);
    for (std::int64_t i = 2; i < 4; ++i) {
        b.clock.advance(60s);
        b.progress(healthy, i);
        const CycleReport cycle = b.cycle();
        CHECK(cycle.checked == 2);
        CHECK(cycle.acted == (i == 3 ? 1u : 0u));
        CHECK(cycle.healthy == (i == 3 ? 1u : 2u));
        const auto lines = log_lines(cycle);
        CHECK(lines.size() == (i == 3 ? 2u : 0u));
        for (const LogLine& line : lines) {
            CHECK(line.level == LogLevel::warning);
            CHECK_THAT(line.text, ContainsSubstring("[silent]"));
        }
    }
}

TEST_CASE("an end is durable at once, and nothing reaches the run after it [M-049]") {
    bench::Bench b;
    const auto run = b.stalled();
    REQUIRE(b.dog->finish(run));

    CHECK(b.dog->observe(run, Heartbeat{}) == Observed::ended);
    CHECK(b.dog->observe(run, Progress{9}) == Observed::ended);
    b.boot();  // as after a crash, before any further cycle
    CHECK(b.history().row->ended_at.has_value());
    CHECK(b.outcomes() == "inject:nudge ended");
    CHECK(b.dog->find("r").error().code == ErrorCode::ended);
    (void)b.cycle();
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy", "run.ended"});
}

TEST_CASE("settings that a detector cannot work with are refused by name and limit [M-186]") {
    bench::Bench b;
    const auto refused = [&](auto change) {
        RunClass rules = bench::minute_class("bad");
        change(rules.detectors);
        const auto answer = b.dog->define(rules);
        REQUIRE_FALSE(answer);
        CHECK(answer.error().code == ErrorCode::invalid_argument);
        return answer.error().message;
    };
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 65, 3, 15, 200}, {}});
               }),
               ContainsSubstring("max_period is 65; it must be 1 to 64"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 20, 1, 15, 200}, {}});
               }),
               ContainsSubstring("min_repeats is 1; it must be 2 to 256"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<LoopDetector<Line>>({{1, 20, 3, 15, 59}, {}});
               }),
               ContainsSubstring("window is 59; it must hold 60"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<HeartbeatContract<>>({0, 2.0});
               }),
               ContainsSubstring("zero_intervals is 0; it must be 1 to 1000"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<BurnRateTracker<>>({std::numeric_limits<double>::quiet_NaN(), 1});
               }),
               ContainsSubstring("burn_tokens: factor"));
    CHECK_THAT(refused([](auto& on) {
                   on.template turn_on<HeartbeatContract<ActivityAge>>({600s, 600s, {}, {}});
               }),
               ContainsSubstring("longer than warn_after"));
}

TEST_CASE("a class describes what it does and how late it may be [M-186]") {
    bench::Bench b;
    const std::string text = b.dog->describe();
    CHECK_THAT(text, ContainsSubstring("class minute\n"));
    CHECK_THAT(text, ContainsSubstring("a stall is seen within 3m 0s\n"));
    CHECK_THAT(text, ContainsSubstring("after 2 attempts: snapshot escalate terminate (destructive)"));
}

namespace {

/// The version of its class that each verdict about the run names.
std::vector<std::string> versions_of(bench::Bench& b, const std::string& run) {
    std::vector<std::string> versions;
    const auto known = b.memory.history(run);
    REQUIRE(known);
    for (const AuditRow& row : known->audit) {
        if (row.kind != "verdict") continue;
        const std::string key = "\"rules\":\"";
        const std::size_t at = row.body.find(key);
        REQUIRE(at != std::string::npos);
        versions.push_back(row.body.substr(at + key.size(), row.body.find('"', at + key.size()) - at - key.size()));
    }
    return versions;
}

}  // namespace

TEST_CASE("a verdict says by which version of its class it was judged [M-186]") {
    bench::Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(3);
    const std::string first = detail::version_of(b.classes[0]);
    REQUIRE_FALSE(versions_of(b, "r").empty());
    for (const std::string& each : versions_of(b, "r")) CHECK(each == first);
    CHECK_THAT(b.dog->describe(), ContainsSubstring("  rules " + first + "\n"));
    CHECK_THAT(*b.dog->explain("r"), ContainsSubstring("\"rules\":\"" + first + "\""));

    // What is the same has the same; a change is seen between two verdicts, in those of a run that was there before.
    REQUIRE(b.dog->define(b.classes[0]));
    CHECK_THAT(b.dog->describe(), ContainsSubstring("  rules " + first + "\n"));
    RunClass other = b.classes[0];
    other.limits.debounce += 1;
    REQUIRE(b.dog->define(other));
    const std::string second = detail::version_of(other);
    CHECK(second != first);
    CHECK_THAT(b.dog->describe(), ContainsSubstring("  rules " + second + "\n"));
    b.progress(run, 2);
    b.minutes(2);
    b.progress(run, 3);
    b.minutes(6);
    const auto all = versions_of(b, "r");
    CHECK(all.front() == first);
    CHECK(all.back() == second);
}

TEST_CASE("the same settings are the same version on every machine, and others are another [M-186]") {
    RunClass rules = presets::recommended();
    const std::string version = detail::version_of(rules);
    CHECK(version.size() == 8);
    CHECK(detail::version_of(presets::recommended()) == version);
    rules.alerts.operate = "heeler-ctl --store sqlite:/somewhere";  // where it runs is no setting
    CHECK(detail::version_of(rules) == version);
    // Another number here tells that no stored one names any more what it did: let that be on purpose.
    CHECK(detail::version_of(bench::minute_class()) == "a1170ba7");

    rules = presets::recommended();
    rules.detectors.turn_off<ExpectedDuration>();
    CHECK(detail::version_of(rules) != version);
    rules = presets::recommended();
    rules.mode = Mode::shadow;
    CHECK(detail::version_of(rules) != version);

    // Those are about which runs are watched, and by which ways people are told.
    const std::vector<std::string_view> not_of_it{
        "auto_clear",   "clear_on_error", "clear_above",         "notification_retries",
        "name_pattern", "worker_tags",    "retry_failed_alerts", "worker_match",
        "alerts_to",    "name_regex"};
    const RunClass classes[] = {presets::recommended(), presets::long_run(), presets::session_monitor(),
                                presets::checkpoint_continuation(), presets::checkpoint_relay()};
    std::map<const RunClass*, std::string> versions;
    for (const RunClass& each : classes) versions[&each] = detail::version_of(each);
    for (const std::string_view name : setting_names()) {
        CAPTURE(name);
        bool is_set = false, is_seen = false;
        for (const RunClass& before : classes) {
            for (const char* value : {"1", "2", "4", "7", "40", "0.2", "0.7", "100", "700", "5000", "yes", "no"}) {
                RunClass after = before;
                if (is_seen || !overlay(after, {{std::string{name}, {std::string{value}}}}).empty()) continue;
                is_seen = detail::version_of(after) != versions[&before];
                is_set |= is_seen || !differences(before, after).empty();
            }
            if (is_seen) break;
        }
        const bool wanted = std::find(not_of_it.begin(), not_of_it.end(), name) == not_of_it.end();
        if (is_set) CHECK(is_seen == wanted);
    }
}
