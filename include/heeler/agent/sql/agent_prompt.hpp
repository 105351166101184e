// What an agent is told so that it writes its checkpoints: statements with its own values, and the text around them;
// for the tables of agents.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/agent/sql/agent_claim.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

/// What an agent executes, word for word. Each counts only while the agent is the run's current one.
struct AgentStatements {
    std::string checkpoint{};  ///< a step is done, or work goes on
    std::string heartbeat{};   ///< alive, in the middle of something long
    std::string question{};    ///< it cannot go on without a person, and waits; the next checkpoint ends that
    std::string complete{};    ///< all steps are done
};

namespace detail {

inline constexpr std::size_t written_step_cap = 2000;  ///< bytes of a step's text in a statement

/// A string literal of standard SQL. Nothing but the apostrophe has a meaning in it.
[[nodiscard]] inline std::string sql_literal(std::string_view text) {
    std::string literal = "'";
    for (const char c : text) literal.append(c == '\'' ? 2 : 1, c);
    return literal += '\'';
}

/// The same where a server may be set to give backslashes a meaning.
[[nodiscard]] inline std::string escaping_sql_literal(std::string_view text) {
    if (text.find('\\') == std::string_view::npos) return sql_literal(text);
    std::string literal = "E'";
    for (const char c : text) literal.append(c == '\'' || c == '\\' ? 2 : 1, c);
    return literal += '\'';
}

/// A database's own words. Statements have `:token`, `:attempt`, `:step` and `:text` where values belong.
struct AgentWords {
    AgentStatements direct{};           ///< for whoever may update the table
    AgentStatements prompted{};         ///< what agents are told
    std::string_view counted{};         ///< what those answer if they counted
    std::string_view stop{};            ///< what they answer otherwise
    std::string_view step_parameter{};  ///< for agents whose tool takes parameters
    std::string_view text_parameter{};  ///< likewise
    std::string (*literal)(std::string_view) = &sql_literal;
    std::string table = "agent_progress";  ///< as a statement has it
};

/// What the markers stand for.
struct MarkedValues {
    std::string token{};
    std::string attempt{};
    std::string step{};
    std::string text{};
};

/// `words` with its markers replaced. What is put in is not looked at again.
[[nodiscard]] inline std::string fill(std::string_view words, const MarkedValues& values) {
    const std::array<std::pair<std::string_view, const std::string*>, 4> all{
        {{":token", &values.token}, {":attempt", &values.attempt}, {":step", &values.step}, {":text", &values.text}}};
    std::string out;
    while (!words.empty()) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const auto& marker) { return words.starts_with(marker.first); });
        if (found == all.end())
            out += words.front();
        else
            out += *found->second;
        words.remove_prefix(found == all.end() ? 1 : found->first.size());
    }
    return out;
}

[[nodiscard]] inline AgentStatements fill(const AgentStatements& words, const MarkedValues& values) {
    return {fill(words.checkpoint, values), fill(words.heartbeat, values), fill(words.question, values),
            fill(words.complete, values)};
}

/// The values as literals; the text is sanitised and cut.
[[nodiscard]] inline MarkedValues literals(const AgentWords& words, const AgentTicket& ticket,
                                           std::optional<std::int64_t> step, std::string_view text) {
    return {words.literal(ticket.token), std::to_string(ticket.attempt), step ? std::to_string(*step) : "NULL",
            words.literal(text::sanitise(text, written_step_cap))};
}

/// Constants, the token, which the database made, and the attempt: nothing of the run or of its agents is in it.
[[nodiscard]] inline std::string agent_prompt(const AgentWords& words, const AgentTicket& ticket, Duration every) {
    const auto example = [&](std::optional<std::int64_t> step, std::string_view text) {
        return fill(words.prompted, literals(words, ticket, step, text));
    };
    const MarkedValues parameters{words.literal(ticket.token), std::to_string(ticket.attempt),
                                  std::string{words.step_parameter}, std::string{words.text_parameter}};
    const AgentStatements first = example(1, "Read the parser's tests; all of them pass");
    std::string text = "Checkpoints (attempt " + std::to_string(ticket.attempt) + ")\n\n";
    text += "Execute this SQL at the latest every " + text::spoken(every) +
            " of work, and whenever a step is done. Change nothing in it but the number of the step and the text "
            "between the apostrophes:\n\n" +
            first.checkpoint + "\n\n";
    text += "It answers " + std::string{words.counted} + " if it counted. If it answers " + std::string{words.stop} +
            ", 0 rows changed: you were replaced, or the run is over. Then stop at once: change nothing any more, do "
            "not try again.\n"
            "An error (a locked database, a lost connection) is no answer: wait some seconds and execute it again.\n\n";
    text += "- The number is that of the step you have completed; NULL if you are still in the middle of one:\n\n" +
            example(std::nullopt, "Step 2: moved half of the callers, next is src/io").checkpoint + "\n\n";
    text +=
        "- The text is one sentence about what is done, for whoever may go on with your work. Write each "
        "apostrophe in it twice ('the parser''s tests'); $ and \" need nothing; leave out backslashes and line "
        "breaks. If your tool takes parameters, pass number and text as such:\n\n" +
        fill(words.prompted.checkpoint, parameters) + "\n\n";
    text += "- In the middle of something that takes longer than that, show that you are alive:\n\n" + first.heartbeat +
            "\n\n";
    text +=
        "- When you cannot go on without an answer of a person, ask, and wait for it: nobody replaces you meanwhile. "
        "Your next checkpoint says that you go on:\n\n" +
        example({}, "Which of the two parsers is to be kept?").question + "\n\n";
    text += "- When all steps are done and checked, and only then:\n\n" + first.complete + "\n\n";
    return text + "The long text of letters and digits in these statements is yours alone: show it to nobody.\n";
}

}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
