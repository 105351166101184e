// What a run costs in memory.
#include "allocations.hpp"
#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

using namespace heeler;

/// What `work(kennel)` leaves for each of so many new runs.
template <class Work>
double bytes_each(const RunClass& rules, std::size_t runs, Work&& work) {
    Kennel kennel{0, rules};
    kennel.runs.reserve(runs);
    const std::size_t before = live_bytes();
    kennel.add(runs);
    work(kennel);
    return static_cast<double>(live_bytes() - before) / static_cast<double>(runs);
}

void beat(Kennel& kennel) {
    for (const RunHandle run : kennel.runs) kennel.dog->observe(run, Heartbeat{}, Instant{});
}

template <class Report>
void each_minute(Kennel& kennel, std::size_t minutes, Report&& report) {
    StandingClock& clock = kennel.dog->clock();
    std::size_t number = 0;
    for (std::size_t minute = 0; minute < minutes; ++minute) {
        clock.at.elapsed += 60s;
        clock.at.wall += 60s;
        for (int i = 0; i < 3; ++i, ++number)
            for (const RunHandle run : kennel.runs) report(run, number);
        kennel.dog->tick();
    }
}

/// More lines, calls, results and intervals than anything keeps: each call another one, one in eight fails.
void work(Kennel& kennel, std::size_t minutes) {
    each_minute(kennel, minutes, [&](RunHandle run, std::size_t number) {
        const std::string text = "result " + std::to_string(number * 7) + "\n";
        kennel.dog->observe(run, Output{text, false});
        kennel.dog->observe(run, ToolCall{"read", text, {}});
        const bool ok = number % 8 != 0;
        kennel.dog->observe(run, ToolResult{ok, ok ? text : "error: no such file: " + text, {}, {}});
        kennel.dog->observe(run, Usage{10, 10, 1, 100, 0.1});
    });
}

/// Besides: thoughts and answers, files that are read in parts and edited, polls, calls that nobody answers, loops that
/// are found, and an endless line at the end.
void work_with_everything(Kennel& kennel, std::size_t minutes) {
    work(kennel, minutes);
    each_minute(kennel, minutes, [&](RunHandle run, std::size_t number) {
        const std::string n = std::to_string(number % 40);
        kennel.dog->observe(run, Message{true, "I should look at part " + n, MessageChannel::thinking});
        kennel.dog->observe(run, Message{true, "Let me look at part " + n + " of the file."});
        const auto call = [&](std::string_view tool, const std::string& args, const std::string& answer) {
            kennel.dog->observe(run, ToolCall{tool, args, {}});
            kennel.dog->observe(run, ToolResult{true, answer, {}, {}});
        };
        call("read_file", R"({"path": "a.cpp", "offset": )" + n + R"(, "limit": 10})", "line " + n);
        call("edit_file", R"({"path": "a.cpp", "old": "x)" + n + R"(", "new": "y"})", "edited");
        call("job_status", R"({"job": 7})", "still running");
        call("bash", R"({"command": "make check"})", "error: no rule to make target 'check'");
    });
    const std::string endless(100'000, 'x');
    for (const RunHandle run : kennel.runs) {
        for (int i = 0; i < 20; ++i) kennel.dog->observe(run, ToolCall{"read", std::to_string(i), std::to_string(i)});
        kennel.dog->observe(run, Output{endless, true});
    }
}

}  // namespace

void add_memory(Effort effort, Rows& rows) {
    const std::size_t busy = effort.of(200, 20), minutes = effort.of(600, 20);
    const RunClass recommended = presets::recommended();
    rows.push_back({"memory of an idle run", bytes_each(all_rules(), effort.of(100'000, 2'000), beat), 0, 512, "B"});
    rows.push_back({"memory of a busy run, `recommended`",
                    bytes_each(recommended, busy, [&](Kennel& kennel) { work(kennel, minutes); }), 0, 16 * 1024, "B"});
    rows.push_back({"... with everything that it may have",
                    bytes_each(recommended, busy, [&](Kennel& kennel) { work_with_everything(kennel, minutes); }), 0,
                    19 * 1024, "B"});
    rows.push_back({"... with the widest detectors of lines and calls besides",
                    bytes_each(all_rules(), busy, [&](Kennel& kennel) { work_with_everything(kennel, minutes); }), 0, 0,
                    "B"});
}

}  // namespace bench
