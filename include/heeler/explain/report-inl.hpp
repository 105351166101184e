// How reports and cycles are put into words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/explain/report.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {
inline text::JsonLine& write_time(text::JsonLine& line, WallTime at, const std::optional<WallTime>& from) {
    return from ? line.number(in_seconds(at - *from)) : line.string(text::rfc3339(at));
}
}  // namespace detail

HEELER_INLINE void write_intervention(text::JsonLine& line, const Intervention& record, std::string_view run,
                                      const std::optional<WallTime>& from) {
    detail::write_time(line.begin_object().key("timestamp"), record.at, from);
    line.key("run_id").string(run).key("condition").string(name_of(record.condition));
    line.key("action_taken").string(name_of(record.action)).key("outcome").string(name_of(record.outcome)).end_object();
}

HEELER_INLINE void write_report(text::JsonLine& line, const Report& report, const std::optional<WallTime>& from) {
    line.key("run").string(report.run).key("total_s").number(in_seconds(report.total));
    line.key("metric").string(report.metric).key("interval_s").number(in_seconds(report.interval));
    line.key("intervals").number(report.intervals).key("conditions").begin_array();
    for (const std::string& condition : report.conditions) line.string(condition);
    line.end_array().key("actions").begin_array();
    for (const Action& action : report.actions) line.string(name_of(action.kind));
    line.end_array().key("interventions").begin_array();
    for (const Intervention& record : report.interventions) write_intervention(line, record, report.run, from);
    line.end_array().key("heartbeats").begin_array();
    for (const HeartbeatRow& row : report.heartbeats) {
        line.begin_object().key("interval").number(row.number).key("value");
        row.value ? line.number(*row.value) : line.null();
        line.key("delta").number(row.delta).key("timestamp");
        (row.at == WallTime{} ? line.null() : detail::write_time(line, row.at, from)).end_object();
    }
    line.end_array().key("final_status").string(report.final_status).key("completed_by");
    report.completed_by ? line.string(name_of(*report.completed_by)) : line.null();
    line.key("escalated").boolean(report.escalated).key("recommendation").string(report.recommendation);
}

HEELER_INLINE std::string to_json(const Report& report) {
    text::JsonLine line;
    line.begin_object();
    write_report(line, report);
    line.key("name").string(report.name).key("work_item").string(report.work_item);
    line.key("summary").string(report.summary).end_object();
    return std::move(line).text();
}

HEELER_INLINE std::string to_text(const Report& report) {
    std::string conditions;
    for (const std::string& condition : report.conditions)
        text::append(conditions, conditions.empty() ? "" : ", ", condition);
    std::string text = text::to_table(std::vector<text::TableField>{
        {"Run", text::shown_name(report.name, 160)},
        {"Total time", text::spoken(report.total)},
        {"Progress metric", report.metric},
        {"Interval", text::spoken(report.interval)},
        {"Intervals monitored", std::to_string(report.intervals)},
        {"Conditions detected", conditions},
        {"Interventions", std::to_string(report.interventions.size())},
        {"Final status", report.final_status},
        {"Escalated", report.escalated ? "yes" : "no"},
    });
    if (!report.interventions.empty()) {
        std::vector<text::TableRow> rows;
        for (const Intervention& record : report.interventions)
            rows.push_back({text::rfc3339(record.at), std::string{name_of(record.condition)},
                            std::string{name_of(record.action)}, std::string{name_of(record.outcome)}});
        text += "\n" + text::to_table({"When", "Condition", "Action taken", "Outcome"}, rows);
    }
    if (!report.actions.empty()) {
        std::vector<text::TableRow> rows;
        for (const Action& action : report.actions)
            rows.push_back({std::string{name_of(action.kind)}, std::to_string(action.intervention),
                            std::string{name_of(action.outcome)}, text::one_line(action.note, 512)});
        text += "\n" + text::to_table({"Action", "Intervention", "Outcome", "Note"}, rows);
    }
    if (!report.heartbeats.empty()) {
        std::vector<text::TableRow> rows;
        for (const HeartbeatRow& row : report.heartbeats)
            rows.push_back({std::to_string(row.number), row.at == WallTime{} ? "-" : text::rfc3339(row.at),
                            row.value ? std::to_string(*row.value) : "-", std::to_string(row.delta)});
        text += "\n" + text::to_table({"Interval", "When", "Value", "Delta"}, rows);
    }
    if (!report.recommendation.empty()) text += "\nRecommendation: " + report.recommendation + "\n";
    if (!report.summary.empty()) text += "\n" + report.summary;
    return text;
}

HEELER_INLINE std::string to_table(const RunSpec& spec) {
    const auto length = [](const std::optional<Duration>& value) {
        return value ? text::spoken(*value) : std::string{"-"};
    };
    return text::to_table(std::vector<text::TableField>{
        {"Task", spec.task}, {"Expected duration", length(spec.expected)}, {"Timeout", length(spec.timeout)}});
}

/// It was away, is called too seldom, or cannot read: that is why verdicts come late.
[[nodiscard]] inline bool is_about_watchdog(const AuditRow& row) noexcept {
    return row.kind == detail::gap_record || row.kind == detail::away_record || row.kind == detail::slow_host_record ||
           row.kind == detail::doubt_record || row.kind == detail::held_record;
}

HEELER_INLINE std::vector<LogLine> log_lines(const CycleReport& cycle) {
    std::vector<LogLine> lines;
    for (const Event& event : cycle.events) {
        if (const auto* done = std::get_if<ActionEvent>(&event))
            lines.push_back({done->action.outcome == ActionOutcome::skipped ? LogLevel::debug : LogLevel::warning,
                             text::concat("[", text::shown_name(done->run, 160), "] ", name_of(done->action.kind), ": ",
                                          name_of(done->action.outcome))});
        if (const auto* sent = std::get_if<AlertEvent>(&event))
            lines.push_back({sent->row.state == AlertRow::State::dead      ? LogLevel::error
                             : sent->row.state == AlertRow::State::skipped ? LogLevel::debug
                                                                           : LogLevel::warning,
                             text::concat("[", sent->row.alert.run.id, "] alert ", sent->row.alert.kind, ": ",
                                          sent->row.alert.summary)});
        if (const auto* noted = std::get_if<AuditEvent>(&event); noted != nullptr && is_about_watchdog(noted->row))
            lines.push_back({LogLevel::warning, text::concat("watchdog ", noted->row.kind, ": ", noted->row.body)});
        if (const auto* failed = std::get_if<ErrorEvent>(&event))
            lines.push_back({LogLevel::error, text::concat("[", text::shown_name(failed->run, 160), "] ", failed->where,
                                                           ": ", text::sanitise(failed->error.message, 1024))});
    }
    if (cycle.suppressed > 0)
        lines.push_back({LogLevel::debug, text::concat(std::to_string(cycle.suppressed), " rungs held back")});
    return lines;
}

HEELER_INLINE std::string summary_of(const CycleReport& cycle) {
    constexpr std::size_t most_listed = 32;
    std::string done;
    std::string_view run;
    std::size_t actions = 0, runs = 0;
    for (const Event& event : cycle.events) {
        const auto* each = std::get_if<ActionEvent>(&event);
        if (each == nullptr) continue;
        const bool same = actions > 0 && run == each->run;
        runs += same ? 0 : 1;
        run = each->run;
        if (++actions > most_listed) continue;
        done += same ? ", " : actions == 1 ? ": " : "; ";
        if (!same) text::append(done, "[", text::shown_name(run, 160), "] ");
        text::append(done, name_of(each->action.kind), " ", name_of(each->action.outcome));
    }
    if (actions > most_listed) text::append(done, "; and ", std::to_string(actions - most_listed), " more");
    if (actions == 0 && cycle.suppressed == 0 && cycle.errors == 0) return {};
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) text::append(text, text.empty() ? "" : ", ", std::to_string(count), " ", what);
    };
    add(cycle.checked, cycle.checked == 1 ? "run checked" : "runs checked");
    add(cycle.healthy, "healthy");
    add(runs, "acted on");
    add(cycle.suppressed, "held back");
    add(cycle.errors, cycle.errors == 1 ? "error" : "errors");
    return text::one_line(text + done, 4096);
}

HEELER_INLINE std::string cycle_text(const CycleReport& cycle, WallTime at) {
    const std::string summary = summary_of(cycle);
    if (summary.empty()) return {};
    return text::concat(text::rfc3339(at), " heeler cycle: ", summary, "\n", error_text(cycle, at));
}

HEELER_INLINE std::string error_text(const CycleReport& cycle, WallTime at) {
    std::string lines;
    for (const LogLine& line : log_lines(cycle))
        if (line.level == LogLevel::error)
            text::append(lines, text::rfc3339(at), " ERROR heeler ", text::one_line(line.text, 4096), "\n");
    return lines;
}

}  // namespace heeler::inline HEELER_ABI
