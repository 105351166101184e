#include "explainer.hpp"

#include <cstdio>
#include <variant>

#include <heeler/detect/loop/explain.hpp>
#include <heeler/explain/explanation_text.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/shown_name.hpp>

#include "../common/nearest.hpp"
#include "observed_text.hpp"

namespace replay {
namespace {

constexpr std::size_t longest_text = 160;
constexpr std::size_t most_runs_named = 8;

std::string quoted_run(std::string_view run) { return "'" + heeler::text::shown_name(run, 140) + "'"; }

std::string seconds_text(double t) {
    char digits[32];
    const int size = std::snprintf(digits, sizeof digits, "%.1f", t);
    return {digits, static_cast<std::size_t>(size)};
}

}  // namespace

void Explainer::before(const heeler::Loop::Memory& memory, const heeler::Loop::Settings& settings,
                       const heeler::Observation& seen) {
    if (run_.empty()) {
        if (&memory == memory_ && std::holds_alternative<heeler::Watermark>(seen.event) && !events_.empty())
            interventions_.push_back(events_.rbegin()->first);
        return;
    }
    newest_[run_] = seen.index;
    if (run_ != wanted_.run) return;
    memory_ = &memory;
    const heeler::Explanation why = heeler::Loop::explain(memory, settings, seen);
    Event& event = events_[seen.index];
    event = {line_, t_, kind_of(seen), text_of(seen, longest_text), {}};
    if (std::holds_alternative<heeler::ToolResult>(seen.event) && !why.progress.empty()) event.answers = why.answers;
    if (seen.index <= wanted_.event) explained_ = {seen.index, why, static_cast<std::uint32_t>(interventions_.size())};
}

heeler::Error Explainer::no_such_run() const {
    std::string text = "--explain: no run " + quoted_run(wanted_.run) + " has anything that the loop detector looks at";
    if (newest_.empty()) return {heeler::ErrorCode::unknown_run, text + "; nor has any other"};
    std::vector<std::string> names;
    for (const auto& [run, last] : newest_) names.push_back(run);
    text += "; known are";
    std::size_t named = 0;
    for (const auto& [run, last] : newest_) {
        if (named++ == most_runs_named) break;
        heeler::text::append(text, named > 1 ? ", " : " ", quoted_run(run), " (up to event ", std::to_string(last),
                             ")");
    }
    if (newest_.size() > most_runs_named)
        heeler::text::append(text, ", and ", std::to_string(newest_.size() - most_runs_named), " more");
    return {heeler::ErrorCode::unknown_run, text + common::did_you_mean(wanted_.run, names)};
}

void Explainer::tell_event(std::string& out, std::uint64_t number, std::string_view indent) const {
    const auto known = events_.find(number);
    if (known == events_.end()) return;
    const Event& event = known->second;
    heeler::text::append(out, indent, "event ", std::to_string(number), " (line ", std::to_string(event.line), ", ",
                         seconds_text(event.t), " s), ", event.kind, event.text.empty() ? "" : ": ", event.text, "\n");
}

heeler::Result<std::string> Explainer::text() const {
    if (events_.empty()) return tl::unexpected<heeler::Error>(no_such_run());
    const std::uint64_t last = events_.rbegin()->first;
    if (wanted_.event > last || !explained_)
        return heeler::fail(heeler::ErrorCode::invalid_argument,
                            "--explain: the run " + quoted_run(wanted_.run) + " has no event " +
                                std::to_string(wanted_.event) + " that the loop detector looks at; it has events " +
                                std::to_string(events_.begin()->first) + " to " + std::to_string(last));
    std::string out = "Run " + quoted_run(wanted_.run) + "\n";
    const auto& [event, why, began_anew] = *explained_;
    if (event != wanted_.event)
        heeler::text::append(out, "Event ", std::to_string(wanted_.event),
                             " is none that the loop detector looks at. The last one before:\n");
    if (events_.at(event).answers) tell_event(out, *events_.at(event).answers, "  ");
    tell_event(out, event, "  ");
    if (began_anew > 0)
        heeler::text::append(out, "The watchdog had intervened after event ",
                             std::to_string(interventions_[began_anew - 1]), ": all counts began anew there.\n");
    for (const auto& [number, each] : events_)
        if (each.answers == event && number != event)
            heeler::text::append(out, "Its result is event ", std::to_string(number), ": --explain ", wanted_.run, "@",
                                 std::to_string(number), "\n");
    return out + to_text(why);
}

}  // namespace replay
