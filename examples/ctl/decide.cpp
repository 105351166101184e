#include "decide.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include <heeler/alert/silence.hpp>
#include <heeler/run/spec_bytes.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/nearest.hpp"
#include "decision_rows.hpp"
#include "find_run.hpp"
#include "print.hpp"
#include "run_view.hpp"

namespace ctl {

namespace {

using heeler::DecisionRow;
using heeler::Instant;
using heeler::WallTime;

/// A row that was not written for longer makes one ask whether a watchdog runs.
constexpr heeler::Duration long_unwritten = std::chrono::minutes{5};

/// Until when, and what is wrong with it.
std::variant<std::optional<WallTime>, Quit> until_of(const Options& options, Instant now) {
    if (options.lasts_for) return now.wall + *options.lasts_for;
    if (!options.lasts_until) return std::nullopt;
    if (*options.lasts_until <= now.wall)
        return Quit{exit_usage, "--until is " + heeler::text::rfc3339(*options.lasts_until) +
                                    ", which is over; it is " + heeler::text::rfc3339(now.wall)};
    return options.lasts_until;
}

/// What a decision is about, as it was last written.
struct Subject {
    std::optional<WallTime> written;  // absent: no run ever was
    std::string doubt;                // why the decision may change nothing
};

bool silence_is_told(const Facts& facts) {
    for (const heeler::detail::ToldAlert& told : facts.verdict->told.edges)
        if (told.edge == heeler::Condition::silent) return true;
    return false;
}

/// Something is done to the agent.
bool acts(heeler::Verb verb) {
    return verb == heeler::Verb::pause || verb == heeler::Verb::step || verb == heeler::Verb::resume;
}

std::string doubt_of_all(const Options& options, Store& store, Instant now) {
    if (!acts(options.verb)) return {};
    auto open = store.list();
    const bool frozen = open && sort_out(*std::move(open), now).freeze.has_value();
    return frozen ? "everything is frozen: nothing is done before unfreeze" : std::string{};
}

/// The watchdog decides by what is true then; an operator wants to know now.
std::string doubt_of(const Options& options, const RunView& view, Instant now) {
    const heeler::Verb verb = options.verb;
    if (heeler::detail::not_of_owner(view.owner, verb, options.by))
        return "only its owner, \"" + heeler::text::one_line(view.owner, 160) +
               "\", may snooze, continue or dismiss it, so it will be ignored";
    if (!view.readable) return {};
    const std::string then = " when it was last written";
    const heeler::Incident& incident = view.facts.verdict->incident;
    const heeler::detail::OperatorMarks& marks = view.facts.verdict->marks;
    if (verb == heeler::Verb::ack && !incident.open() && !silence_is_told(view.facts))
        return "nothing was wrong with the run" + then;
    if (verb == heeler::Verb::step && !incident.open()) return "nothing was wrong with the run" + then;
    if (verb == heeler::Verb::step && incident.phase == heeler::Phase::holding)
        return "no rung was left, and a person was asked for" + then;
    if (verb == heeler::Verb::pause &&
        (view.facts.run.state == heeler::RunState::paused || view.facts.run.waits_for_resume()))
        return "it was paused already" + then;
    if (acts(verb) && marks.frozen_at(now.wall)) return "it is frozen: nothing is done to it before unfreeze";
    if (verb == heeler::Verb::mark_wrong && incident.number == 0)
        return "nothing was ever found wrong with the run" + then;
    if (options.micro_usd > 0 && view.facts.run.spend->of == 0)
        return "nothing looked at what it may spend" + then + ": it is ignored where its class has `spend` off";
    if (verb == heeler::Verb::resume && !view.facts.run.paused_by_watchdog && view.poison.empty())
        return "the watchdog had not paused it" + then;
    return {};
}

std::variant<Subject, Quit> one_run(const Options& options, Store& store, Instant now) {
    auto found = find_run(store, *options.run);
    if (auto* const quit = std::get_if<Quit>(&found)) return std::move(*quit);
    const heeler::RunRow& row = *std::get<heeler::History>(found).row;
    if (!is_terminal(row.state)) {
        std::string doubt = doubt_of(options, view_of(row, {}, now), now);
        if (doubt.empty()) doubt = doubt_of_all(options, store, now);
        return Subject{row.updated_at, std::move(doubt)};
    }
    const WallTime ended = row.ended_at.value_or(row.updated_at);
    return Quit{exit_run, "the run \"" + heeler::text::shown_name(row.id, 160) + "\" ended at " +
                              heeler::text::rfc3339(ended) + " (" + relative(ended, now) +
                              "): " + std::string{name_of(row.state)} + "; nothing was noted"};
}

std::variant<Subject, Quit> all_runs(Store& store) {
    const auto rows = store.runs();
    if (!rows) return store_failed(rows.error());
    Subject all;
    for (const heeler::RunRow& row : rows->rows) all.written = std::max(all.written, std::optional{row.updated_at});
    return all;
}

/// What a silence names and nobody has: it may still come, so it is only said.
std::string unheard_of(const heeler::AlertMatch& about, Store& store) {
    std::vector<std::string> runs;
    std::vector<std::string> classes;
    std::vector<std::string> tags;
    std::vector<std::string> kinds;
    for (const std::string_view kind : heeler::alert_kind_names)
        if (!heeler::detail::is_about_watchdogs(kind)) kinds.emplace_back(kind);
    const auto rows = store.runs();
    if (!rows) return {};
    const auto add = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const heeler::RunRow& row : rows->rows) {
        runs.push_back(row.id);
        add(classes, row.class_name);
    }
    if (const auto open = about.tag.empty() ? heeler::Result<heeler::Snapshot>{} : store.load(); open)
        for (const heeler::StoredRun& each : open->runs)
            if (each.row.spec)
                for (const std::string& tag : heeler::detail::SpecBytes{*each.row.spec}.decoded().tags) add(tags, tag);
    std::string text;
    const auto look = [&](const char* sentence, const std::string& name, const std::vector<std::string>& known) {
        if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
        text += (text.empty() ? "" : "; ") + std::string{sentence} + " '" + heeler::text::shown_name(name, 160) + "'" +
                common::did_you_mean(name, known);
    };
    look("no run has the id", about.run, runs);
    look("no run has the class", about.class_name, classes);
    look("no run that goes on has the tag", about.tag, tags);
    look("no alert of heeler's own has the kind", about.kind, kinds);
    return text;
}

bool same(const DecisionRow& a, const DecisionRow& b) {
    return a.run == b.run && a.verb == b.verb && a.until == b.until && a.by == b.by && a.at == b.at &&
           a.because == b.because && a.about == b.about && a.length == b.length && a.tokens == b.tokens &&
           a.micro_usd == b.micro_usd;
}

/// The number that the store gave to the row; absent: a cycle has applied it already.
heeler::Result<std::optional<std::uint64_t>> number_of(const DecisionRow& row, Store& store) {
    const auto open = store.list();
    if (!open) return tl::unexpected<heeler::Error>(open.error());
    std::optional<std::uint64_t> number;
    for (const DecisionRow& other : *open)
        if (same(row, other)) number = other.number;
    return number;
}

std::string answer(const DecisionRow& row, const std::optional<std::uint64_t>& number, const Subject& subject,
                   Instant now) {
    std::string text = "noted";
    if (number && row.verb == heeler::Verb::silence)
        text += " as silence " + std::to_string(*number) + " about " + to_text(row.about) +
                ": in force from the next cycle until unsilence " + std::to_string(*number);
    else if (!number)
        text += ", and applied by a cycle meanwhile";
    else if (row.verb == heeler::Verb::freeze)
        text += " as decision " + std::to_string(*number) + ": in force from the next cycle until unfreeze";
    else
        text += " as decision " + std::to_string(*number) + ": the next cycle applies it";
    if (row.until) text += "; until " + heeler::text::rfc3339(*row.until) + " (" + relative(*row.until, now) + ")";
    if (!subject.doubt.empty()) text += "; " + subject.doubt;
    if (!subject.written)
        text += "; no watchdog has written a run here yet";
    else if (now.wall - *subject.written > long_unwritten)
        text += "; no watchdog has written " + std::string{row.run.empty() ? "any run" : "this run"} + " for " +
                heeler::text::spoken(now.wall - *subject.written);
    return text + "\n";
}

}  // namespace

Noted note_decision(const Options& options, Store& store, Instant now) {
    auto until = until_of(options, now);
    if (auto* const quit = std::get_if<Quit>(&until)) return {{}, std::move(*quit)};
    DecisionRow row{0,
                    options.run.value_or(std::string{}),
                    options.verb,
                    std::get<std::optional<WallTime>>(until),
                    options.by,
                    now.wall};
    row.about = options.about;
    row.because = heeler::text::redact(options.because);
    row.length = options.limit;
    row.tokens = options.tokens;
    row.micro_usd = options.micro_usd;
    if (row.verb == heeler::Verb::silence) {
        if (const auto good = heeler::check_silence(row, now.wall); !good)
            return {{}, {exit_usage, good.error().message}};
    }
    auto subject = options.run ? one_run(options, store, now) : all_runs(store);
    if (auto* const quit = std::get_if<Quit>(&subject)) return {{}, std::move(*quit)};

    heeler::Batch batch;
    batch.decisions = {row};
    batch.durable = true;
    if (const auto noted = store.commit(batch); !noted) return {{}, store_failed(noted.error())};
    const auto number = number_of(row, store);
    if (!number) return {{}, store_failed(number.error())};
    return {answer(row, *number, std::get<Subject>(subject), now), {exit_ok, unheard_of(row.about, store)}};
}

Quit decide(const Options& options, Store& store, Instant now) {
    Noted noted = note_decision(options, store, now);
    print(noted.answer);
    return std::move(noted.quit);
}

}  // namespace ctl
