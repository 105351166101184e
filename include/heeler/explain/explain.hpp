// Reports, explanations and descriptions: what the engine and the store know, put together for people and programs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/settings/default_detectors.hpp>
#include <heeler/core/events.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/recover/prompts.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline v0 {

/// What the records of a run amount to.
[[nodiscard]] inline std::string final_status_of(RunState state, const Incident& incident, bool escalated) {
    switch (state) {
        case RunState::terminated:
        case RunState::completed:
        case RunState::failed:
        case RunState::cancelled:
        case RunState::abandoned:
            return std::string{name_of(state)};
        default:
            break;
    }
    if (incident.phase == Phase::holding && escalated) return "escalated";
    if (incident.phase == Phase::closed) return "recovered";
    return "running";
}

/// The report of a run whose memory is at hand; `known` holds what the store kept.
template <class Detectors>
[[nodiscard]] Report report_of(const RunMemory<Detectors>& cell, const History& known, Instant now) {
    const RunSpec spec = spec_from(cell.spec);
    Report report;
    report.run = cell.run.id;
    report.name = spec.name;
    report.work_item = spec.work_item;
    report.total = (cell.ended_at ? elapsed_at(now, *cell.ended_at) : now.elapsed) - cell.run.origin;
    report.intervals = cell.sampling.number;
    report.heartbeats = cell.heartbeats;
    report.interventions = cell.interventions.empty() ? known.interventions : cell.interventions;
    for (const Action& action : known.actions)
        if (action.outcome != ActionOutcome::intended && action.outcome != ActionOutcome::blocked)
            report.actions.push_back(action);
    for (const Action& action : known.actions)
        report.escalated |= action.kind == ActionKind::escalate && action.outcome == ActionOutcome::done;
    for (const AlertRow& row : known.alerts) {
        report.escalated |= row.alert.kind == "escalation" && row.state == AlertRow::State::delivered;
        if (row.state == AlertRow::State::dead) report.alerts.push_back(row.alert.key);
        if (row.alert.kind != "escalation") continue;
        for (const Detail& detail : row.alert.details) {
            if (detail.name == "recommendation") report.recommendation = detail.value;
            if (detail.name == "summary") report.summary = detail.value;
        }
    }
    report.final_status = final_status_of(cell.run.state, cell.incident, report.escalated);
    if (cell.run.state == RunState::completed)
        report.completed_by = cell.run.attempt > 1 ? CompletedBy::continuation : CompletedBy::original;
    for (std::uint64_t rest = cell.conditions_seen.packed; rest != 0; rest >>= 4) {
        if ((rest & 15u) == 0 || (rest & 15u) > static_cast<unsigned>(Condition::not_evaluable) + 1) break;  // damaged
        std::string name{name_of(static_cast<Condition>((rest & 15u) - 1))};
        if (std::find(report.conditions.begin(), report.conditions.end(), name) == report.conditions.end())
            report.conditions.push_back(std::move(name));
    }
    return report;
}

/// The report of a run that only the store still knows.
template <class Detectors>
[[nodiscard]] Report stored_report(const History& known, Instant now) {
    RunMemory<Detectors> cell;
    ArchiveReader reader{known.row->facts, now};
    cell.archive_facts(reader);
    cell.run.id = known.row->id;
    cell.run.state = known.row->state;
    cell.spec = known.row->spec.value_or(std::string{});
    cell.ended_at = known.row->ended_at;
    return report_of<Detectors>(cell, known, now);
}

/// What is stored about a run, in the order it happened.
[[nodiscard]] inline std::string explanation(const History& known) {
    std::string text;
    append(text, "run ", sanitise(known.row->id, 160), ": ", name_of(known.row->state), ", ",
           name_of(known.row->status), ", class ", sanitise(known.row->class_name, 80), "\n");
    for (const CheckpointRow& row : known.checkpoints)
        append(text, "  ", rfc3339(row.at), "  checkpoint", row.step ? " step " : "",
               row.step ? std::to_string(*row.step) : std::string{}, " (", name_of(row.reason),
               "): ", sanitise(row.text, 160), "\n");
    for (const AuditRow& row : known.audit)
        append(text, "  ", rfc3339(row.at), "  ", sanitise(row.kind, 64), " ", sanitise(row.body, 4096), "\n");
    for (const Intervention& row : known.interventions)
        append(text, "  ", rfc3339(row.at), "  intervention ", std::to_string(row.number), ": ", name_of(row.condition),
               " -> ", name_of(row.action), ", ", name_of(row.outcome), "\n");
    for (const Action& row : known.actions)
        append(text, "  action ", name_of(row.kind), " of intervention ", std::to_string(row.intervention), ": ",
               name_of(row.outcome), row.note.empty() ? "" : ", ", sanitise(row.note, 256), "\n");
    for (const AlertRow& row : known.alerts)
        append(text, "  ", rfc3339(row.created_at), "  alert ", sanitise(row.alert.kind, 64), ": ",
               sanitise(row.alert.summary, 1024), ", attempts ", std::to_string(row.attempts),
               row.last_error.empty() ? "" : ", ", sanitise(row.last_error, 256), "\n");
    return text;
}

/// Within which time a stall is seen: the contract's own threshold and one cycle.
inline void describe_bounds(std::string& text, const RunClass& rules) {
    const Duration longest = rules.interval.fixed.value_or(rules.interval.long_task);
    const Duration period = rules.schedule.period;  // zero: samples and cycles coincide
    if (const auto* intervals = rules.detectors.find<HeartbeatContract<Intervals>>())
        append(text, "  a stall is seen within ", spoken((intervals->zero_intervals + 1) * longest + period), "\n");
    if (const auto* age = rules.detectors.find<HeartbeatContract<ProgressAge>>())
        append(text, "  a stall is seen within ", spoken(age->act_after + period), ", in an open tool call within ",
               spoken(age->in_tool.value_or(age->act_after) + period), "\n");
    if (const auto* silence = rules.detectors.find<HeartbeatContract<ActivityAge>>())
        append(text, "  silence is seen within ", spoken(silence->act_after + period), "\n");
    if (const auto* age = rules.detectors.find<HeartbeatContract<CheckpointAge>>())
        append(text, "  a stall is seen within ", spoken(age->act_after + period), " after the last checkpoint\n");
    if (const auto* plan = rules.detectors.find<RelayCheck>())
        append(text, "  after ", spoken(plan->continue_at), ": a checkpoint younger than ",
               spoken(plan->bands.working_below), " works, one older than ", spoken(plan->bands.take_over_above),
               " or none is taken up, in between again after ", spoken(plan->look_again), "\n");
    if (const auto* plan = rules.detectors.find<RelayTimeout>())
        append(text, "  times out after ", spoken(plan->timeout), ", given up after ", spoken(plan->give_up_at), "\n");
}

/// How stalls are retried, whatever else is done about them.
inline void describe_retry(std::string& text, const LadderSettings& ladder) {
    if (!ladder.retry) return;
    append(text, "    ", name_of(Condition::stalled), ": ", name_of(ActionKind::spawn), " after");
    for (std::uint32_t n = 0; n < std::min(ladder.retry->count, 8u); ++n)
        append(text, n == 0 ? " " : ", ", spoken(ladder.retry->before(n)));
    append(text, ladder.retry->count > 8 ? ", ... " : ", ", std::to_string(ladder.retry->count),
           " times in all, stop_proof = ", name_of(ladder.stop_proof), "; then: ", name_of(ActionKind::escalate), " ",
           name_of(ActionKind::abandon), "\n");
}

/// What a class that only watches does.
inline void describe_watching(std::string& text, const LadderSettings& ladder) {
    text.append("  only watches:\n");
    describe_retry(text, ladder);
    for (const SteerRule& rule : ladder.steers)
        append(text, "    ", name_of(rule.condition), ": ", name_of(ActionKind::steer), ", at most every ",
               spoken(rule.cooldown), "\n");
    for (const Ending& ending : ladder.endings) {
        append(text, "    when ", ending.silent_longer ? "silent for more than " + spoken(*ending.silent_longer) : "",
               ending.silent_longer && ending.at_least != Severity::none ? " or " : "",
               ending.at_least != Severity::none ? name_of(ending.at_least) : "", ":");
        for (const Step& step : ending.plan) append(text, " ", name_of(step.action));
        text.append("\n");
    }
}

/// When the final rung comes, and how certain the stop of an agent must be before another one is started.
inline void describe_limits(std::string& text, const LadderSettings& ladder) {
    const bool spawns = std::any_of(ladder.responses.begin(), ladder.responses.end(), [](const Response& response) {
        return std::any_of(response.rungs.begin(), response.rungs.end(),
                           [](const Plan& plan) { return rung::has(plan, ActionKind::spawn); });
    });
    if (spawns)
        append(text, "    at most ", std::to_string(ladder.max_continuations),
               " continuations, stop_proof = ", name_of(ladder.stop_proof), "; then:");
    else
        append(text, "    after ", std::to_string(ladder.max_attempts), " attempts:");
}

inline void describe_ladder(std::string& text, const LadderSettings& ladder) {
    if (ladder.watch_only) return describe_watching(text, ladder);
    text.append("  ladder:\n");
    describe_retry(text, ladder);
    for (const Response& response : ladder.responses) {
        if (retrying::applies(ladder, response.condition)) continue;
        append(text, "    ",
               response.condition == Condition::no_output_access ? "output not readable" : name_of(response.condition),
               ":");
        for (const Plan& plan : response.rungs)
            for (const Step& step : plan) append(text, " ", name_of(step.action));
        text.append(response.hold ? " (then a person decides)\n" : "\n");
    }
    describe_limits(text, ladder);
    bool destructive = false;
    for (const Step& step : ladder.final_rung) {
        append(text, " ", name_of(step.action));
        destructive |= is_destructive(step.action);
    }
    text.append(destructive ? " (destructive)\n" : " (nothing is destroyed)\n");
}

/// One class for people: what judges its runs, what is done, and within which time a stall is seen.
[[nodiscard]] inline std::string description(const RunClass& rules) {
    const IntervalSettings& interval = rules.interval;
    std::string text;
    append(text, "class ", rules.name, rules.mode == Mode::shadow ? " (shadow: nothing is touched)\n" : "\n");
    append(text, "  cycle every ",
           rules.schedule.period > Duration{} ? spoken(rules.schedule.period) : std::string{"interval"}, ", interval ");
    if (interval.fixed)
        text.append(spoken(*interval.fixed));
    else
        append(text, spoken(interval.short_task), " (expected up to ", spoken(interval.short_until), ") or ",
               spoken(interval.long_task));
    text.append("\n  detectors:");
    for (const std::string_view kind : rules.detectors.kinds()) append(text, " ", kind);
    text.append("\n");
    describe_bounds(text, rules);
    describe_ladder(text, rules.ladder);
    const Duration verify = rules.ladder.verify_after > Duration{} ? rules.ladder.verify_after
                                                                   : interval.fixed.value_or(interval.long_task);
    append(text, "  verified after ", spoken(verify), "; alerts are tried for ", spoken(rules.outbox.give_up_after),
           "\n");
    return text;
}

}  // namespace heeler::inline v0
