#include "run_view.hpp"

#include <utility>

#include <heeler/explain/explain.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/words.hpp>

namespace ctl {

namespace {

using heeler::Condition;
using heeler::Duration;
using heeler::Instant;
using heeler::Phase;
using heeler::WallTime;

WallTime wall_of(const Facts& facts, Duration working, Instant now) {
    return heeler::wall_at(now, facts.run.origin + facts.run.waited + working);
}

Next next_of(const heeler::RunRow& row, const Facts& facts, const heeler::List<heeler::Intervention>& interventions,
             Instant now) {
    if (heeler::is_terminal(row.state)) return {};
    if (facts.verdict->marks.dismissed) return {};
    if (facts.skip != heeler::detail::Skip::no) return {"not watched: " + std::string{name_of(facts.skip)}, {}};
    if (const auto end = facts.rare->waits_until) return {"rate limit ends", heeler::wall_at(now, *end)};
    if (facts.verdict->incident.phase == Phase::holding) {
        if (facts.verdict->incident.hold_until)
            return {"said again", heeler::wall_at(now, *facts.verdict->incident.hold_until)};
        return {"a person decides", {}};
    }
    if (facts.verdict->incident.phase == Phase::waiting && facts.verdict->incident.hold_until)
        return {"taken up by a fresh agent", heeler::wall_at(now, *facts.verdict->incident.hold_until)};
    if (facts.run.waiting_since) return {"when " + std::string{name_of(row.state)} + " ends", {}};
    if (facts.verdict->incident.phase == Phase::climbing) {
        const std::string of =
            interventions.empty() ? std::string{} : " of " + std::string{name_of(interventions.back().action)};
        return {"check" + of, wall_of(facts, facts.verdict->incident.verify_at, now)};
    }
    return {"sample " + std::to_string(facts.sampling.number + 1), wall_of(facts, facts.sampling.next, now)};
}

}  // namespace

RunView view_of(heeler::RunRow row, const heeler::List<heeler::Intervention>& interventions, Instant now) {
    RunView view;
    view.row = std::move(row);
    view.unwritten = now.wall - view.row.updated_at;
    if (view.row.spec) view.owner = heeler::detail::SpecBytes{*view.row.spec}.decoded().owner;
    heeler::ArchiveReader reader{view.row.facts, now};
    view.facts.archive_facts(reader);
    view.readable = reader.ok() && reader.at_end();
    if (!view.readable) {
        view.facts = Facts{};
        return view;
    }
    view.idle = view.facts.run.age(view.facts.run.last_activity, now.elapsed);
    view.next = next_of(view.row, view.facts, interventions, now);
    view.unobservable = heeler::detail::unobservable_text(view.facts, now);
    if (const auto& flaps = *view.facts.verdict->told.flaps; flaps.found && !is_terminal(view.row.state)) {
        const heeler::Elapsed since = view.facts.run.origin + view.facts.run.waited + flaps.since;
        view.flapping = "FLAPPING: " + std::to_string(flaps.begun) + " incidents since " +
                        heeler::text::rfc3339(wall_at(now, since)) + "; people are told only of what cannot wait";
    }
    if (const auto& since = view.facts.verdict->restarts.poisoned_at; since && !is_terminal(view.row.state))
        view.poison = "POISONED since " + heeler::text::rfc3339(*since) + ": no fresh agent is started before `resume`";
    return view;
}

std::string status_text(const RunView& view) {
    return std::string{name_of(view.row.status)} + (view.unobservable.empty() ? "" : ", UNOBSERVABLE") +
           (view.flapping.empty() ? "" : ", FLAPPING") + (view.poison.empty() ? "" : ", POISONED");
}

std::string incident_text(const RunView& view, Instant now) {
    if (!view.readable) return "?";
    const heeler::Incident& incident = view.facts.verdict->incident;
    if (!incident.open()) return {};
    std::string text = condition_name(incident.condition) + " for " +
                       heeler::text::spoken(view.facts.run.working(now.elapsed) - incident.opened) + ", " +
                       std::to_string(incident.attempts) + (incident.attempts == 1 ? " attempt" : " attempts");
    if (incident.escalated) text += ", escalated";
    return text;
}

std::string limits_text(const RunView& view) {
    const heeler::Run& run = view.facts.run;
    std::string text;
    const auto add = [&](const std::string& limit) { text += (text.empty() ? "" : ", ") + limit; };
    if (run.timeout) add("timeout " + heeler::text::spoken(*run.timeout));
    if (run.spend->own_tokens > 0)
        add(heeler::detail::words::grouped(static_cast<double>(run.spend->own_tokens)) + " tokens");
    if (run.spend->own_micro_usd > 0)
        add(heeler::detail::words::dollars(static_cast<double>(run.spend->own_micro_usd) / 1e6));
    return text;
}

std::string marks_text(const RunView& view, Instant now) {
    const heeler::detail::OperatorMarks& marks = view.facts.verdict->marks;
    std::string text;
    const auto add = [&](const std::string& mark) { text += (text.empty() ? "" : ", ") + mark; };
    if (marks.frozen_at(now.wall)) add("FROZEN");
    if (marks.snoozed_until && now.wall < *marks.snoozed_until)
        add("snoozed until " + heeler::text::rfc3339(*marks.snoozed_until));
    if (view.facts.verdict->told.acknowledged) add("acknowledged");
    if (marks.dismissed) add("dismissed");
    for (const Condition& condition : heeler::library_conditions)
        if ((marks.wrong & bit_of(condition)) != 0) add(condition_name(condition) + " marked wrong");
    for (const Condition& condition : view.facts.verdict->conditions_seen)
        if (Condition::named(condition.key()).id() == Condition::no_id && (marks.wrong & bit_of(condition)) != 0)
            add(condition_name(condition) + " marked wrong");
    return text;
}

std::string next_text(const RunView& view, Instant now) {
    if (!view.readable) return "?";
    if (!view.next.at) return view.next.what;
    // What is written is not written again where nothing changes, so the moment may be one of many that are over.
    if (*view.next.at <= now.wall) return view.next.what + " with the next cycle";
    return view.next.what + " " + relative(*view.next.at, now);
}

std::string condition_name(const Condition& condition) { return std::string{condition.key()}; }

std::string relative(WallTime when, Instant now) {
    if (when <= now.wall) return heeler::text::spoken(now.wall - when) + " ago";
    return "in " + heeler::text::spoken(when - now.wall);
}

}  // namespace ctl
