// What a cycle says about a run besides what it does: its status, the band it lies in, a retry that is planned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline HEELER_ABI::detail::notes {

/// The findings, and the incident that is open without one.
[[nodiscard]] inline StatusEvent status(const Run& run, const Judged& judged) {
    StatusEvent event{std::string{run.id}, judged.shows.status, {}, judged.shows.level, judged.severity};
    Findings all = judged.findings;
    ConditionBits missing = judged.shows.findings;
    for (const Finding& finding : judged.findings) missing &= ~bit_of(finding.condition);
    const Decision& decision = judged.decision;
    const Condition& about = decision.acts() ? decision.condition : decision.incident.condition;
    if ((missing & bit_of(about)) != 0) {
        Finding open{about, judged.shows.level, "incident", {}};
        open.evidence.rule = decision.reason.empty() ? "open_incident" : decision.reason;
        open.evidence.add("attempts", decision.incident.attempts);
        all.add(open);
    }
    event.findings = {all.begin(), all.end()};
    return event;
}

/// A rule that could not judge.
[[nodiscard]] inline std::string not_evaluable(const Finding& note) {
    text::JsonLine line;
    line.begin_object().key("message").string("not evaluable").key("detector").string(note.kind);
    line.key("rule").string(note.evidence.rule).end_object();
    return std::move(line).text();
}

/// The host calls more seldom than the class asks for.
[[nodiscard]] inline std::string slow_host(const RunClass& rules, Duration every) {
    text::JsonLine line;
    line.begin_object().key("class").string(rules.name).key("called_every_s").number(in_seconds(every));
    line.key("wanted_every_s").number(in_seconds(rules.shortest_cycle())).end_object();
    return std::move(line).text();
}

/// What somebody wrote, of a class or of none, and most likely meant something else by it.
[[nodiscard]] inline std::string doubt(std::string_view of_class, const Detail& about) {
    text::JsonLine line;
    line.begin_object();
    if (!of_class.empty()) line.key("class").string(of_class);
    line.key("setting").string(about.name).key("message").string(about.value).end_object();
    return std::move(line).text();
}

/// Runs are not judged, because what they do cannot be read.
[[nodiscard]] inline std::string lost_source(std::size_t runs, Duration length) {
    text::JsonLine line;
    line.begin_object().key("cause").string("source").key("runs").number(static_cast<std::uint64_t>(runs));
    line.key("seconds").number(in_seconds(length)).end_object();
    return std::move(line).text();
}

/// What a detector saw: its answer or number and the age of what it looked at, or its message.
[[nodiscard]] inline std::string sighting(const Sighting& saw) {
    text::JsonLine line;
    line.begin_object();
    if (saw.answer.empty() && !saw.number) {
        line.key("message").string(saw.message).end_object();
        return std::move(line).text();
    }
    line.key(saw.record);
    saw.number ? line.number(*saw.number) : line.string(saw.answer);
    line.key("age_s");
    saw.age ? line.number(in_seconds(*saw.age)) : line.null();
    line.end_object();
    return std::move(line).text();
}

/// When the next fresh agent is started at the earliest.
[[nodiscard]] inline std::string retry(std::uint32_t attempt, Duration after, WallTime not_before) {
    text::JsonLine line;
    line.begin_object().key("attempt").number(attempt).key("after_s").number(in_seconds(after));
    line.key("not_before").string(text::rfc3339(not_before)).end_object();
    return std::move(line).text();
}

/// What was tried in vain, each with what was answered.
[[nodiscard]] inline std::string failed(const List<Action>& actions) {
    std::string text;
    for (const Action& action : actions) {
        const bool in_vain = rung::not_done(action) || action.outcome == ActionOutcome::unknown;
        if (!in_vain || action.kind == ActionKind::escalate) continue;
        text::append(text, text.empty() ? "" : ", ", name_of(action.kind), " ", name_of(action.outcome),
                     action.note.empty() ? "" : ": ", action.note);
    }
    return text;
}

}  // namespace heeler::inline HEELER_ABI::detail::notes
