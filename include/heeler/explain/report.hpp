// Reports and cycles as text and JSON lines, for people, files and logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI {

namespace text {

class JsonLine;  // text/json_writer.hpp

}  // namespace text

/// The record of an intervention: exactly `timestamp`, `run_id`, `condition`, `action_taken`, `outcome` (the long-run
/// skill). `from` is what the timestamp counts from, in seconds; without it the timestamp is RFC 3339.
void write_intervention(text::JsonLine& line, const Intervention& record, std::string_view run,
                        const std::optional<WallTime>& from);

/// The fields of a report, without the brackets of an object.
void write_report(text::JsonLine& line, const Report& report, const std::optional<WallTime>& from = {});

[[nodiscard]] std::string to_json(const Report& report);

/// The report for people: facts, heartbeat log, interventions, recommendation.
[[nodiscard]] std::string to_text(const Report& report);

/// The run's metadata as Field | Value.
[[nodiscard]] std::string to_table(const RunSpec& spec);

enum class LogLevel : std::uint8_t { debug, warning, error };

struct LogLine {
    LogLevel level = LogLevel::warning;
    std::string text;
};

/// What of a cycle belongs into a log: warnings for what was done and said, debug for what was held back, errors as
/// such; nothing for healthy runs.
[[nodiscard]] std::vector<LogLine> log_lines(const CycleReport& cycle);

/// The summary of a cycle (the checkpoint watchdog): how many runs were looked at, what was done to which, what was
/// held back. Empty where nothing was done, held back or in error. It is for logs: people are told by alerts. Of many
/// actions the first 32.
[[nodiscard]] std::string summary_of(const CycleReport& cycle);

/// `TIME heeler cycle: SUMMARY` and a line `TIME ERROR heeler ...` for each error; empty where `summary_of` is.
[[nodiscard]] std::string cycle_text(const CycleReport& cycle, WallTime at);

/// The lines of errors alone.
[[nodiscard]] std::string error_text(const CycleReport& cycle, WallTime at);

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/explain/report-inl.hpp>
#endif
