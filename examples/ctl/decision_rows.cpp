#include "decision_rows.hpp"

#include <utility>

#include <heeler/alert/silence.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/table.hpp>

#include "print.hpp"
#include "run_view.hpp"

namespace ctl {

namespace {

using heeler::Verb;

std::string word(Verb verb) { return std::string{heeler::verb_names[static_cast<std::size_t>(verb)]}; }

}  // namespace

Waiting sort_out(heeler::List<heeler::DecisionRow> open, heeler::Instant now) {
    Waiting waiting;
    for (heeler::DecisionRow& row : open) {
        if (row.verb == Verb::silence && row.until && now.wall < *row.until) {
            waiting.silences.push_back(std::move(row));
            continue;
        }
        const bool lasts = row.verb == Verb::freeze && (!row.until || now.wall < *row.until);
        if (row.run.empty() && lasts) {
            if (!waiting.freeze || waiting.unfreeze) waiting.freeze = std::move(row);
            waiting.unfreeze.reset();
            continue;
        }
        if (row.run.empty() && row.verb == Verb::unfreeze && waiting.freeze) waiting.unfreeze = row;
        waiting.rest.push_back(std::move(row));
    }
    return waiting;
}

std::string frozen_text(const Waiting& waiting, heeler::Instant now) {
    if (!waiting.freeze) return {};
    const heeler::DecisionRow& row = *waiting.freeze;
    std::string text = "FROZEN since " + heeler::text::rfc3339(row.at) + " (" + relative(row.at, now) + ") by " +
                       heeler::text::one_line(row.by, 80) + ": nothing is done to any run";
    if (row.until) text += " until " + heeler::text::rfc3339(*row.until);
    if (waiting.unfreeze) text += "; decision " + std::to_string(waiting.unfreeze->number) + " ends it";
    return text + "\n";
}

std::string silenced_text(const Waiting& waiting, heeler::Instant now) {
    std::string text;
    for (const heeler::DecisionRow& row : waiting.silences)
        text += "SILENCED by " + std::to_string(row.number) + " of " + heeler::text::one_line(row.by, 80) + " until " +
                heeler::text::rfc3339(*row.until) + " (" + relative(*row.until, now) + "): " + to_text(row.about) +
                "\n";
    return text;
}

std::string waiting_text(const Waiting& waiting, heeler::Instant now) {
    if (waiting.rest.empty()) return {};
    std::vector<heeler::text::TableRow> rows;
    for (const heeler::DecisionRow& row : waiting.rest)
        rows.push_back({std::to_string(row.number), word(row.verb),
                        row.run.empty() ? "(all)" : heeler::text::shown_name(row.run, 160),
                        row.until ? heeler::text::rfc3339(*row.until) : std::string{}, row.by, relative(row.at, now)});
    return "Noted, not applied yet:\n" +
           heeler::text::to_table({"Decision", "Verb", "Run", "Until", "By", "When"}, rows);
}

void print_decision(const heeler::DecisionRow& row) {
    heeler::text::JsonLine line;
    line.begin_object().key("type").string("decision").key("number").number(row.number);
    line.key("verb").string(word(row.verb)).key("run");
    row.run.empty() ? line.null() : line.string(row.run);
    line.key("until");
    row.until ? line.string(heeler::text::rfc3339(*row.until)) : line.null();
    line.key("by").string(row.by).key("at").string(heeler::text::rfc3339(row.at));
    if (row.verb == Verb::silence) {
        line.key("about").string(to_text(row.about)).key("because");
        line.string(heeler::text::one_line(heeler::text::redact(row.because), heeler::longest_because));
    }
    line.end_object();
    print(line);
}

}  // namespace ctl
