// What a run costs in memory.
#include "allocations.hpp"
#include "compare.hpp"
#include "host.hpp"

namespace bench {
namespace {

using namespace heeler;

double idle_bytes(std::size_t runs) {
    Kennel kennel{0};
    kennel.runs.reserve(runs);
    const std::size_t before = live_bytes();
    kennel.add(runs);
    for (const RunHandle run : kennel.runs) kennel.dog->observe(run, Heartbeat{}, Instant{});
    return static_cast<double>(live_bytes() - before) / static_cast<double>(runs);
}

/// Runs with more lines, calls, results and intervals than anything keeps, and an endless line at the end.
double busy_bytes(std::size_t runs, std::size_t minutes) {
    Kennel kennel{0};
    kennel.runs.reserve(runs);
    const std::size_t before = live_bytes();
    kennel.add(runs);
    StandingClock& clock = kennel.dog->clock();
    std::size_t number = 0;
    for (std::size_t minute = 0; minute < minutes; ++minute) {
        clock.at.elapsed += 60s;
        clock.at.wall += 60s;
        for (const RunHandle run : kennel.runs)
            for (int i = 0; i < 3; ++i) {
                const std::string text = "result " + std::to_string(number++ * 7) + "\n";
                kennel.dog->observe(run, Output{text, false});
                kennel.dog->observe(run, ToolCall{"read", text, {}});
                kennel.dog->observe(run, ToolResult{true, text, {}, {}});
                kennel.dog->observe(run, Usage{10, 10, 1, 100, 0.1});
            }
        kennel.dog->tick();
    }
    const std::string endless(100'000, 'x');
    for (const RunHandle run : kennel.runs) kennel.dog->observe(run, Output{endless, true});
    return static_cast<double>(live_bytes() - before) / static_cast<double>(runs);
}

}  // namespace

void add_memory(Effort effort, Rows& rows) {
    rows.push_back({"memory of an idle run", idle_bytes(effort.of(100'000, 2'000)), 0, 512, "B"});
    rows.push_back({"memory of a busy run, two text channels", busy_bytes(effort.of(1'000, 20), effort.of(600, 20)), 0,
                    16 * 1024, "B"});
}

}  // namespace bench
