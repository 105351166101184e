// A class that only watches (S004): alerts with a cooldown, steers, runs given up, issues, the crash guard.
#include <thread>

#include <heeler/explain/explain.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// Sessions, each with a few verbs.
struct Sessions : Bench {
    explicit Sessions(RunClass rules = presets::session_monitor()) {
        classes = {std::move(rules)};
        boot();
    }

    RunHandle session(std::string id) {
        RunSpec spec;
        spec.id = std::move(id);
        spec.project = "ai";
        spec.origin = "chat-7";
        return run(std::move(spec));
    }
    void call(RunHandle handle, std::string_view name = "Bash", std::string_view args = R"({"command":"ls"})") {
        (void)dog->observe(handle, ToolCall{name, args, {}});
    }
    void calls(RunHandle handle, int count) {
        for (int i = 0; i < count; ++i) call(handle);
    }
    void failures(RunHandle handle, int count) {
        for (int i = 0; i < count; ++i) (void)dog->observe(handle, ToolResult{{}, "Traceback: no", {}, {}});
    }
    [[nodiscard]] std::vector<Alert> alerts(std::string_view kind) const {
        std::vector<Alert> found;
        for (const auto& each : notifier.sent())
            if (each.answer == Delivery::ok && each.alert.kind == kind) found.push_back(each.alert);
        return found;
    }
    [[nodiscard]] RunState state(std::string_view run) { return dog->store().history(run)->row->state; }
};

RunClass steering() {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    return rules;
}

/// Remembers what is filed.
struct IssueList {
    std::vector<Issue> filed;
    bool works = true;

    Result<ActionDone> file(const Issue& issue) {
        if (!works) return fail(ErrorCode::io, "the tracker is down");
        filed.push_back(issue);
        return ActionDone{"issue 1"};
    }
};

/// A tracker of which nobody knows whether it took what it was sent, until it answers.
template <bool Idempotent>
struct SlowTracker {
    static constexpr bool idempotent = Idempotent;
    ErrorCode says = ErrorCode::timed_out;
    std::size_t answers_from = 9;
    std::vector<std::string> asked{};

    Result<ActionDone> file(const Issue& issue) {
        asked.push_back(issue.key);
        if (asked.size() < answers_from) return fail(says, "no answer");
        return ActionDone{"issue 1"};
    }
};

}  // namespace

TEST_CASE("a warning only alerts: the session goes on [A-66] [M-103]") {
    Sessions s;
    const RunHandle run = s.session("abcdef1234567");
    s.call(run);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    REQUIRE(s.alerts("run.unhealthy").size() == 1);
    CHECK(s.alerts("run.unhealthy")[0].issues == std::vector<std::string>{"Silent for 10 minutes"});
    CHECK(s.alerts("run.unhealthy")[0].to == "chat-7");
    CHECK(s.acts.empty());
    CHECK(s.dog->status(run) == Status::stalled);
    CHECK(s.state("abcdef1234567") == RunState::running);
}

TEST_CASE("a session that is silent for more than half an hour is abandoned [A-66] [M-103]") {
    Sessions s;
    s.call(s.session("s"));
    s.clock.advance(1800s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts.empty());
    s.clock.advance(1s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "abandon done");
    CHECK(s.state("s") == RunState::abandoned);
    CHECK(s.dog->report("s")->final_status == "abandoned");
    CHECK(s.alerts("run.ended").size() == 1);
    s.clock.advance(2h);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.ended").size() == 1);
    CHECK(s.acts == "abandon done");
}

TEST_CASE("two conditions at once are critical: abandoned, and one issue [A-66] [M-104]") {
    Sessions s;
    IssueList tracker;
    s.dog->attach(tracker);
    s.calls(s.session("abcdef1234567"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "abandon done, file_issue done");
    REQUIRE(tracker.filed.size() == 1);
    CHECK(tracker.filed[0].title == "[Watchdog] Session abcdef12 had critical issues");
    CHECK(tracker.filed[0].body.find("Looping: Bash called 5 times consecutively") != std::string::npos);
    CHECK(tracker.filed[0].body.find("chat-7") != std::string::npos);
    REQUIRE(s.alerts("run.unhealthy").size() == 1);
    CHECK(s.alerts("run.unhealthy")[0].severity == Severity::critical);
}

TEST_CASE("an issue says what comes next, and the command that stops it, quoted for a shell [M-104]") {
    RunClass rules = presets::session_monitor();
    rules.alerts.operate = "heeler-ctl --store 'sqlite:/it'\\''s state.db'";
    Sessions s{std::move(rules)};
    IssueList tracker;
    s.dog->attach(tracker);
    s.calls(s.session("-h; it's \xE2\x80\xAE$(reboot)"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    REQUIRE(tracker.filed.size() == 1);
    CHECK(
        tracker.filed[0].body.ends_with("\nNext: the run may still be running; it is no longer watched"
                                        "\nStop: heeler-ctl --store 'sqlite:/it'\\''s state.db' snooze --for 2h -- "
                                        "$'-h; it\\'s \\342\\200\\256$(reboot)'\n"));
}

TEST_CASE(
    "without a sink an issue is unsupported, with a broken one it fails: the session is abandoned all the same "
    "[M-104]") {
    Sessions s;
    IssueList tracker;
    tracker.works = false;
    const bool with_sink = GENERATE(false, true);
    if (with_sink) s.dog->attach(tracker);
    s.calls(s.session("s"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == (with_sink ? "abandon done, file_issue failed" : "abandon done, file_issue unsupported"));
    CHECK(s.state("s") == RunState::abandoned);
}

TEST_CASE(
    "an issue of which nobody knows is asked for once more under its key, where that is harmless [M-104] [D-52]") {
    Sessions s;
    SlowTracker<true> tracker;
    tracker.says = GENERATE(ErrorCode::timed_out, ErrorCode::delivery_failed);
    tracker.answers_from = GENERATE(2u, 3u);
    s.dog->attach(tracker);
    s.calls(s.session("s"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == (tracker.answers_from == 2 ? "abandon done, file_issue done" : "abandon done, file_issue unknown"));
    CHECK(s.state("s") == RunState::abandoned);  // which waits for no tracker that is down
    for (int i = 0; i < 3; ++i) (void)s.after(300s);
    REQUIRE(tracker.asked.size() == 2);
    CHECK(tracker.asked[0] == tracker.asked[1]);
}

TEST_CASE("an issue of which nobody knows is not asked for again where that could file it twice [M-104] [D-52]") {
    Sessions s;
    SlowTracker<false> tracker;
    s.dog->attach(tracker);
    s.calls(s.session("s"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    for (int i = 0; i < 3; ++i) (void)s.after(300s);
    CHECK(s.acts == "abandon done, file_issue unknown");
    CHECK(tracker.asked.size() == 1);
}

TEST_CASE("one alert in half an hour while it lasts: at 1799 s none, at 1800 s the next [M-122]") {
    Sessions s;
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.unhealthy").size() == 1);
    for (int i = 0; i < 5; ++i) {
        s.clock.advance(300s);
        s.call(run);
        const CycleReport held = s.cycle();
        CHECK(held.suppressed == 1);
        CHECK(held.healthy == 0);
    }
    s.clock.advance(299s);
    s.call(run);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.unhealthy").size() == 1);
    s.clock.advance(1s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.unhealthy").size() == 2);
    CHECK(s.dog->explain("s")->find("suppressed") != std::string::npos);
}

TEST_CASE("the cooldown outlives a restart and an incident [M-122]") {
    Sessions s;
    s.calls(s.session("s"), 5);
    (void)s.cycle(TickCause::on_demand);
    REQUIRE(s.alerts("run.unhealthy").size() == 1);
    REQUIRE(s.dog->flush());
    s.boot();
    const RunHandle run = *s.dog->find("s");
    s.clock.advance(60s);
    s.call(run, "Read");
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.dog->status(run) == Status::recovered);
    s.clock.advance(60s);
    s.calls(run, 5);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.dog->status(run) == Status::loop_detected);
    CHECK(s.alerts("run.unhealthy").size() == 1);
}

TEST_CASE("that an incident is over is said once, whatever the cooldown, and only if people knew of it [M-122]") {
    Sessions s;
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    (void)s.cycle(TickCause::on_demand);
    REQUIRE(s.alerts("run.unhealthy").size() == 1);
    for (const Duration later : {60s, 1739s}) {
        s.clock.advance(later);
        s.call(run, "Read", std::to_string(later.count()));
        (void)s.cycle(TickCause::on_demand);
        CHECK(s.alerts("run.recovered").size() == 1);
    }
    if (GENERATE(false, true)) {
        REQUIRE(s.dog->flush());
        s.boot();
    }
    SECTION("it is still over") {
        s.clock.advance(1s);
        (void)s.cycle(TickCause::on_demand);
        CHECK(s.alerts("run.recovered").size() == 1);
        s.calls(*s.dog->find("s"), 5);  // told at once: the cooldown goes from what was said of the trouble before
        (void)s.cycle(TickCause::on_demand);
        CHECK(s.alerts("run.unhealthy").size() == 2);
    }
    SECTION("the run is over, too: nothing is left to be said") {
        REQUIRE(s.dog->finish(*s.dog->find("s")));
        s.clock.advance(1s);
        (void)s.cycle();
        CHECK(s.alerts("run.ended").empty());
        CHECK(s.alerts("run.recovered").size() == 1);
    }
}

TEST_CASE("nobody reads that an incident is over before they read that it began [M-122]") {
    RunClass rules = presets::session_monitor();
    rules.alerts.cooldown = Duration{};
    rules.alerts.renotify_every = Duration{};
    Sessions s{rules};
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    s.notifier.answer_with({Delivery::fail});
    (void)s.cycle(TickCause::on_demand);
    s.notifier.answer_with({Delivery::ok});
    s.clock.advance(60s);  // the alert waits for its next try
    s.call(run, "Read");
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.unhealthy").empty());
    CHECK(s.alerts("run.recovered").empty());
    s.clock.advance(300s);
    s.call(run, "Read", "2");
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.unhealthy").size() == 1);
    s.clock.advance(60s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.alerts("run.recovered").size() == 1);
}

TEST_CASE("a failed alert is sent again, or uses up the cooldown where the class says so [A-65] [M-125]") {
    RunClass rules = presets::session_monitor();
    const bool again = GENERATE(true, false);
    rules.alerts.outbox.retry = again;
    Sessions s{rules};
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    const RunHandle other = s.session("t");
    s.call(other, "Read", "0");
    s.notifier.answer_with({Delivery::raise, Delivery::ok});
    const CycleReport failed = s.cycle(TickCause::on_demand);
    CHECK(failed.errors == (again ? 1 : 0));
    CHECK(failed.checked == 2);
    for (int i = 1; i <= 5; ++i) {
        s.clock.advance(300s);
        s.call(run);
        s.call(other, "Read", std::to_string(i));
        (void)s.cycle();
        CHECK(s.alerts("run.unhealthy").size() == (again ? 1u : 0u));
    }
    s.clock.advance(300s);
    s.call(run);
    s.call(other, "Read", "6");
    (void)s.cycle();
    CHECK(s.alerts("run.unhealthy").size() == (again ? 2u : 1u));
}

TEST_CASE("steers have a cooldown for each reason [A-69] [M-123] [M-108]") {
    Sessions s{steering()};
    const RunHandle looping = s.session("loop");
    const RunHandle failing = s.session("fail");
    s.calls(looping, 5);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "inject:steer done");
    s.clock.advance(300s);
    s.call(looping);
    s.failures(failing, 5);
    (void)s.cycle();
    CHECK(s.acts == "inject:steer done; inject:steer done");
    CHECK(s.control.requests().back().run == "fail");
    s.clock.advance(300s);
    s.call(looping);
    s.failures(failing, 1);
    (void)s.cycle();
    s.clock.advance(300s);
    s.call(looping);
    s.failures(failing, 1);
    (void)s.cycle();
    CHECK(s.asked(ControlVerb::inject) == 3);
    CHECK(s.control.requests().back().run == "loop");
    CHECK(s.control.requests().back().text.find("[watchdog]") == 0);
}

TEST_CASE("a request says what its text is, and whether it is worth an interruption [M-108]") {
    const auto asked_of = [](const Bench& b, ControlVerb verb) {
        for (const auto& request : b.control.requests())
            if (request.verb == verb)
                return std::string{name_of(request.message)} + " " + std::string{name_of(request.boundary)};
        return std::string{"nothing"};
    };
    Sessions sessions{steering()};
    sessions.calls(sessions.session("loop"), 5);
    (void)sessions.cycle(TickCause::on_demand);
    CHECK(asked_of(sessions, ControlVerb::inject) == "steer next_turn");

    Bench nudged;
    (void)nudged.stalled();
    CHECK(asked_of(nudged, ControlVerb::inject) == "nudge now");
    nudged.minutes(10);
    CHECK(asked_of(nudged, ControlVerb::terminate) == "reason now");

    Bench looping;
    const RunHandle run = looping.run();
    for (int i = 0; i < 3; ++i) (void)looping.dog->observe(run, Output{"a\nb\nc\nd\ne\n"});
    looping.minutes(1);
    CHECK(asked_of(looping, ControlVerb::inject) == "break_pattern now");

    Bench continued;
    continued.classes = {presets::checkpoint_continuation()};
    continued.boot();
    (void)continued.run();
    (void)continued.after(2700s);
    CHECK(asked_of(continued, ControlVerb::spawn) == "brief now");
}

TEST_CASE("without steers a finding is reported and nothing is sent [A-70] [M-126]") {
    Sessions s;
    s.calls(s.session("s"), 5);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.asked(ControlVerb::inject) == 0);
    CHECK(s.alerts("run.unhealthy").size() == 1);
}

TEST_CASE("a steer that fails releases its slot [A-70] [M-123]") {
    Sessions s{steering()};
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    s.control.answer(ControlVerb::inject, ControlAnswer::fail);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "inject:steer failed");
    s.control.answer(ControlVerb::inject, ControlAnswer::ok);
    s.clock.advance(300s);
    s.call(run);
    (void)s.cycle();
    CHECK(s.acts == "inject:steer failed; inject:steer done");
}

TEST_CASE("a steer of which nobody knows counts, and a person is told [A-106] [M-101] [M-123]") {
    Sessions s{steering()};
    const RunHandle run = s.session("s");
    s.calls(run, 5);
    s.control.answer(ControlVerb::inject, ControlAnswer::timeout_but_done);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "inject:steer unknown, escalate done");
    CHECK(s.alerts("escalation").size() == 1);
    s.control.answer(ControlVerb::inject, ControlAnswer::ok);
    for (int i = 0; i < 3; ++i) {
        CHECK(s.asked(ControlVerb::inject) == 1);
        s.clock.advance(300s);
        s.call(run);
        (void)s.cycle();
    }
    CHECK(s.acts == "inject:steer unknown, escalate done; inject:steer done");
    CHECK(s.alerts("escalation").size() == 1);
}

TEST_CASE("sixteen threads that run cycles at once steer once [A-70] [M-123]") {
    Sessions s{steering()};
    s.calls(s.session("s"), 5);
    std::vector<std::thread> threads;
    for (int i = 0; i < 16; ++i) threads.emplace_back([&] { (void)s.dog->cycle(TickCause::on_demand); });
    for (std::thread& each : threads) each.join();
    CHECK(s.asked(ControlVerb::inject) == 1);
}

TEST_CASE("a duration of more than two hours alone only alerts [M-075]") {
    Sessions s;
    const RunHandle run = s.session("s");
    for (int i = 0; i < 40; ++i) {
        s.clock.advance(300s);
        s.call(run, "Bash", std::to_string(i));
        (void)s.cycle();
    }
    CHECK(s.dog->status(run) == Status::timeout);
    CHECK(s.acts.empty());
    CHECK(s.alerts("run.unhealthy").size() == 3);
    CHECK(s.alerts("run.unhealthy")[0].issues == std::vector<std::string>{"Running for 2 hours"});
}

TEST_CASE("a run that the store refuses is marked failed, the others are fine [M-105]") {
    Sessions s;
    for (const char* id : {"a", "b", "c"}) s.calls(s.session(id), 5);
    s.store.fail_run("b", ErrorCode::conflict);
    const CycleReport report = s.cycle(TickCause::on_demand);
    const auto acts = all_of<ActionEvent>(report);
    REQUIRE(acts.size() == 1);
    CHECK((acts[0].run == "b" && acts[0].action.kind == ActionKind::mark_failed));
    CHECK(acts[0].action.text.find("Watchdog: StoreConflict: ") == 0);
    CHECK(acts[0].action.text.size() <= 500);
    CHECK(s.alerts("run.unhealthy").size() == 2);
    CHECK(s.dog->report("b")->final_status == "failed");
    s.store.heal();
    s.clock.advance(301s);
    CHECK(s.cycle().errors == 0);
    CHECK(s.state("b") == RunState::failed);
    CHECK(s.state("a") == RunState::running);
}

TEST_CASE("in shadow nothing is given up, and it is decided once [M-103]") {
    RunClass rules = presets::session_monitor();
    rules.mode = Mode::shadow;
    Sessions s{rules};
    s.calls(s.session("s"), 5);
    s.clock.advance(601s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "abandon skipped, file_issue skipped");
    s.clock.advance(300s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "abandon skipped, file_issue skipped");
    CHECK(s.state("s") == RunState::running);
    CHECK(s.notifier.sent().empty());
}

TEST_CASE("settings that are replaced apply at the next cycle, but not to an open incident [M-186]") {
    Sessions s;
    const RunHandle quiet = s.session("quiet");
    const RunHandle looping = s.session("loop");
    s.call(quiet);
    s.calls(looping, 5);
    (void)s.cycle(TickCause::on_demand);
    RunClass rules = presets::session_monitor();
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>({.act_after = 60s});
    rules.ladder.as<WatchLadder>()->endings.clear();
    REQUIRE(s.dog->define(rules));
    s.clock.advance(61s);
    s.call(looping);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.dog->status(quiet) == Status::stalled);
    s.clock.advance(301s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts.empty());  // the old settings, by which the loop is judged, do not find it silent
    s.clock.advance(300s);
    (void)s.cycle(TickCause::on_demand);
    CHECK(s.acts == "abandon done, file_issue unsupported");
}

TEST_CASE("describe says what a class that only watches does, and what a continuation asks for [M-103]") {
    const std::string watching = detail::description(steering());
    CHECK_THAT(watching, ContainsSubstring("silence is seen within 15m 0s"));
    CHECK_THAT(watching, ContainsSubstring("LOOP_DETECTED: inject:steer, at most every 15m 0s"));
    CHECK_THAT(watching, ContainsSubstring("when critical: abandon file_issue"));
    CHECK_THAT(watching, ContainsSubstring("when silent for more than 30m 0s: abandon"));
    const std::string continuing = detail::description(presets::checkpoint_continuation());
    CHECK_THAT(continuing, ContainsSubstring("at most 2 continuations; then: escalate mark_failed"));
    CHECK_THAT(continuing, ContainsSubstring("stop_proof = fenced"));
    CHECK_THAT(continuing, ContainsSubstring("within 35m 0s after the last checkpoint"));
}
