#include <heeler/settings/contradictions.hpp>

#include <string>
#include <vector>

#include <heeler/settings/overlay.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

std::string found(const RunClass& rules) {
    std::string text;
    for (const Detail& doubt : detail::doubts_of(rules)) text += doubt.name + ": " + doubt.value + "\n";
    return text;
}

}  // namespace

TEST_CASE("no preset is doubted [M-186]") {
    for (const RunClass& rules : {presets::recommended(), presets::long_run(), presets::checkpoint_continuation(),
                                  presets::checkpoint_relay(), presets::session_monitor(), presets::worker_monitor()})
        CHECK(found(rules).empty());
}

TEST_CASE("a limit that is over before a run is seen is named, with what to do [M-186]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<RunTimeout>({90s})
        .turn_off<HeartbeatContract<ProgressAge>>()
        .turn_off<HeartbeatContract<AliveAge>>();
    CHECK_THAT(found(rules), ContainsSubstring("duration_limit_s") && ContainsSubstring("1m 30s") &&
                                 ContainsSubstring("two intervals") && ContainsSubstring("at least 2m 0s"));
    rules.detectors.turn_on<RunTimeout>({120s});
    CHECK(found(rules).empty());
    rules.schedule.period = 31s;
    CHECK_THAT(found(rules), ContainsSubstring("every 31s only") && ContainsSubstring("at least every 30s"));
    rules.schedule.period = 30s;
    CHECK(found(rules).empty());
    rules.detectors.turn_on<HeartbeatContract<AliveAge>>({.act_after = 100s});
    CHECK_THAT(found(rules), ContainsSubstring("liveness: the limit of a sign of life"));
}

TEST_CASE("a start that is shorter than silence, and a repetition without a cooldown, are named [M-186]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<HeartbeatContract<AliveAge>>({.act_after = 180s}).turn_on<NeverStarted>();
    CHECK_THAT(found(rules), ContainsSubstring("never_started_s") && ContainsSubstring("at least 3m 0s"));
    rules.detectors.turn_on<NeverStarted>({180s});
    CHECK(found(rules).empty());

    RunClass session = presets::session_monitor();
    session.alerts.cooldown = Duration{};
    CHECK_THAT(found(session), ContainsSubstring("alert_cooldown_s"));
    session.alerts.renotify_every = 300s;
    CHECK(found(session).empty());
}

TEST_CASE("a run that is terminated without a nudge before is named [M-186]") {
    RunClass rules = presets::long_run();
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    ladder.responses = {{Condition::stalled, {{{ActionKind::escalate, {}, {}}}}, true, false}};
    CHECK_THAT(found(rules), ContainsSubstring("ladder: the final rung terminates"));
    ladder.responses.push_back({Condition::loop_detected, {{{ActionKind::break_pattern, {}, {}}}}, false, false});
    CHECK(found(rules).empty());
}

TEST_CASE("a final rung that could never terminate is refused, one that may is only doubted [M-186]") {
    bench::Bench b;
    RunClass rules = presets::long_run();
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    ladder.responses = {{Condition::stalled, {{{ActionKind::escalate, {}, {}}}}, true, false}};
    REQUIRE(b.dog->define(rules));  // a run's own limit may be exceeded
    rules.detectors.turn_off<RunTimeout>();
    const auto refused = b.dog->define(rules);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("nobody would ever be terminated"));
    ladder.responses.push_back({Condition::runaway, {{{ActionKind::pause, {}, {}}}}, true, false});
    CHECK(b.dog->define(rules));  // a pause may be refused
    ladder.responses.back() = {Condition::loop_detected, {{{ActionKind::nudge, {}, {}}}}, false, false};
    CHECK(b.dog->define(rules));
    ladder.responses.pop_back();
    ladder.final_rung = {{ActionKind::escalate, {}, {}}};
    CHECK(b.dog->define(rules));
}

TEST_CASE("a watchdog stops acting before others take its runs, or is refused [M-186]") {
    EngineSettings settings;
    settings.holder = "a";
    CHECK(check_settings(settings));
    for (const Duration margin : {Duration{-1}, Duration{0}, Duration{10s}}) {
        settings.lease_margin = margin;
        CHECK_FALSE(check_settings(settings));
    }
    settings.lease_margin = Duration{1};
    CHECK(check_settings(settings));
}

TEST_CASE("contradictions are said by define's next cycle, by describe and of settings from outside [M-186]") {
    bench::Bench b;
    RunClass rules = presets::session_monitor();
    rules.alerts.cooldown = Duration{};
    REQUIRE(b.dog->define(rules));
    int said = 0;
    for (int i = 0; i < 2; ++i)
        for (const auto& event : bench::all_of<AuditEvent>(b.after(1s)))
            said += event.row.kind == "contradiction" ? 1 : 0;
    CHECK(said == 1);
    CHECK_THAT(b.dog->describe(), ContainsSubstring("warning: alert_cooldown_s"));
    RunClass laid = presets::session_monitor();
    const auto faults = overlay(laid, {{"alert_cooldown_s", SettingValue{std::int64_t{0}}, {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == SettingFault::Kind::contradiction);
}

TEST_CASE("a run whose own limit is over before the class finds a stall is told once [M-047] [M-186]") {
    bench::Bench b;
    b.classes = {presets::recommended()};
    b.boot();
    const auto doubts = [&](std::string id, Duration timeout) {
        RunSpec spec = bench::spec_of(std::move(id));
        spec.timeout = timeout;
        b.run(spec);
        std::string said;
        for (int i = 0; i < 3; ++i)
            for (const auto& event : bench::all_of<AuditEvent>(b.after(61s)))
                if (event.row.kind == "contradiction") said += event.row.run + ": " + event.row.body;
        return said;
    };
    const std::string told = doubts("short", 600s);
    CHECK_THAT(told,
               StartsWith("short: {\"class\":\"recommended\",\"setting\":\"progress_age\"") &&
                   ContainsSubstring(
                       "progress_age is a stall after 10m 0s, but a run is over its time limit "
                       "after 10m 0s, so that it is never found: make it shorter, or the run's own limit longer"));
    CHECK(told.find("short: ", 1) == std::string::npos);
    CHECK(doubts("long", 601s).empty());
    CHECK_THAT(b.dog->explain("short").value(), ContainsSubstring("contradiction") && ContainsSubstring("never found"));
    b.boot();  // it is on record, and not told again
    for (const auto& event : bench::all_of<AuditEvent>(b.after(61s))) CHECK(event.row.kind != "contradiction");

    RunClass untimed = presets::recommended();
    untimed.detectors.turn_off<RunTimeout>();
    b.classes = {untimed};
    b.boot();
    CHECK(doubts("unlimited", 60s).empty());
}

TEST_CASE("a class whose limit is over before it finds a stall is doubted, whoever set it [M-047] [M-186]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<RunTimeout>({600s});
    CHECK_THAT(found(rules), ContainsSubstring("progress_age is a stall after 10m 0s") &&
                                 ContainsSubstring("make it shorter than 'duration_limit_s'"));
    rules.detectors.turn_on<RunTimeout>({601s});
    CHECK(found(rules).empty());
}
