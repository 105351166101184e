// Metrics as a JSON line and as a table with their targets, for logs and people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <heeler/report/metrics.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/table.hpp>

namespace heeler::inline HEELER_ABI {

/// One line: each metric as `{value, target, met}`, the value `null` where there was nothing to measure.
[[nodiscard]] inline std::string to_json(const Metrics& metrics) {
    text::JsonLine line;
    line.begin_object().key("metrics").boolean(true);
    const auto add = [&](std::string_view name, const Metric& metric) {
        line.key(name).begin_object().key("value");
        metric.value ? line.number(*metric.value) : line.null();
        line.key("target").number(metric.target).key("met").boolean(metric.met).end_object();
    };
    add("detection_rate", metrics.detection_rate);
    add("recovery_rate", metrics.recovery_rate);
    add("false_alarm_rate", metrics.false_alarm_rate);
    add("time_to_recovery_s", metrics.time_to_recovery_s);
    line.end_object();
    return std::move(line).text();
}

/// The table `Measured | Value | Target | Met`.
[[nodiscard]] inline std::string to_text(const Metrics& metrics) {
    const auto share = [](double value) { return fmt::format("{:.1f} %", 100 * value); };
    const auto length = [](double seconds) {
        return text::spoken(std::chrono::seconds{static_cast<std::int64_t>(seconds)});
    };
    std::vector<text::TableRow> rows;
    const auto add = [&](std::string_view what, const Metric& metric, std::string_view limit, const auto& shown) {
        rows.push_back({std::string{what}, metric.value ? shown(*metric.value) : "nothing to measure",
                        fmt::format("{} {}", limit, shown(metric.target)), metric.met ? "yes" : "no"});
    };
    add("stalls that were detected", metrics.detection_rate, "at least", share);
    add("stalls that were recovered from", metrics.recovery_rate, "at least", share);
    add("healthy runs that were called stalled", metrics.false_alarm_rate, "less than", share);
    add("mean time from stall to recovery", metrics.time_to_recovery_s, "less than", length);
    return text::to_table({"Measured", "Value", "Target", "Met"}, rows);
}

}  // namespace heeler::inline HEELER_ABI
