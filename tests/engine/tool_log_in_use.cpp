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
           rfc3339(at) + "\"}\n";
}

std::string post(WallTime at) {
    return R"({"event":"post_tool_use","tool_output_preview":"Traceback: no such file","is_error":true,"timestamp":")" +
           rfc3339(at) + "\"}\n";
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
    REQUIRE(b.dog->watch(run, log));
    CHECK(b.cycle().errors == 0);

    const auto now = [&] { return b.clock.now().wall; };
    for (int i = 0; i < 4; ++i) file.append(pre(now()) + post(now()));
    (void)b.after(300s);
    CHECK(b.dog->status(run) == Status::healthy);

    b.boot();
    run = *b.dog->find("s");
    ToolLog again{file.path()};
    REQUIRE(b.dog->watch(run, again));
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
    REQUIRE(b.dog->watch(run, log));
    (void)b.cycle();
    CHECK(b.dog->status(run) == (age > 600s ? Status::stalled : Status::healthy));
}
