// A day of many sessions: two classes in one watchdog do what each does alone. And what of a cycle is worth a log line.
#include <algorithm>
#include <map>
#include <random>

#include <heeler/explain/report.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

constexpr int each_class = heeler_test::is_slowed ? 60 : 500;
constexpr int minutes_of_day = 24 * 60;

/// What a run does in each of its minutes.
enum class Behaviour { works, falls_silent, loops, fails, spends };

/// One run of the day. All that it does follows from these.
struct Script {
    std::string id;
    std::string_view rules;
    Behaviour behaviour = Behaviour::works;
    int begins = 0;
    int lasts = 0;
    int turns_bad = 0;
};

std::vector<Script> day_of(std::string_view rules, unsigned seed) {
    std::mt19937 random{seed};
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    std::vector<Script> scripts;
    for (int i = 0; i < each_class; ++i) {
        Script script;
        script.id = std::to_string(i) + "-" + std::string{rules};
        script.rules = rules;
        script.behaviour = static_cast<Behaviour>(i % 5);
        script.begins = below(minutes_of_day - 60);
        script.lasts = 20 + below(50);
        script.turns_bad = script.begins + 2 + below(30);
        scripts.push_back(std::move(script));
    }
    return scripts;
}

/// A day in one watchdog, and what became of each run. All runs share a work item and an origin, and each class may act
/// on a few runs in a cycle only.
struct Day : Bench {
    std::map<std::string, std::string> streams;

    explicit Day(const std::vector<std::string_view>& names) {
        RunClass watched = presets::session_monitor();
        watched.ladder.as<WatchLadder>()->steers = presets::session_steers();
        RunClass worked = presets::long_run();
        worked.interval.fixed = 300s;
        worked.schedule.period = 300s;
        worked.limits.rungs_per_tick = 1;
        watched.limits.rungs_per_tick = 1;
        classes.clear();
        for (const std::string_view name : names) classes.push_back(name == watched.name ? watched : worked);
        boot();
    }

    void begin(const Script& script) {
        RunSpec spec;
        spec.id = script.id;
        spec.origin = "chat";
        spec.work_item = "same";
        spec.metric = MetricKind::reported;
        spec.metric_name = "files";
        REQUIRE(dog->start(std::move(spec), script.rules));
    }

    void act(const Script& script, int minute) {
        const auto report = [&](const auto& what) { (void)dog->observe(script.id, what); };
        const std::string number = std::to_string(minute);
        const bool bad = minute >= script.turns_bad;
        if (bad && script.behaviour == Behaviour::falls_silent) return;
        if (bad && script.behaviour == Behaviour::loops) {
            report(ToolCall{"Bash", "{}", {}});
            return report(Output{"one\ntwo\nthree\nfour\nfive\n"});
        }
        if (bad && script.behaviour == Behaviour::spends)
            return report(Usage{5000 * (minute - script.begins), 0, 0, 0, 0});
        report(ToolCall{"Read", number, {}});
        if (bad && script.behaviour == Behaviour::fails)
            return report(ToolResult{false, "Traceback: " + number, {}, {}});
        report(ToolResult{true, number, {}, {}});
        report(Usage{100, 0, 1, 0, 0});
        report(Progress{minute});
    }

    /// Everything that a report says of a run, but when an alert went out.
    void note(const CycleReport& report) {
        for (const Event& event : report.events) std::visit([&](const auto& one) { note_one(one); }, event);
    }
    void note_one(const StatusEvent& event) {
        std::string& stream = streams[event.run];
        stream += moment() + std::string{name_of(event.status)} + "/" + std::string{name_of(event.severity)};
        for (const Finding& finding : event.findings)
            stream += " " + std::string{name_of(finding.condition)} + ":" + std::string{finding.evidence.rule};
        stream += "\n";
    }
    void note_one(const OutcomeEvent& event) {
        streams[event.run] += moment() + std::string{name_of(event.outcome)} + "\n";
    }
    void note_one(const ActionEvent& event) {
        streams[event.run] += moment() + std::string{name_of(event.action.kind)} + " " +
                              std::string{name_of(event.action.outcome)} + " " + event.action.key + "\n" +
                              event.action.text + "\n";
    }
    void note_one(const AlertEvent& event) {
        const Alert& alert = event.row.alert;
        std::string& stream = streams[alert.run.id];
        stream += alert.key + " " + alert.kind + " " + alert.to + ": " + alert.summary + "\n";
        for (const std::string& issue : alert.issues) stream += "  " + issue + "\n";
        for (const Detail& detail : alert.details) stream += "  " + detail.name + ": " + detail.value + "\n";
    }
    void note_one(const AuditEvent& event) { streams[event.row.run] += moment() + event.row.body + "\n"; }
    void note_one(const SightingEvent& event) { streams[event.run] += std::string{event.saw.answer} + "\n"; }
    void note_one(const ErrorEvent& event) { streams[event.run] += "ERROR " + event.error.message + "\n"; }

    [[nodiscard]] std::string moment() const { return text::rfc3339(clock.now().wall) + " "; }

    void play(const std::vector<Script>& scripts) {
        for (int minute = 0; minute < minutes_of_day; ++minute) {
            for (const Script& script : scripts) {
                if (minute == script.begins) begin(script);
                if (minute < script.begins || minute > script.begins + script.lasts) continue;
                act(script, minute);
                if (minute != script.begins + script.lasts) continue;
                if (const auto run = dog->find(script.id)) (void)dog->finish(*run);
            }
            note(cycle());
            clock.advance(60s);
        }
        for (const Script& script : scripts) streams[script.id] += to_json(*dog->report(script.id));
    }
};

}  // namespace

TEST_CASE("a day of many sessions of two classes in one watchdog gives each class what it has alone [A-109] [M-186]") {
    const std::vector<Script> sessions = day_of("session_monitor", 1);
    const std::vector<Script> tasks = day_of("long_run", 2);
    std::vector<Script> all = sessions;
    all.insert(all.end(), tasks.begin(), tasks.end());

    Day together{{"session_monitor", "long_run"}};
    together.play(all);
    Day apart_sessions{{"session_monitor"}};
    apart_sessions.play(sessions);
    Day apart_tasks{{"long_run"}};
    apart_tasks.play(tasks);

    CHECK(together.streams.size() == all.size());
    for (const Day* apart : {&apart_sessions, &apart_tasks})
        for (const auto& [run, stream] : apart->streams) {
            INFO(run);
            REQUIRE(together.streams[run] == stream);
        }
    CHECK(together.notifier.sent().size() ==
          apart_sessions.notifier.sent().size() + apart_tasks.notifier.sent().size());
    CHECK(together.control.requests().size() ==
          apart_sessions.control.requests().size() + apart_tasks.control.requests().size());
    // The day is worth looking at: each behaviour is seen for what it is.
    const auto says = [&](const Script& script, std::string_view word) {
        return together.streams[script.id].find(word) != std::string::npos;
    };
    for (const auto& scripts : {sessions, tasks}) {
        const auto count = [&](Behaviour behaviour, std::string_view word) {
            return std::count_if(scripts.begin(), scripts.end(), [&](const Script& script) {
                return script.behaviour == behaviour && says(script, word);
            });
        };
        INFO(scripts[0].rules);
        CHECK(count(Behaviour::loops, "LOOP_DETECTED") > each_class / 10);
        CHECK(count(Behaviour::falls_silent, "STALLED") > each_class / 10);
        CHECK(count(Behaviour::works, "HEALTHY") == each_class / 5);
        CHECK(count(Behaviour::works, "inject") == 0);
    }
}

TEST_CASE(
    "in a log an alert and an action are warnings, what is held back is for debugging, health is silent [A-127] "
    "[M-181] [M-183]") {
    RunClass rules = presets::session_monitor();
    rules.ladder.as<WatchLadder>()->steers = presets::session_steers();
    Bench b;
    b.classes = {rules};
    b.boot();
    const auto calls = [&](std::string_view run, int count) {
        for (int i = 0; i < count; ++i) (void)b.dog->observe(run, ToolCall{"Bash", "{}", {}});
    };
    for (const char* id : {"held", "new", "fine"}) {
        RunSpec spec;
        spec.id = id;
        b.run(spec);
        (void)b.dog->observe(std::string_view{id}, ToolCall{"Read", id, {}});
    }
    calls("held", 5);
    (void)b.cycle();
    b.clock.advance(300s);
    calls("held", 1);
    calls("new", 5);
    const CycleReport report = b.cycle();
    CHECK(report.checked == 3);
    CHECK(report.acted == 1);
    CHECK(report.suppressed == 1);
    CHECK(report.healthy == 1);
    CHECK(report.errors == 0);

    const std::vector<LogLine> lines = log_lines(report);
    const auto count = [&](LogLevel level, std::string_view word) {
        return std::count_if(lines.begin(), lines.end(), [&](const LogLine& line) {
            return line.level == level && line.text.find(word) != std::string::npos;
        });
    };
    CHECK(lines.size() == 3);
    CHECK(count(LogLevel::warning, "[new] inject:steer: done") == 1);
    CHECK(count(LogLevel::warning, "[new] alert run.unhealthy: ") == 1);
    CHECK(count(LogLevel::debug, "held back") == 1);

    b.clock.advance(60s);
    CHECK(log_lines(b.cycle()).empty());
}

TEST_CASE(
    "an alert that nobody receives is an error in the log, an action that is held back is for debugging [M-183]") {
    Bench b;
    b.notifier.answer_with({Delivery::permanent});
    REQUIRE(b.dog->decide({0, "", Verb::freeze, {}, "ada", {}}));
    b.progress(b.run(), 1);
    b.minutes(1);
    const std::vector<LogLine> lines = log_lines(b.after(60s));
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].level == LogLevel::debug);
    CHECK(lines[0].text == "[r] inject:nudge: skipped");
    CHECK(lines[1].level == LogLevel::error);
}
