// The words of a class that watches sessions (S004): what is wrong as people read it, and what the session is told.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/finding.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline v0 {

namespace detail {

inline constexpr std::size_t tool_name_cap = 64;  ///< bytes of a tool's name in an issue
inline constexpr std::size_t evidence_cap = 512;  ///< bytes of the finding in a steering message

[[nodiscard]] inline std::optional<double> fact_named(const Evidence& evidence, std::string_view name) {
    for (std::size_t i = 0; i < evidence.count; ++i)
        if (evidence.facts[i].name == name) return evidence.facts[i].value;
    return std::nullopt;
}

/// Rounded down; what is no such number reads as the nearest one that is.
[[nodiscard]] inline std::int64_t whole(double value) {
    constexpr double most = 9e15;
    return value > 0 ? static_cast<std::int64_t>(std::min(value, most)) : 0;
}

/// 5000000 as "5,000,000".
[[nodiscard]] inline std::string grouped(std::int64_t value) {
    std::string digits = std::to_string(value);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

[[nodiscard]] inline std::string dollars(double value) {
    const std::int64_t cents = whole(value * 100 + 0.5);
    return "$" + std::to_string(cents / 100) + (cents % 100 < 10 ? ".0" : ".") + std::to_string(cents % 100);
}

[[nodiscard]] inline std::string tool_of(const Finding& finding) {
    const std::string name = one_line(finding.subject.view(), tool_name_cap);
    return name.empty() ? "unknown" : name;
}

/// One kind of finding: the number that its words are made of, and the words.
struct SessionIssue {
    std::string_view kind;  ///< of the detector
    std::string_view fact;  ///< without it the words would be wrong
    std::string (*words)(const Finding&, double);
};

/// In the order in which people read them.
inline constexpr SessionIssue session_issue_kinds[] = {
    {"silence", "age_s",
     [](const Finding&, double age) { return "Silent for " + std::to_string(whole(age / 60)) + " minutes"; }},
    {"timeout", "elapsed_s",
     [](const Finding&, double elapsed) { return "Running for " + std::to_string(whole(elapsed / 3600)) + " hours"; }},
    {"loop_tail", "count",
     [](const Finding& loop, double count) {
         return "Looping: " + tool_of(loop) + " called " + std::to_string(whole(count)) + " times consecutively";
     }},
    {"error_cascade", "errors",
     [](const Finding& cascade, double errors) {
         const std::int64_t window = whole(fact_named(cascade.evidence, "window").value_or(20));
         return "Error cascade: " + std::to_string(whole(errors)) + " errors in last " + std::to_string(window) +
                " calls";
     }},
    {"failure_streak", "failures",
     [](const Finding& streak, double failures) {
         return std::to_string(whole(failures)) + " tool failures in a row (last: " + tool_of(streak) + ")";
     }},
    {"token_budget", "tokens",
     [](const Finding& budget, double tokens) {
         return "Token budget: " + grouped(whole(tokens)) + " tokens, " +
                dollars(fact_named(budget.evidence, "cost_usd").value_or(0));
     }},
};

/// The place of a finding among the kinds; findings of other kinds come last.
[[nodiscard]] inline std::size_t session_place(const Finding& finding) {
    const auto* const place =
        std::find_if(std::begin(session_issue_kinds), std::end(session_issue_kinds), [&](const SessionIssue& issue) {
            return issue.kind == finding.kind && fact_named(finding.evidence, issue.fact);
        });
    return static_cast<std::size_t>(place - std::begin(session_issue_kinds));
}

[[nodiscard]] inline std::string session_words(const Finding& finding) {
    const std::size_t place = session_place(finding);
    if (place < std::size(session_issue_kinds)) {
        const SessionIssue& issue = session_issue_kinds[place];
        return issue.words(finding, *fact_named(finding.evidence, issue.fact));
    }
    return std::string{name_of(finding.condition)} + ": " + std::string{finding.evidence.rule};
}

}  // namespace detail

/// The findings in words, one text each: silence, duration, loop, error cascade, failures in a row, tokens, then
/// anything else as its name and rule, whatever their order was. One line each; names of tools are sanitised and
/// capped. For `PromptSettings::issues`.
[[nodiscard]] inline std::vector<std::string> session_issues(const std::vector<Finding>& findings, const Run&) {
    std::vector<const Finding*> ordered;
    for (const Finding& finding : findings) ordered.push_back(&finding);
    std::stable_sort(ordered.begin(), ordered.end(), [](const Finding* a, const Finding* b) {
        return detail::session_place(*a) < detail::session_place(*b);
    });
    std::vector<std::string> issues;
    for (const Finding* finding : ordered) issues.push_back(detail::session_words(*finding));
    return issues;
}

/// What a session is told about one finding, whose words are in `facts.evidence`. For `PromptSettings::steer`.
[[nodiscard]] inline std::string session_steer(const PromptFacts& facts) {
    const std::string seen = "[watchdog] " + one_line(facts.evidence, detail::evidence_cap) + ".\n";
    switch (facts.condition) {
        case Condition::loop_detected:
            return seen +
                   "The same call with the same input will give the same answer. Do not make it again: say in one "
                   "sentence what you hoped to learn from it, then do something else. If nothing else is left, stop "
                   "and say what you need.\n";
        case Condition::error_cascade:
            return seen +
                   "Stop and read the last error before the next call. Find out what the errors have in common and "
                   "mend "
                   "that first, or take another way. If the cause is not yours to mend, say what is needed.\n";
        case Condition::token_budget:
            return seen +
                   "That is the budget for one session. Finish the step you are at, leave the work in a state that "
                   "another session can take up, and say what is left to do.\n";
        default:
            return seen + "Say where you stand, then go on with the next concrete step, or say what you need.\n";
    }
}

}  // namespace heeler::inline v0
