#include "narrate.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>
#include <simdjson.h>

#include <heeler/alert/group.hpp>
#include <heeler/core/run.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/table.hpp>

#include "../common/words.hpp"

namespace supervise {

namespace {

std::string evidence_text(const heeler::Finding& finding) {
    std::string text = fmt::format("({}", finding.evidence.rule);
    for (std::size_t i = 0; i < finding.evidence.count; ++i)
        text += fmt::format(", {} {:g}", finding.evidence.facts[i].name, finding.evidence.facts[i].value);
    return text + ")";
}

std::optional<std::string> line_of(const heeler::StatusEvent& event) {
    std::string text = fmt::format("status {}", name_of(event.status));
    for (const heeler::Finding& finding : event.findings) {
        const bool said = &finding == &event.findings.front() && name_of(finding.condition) == name_of(event.status);
        text += said ? " " : fmt::format(": {} ", name_of(finding.condition));
        text += evidence_text(finding);
    }
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
    return fmt::format("an alert could not be delivered: {}", heeler::reason_of(event.row));
}

std::optional<std::string> line_of(const heeler::AuditEvent& event) {
    if (event.clock_jump) return std::string("the clock jumped or the machine slept: nothing is judged for a while");
    // What is doubted of its class was said when --config was read.
    if (event.row.kind != heeler::detail::doubt_record || event.row.run.empty()) return std::nullopt;
    simdjson::dom::parser parser;
    std::string_view message;
    if (parser.parse(event.row.body)["message"].get(message) != simdjson::SUCCESS) return std::nullopt;
    return std::string(message);
}

std::optional<std::string> line_of(const heeler::SightingEvent& event) {
    return fmt::format("its last checkpoint says: {}", event.saw.answer);
}

}  // namespace

std::vector<std::string> Narrator::lines_of(const heeler::CycleReport& report, heeler::Elapsed now) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> lines;
    for (const heeler::Event& event : report.events) {
        const auto line = std::visit(
            [&](const auto& each) -> std::optional<std::string> {
                if constexpr (std::is_same_v<std::decay_t<decltype(each)>, heeler::ErrorEvent>)
                    return common::waits_for_agent(each) ? std::nullopt : errors_.line_of(each, now);
                else
                    return line_of(each);
            },
            event);
        if (line) lines.push_back(*line);
    }
    return lines;
}

std::string report_text(const heeler::Report& report, const Ending& ending) {
    std::vector<heeler::text::TableField> fields{{"Command", heeler::text::sanitise(ending.command, 512)}};
    if (ending.exit_status) fields.push_back({"Exit status", std::to_string(*ending.exit_status)});
    if (!ending.note.empty()) fields.push_back({"Ended", ending.note});
    return heeler::text::to_table(fields) + "\n" + heeler::to_text(report);
}

std::string report_json(const heeler::Report& report, const Ending& ending) {
    heeler::text::JsonLine line;
    line.begin_object().key("name").string(report.name).key("command").string(ending.command);
    line.key("exit_status");
    if (ending.exit_status)
        line.number(*ending.exit_status);
    else
        line.null();
    line.key("supervise_status").number(ending.own_status).key("ended").string(ending.note);
    heeler::write_report(line, report);
    line.key("outcomes").begin_array();
    for (const heeler::Action& action : report.actions) {
        line.begin_object().key("action").string(name_of(action.kind)).key("outcome").string(name_of(action.outcome));
        line.key("note").string(action.note).end_object();
    }
    line.end_array().key("summary").string(report.summary);
    return std::move(line.end_object()).text() + "\n";
}

}  // namespace supervise
