// Reports, explanations and descriptions: what the engine and the store know, put together for people and programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/alert/group.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/recover/prompts.hpp>
#include <heeler/run/heartbeat_log.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/contradictions.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What the records of a run amount to.
[[nodiscard]] inline std::string final_status_of(RunState state, const Incident& incident, bool escalated) {
    if (is_terminal(state)) return std::string{name_of(state)};
    if (incident.phase == Phase::holding && escalated) return "escalated";
    return incident.phase == Phase::closed ? "recovered" : "running";
}

/// The report of a run whose memory is at hand; `known` holds what the store kept.
[[nodiscard]] inline Report report_of(const RunMemory& watched, const History& known, Instant now) {
    const RunSpec spec = watched.spec.decoded();
    Report report;
    report.run = watched.run.id;
    report.name = spec.name;
    report.work_item = spec.work_item;
    const Elapsed end = watched.verdict->ended_at ? elapsed_at(now, *watched.verdict->ended_at) : now.elapsed;
    report.total = detail::max_of(Duration{}, end - watched.run.origin - watched.run.started.value_or(Duration{}));
    report.metric = spec.metric_words();
    report.interval = watched.run.interval;
    report.intervals = watched.sampling.number;
    report.heartbeats = heartbeat_log(watched, known);
    const auto& kept = watched.verdict->interventions;
    report.interventions = kept.empty() ? known.interventions : kept;
    for (const Action& action : known.actions)
        if (action.outcome != ActionOutcome::intended && action.outcome != ActionOutcome::blocked)
            report.actions.push_back(action);
    for (const Action& action : known.actions)
        report.escalated |= action.kind == ActionKind::escalate && action.outcome == ActionOutcome::done;
    for (const AlertRow& row : known.alerts) {
        report.escalated |= row.alert.is(AlertKind::escalation) && row.state == AlertRow::State::delivered;
        if (row.state == AlertRow::State::dead) report.alerts.push_back(row.alert.key);
        if (!row.alert.is(AlertKind::escalation)) continue;
        for (const Detail& detail : row.alert.details) {
            if (detail.name == detail_name::recommendation) report.recommendation = detail.value;
            if (detail.name == detail_name::summary) report.summary = detail.value;
        }
    }
    report.final_status = final_status_of(watched.run.state, watched.verdict->incident, report.escalated);
    if (watched.run.state == RunState::completed)
        report.completed_by = watched.run.attempt > 1 ? CompletedBy::continuation : CompletedBy::original;
    for (const Condition& condition : watched.verdict->conditions_seen) {
        std::string name{name_of(condition)};
        bool told = false;
        for (const std::string& each : report.conditions) told |= each == name;
        if (!told) report.conditions.push_back(std::move(name));
    }
    return report;
}

/// Nothing can be judged of the run now: since when, and why. Empty: something can.
[[nodiscard]] inline std::string unobservable_text(const RunMemory& watched, Instant now) {
    const auto since = watched.unobservable_since();
    if (!since || !is_unobservable(watched.shown.findings) || is_terminal(watched.run.state)) return {};
    return text::concat("UNOBSERVABLE since ", text::rfc3339(wall_at(now, *since)), ": its ",
                        watched.rare->lost_since ? "source" : "output", " cannot be read");
}

[[nodiscard]] inline RunMemory stored_memory(const RunRow& row, Instant now) {
    RunMemory watched;
    ArchiveReader reader{row.facts, now};
    watched.archive_facts(reader);
    return watched;
}

/// The report of a run that only the store still knows.
[[nodiscard]] inline Report stored_report(const History& known, Instant now) {
    RunMemory watched = stored_memory(*known.row, now);
    watched.run.id = known.row->id;
    watched.run.state = known.row->state;
    watched.spec = SpecBytes{known.row->spec.value_or(std::string{})};
    watched.verdict.edit().ended_at = known.row->ended_at;
    return report_of(watched, known, now);
}

/// What is stored about a run, in the order it happened, a line for each record whatever its texts hold.
[[nodiscard]] inline std::string explanation(const History& known, Instant now) {
    std::string text;
    const RunMemory watched = stored_memory(*known.row, now);
    const std::string unobservable = unobservable_text(watched, now);
    text::append(text, "run ", text::shown_name(known.row->id, 160), ": ", name_of(known.row->state), ", ",
                 name_of(known.row->status), ", class ", text::one_line(known.row->class_name, 80),
                 unobservable.empty() ? "" : "\n  ", unobservable, "\n");
    if (const auto& since = watched.verdict->restarts.poisoned_at)
        text::append(text, "  POISONED since ", text::rfc3339(*since), ": no fresh agent is started before `resume`\n");
    for (const CheckpointRow& row : known.checkpoints)
        text::append(text, "  ", text::rfc3339(row.at), "  checkpoint", row.step ? " step " : "",
                     row.step ? std::to_string(*row.step) : std::string{}, " (", name_of(row.reason),
                     "): ", text::one_line(row.text, 160), "\n");
    for (const AuditRow& row : known.audit)
        text::append(text, "  ", text::rfc3339(row.at), "  ", text::one_line(row.kind, 64), " ",
                     text::one_line(row.kind == heartbeats_record ? "(in the report)" : row.body, 4096), "\n");
    for (const Intervention& row : known.interventions)
        text::append(text, "  ", text::rfc3339(row.at), "  intervention ", std::to_string(row.number), ": ",
                     name_of(row.condition), " -> ", name_of(row.action), ", ", name_of(row.outcome), "\n");
    for (const Action& row : known.actions)
        text::append(text, "  action ", name_of(row.kind), " of intervention ", std::to_string(row.intervention), ": ",
                     name_of(row.outcome), row.note.empty() ? "" : ", ", text::one_line(row.note, 256), "\n");
    for (const AlertRow& row : known.alerts) {
        const std::string reason = reason_of(row);
        text::append(text, "  ", text::rfc3339(row.created_at), "  alert ", text::one_line(row.alert.kind, 64), ": ",
                     text::one_line(row.alert.summary, 1024), ", attempts ", std::to_string(row.attempts),
                     reason.empty() ? "" : ", ", text::one_line(reason, 1024), "\n");
    }
    return text;
}

/// Whom an escalation is told, one after the other; empty if once is all.
[[nodiscard]] inline std::string describe(const EscalationSettings& escalation) {
    std::string text;
    const bool by_default = escalation.levels.empty() && escalation.parent_first;
    for (const EscalationLevel& level : escalation.levels_of(true)) {
        text::append(text, text.empty() ? "  an escalation is told: " : ", ", name_of(level.whom));
        if (!level.route.empty()) text::append(text, " (", text::one_line(level.route, 256), ")");
        if (level.after > Duration{}) text::append(text, " after ", text::spoken(level.after));
    }
    if (text.empty()) return text;
    text.append(by_default ? ", if the run has a parent; until somebody acknowledges it"
                           : "; until somebody acknowledges it");
    if (escalation.ack_lasts > Duration{}) text::append(text, ", which holds for ", text::spoken(escalation.ack_lasts));
    return text += "\n";
}

/// From what is to be seen to the look that is the last one needed, in a host that calls every so often: it is found at
/// a look, and acted on at one of those after it. A period of zero: samples and looks coincide.
[[nodiscard]] inline Duration time_to_look(const RunClass& rules, Duration longest, Duration between_calls) {
    const Duration set = rules.schedule.period;
    const Duration again = detail::max_of(set > Duration{} ? set : longest, between_calls);
    const Duration late = between_calls < std::chrono::milliseconds{100} ? Duration{} : between_calls;
    const Duration first = late < set ? set + late : late;  // a call just before the time had come does not look
    return first + (rules.limits.debounce - 1) * again;
}

/// One class for people: what judges its runs, what is done, and within which time a stall is seen, in a host that
/// calls every so often (zero: whenever it is asked to), with so long between two calls at most.
[[nodiscard]] inline std::string description(const RunClass& rules, Duration called_every = {},
                                             Duration between_calls = {}) {
    const IntervalSettings& interval = rules.interval;
    std::string text;
    text::append(text, "class ", rules.name, rules.mode == Mode::shadow ? " (shadow: nothing is touched)\n" : "\n");
    text::append(text, "  cycle every ",
                 rules.schedule.period > Duration{} ? text::spoken(rules.schedule.period) : std::string{"interval"},
                 ", interval ");
    if (interval.fixed)
        text.append(text::spoken(*interval.fixed));
    else
        text::append(text, text::spoken(interval.short_task), " (expected up to ", text::spoken(interval.short_until),
                     ") or ", text::spoken(interval.long_task));
    if (rules.needs_more_than(called_every))
        text::append(text, "\n  the host calls every ", text::spoken(called_every),
                     " only: what follows is that much later");
    text.append("\n  detectors:");
    for (const std::string_view kind : rules.detectors.kinds()) text::append(text, " ", kind);
    text.append("\n");
    const Duration longest = interval.fixed.value_or(interval.long_task);
    for (const auto& entry : rules.detectors.entries())
        if (entry.ops->bound != nullptr)
            text += entry.ops->bound(entry.settings.get(), longest,
                                     time_to_look(rules, longest, detail::max_of(called_every, between_calls)));
    text += rules.ladder.describe();
    const NudgeLimits& nudges = rules.limits.nudges;
    if (nudges.per_incident + nudges.in_row > 0)
        text::append(text, "  nudges: at most ", std::to_string(nudges.per_incident), " in an incident and ",
                     std::to_string(nudges.in_row), " in a row (0: any number), then the next rung\n");
    const ActionLimits& most = rules.limits;
    if (most.per_minute != 0)
        text::append(text, "  at most ", words::counted(most.per_minute, "rung"), " within 1m 0s, in all runs\n");
    if (most.endings_apart > Duration{})
        text::append(text, "  an agent is ended or replaced ", text::spoken(most.endings_apart), " after another\n");
    const RestartIntensity& limit = most.restarts;
    if (limit.most != 0 && rules.ladder.asks_for(ActionKind::spawn))
        text::append(text, "  POISONED until `resume` where more than ", words::counted(limit.most, "fresh agent"),
                     " would be started within ", text::spoken(limit.within), "\n");
    const Duration verify =
        rules.verify_after > Duration{} ? rules.verify_after : interval.fixed.value_or(interval.long_task);
    text::append(text, "  stop_proof = ", name_of(rules.stop_proof), "; verified after ", text::spoken(verify),
                 "; alerts are tried for ", text::spoken(rules.alerts.outbox.give_up_after),
                 rules.alerts.outbox.jitter ? ", with jitter" : "");
    if (rules.alerts.outbox.groups()) text.append("; those of one cause are one message");
    if (rules.alerts.outbox.group_wait > Duration{})
        text::append(text, " after ", text::spoken(rules.alerts.outbox.group_wait));
    if (rules.alerts.outbox.group_interval > Duration{})
        text::append(text, ", the next one ", text::spoken(rules.alerts.outbox.group_interval), " later");
    if (rules.alerts.outbox.inhibit) text.append("; not told while people know of trouble of the run's parents");
    text.append("\n");
    text::append(text, describe(rules.alerts.escalation));
    for (const Detail& doubt : doubts_of(rules)) text::append(text, "  warning: ", doubt.name, ": ", doubt.value, "\n");
    return text;
}

}  // namespace heeler::inline HEELER_ABI::detail
