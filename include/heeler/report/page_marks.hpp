// How what a watchdog found, did and said stands on the page of a run.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/report/run_page.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// "rule repeat of loop: repeats 3, needed 3; events 4 to 9; bash".
[[nodiscard]] inline std::string page_text(const Finding& finding) {
    std::string text = text::concat(finding.condition.key(), ", level ", name_of(finding.level), ": rule ",
                                    finding.evidence.rule, " of ", finding.kind, "\n");
    for (std::size_t i = 0; i < finding.evidence.count; ++i) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.12g", finding.evidence.facts[i].value);
        text::append(text, i == 0 ? "  " : ", ", finding.evidence.facts[i].name, " ", digits);
    }
    if (finding.evidence.count > 0) text += "\n";
    if (finding.evidence.last > 0)
        text::append(text, "  events ", std::to_string(finding.evidence.first), " to ",
                     std::to_string(finding.evidence.last), " of the run\n");
    if (!finding.subject.view().empty()) text::append(text, "  about: ", finding.subject.view(), "\n");
    return text;
}

[[nodiscard]] inline PageMark page_mark(const StatusEvent& event, WallTime at) {
    PageMark mark{.at = at, .lane = PageLane::verdict, .severity = event.severity};
    mark.label = std::string{name_of(event.status)};
    for (const Finding& finding : event.findings) mark.text += page_text(finding);
    if (!event.findings.empty())
        mark.label = text::concat(name_of(event.findings.front().condition), " (", name_of(event.level), ")");
    return mark;
}

[[nodiscard]] inline PageMark page_mark(const OutcomeEvent& event, WallTime at) {
    PageMark mark{.at = at, .lane = PageLane::action};
    mark.label = text::concat("after ", name_of(event.of), ": ", name_of(event.outcome));
    return mark;
}

[[nodiscard]] inline PageMark page_mark(const Action& action, WallTime at) {
    PageMark mark{.at = at, .lane = PageLane::action, .text = action.text};
    mark.label = text::concat(name_of(action.kind), ": ", name_of(action.outcome));
    if (!action.note.empty()) text::append(mark.label, ", ", action.note);
    if (is_destructive(action.kind)) mark.severity = Severity::critical;
    if (action.outcome == ActionOutcome::failed || action.outcome == ActionOutcome::unknown)
        mark.severity = Severity::warning;
    return mark;
}

/// `received_by`: who has it, as far as the channel said.
[[nodiscard]] inline PageMark page_mark(const AlertRow& row, const std::vector<std::string>& received_by, WallTime at) {
    constexpr std::string_view states[] = {"waits to be sent", "delivered", "given up", "not sent"};
    PageMark mark{.at = at, .lane = PageLane::alert, .severity = row.alert.severity, .label = row.alert.summary};
    mark.text = text::concat(row.alert.kind, ", ", states[static_cast<std::size_t>(row.state)]);
    if (!row.alert.to.empty()) text::append(mark.text, ", to ", row.alert.to);
    for (const std::string& who : received_by) text::append(mark.text, ", read by ", who);
    if (!row.note.empty()) text::append(mark.text, ", ", row.note);
    if (!row.with_key.empty()) text::append(mark.text, ", told with ", row.with_key);
    if (!row.last_error.empty()) text::append(mark.text, ", ", row.last_error);
    for (const std::string& issue : row.alert.issues) text::append(mark.text, "\n", issue);
    for (const Detail& detail : row.alert.details) text::append(mark.text, "\n", detail.name, ": ", detail.value);
    return mark;
}

[[nodiscard]] inline PageMark page_mark(const AuditRow& row) {
    return {.at = row.at, .lane = PageLane::record, .label = row.kind, .text = row.body};
}

[[nodiscard]] inline PageMark page_mark(const ErrorEvent& event, WallTime at) {
    return {.at = at,
            .lane = PageLane::record,
            .severity = Severity::warning,
            .label = text::concat("error of ", event.where, ": ", event.error.message)};
}

[[nodiscard]] inline PageMark page_mark(const CheckpointRow& row) {
    PageMark mark{.at = row.at, .lane = PageLane::checkpoint, .text = row.text};
    mark.label = row.step ? "step " + std::to_string(*row.step) : std::string{name_of(row.reason)};
    return mark;
}

/// What a report says, for the table of the page.
[[nodiscard]] inline std::vector<Detail> page_facts(const Report& report) {
    std::vector<Detail> facts;
    const auto add = [&](std::string_view name, std::string value) {
        if (!value.empty()) facts.push_back({std::string{name}, std::move(value)});
    };
    add("run", report.run);
    add("status", report.final_status);
    if (report.completed_by) add("completed by", std::string{name_of(*report.completed_by)} + " agent");
    add("work item", report.work_item);
    add("ran for", text::spoken(report.total));
    add("progress is", report.metric);
    add("interval", text::spoken(report.interval) + ", " + std::to_string(report.intervals) + " of them");
    std::string found, done;
    for (const std::string& condition : report.conditions) text::append(found, found.empty() ? "" : ", ", condition);
    for (const Action& action : report.actions) text::append(done, done.empty() ? "" : ", ", name_of(action.kind));
    add("found", found);
    add("done", done);
    add("recommendation", report.recommendation);
    add("progress so far", report.summary);
    for (const std::string& key : report.alerts) add("alert given up", key);
    return facts;
}

}  // namespace heeler::inline HEELER_ABI::detail
