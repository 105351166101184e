// What a watchdog does and says, event by event, as lines of JSON: the key that names a line comes first, then `t`, in
// seconds since whatever the host counts from. What heeler-replay prints and heeler-serve sends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/alert/json.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI {
namespace detail {

[[nodiscard]] inline text::JsonLine begin_event(std::string_view key, std::string_view name, Duration t) {
    text::JsonLine line;
    line.begin_object().key(key).string(name).key("t").number(in_seconds(t));
    return line;
}

[[nodiscard]] inline std::string ended_event(text::JsonLine& line) { return std::move(line.end_object()).text(); }

/// The watchdog itself has no run id.
inline text::JsonLine& put_run(text::JsonLine& line, std::string_view run) {
    line.key("run");
    return run.empty() ? line.null() : line.string(run);
}

/// The conditions, each once.
inline void put_names(text::JsonLine& line, const List<Finding>& findings) {
    std::vector<std::string_view> names;
    for (const Finding& finding : findings)
        if (std::find(names.begin(), names.end(), name_of(finding.condition)) == names.end())
            names.push_back(name_of(finding.condition));
    line.key("findings").begin_array();
    for (const std::string_view name : names) line.string(name);
    line.end_array();
}

/// Of the worst finding; empty where there is none.
inline void put_evidence(text::JsonLine& line, const List<Finding>& findings) {
    line.key("evidence").begin_object();
    if (!findings.empty()) {
        const Finding& worst = findings.front();
        line.key("rule").string(worst.evidence.rule).key("detector").string(worst.kind);
        for (std::size_t i = 0; i < worst.evidence.count; ++i)
            line.key(worst.evidence.facts[i].name).number(worst.evidence.facts[i].value);
        if (const auto subject = worst.subject.view(); !subject.empty())
            line.key("subject").string(text::redact(text::one_line(subject, Subject::capacity)));
        line.key("first").number(worst.evidence.first).key("last").number(worst.evidence.last);
    }
    line.end_object();
}

/// The alert's details by name; its one-line summary where they hold no longer one.
inline void put_payload(text::JsonLine& line, const Alert& alert) {
    const bool has_summary = std::any_of(alert.details.begin(), alert.details.end(),
                                         [](const Detail& detail) { return detail.name == detail_name::summary; });
    line.key("payload").begin_object();
    if (!has_summary) line.key(detail_name::summary).string(alert.summary);
    for (const Detail& each : alert.details) {
        line.key(each.name);
        each.is_json ? line.raw(each.value) : line.string(each.value);
    }
    write_suggestions(line, alert.kind);
    line.end_object();
}

}  // namespace detail

[[nodiscard]] inline std::string to_json(const StatusEvent& event, Duration t) {
    text::JsonLine line = detail::begin_event("status", name_of(event.status), t);
    detail::put_run(line, event.run);
    detail::put_names(line, event.findings);
    line.key("level").string(name_of(event.level)).key("severity").string(name_of(event.severity));
    detail::put_evidence(line, event.findings);
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const OutcomeEvent& event, Duration t) {
    text::JsonLine line = detail::begin_event("outcome", name_of(event.outcome), t);
    detail::put_run(line, event.run).key("incident").number(event.incident).key("of").string(name_of(event.of));
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const ActionEvent& event, Duration t) {
    const Action& action = event.action;
    text::JsonLine line = detail::begin_event("action", name_of(action.kind), t);
    detail::put_run(line, event.run).key("incident").number(action.incident).key("attempt").number(action.attempt);
    line.key("outcome").string(name_of(action.outcome)).key("key").string(action.key);
    const bool says_something = is_injection(action.kind) || action.kind == ActionKind::file_issue ||
                                action.kind == ActionKind::spawn || action.kind == ActionKind::mark_failed;
    if (says_something) line.key("text").string(action.text);
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const AlertEvent& event, Duration t) {
    const Alert& alert = event.row.alert;
    text::JsonLine line = detail::begin_event("alert", alert.kind, t);
    detail::put_run(line, alert.run.id).key("to").string(alert.to).key("severity").string(name_of(alert.severity));
    line.key("issues").begin_array();
    for (const auto& issue : alert.issues) line.string(issue);
    line.end_array();
    detail::put_payload(line, alert);
    line.key("attempts").number(event.row.attempts);
    line.key("delivered").boolean(event.row.state == AlertRow::State::delivered);
    if (event.row.state == AlertRow::State::skipped) line.key("skipped").string(reason_of(event.row));
    line.key("key").string(alert.key);
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const AuditEvent& event, Duration t) {
    text::JsonLine line = detail::begin_event("audit", event.row.kind, t);
    detail::put_run(line, event.row.run);
    const std::string_view all = event.row.body;  // its members stand among those of the event
    if (all.size() > 2 && all.front() == '{' && all.back() == '}') line.raw(all.substr(1, all.size() - 2));
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const SightingEvent& event, Duration t) {
    text::JsonLine line = detail::begin_event(event.saw.record, event.saw.answer, t);
    detail::put_run(line, event.run).key("age_s");
    event.saw.age ? line.number(in_seconds(*event.saw.age)) : line.null();
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const ErrorEvent& event, Duration t) {
    text::JsonLine line = detail::begin_event("error", name_of(event.error.code), t);
    line.key("where").string(event.where);
    if (!event.run.empty()) detail::put_run(line, event.run);
    line.key("message").string(event.error.message);
    return detail::ended_event(line);
}

[[nodiscard]] inline std::string to_json(const Event& event, Duration t) {
    return std::visit([t](const auto& each) { return to_json(each, t); }, event);
}

}  // namespace heeler::inline HEELER_ABI
