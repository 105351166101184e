// Reports, explanations and descriptions: what the engine and the store know, put together for people and programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/engine/events.hpp>
#include <heeler/engine/run_cell.hpp>
#include <heeler/recover/prompts.hpp>
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
    for (std::uint32_t rest = cell.conditions_seen.packed; rest != 0; rest >>= 4) {
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
    std::string text = "run " + sanitise(known.row->id, 160) + ": " + std::string{name_of(known.row->state)} + ", " +
                       std::string{name_of(known.row->status)} + ", class " + sanitise(known.row->class_name, 80) +
                       "\n";
    const auto line = [&](WallTime at, const std::string& what) { text += "  " + rfc3339(at) + "  " + what + "\n"; };
    for (const CheckpointRow& row : known.checkpoints)
        line(row.at, "checkpoint" + (row.step ? " step " + std::to_string(*row.step) : std::string{}) + " (" +
                         std::string{name_of(row.reason)} + "): " + sanitise(row.text, 160));
    for (const AuditRow& row : known.audit) line(row.at, row.kind + " " + row.body);
    for (const Intervention& row : known.interventions)
        line(row.at, "intervention " + std::to_string(row.number) + ": " + std::string{name_of(row.condition)} +
                         " -> " + std::string{name_of(row.action)} + ", " + std::string{name_of(row.outcome)});
    for (const Action& row : known.actions)
        text += "  action " + std::string{name_of(row.kind)} + " of intervention " + std::to_string(row.intervention) +
                ": " + std::string{name_of(row.outcome)} +
                (row.note.empty() ? "" : " (" + sanitise(row.note, 256) + ")") + "\n";
    for (const AlertRow& row : known.alerts)
        line(row.created_at, "alert " + row.alert.kind + ": " + row.alert.summary + " [" +
                                 std::to_string(row.attempts) + " attempts" +
                                 (row.last_error.empty() ? "" : ", " + sanitise(row.last_error, 256)) + "]");
    return text;
}

/// One class for people: what judges its runs, what is done, and within which time a stall is seen.
[[nodiscard]] inline std::string description(const RunClass& rules) {
    const Duration longest = rules.interval.fixed.value_or(rules.interval.long_task);
    std::string text =
        "class " + rules.name + (rules.mode == Mode::shadow ? " (shadow: nothing is touched)" : "") + "\n";
    text +=
        "  cycle every " + (rules.schedule.period > Duration{} ? spoken(rules.schedule.period) : "interval") +
        ", interval " +
        (rules.interval.fixed ? spoken(*rules.interval.fixed)
                              : spoken(rules.interval.short_task) + " (expected up to " +
                                    spoken(rules.interval.short_until) + ") or " + spoken(rules.interval.long_task)) +
        "\n  detectors:";
    for (const std::string_view kind : rules.detectors.kinds()) text += " " + std::string{kind};
    text += "\n  ladder:\n";
    for (const Response& response : rules.ladder.responses) {
        text += "    " + std::string{name_of(response.condition)} + ":";
        for (const Plan& plan : response.rungs)
            for (const Step& step : plan) text += " " + std::string{name_of(step.action)};
        text += response.hold ? " (then a person decides)\n" : "\n";
    }
    text += "    after " + std::to_string(rules.ladder.max_attempts) + " attempts:";
    bool destructive = false;
    for (const Step& step : rules.ladder.final_rung) {
        text += " " + std::string{name_of(step.action)};
        destructive |= is_destructive(step.action);
    }
    text += destructive ? " (destructive)\n" : " (nothing is destroyed)\n";
    const Duration verify = rules.ladder.verify_after > Duration{} ? rules.ladder.verify_after : longest;
    text +=
        "  verified after " + spoken(verify) + "; alerts are tried for " + spoken(rules.outbox.give_up_after) + "\n";
    return text;
}

}  // namespace heeler::inline v0
