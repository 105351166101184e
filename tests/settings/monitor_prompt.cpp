#include <heeler/settings/monitor_prompt.hpp>

#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("the monitor's prompt speaks of clearing exactly if the class clears [M-138][M-135]") {
    RunClass rules = presets::worker_monitor();
    CHECK_THAT(monitor_prompt(rules), ContainsSubstring("## Context management") && ContainsSubstring("\"/clear\"") &&
                                          ContainsSubstring("up to 3 times"));
    CHECK_THAT(monitor_prompt(rules), !ContainsSubstring("Keep it for this cycle"));
    CHECK_THAT(monitor_prompt(rules), ContainsSubstring("Keep the file `monitor-notes`"));
    rules.context.clear_on_error = false;
    CHECK_THAT(monitor_prompt(rules), ContainsSubstring("Keep it for this cycle if a message could not be sent"));
    rules.context.auto_clear = false;
    CHECK_THAT(monitor_prompt(rules), !ContainsSubstring("clear") && !ContainsSubstring("Context management") &&
                                          !ContainsSubstring("monitor-notes"));
}

TEST_CASE("the monitor's prompt has the numbers and the route of its class [M-116]") {
    RunClass rules = presets::worker_monitor();
    CHECK_THAT(monitor_prompt(rules), ContainsSubstring("every 30s") && ContainsSubstring("the last 5 lines") &&
                                          ContainsSubstring("at 3 cycles") && ContainsSubstring("`orchestrator`") &&
                                          ContainsSubstring("Never say that all is well"));
    rules.schedule.period = rules.interval.fixed.emplace(120s);
    rules.alerts.to = "chief";
    rules.detectors.turn_on<WorkerState>({.stuck_after = 7, .lines = 9});
    CHECK_THAT(monitor_prompt(rules), ContainsSubstring("every 2m 0s") && ContainsSubstring("the last 9 lines") &&
                                          ContainsSubstring("at 7 cycles") && ContainsSubstring("`chief`"));
}
