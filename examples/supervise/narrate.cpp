#include "narrate.hpp"

#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace supervise {

namespace {

std::string evidence_text(const heeler::Finding& finding) {
    std::string text = fmt::format("{} ({}", name_of(finding.condition), finding.evidence.rule);
    for (std::size_t i = 0; i < finding.evidence.count; ++i)
        text += fmt::format(", {} {:g}", finding.evidence.facts[i].name, finding.evidence.facts[i].value);
    return text + ")";
}

std::optional<std::string> line_of(const heeler::StatusEvent& event) {
    std::string text = fmt::format("status {}", name_of(event.status));
    for (const heeler::Finding& finding : event.findings) text += ": " + evidence_text(finding);
    return text;
}

std::optional<std::string> line_of(const heeler::OutcomeEvent& event) {
    return fmt::format("the last step ({}) led to: {}", name_of(event.of), name_of(event.outcome));
}

std::optional<std::string> line_of(const heeler::ActionEvent& event) {
    const heeler::Action& action = event.action;
    std::string text = fmt::format("{}: {}", name_of(action.kind), name_of(action.outcome));
    if (!action.note.empty()) text += " (" + action.note + ")";
    return text;
}

std::optional<std::string> line_of(const heeler::AlertEvent& event) {
    if (event.row.state != heeler::AlertRow::State::dead) return std::nullopt;
    return fmt::format("an alert could not be delivered: {}", event.row.last_error);
}

std::optional<std::string> line_of(const heeler::AuditEvent& event) {
    if (event.row.kind != "gap") return std::nullopt;
    return std::string("the clock jumped or the machine slept: nothing is judged for a while");
}

std::optional<std::string> line_of(const heeler::ErrorEvent& event) {
    return fmt::format("error in {}: {}", event.where, event.error.message);
}

void append_number(heeler::JsonLine& line, const std::optional<std::int64_t>& value) {
    if (value)
        line.number(*value);
    else
        line.null();
}

void append_interventions(heeler::JsonLine& line, const heeler::Report& report) {
    line.key("interventions").begin_array();
    for (const heeler::Intervention& each : report.interventions) {
        line.begin_object().key("number").number(each.number).key("incident").number(each.incident);
        line.key("attempt").number(each.attempt).key("condition").string(name_of(each.condition));
        line.key("action").string(name_of(each.action)).key("outcome").string(name_of(each.outcome));
        line.key("at").string(heeler::rfc3339(each.at)).key("actions").begin_array();
        for (const heeler::Action& action : report.actions) {
            if (action.intervention != each.number) continue;
            line.begin_object().key("action").string(name_of(action.kind));
            line.key("outcome").string(name_of(action.outcome)).key("note").string(action.note).end_object();
        }
        line.end_array().end_object();
    }
    line.end_array();
}

}  // namespace

std::vector<std::string> lines_of(const heeler::CycleReport& report) {
    std::vector<std::string> lines;
    for (const heeler::Event& event : report.events)
        if (auto line = std::visit([](const auto& each) { return line_of(each); }, event)) lines.push_back(*line);
    return lines;
}

std::string report_text(const heeler::Report& report, const Ending& ending) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "Report of run {}\n  command        {}\n", ending.run, heeler::sanitise(ending.command, 512));
    fmt::format_to(out, "  final status   {}{}\n", report.final_status, report.escalated ? ", escalated" : "");
    if (ending.exit_status) fmt::format_to(out, "  exit status    {}\n", *ending.exit_status);
    if (!ending.note.empty()) fmt::format_to(out, "  ended          {}\n", ending.note);
    fmt::format_to(out, "  took           {} ({} intervals)\n", heeler::spoken(report.total), report.intervals);
    text += "  conditions     ";
    for (const std::string& condition : report.conditions) text += condition + " ";
    text += report.conditions.empty() ? "none\n" : "\n";
    text += report.interventions.empty() ? "  interventions  none\n" : "  interventions\n";
    for (const heeler::Intervention& each : report.interventions) {
        fmt::format_to(out, "    {}  {} because of {}: {}\n", heeler::rfc3339(each.at), name_of(each.action),
                       name_of(each.condition), name_of(each.outcome));
        for (const heeler::Action& action : report.actions)
            if (action.intervention == each.number)
                fmt::format_to(out, "      {}: {}{}\n", name_of(action.kind), name_of(action.outcome),
                               action.note.empty() ? "" : ", " + heeler::sanitise(action.note, 512));
    }
    if (!report.recommendation.empty()) fmt::format_to(out, "  recommendation {}\n", report.recommendation);
    if (!report.summary.empty()) fmt::format_to(out, "{}\n", report.summary);
    for (const std::string& key : report.alerts) fmt::format_to(out, "  alert {} was never delivered\n", key);
    return text;
}

std::string report_json(const heeler::Report& report, const Ending& ending) {
    heeler::JsonLine line;
    line.begin_object().key("run").string(ending.run).key("name").string(report.name);
    line.key("command").string(ending.command).key("final_status").string(report.final_status);
    line.key("exit_status");
    append_number(line, ending.exit_status ? std::optional<std::int64_t>(*ending.exit_status) : std::nullopt);
    line.key("supervise_status").number(ending.own_status).key("ended").string(ending.note);
    line.key("escalated").boolean(report.escalated).key("total_s").number(heeler::in_seconds(report.total));
    line.key("intervals").number(report.intervals).key("conditions").begin_array();
    for (const std::string& condition : report.conditions) line.string(condition);
    line.end_array();
    append_interventions(line, report);
    line.key("heartbeats").begin_array();
    for (const heeler::HeartbeatRow& row : report.heartbeats) {
        line.begin_object().key("number").number(row.number).key("value");
        append_number(line, row.value);
        line.key("delta").number(row.delta).end_object();
    }
    line.end_array().key("recommendation").string(report.recommendation).key("summary").string(report.summary);
    line.key("undelivered_alerts").begin_array();
    for (const std::string& key : report.alerts) line.string(key);
    return std::move(line.end_array().end_object()).text() + "\n";
}

}  // namespace supervise
