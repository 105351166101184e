#include <heeler/report/metrics.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

#include "support/catch.hpp"

using heeler::measure;
using heeler::Metrics;
using heeler::RunFacts;
using namespace std::chrono_literals;

namespace {

/// 20 runs: 10 of them stall, 9 are flagged, 7 recover, each continuation starts so long after the stall.
std::vector<RunFacts> twenty_runs(heeler::Duration delay) {
    std::vector<RunFacts> runs(20);
    for (std::size_t i = 0; i < 10; ++i) {
        const heeler::Duration stalled = std::chrono::seconds{600 + 10 * i};
        runs[i].stalled_at = stalled;
        if (i == 9) continue;
        runs[i].flagged_at = runs[i].continued_at = stalled + delay;
        runs[i].recovered = i < 7;
    }
    return runs;
}

}  // namespace

TEST_CASE("rates are over the runs that they are about [M-182]") {
    const Metrics metrics = measure(twenty_runs(1500s));
    CHECK(metrics.detection_rate.value == 0.90);
    CHECK(metrics.detection_rate.target == 0.90);
    CHECK(metrics.detection_rate.met);
    CHECK(metrics.recovery_rate.value == 0.70);  // of all stalls, not of those that were detected
    CHECK(metrics.recovery_rate.target == 0.70);
    CHECK(metrics.recovery_rate.met);
    CHECK(metrics.false_alarm_rate.value == 0.0);
    CHECK(metrics.false_alarm_rate.target == 0.05);
    CHECK(metrics.false_alarm_rate.met);
    CHECK(metrics.time_to_recovery_s.value == 1500.0);
    CHECK(metrics.time_to_recovery_s.target == 1500.0);
    CHECK_FALSE(metrics.time_to_recovery_s.met);  // the target is less than 25 min
}

TEST_CASE("what is just enough, and just not [M-182]") {
    CHECK(measure(twenty_runs(1499s)).time_to_recovery_s.met);
    auto runs = twenty_runs(60s);
    runs[6].recovered = false;
    CHECK_FALSE(measure(runs).recovery_rate.met);
    runs[8].flagged_at.reset();
    CHECK_FALSE(measure(runs).detection_rate.met);
    runs.resize(10);
    for (int i = 0; i < 20; ++i) runs.push_back({});
    runs.back().flagged_at = 30s;
    CHECK(measure(runs).false_alarm_rate.value == 0.05);
    CHECK_FALSE(measure(runs).false_alarm_rate.met);  // the target is less than that
    runs.push_back({});
    CHECK(measure(runs).false_alarm_rate.met);
}

TEST_CASE("where there is nothing to measure nothing is met [M-182]") {
    const Metrics none = measure({});
    for (const auto& metric :
         {none.detection_rate, none.recovery_rate, none.false_alarm_rate, none.time_to_recovery_s}) {
        CHECK_FALSE(metric.value);
        CHECK_FALSE(metric.met);
    }
    const Metrics healthy = measure({RunFacts{}, RunFacts{}});
    CHECK_FALSE(healthy.detection_rate.value);
    CHECK(healthy.false_alarm_rate.met);
}

TEST_CASE("other targets can be asked for [M-182]") {
    const Metrics metrics = measure(twenty_runs(1500s), {0.95, 0.5, 0.0, 1501s});
    CHECK_FALSE(metrics.detection_rate.met);
    CHECK(metrics.recovery_rate.met);
    CHECK_FALSE(metrics.false_alarm_rate.met);  // nothing is less than 0
    CHECK(metrics.time_to_recovery_s.met);
}
