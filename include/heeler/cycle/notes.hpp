// What a cycle says about a run besides what it does: its status, the band it lies in, a retry that is planned.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>

namespace heeler::inline v0::notes {

/// The findings, and what is open without one.
[[nodiscard]] inline StatusEvent status(const Run& run, const Judged& judged) {
    StatusEvent event{run.id, judged.shows.status, {}, judged.shows.level, judged.severity};
    std::uint32_t missing = judged.shows.findings;
    for (const Finding& finding : judged.findings) {
        event.findings.push_back(finding);
        missing &= ~bit_of(finding.condition);
    }
    for (unsigned i = 0; i < 32; ++i) {
        if ((missing & (1u << i)) == 0) continue;
        Finding open{static_cast<Condition>(i), judged.shows.level, "incident", {}};
        open.evidence.rule = judged.decision.reason.empty() ? "open_incident" : judged.decision.reason;
        open.evidence.add("attempts", judged.decision.incident.attempts);
        event.findings.push_back(open);
    }
    std::stable_sort(event.findings.begin(), event.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.condition < b.condition; });
    return event;
}

/// A rule that could not judge.
[[nodiscard]] inline std::string not_evaluable(const Finding& note) {
    JsonLine line;
    line.begin_object().key("message").string("not evaluable").key("detector").string(note.kind);
    line.key("rule").string(note.evidence.rule).end_object();
    return std::move(line).text();
}

[[nodiscard]] inline std::string band(Band band, const std::optional<Duration>& age) {
    JsonLine line;
    line.begin_object().key("band").string(name_of(band)).key("age_s");
    if (age)
        line.number(in_seconds(*age));
    else
        line.null();
    line.end_object();
    return std::move(line).text();
}

/// When the next fresh agent is started at the earliest.
[[nodiscard]] inline std::string retry(std::uint32_t attempt, Duration after, WallTime not_before) {
    JsonLine line;
    line.begin_object().key("attempt").number(attempt).key("after_s").number(in_seconds(after));
    line.key("not_before").string(rfc3339(not_before)).end_object();
    return std::move(line).text();
}

}  // namespace heeler::inline v0::notes
