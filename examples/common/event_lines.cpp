#include "event_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/alert/json.hpp>
#include <heeler/explain/report.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace common {
namespace {

using heeler::Finding;
using heeler::List;
using heeler::name_of;
using heeler::text::JsonLine;

/// The watchdog itself has no run id.
JsonLine& run_id(JsonLine& line, std::string_view run) {
    line.key("run");
    return run.empty() ? line.null() : line.string(run);
}

/// Condition names, each once.
std::vector<std::string_view> names_of(const List<Finding>& findings) {
    std::vector<std::string_view> names;
    for (const Finding& finding : findings)
        if (std::find(names.begin(), names.end(), name_of(finding.condition)) == names.end())
            names.push_back(name_of(finding.condition));
    return names;
}

/// Of the worst finding; empty where there is none.
void evidence(JsonLine& line, const List<Finding>& findings) {
    line.key("evidence").begin_object();
    if (!findings.empty()) {
        const Finding& worst = findings.front();
        line.key("rule").string(worst.evidence.rule).key("detector").string(worst.kind);
        for (std::size_t i = 0; i < worst.evidence.count; ++i)
            line.key(worst.evidence.facts[i].name).number(worst.evidence.facts[i].value);
        if (const auto subject = worst.subject.view(); !subject.empty())
            line.key("subject").string(
                heeler::text::redact(heeler::text::one_line(subject, heeler::Subject::capacity)));
        line.key("first").number(worst.evidence.first).key("last").number(worst.evidence.last);
    }
    line.end_object();
}

/// The alert's details by name; its one-line summary where they hold no longer one.
void payload(JsonLine& line, const heeler::Alert& alert) {
    const bool has_summary = std::any_of(alert.details.begin(), alert.details.end(),
                                         [](const heeler::Detail& detail) { return detail.name == "summary"; });
    line.key("payload").begin_object();
    if (!has_summary) line.key("summary").string(alert.summary);
    for (const heeler::Detail& detail : alert.details) {
        line.key(detail.name);
        detail.is_json ? line.raw(detail.value) : line.string(detail.value);
    }
    heeler::write_suggestions(line, alert.kind);
    line.end_object();
}

}  // namespace

JsonLine begin_line(std::string_view key, std::string_view name, Moment at) {
    JsonLine line;
    line.begin_object().key(key).string(name).key("t").number(heeler::in_seconds(at.t));
    return line;
}

std::string line_of(const heeler::StatusEvent& event, Moment at) {
    JsonLine line = begin_line("status", name_of(event.status), at);
    run_id(line, event.run);
    put_texts(line, "findings", names_of(event.findings));
    line.key("level").string(name_of(event.level)).key("severity").string(name_of(event.severity));
    evidence(line, event.findings);
    return ended(line);
}

std::string line_of(const heeler::OutcomeEvent& event, Moment at) {
    JsonLine line = begin_line("outcome", name_of(event.outcome), at);
    run_id(line, event.run).key("incident").number(event.incident).key("of").string(name_of(event.of));
    return ended(line);
}

std::string line_of(const heeler::ActionEvent& event, Moment at) {
    const heeler::Action& action = event.action;
    JsonLine line = begin_line("action", name_of(action.kind), at);
    run_id(line, event.run).key("incident").number(action.incident).key("attempt").number(action.attempt);
    line.key("outcome").string(name_of(action.outcome)).key("key").string(action.key);
    const bool says_something = is_injection(action.kind) || action.kind == heeler::ActionKind::file_issue ||
                                action.kind == heeler::ActionKind::spawn ||
                                action.kind == heeler::ActionKind::mark_failed;
    if (says_something) line.key("text").string(action.text);
    return ended(line);
}

std::string line_of(const heeler::AlertEvent& event, Moment at) {
    const heeler::Alert& alert = event.row.alert;
    JsonLine line = begin_line("alert", alert.kind, at);
    run_id(line, alert.run.id).key("to").string(alert.to).key("severity").string(name_of(alert.severity));
    put_texts(line, "issues", alert.issues);
    payload(line, alert);
    line.key("attempts").number(event.row.attempts);
    line.key("delivered").boolean(event.row.state == heeler::AlertRow::State::delivered);
    if (event.row.state == heeler::AlertRow::State::skipped) line.key("skipped").string(heeler::reason_of(event.row));
    line.key("key").string(alert.key);
    return ended(line);
}

std::string line_of(const heeler::AuditEvent& event, Moment at) {
    JsonLine line = begin_line("audit", event.row.kind, at);
    run_id(line, event.row.run);
    const std::string_view body = event.row.body;
    if (body.size() > 2 && body.front() == '{' && body.back() == '}') line.raw(body.substr(1, body.size() - 2));
    return ended(line);
}

std::string line_of(const heeler::SightingEvent& event, Moment at) {
    JsonLine line = begin_line(event.saw.record, event.saw.answer, at);
    run_id(line, event.run).key("age_s");
    event.saw.age ? line.number(heeler::in_seconds(*event.saw.age)) : line.null();
    return ended(line);
}

std::string line_of(const heeler::ErrorEvent& event, Moment at) {
    JsonLine line = begin_line("error", name_of(event.error.code), at);
    line.key("where").string(event.where);
    if (!event.run.empty()) run_id(line, event.run);
    line.key("message").string(event.error.message);
    return ended(line);
}

std::string line_of(const heeler::Report& report, Moment at) {
    JsonLine line;
    line.begin_object().key("report").string(report.run);
    heeler::write_report(line, report, at.epoch);
    return ended(line);
}

std::string line_of(const heeler::SettingFault& fault, Moment at) {
    JsonLine line = begin_line("warning", name_of(fault.kind), at);
    line.key("setting").string(fault.setting).key("message").string(fault.message);
    return ended(line);
}

}  // namespace common
