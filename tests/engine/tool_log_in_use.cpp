// A watchdog that knows a session only from the log that it writes.
#include <heeler/settings/presets.hpp>
#include <heeler/source/tool_log.hpp>
#include <heeler/text/rfc3339.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

std::string pre(WallTime at, const std::string& command = "ls") {
    return R"({"event":"pre_tool_use","tool_name":"Bash","tool_input":{"command":")" + command + R"("},"timestamp":")" +
           text::rfc3339(at) + "\"}\n";
}

std::string post(WallTime at) {
    return R"({"event":"post_tool_use","tool_output_preview":"Traceback: no such file","is_error":true,"timestamp":")" +
           text::rfc3339(at) + "\"}\n";
}

}  // namespace

TEST_CASE("a session is watched by its tool log alone, across a restart [A-66] [M-039]") {
    ScratchLog file;
    bench::Bench b;
    b.classes = {presets::session_monitor()};
    b.boot();
    ToolLog log{file.path()};
    RunSpec spec;
    spec.id = "s";
    RunHandle run = b.run(spec);
    REQUIRE(b.dog->attach(run, log));
    CHECK(b.cycle().errors == 0);

    const auto now = [&] { return b.clock.now().wall; };
    for (int i = 0; i < 4; ++i) file.append(pre(now()) + post(now()));
    (void)b.after(300s);
    CHECK(b.dog->status(run) == Status::healthy);

    b.boot();
    run = *b.dog->find("s");
    ToolLog again{file.path()};
    REQUIRE(b.dog->attach(run, again));
    file.append("this is no JSON\n" + pre(now()) + post(now()));
    const CycleReport report = b.after(300s);
    CHECK_THAT(bench::errors_of(report), ContainsSubstring("source s: 1 line is no JSON object"));
    REQUIRE(b.notifier.delivered().size() == 1);
    CHECK(b.notifier.delivered()[0].issues == std::vector<std::string>{"Looping: Bash called 5 times consecutively",
                                                                       "Error cascade: 5 errors in last 20 calls"});
    CHECK(b.dog->report("s")->final_status == "abandoned");
    CHECK(b.after(300s).errors == 0);
}

TEST_CASE("a log whose last call is 601 s old tells of a silent session at once [M-039]") {
    const auto age = GENERATE(600s, 601s);
    ScratchLog file;
    bench::Bench b;
    b.classes = {presets::session_monitor()};
    b.boot();
    file.append(pre(b.clock.now().wall - age));
    ToolLog log{file.path()};
    RunSpec spec;
    spec.id = "s";
    const RunHandle run = b.run(spec);
    REQUIRE(b.dog->attach(run, log));
    (void)b.cycle();
    CHECK(b.dog->status(run) == (age > 600s ? Status::stalled : Status::healthy));
}

namespace {

/// What the alerts, at most one, say of a session.
std::string said_of(const bench::Bench& b) {
    const auto alerts = b.notifier.delivered();
    if (alerts.empty()) return {};
    REQUIRE(alerts.size() == 1);
    std::string text;
    for (const Detail& detail : alerts[0].details)
        if (detail.name == "duration" || detail.name == "tool_calls") text += detail.name + " " + detail.value + "; ";
    for (const std::string& issue : alerts[0].issues) text += issue + "; ";
    return text;
}

/// A session that has worked for `length`, with a call and a result in each of `calls` equal parts of it.
std::string session_until(WallTime now, Duration length, int calls) {
    std::string text;
    for (int i = 0; i < calls; ++i) {
        const WallTime at = now - length + i * (length / calls);
        text += pre(at, "make part-" + std::to_string(i)) + R"({"event":"post_tool_use","timestamp":")" +
                text::rfc3339(at) + R"(","tool_output_preview":")" + std::string(200, 'x') + "\"}\n";
    }
    return text;
}

}  // namespace

TEST_CASE("a session of nine hours that is found now is overdue now, with all of its calls [M-124]") {
    const int calls = GENERATE(1, 25, 26, 540, 6000);  // the newest 25, all that one poll may read, and more
    ScratchLog file;
    bench::Bench b;
    b.classes = {presets::session_monitor()};
    b.boot();
    file.append(session_until(b.clock.now().wall - 5s, 9h, calls));
    file.append(pre(b.clock.now().wall));
    ToolLog log{file.path()};
    RunSpec spec;
    spec.id = "s";
    RunHandle run = b.run(spec);
    REQUIRE(b.dog->attach(run, log));
    CHECK(b.cycle().errors == 0);
    CHECK(said_of(b) == "duration 9h 0m; tool_calls " + std::to_string(calls + 1) + "; Running for 9 hours; ");

    // It is counted once, whoever goes on.
    b.boot();
    run = *b.dog->find("s");
    ToolLog again{file.path()};
    REQUIRE(b.dog->attach(run, again));
    b.notifier.clear();
    for (int i = 0; i < 7; ++i) {
        file.append(pre(b.clock.now().wall, std::to_string(i)));
        (void)b.after(300s);
    }
    CHECK(said_of(b) == "duration 9h 30m; tool_calls " + std::to_string(calls + 7) + "; Running for 9 hours; ");
}

TEST_CASE("a session whose host knows better when it began is not as old as its log") {
    ScratchLog file;
    bench::Bench b;
    b.classes = {presets::session_monitor()};
    b.boot();
    file.append(session_until(b.clock.now().wall, 9h, 540));
    ToolLog log{file.path()};
    RunSpec spec;
    spec.id = "s";
    spec.started_at = b.clock.now().wall - 1h;
    const RunHandle run = b.run(spec);
    REQUIRE(b.dog->attach(run, log));
    (void)b.cycle();
    CHECK(b.dog->status(run) == Status::healthy);
}

TEST_CASE("a log without times, or with times to come, tells no start") {
    const std::string when = GENERATE("", R"(,"timestamp":0)", R"(,"timestamp":"2099-01-01T00:00:00Z")");
    ScratchLog file;
    bench::Bench b;
    b.classes = {presets::session_monitor()};
    b.boot();
    file.append(R"({"event":"pre_tool_use","tool_name":"A")" + when + "}\n");
    ToolLog log{file.path()};
    RunSpec spec;
    spec.id = "s";
    const RunHandle run = b.run(spec);
    REQUIRE(b.dog->attach(run, log));
    (void)b.cycle();
    CHECK(said_of(b) == "");
    (void)b.after(300s);
    CHECK(said_of(b) == "");
}
