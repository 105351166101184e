// Turns a decision of the ladder into rows: actions with their keys and texts, the intervention, alerts and records.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/engine/judge.hpp>
#include <heeler/engine/run_cell.hpp>
#include <heeler/recover/prompts.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/sha256.hpp>

namespace heeler::inline v0 {

/// A key that names one effect of one run for ever: short, safe in a header or a file name.
[[nodiscard]] inline std::string effect_key(const Run& run, std::uint32_t intervention, std::string_view what) {
    std::string source =
        "heeler effect 1\n" + std::to_string(run.incarnation) + "\n" + std::to_string(intervention) + "\n";
    source.append(what).append("\n").append(run.id);
    return sha256_hex(source).substr(0, 32);
}

/// A finding as one line for people: the rule and its numbers.
[[nodiscard]] inline std::string evidence_line(const Finding& finding) {
    std::string text{finding.evidence.rule};
    for (std::size_t i = 0; i < finding.evidence.count; ++i) {
        text += i == 0 ? ": " : ", ";
        text += finding.evidence.facts[i].name;
        text += ' ';
        append_json_number(text, finding.evidence.facts[i].value);
    }
    return text;
}

/// The evidence as a JSON object.
inline void write_evidence(JsonLine& line, const Finding& finding) {
    line.begin_object().key("rule").string(finding.evidence.rule).key("detector").string(finding.kind);
    for (std::size_t i = 0; i < finding.evidence.count; ++i)
        line.key(finding.evidence.facts[i].name).number(finding.evidence.facts[i].value);
    line.key("first").number(static_cast<double>(finding.evidence.first));
    line.key("last").number(static_cast<double>(finding.evidence.last)).end_object();
}

/// The rows of one run in one cycle. Pure but for the cell's counters, which the caller can undo; under the cell's
/// lock.
template <class Detectors>
class Realiser {
public:
    Realiser(RunMemory<Detectors>& cell, const Judged& judged, Instant now)
        : cell_{cell}, judged_{judged}, now_{now}, spec_{spec_from(cell.spec)} {}

    /// Applies the decision to the run's memory and returns its rows. `same_rung`: the actions belong to the last one.
    [[nodiscard]] RunBatch operator()(bool same_rung) {
        const Decision& decision = judged_.decision;
        const Incident before = cell_.incident;
        cell_.incident = decision.incident;
        note_conditions();
        if (decision.acts()) act(same_rung);
        tell(before);
        record(before);
        return std::move(rows_);
    }

    /// For people who were told that an incident began: the run is over.
    [[nodiscard]] AlertRow ended(bool found_over) const {
        AlertRow row = alert_of(found_over ? "worker.complete" : "run.ended", "end");
        const std::string outcome = found_over ? "unknown" : std::string{name_of(cell_.run.state)};
        row.alert.severity = Severity::none;
        row.alert.summary = "run " + row.alert.run.name + " is over, outcome " + outcome;
        row.alert.details.push_back({"outcome", outcome});
        return row;
    }

private:
    void act(bool same_rung) {
        Incident& incident = cell_.incident;
        if (!same_rung) ++incident.interventions;
        incident.value_then = cell_.run.metric_value().value_or(incident.value_then);
        incident.items_then = static_cast<std::uint64_t>(cell_.run.lines + cell_.run.calls);
        const std::vector<Step> plan = plan_with_isolation();
        ActionKind strongest = plan.front().action;
        for (std::size_t i = 0; i < plan.size(); ++i) {
            rows_.actions.push_back(action_of(plan[i], i, same_rung));
            if (rung::rank(plan[i].action) > rung::rank(strongest)) strongest = plan[i].action;
        }
        if (!same_rung) {
            rows_.interventions.push_back({incident.interventions, incident.number, attempt(),
                                           judged_.decision.condition, strongest, InterventionOutcome::pending,
                                           now_.wall});
        }
        count_today();
    }

    /// Several agents in one run: this one is set apart before anything is done to it.
    [[nodiscard]] Plan plan_with_isolation() const {
        Plan plan = judged_.decision.plan;
        const bool touches =
            std::any_of(plan.begin(), plan.end(), [](const Step& step) { return step.action != ActionKind::escalate; });
        if (!cell_.run.shared_run || cell_.incident.isolated || !touches) return plan;
        for (Step& step : plan)
            if (!step.needs && step.action != ActionKind::escalate && step.action != ActionKind::snapshot)
                step.needs = ActionKind::isolate;
        plan.insert(plan.begin(), Step{ActionKind::isolate, {}});
        return plan;
    }

    [[nodiscard]] Action action_of(const Step& step, std::size_t at, bool same_rung) {
        Action action;
        action.kind = step.action;
        action.needs = step.needs;
        action.incident = cell_.incident.number;
        action.intervention = cell_.incident.interventions;
        action.attempt = attempt();
        action.key = effect_key(cell_.run, action.intervention,
                                std::to_string(at) + (same_rung ? "+" : ".") + std::string{name_of(step.action)});
        if (is_injection(step.action))
            action.text = prompts::compose(cell_.rules->rules.prompts, step.action, facts());
        else
            action.text = why();
        if (step.action == ActionKind::escalate) escalate(action);
        return action;
    }

    [[nodiscard]] std::uint32_t attempt() const noexcept { return std::max(1u, cell_.incident.attempts); }

    [[nodiscard]] std::string condition_and_reason() const {
        std::string text{name_of(judged_.decision.condition)};
        if (!judged_.decision.reason.empty()) text += ", " + std::string{judged_.decision.reason};
        return text;
    }

    [[nodiscard]] std::string why() const {
        std::string text = condition_and_reason();
        if (judged_.findings.count > 0) text += ": " + evidence_line(judged_.findings.all[0]);
        return text;
    }

    [[nodiscard]] PromptFacts facts() {
        PromptFacts facts;
        facts.run = spec_.name;
        facts.goal = spec_.task.empty() ? std::string_view{spec_.work_item} : std::string_view{spec_.task};
        if (spec_.contract) {
            facts.scope = spec_.contract->scope;
            facts.stop_conditions = spec_.contract->stop_conditions;
        }
        facts.condition = judged_.decision.condition;
        evidence_ = judged_.findings.count > 0 ? evidence_line(judged_.findings.all[0])
                                               : std::string{name_of(judged_.decision.condition)};
        facts.evidence = evidence_;
        facts.elapsed = cell_.run.started ? cell_.run.working(now_.elapsed) - *cell_.run.started : Duration{};
        const bool quote = cell_.rules->rules.prompts.quote_agent_text && !cell_.checkpoint.text.empty();
        if (quote) checkpoint_ = quoted_lines(cell_.checkpoint.text, prompts::checkpoint_cap);
        facts.checkpoint = checkpoint_;
        facts.step = cell_.checkpoint.step;
        facts.metric = cell_.run.metric == MetricKind::output_lines ? std::string_view{"output lines"}
                                                                    : std::string_view{spec_.metric_name};
        facts.value = cell_.run.metric_value();
        facts.attempt = attempt();
        facts.max_attempts = cell_.rules->rules.ladder.max_attempts;
        return facts;
    }

    void escalate(const Action& action) {
        AlertRow row = alert_of("escalation", action.key);
        row.action_key = action.key;
        row.alert.summary = "run " + row.alert.run.name + " needs a person (" + condition_and_reason() + ")";
        row.alert.details.push_back({"done", done_so_far()});
        row.alert.details.push_back({"next", next_for_people()});
        row.alert.details.push_back(
            {"summary", redact(prompts::choose(cell_.rules->rules.prompts.summary, prompts::summary, facts()))});
        if (judged_.decision.is_final)
            row.alert.details.push_back({"recommendation", prompts::recommendation(first_cause())});
        rows_.alerts.push_back(std::move(row));
        cell_.incident.alerted = true;
    }

    /// What started it, rather than the timeout that ended it.
    [[nodiscard]] Condition first_cause() const noexcept {
        for (unsigned i = 1; i < static_cast<unsigned>(Condition::not_evaluable); ++i)
            if (cell_.conditions_seen.has(static_cast<Condition>(i))) return static_cast<Condition>(i);
        return judged_.decision.condition;
    }

    [[nodiscard]] std::string done_so_far() const {
        return std::to_string(cell_.incident.attempts) + " recovery attempts in this incident";
    }

    [[nodiscard]] std::string next_for_people() const {
        const Plan& plan = judged_.decision.plan;
        if (rung::has(plan, ActionKind::terminate)) return "the run is terminated once its snapshot is done";
        if (rung::has(plan, ActionKind::pause)) return "the run stays paused until an operator resumes it";
        if (judged_.decision.is_final || cell_.incident.phase == Phase::holding)
            return "nothing more is done; the run goes on and a person decides";
        return "the run is judged again after one interval";
    }

    [[nodiscard]] AlertRow alert_of(std::string kind, std::string_view what) const {
        AlertRow row;
        Alert& alert = row.alert;
        alert.key = effect_key(cell_.run, cell_.incident.number, kind + " " + std::string{what});
        alert.kind = std::move(kind);
        alert.to = sanitise(spec_.origin, 256);
        alert.run = {sanitise(spec_.id, 256), sanitise(spec_.name, 256), sanitise(spec_.work_item, 1024),
                     sanitise(spec_.project, 256)};
        alert.severity = judged_.severity == Severity::none ? Severity::warning : judged_.severity;
        alert.at = now_.wall;
        for (const Finding& finding : judged_.findings)
            alert.issues.push_back(std::string{name_of(finding.condition)} + ": " + evidence_line(finding));
        alert.summary = "run " + alert.run.name + " needs attention";
        alert.details.push_back({"seen", why()});
        alert.details.push_back({"elapsed", spoken(cell_.run.working(now_.elapsed))});
        row.created_at = row.not_before = now_.wall;
        return row;
    }

    void tell(const Incident& before) {
        Incident& incident = cell_.incident;
        if (!cell_.rules->rules.tell_people) return;
        if (incident.number != before.number) cell_.alert_dead = false;
        if (judged_.decision.acts() && !incident.alerted) {
            AlertRow row = alert_of("run.unhealthy", std::to_string(incident.interventions));
            row.alert.details.push_back({"done", std::string{name_of(judged_.decision.plan.front().action)}});
            row.alert.details.push_back({"next", next_for_people()});
            rows_.alerts.push_back(std::move(row));
            incident.alerted = true;
        }
        if (judged_.decision.last == InterventionOutcome::recovered && before.alerted && !cell_.alert_dead) {
            AlertRow row = alert_of("run.recovered", std::to_string(incident.interventions));
            row.alert.severity = Severity::none;
            row.alert.summary =
                "run " + row.alert.run.name + ": recovered from " + std::string{name_of(before.condition)};
            rows_.alerts.push_back(std::move(row));
            incident.alerted = false;
        }
    }

    /// The verdict, so that it can be explained from stored data alone.
    void record(const Incident& before) {
        if (!judged_.speaks && !judged_.decision.acts() && !judged_.decision.last) return;
        JsonLine line;
        line.begin_object().key("status").string(name_of(judged_.shows.status));
        line.key("incident").number(cell_.incident.number).key("attempts").number(cell_.incident.attempts);
        if (judged_.decision.last) line.key("last").string(name_of(*judged_.decision.last));
        if (!judged_.decision.reason.empty()) line.key("reason").string(judged_.decision.reason);
        if (before.phase != cell_.incident.phase) line.key("phase").number(static_cast<double>(cell_.incident.phase));
        line.key("findings").begin_array();
        for (const Finding& finding : judged_.findings) {
            line.begin_object().key("condition").string(name_of(finding.condition));
            line.key("level").string(name_of(finding.level)).key("evidence");
            write_evidence(line, finding);
            line.end_object();
        }
        line.end_array().end_object();
        rows_.audit.push_back({now_.wall, "verdict", cell_.run.id, std::move(line).text()});
    }

    void note_conditions() {
        for (const Finding& finding : judged_.findings) cell_.conditions_seen.add(finding.condition);
        if (judged_.decision.acts()) cell_.conditions_seen.add(judged_.decision.condition);
    }

    void count_today() {
        const auto day = std::chrono::floor<std::chrono::days>(now_.wall).time_since_epoch().count();
        cell_.rungs_today = cell_.rung_day == day ? cell_.rungs_today + 1 : 1;
        cell_.rung_day = day;
    }

    RunMemory<Detectors>& cell_;
    const Judged& judged_;
    Instant now_;
    RunSpec spec_;
    RunBatch rows_;
    std::string evidence_;
    std::string checkpoint_;
};

}  // namespace heeler::inline v0
