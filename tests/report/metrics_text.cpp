#include <heeler/report/metrics_text.hpp>

#include <chrono>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("metrics are shown with their targets [M-182]") {
    const Metrics metrics =
        measure({{0s, 900s, 900s, true}, {0s, 1800s, 1800s, true}, {0s, 1200s, {}, false}, {}, {{}, 60s}});
    CHECK(to_text(metrics) ==
          "| Measured                              | Value   | Target           | Met |\n"
          "| ------------------------------------- | ------- | ---------------- | --- |\n"
          "| stalls that were detected             | 100.0 % | at least 90.0 %  | yes |\n"
          "| stalls that were recovered from       | 66.7 %  | at least 70.0 %  | no  |\n"
          "| healthy runs that were called stalled | 50.0 %  | less than 5.0 %  | no  |\n"
          "| mean time from stall to recovery      | 22m 30s | less than 25m 0s | yes |\n");
    CHECK(to_json(measure({{0s, 900s, 900s, true}})) ==
          R"({"metrics":true,"detection_rate":{"value":1,"target":0.9,"met":true},)"
          R"("recovery_rate":{"value":1,"target":0.7,"met":true},)"
          R"("false_alarm_rate":{"value":null,"target":0.05,"met":false},)"
          R"("time_to_recovery_s":{"value":900,"target":1500,"met":true}})");
}

TEST_CASE("what could not be measured is said to be so [M-182]") {
    CHECK_THAT(to_text(measure({})), ContainsSubstring("| nothing to measure | at least 90.0 %  | no  |"));
}
