// What is told to runs and people about a decision: prompts, alerts, issues. Text of agents and hosts is sanitised
// here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/alert/session_alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/guard.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/cycle/all_clear.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/relay_plan.hpp>
#include <heeler/recover/continuation.hpp>
#include <heeler/recover/prompts.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/detectors_words.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/shell_word.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline std::string subject_of(const Finding& finding) {
    return text::redact(text::one_line(finding.subject.view(), Subject::capacity));
}

/// A finding as one line: the rule and its numbers, and for people what it is about, in words that may be the agent's.
[[nodiscard]] inline std::string evidence_line(const Finding& finding, bool for_people = true) {
    std::string text{finding.evidence.rule};
    for (std::size_t i = 0; i < finding.evidence.count; ++i) {
        text::append(text, i == 0 ? ": " : ", ", finding.evidence.facts[i].name, " ");
        text::append_json_number(text, finding.evidence.facts[i].value);
    }
    if (for_people && !finding.subject.view().empty()) text += " (" + subject_of(finding) + ")";
    return text;
}

/// The evidence as a JSON object.
inline void write_evidence(text::JsonLine& line, const Finding& finding) {
    line.begin_object().key("rule").string(finding.evidence.rule).key("detector").string(finding.kind);
    for (std::size_t i = 0; i < finding.evidence.count; ++i)
        line.key(finding.evidence.facts[i].name).number(finding.evidence.facts[i].value);
    if (!finding.subject.view().empty()) line.key("subject").string(subject_of(finding));
    line.key("first").number(static_cast<double>(finding.evidence.first));
    line.key("last").number(static_cast<double>(finding.evidence.last)).end_object();
}

/// How often agents of a class write checkpoints: as its source has told them, else twice within the age at which they
/// are replaced.
[[nodiscard]] inline Duration checkpoint_interval(const ReadyClass& ready) {
    const Duration told = ready.checkpoint_every.load(std::memory_order_relaxed);
    if (told > Duration{}) return told;
    if (const auto* age = ready.rules.detectors.find<HeartbeatContract<CheckpointAge>>()) return age->act_after / 2;
    if (const auto* relay = ready.rules.detectors.find<RelayCheck>()) return relay->bands.working_below / 2;
    return BriefFacts{}.checkpoint_every;
}

/// The texts of one run in one cycle, under the run's lock.
class Wording {
public:
    Wording(const RunMemory& watched, const Judged& judged, Instant now, const RunSpec& spec)
        : watched_{watched}, judged_{judged}, now_{now}, spec_{spec} {}

    [[nodiscard]] std::uint32_t attempt() const noexcept {
        return detail::max_of(1u, watched_.verdict->incident.attempts);
    }

    [[nodiscard]] std::string condition_and_reason() const {
        if (judged_.decision.reason == used_up) return "GAVE UP (" + counted_attempts("attempt") + ")";
        std::string text{name_of(judged_.decision.condition)};
        if (!judged_.decision.reason.empty()) text += ", " + std::string{judged_.decision.reason};
        return text;
    }

    [[nodiscard]] std::string why() const {
        std::string text = condition_and_reason();
        if (!judged_.findings.empty())
            text += ": " + evidence_line(*judged_.findings.begin());
        else if (watched_.verdict->incident.open() && !watched_.verdict->found.empty())
            text += ": " + watched_.verdict->found;
        return text;
    }

    /// What was found, in the words of the class.
    [[nodiscard]] std::vector<std::string> issues() const {
        return words_of({judged_.findings.begin(), judged_.findings.end()});
    }

    /// Never empty for a finding.
    [[nodiscard]] std::vector<std::string> words_of(const List<Finding>& findings) const {
        std::vector<std::string> words;
        if (findings.empty()) return words;
        const PromptSettings& prompts = watched_.rules().prompts;
        const bool worded = detail::survives([&] {
            if (prompts.issues)
                words = prompts.issues(findings, watched_.run);
            else if (prompts.detectors_words)
                words = detectors_words(watched_.rules().detectors, findings);
        });
        if (!worded) words.clear();  // an alert that cannot be worded is sent all the same
        for (std::string& text : words) text = text::redacted(text, 1024);
        if (!words.empty()) return words;
        for (const Finding& finding : findings)
            words.push_back(std::string{name_of(finding.condition)} + ": " + evidence_line(finding));
        return words;
    }

    /// Title, empty line, body: what is filed about a run that nobody could mend.
    [[nodiscard]] std::string issue_text() const {
        std::string text;
        text::append(text, "[Watchdog] Session ", short_id(text::shown_name(spec_.id, 256)), " had critical issues\n\n",
                     "Session: ", text::shown_name(spec_.id, 256),
                     "\nProject: ", spec_.project.empty() ? "-" : spec_.project,
                     "\nChat: ", spec_.origin.empty() ? "-" : spec_.origin,
                     "\nTool calls: ", std::to_string(watched_.run.calls), "\n\nIssues:\n");
        for (const std::string& issue : issues()) text::append(text, "- ", issue, "\n");
        text::append(text, "\nAction taken: ", plan_in_words(), "\n");
        text = text::redacted(text, prompts::prompt_cap);
        text::append(text, "Next: ", next_for_people(), "\n");
        if (const std::string stop = command(snooze); !stop.empty()) text::append(text, "Stop: ", stop, "\n");
        return text;
    }

    [[nodiscard]] std::string plan_in_words() const {
        std::string text;
        for (const Step& step : judged_.decision.plan)
            text::append(text, text.empty() ? "" : ", ", name_of(step.action));
        return text.empty() ? "nothing" : text;
    }

    /// What a continuation is told.
    [[nodiscard]] std::string brief() const {
        const RunClass& rules = watched_.rules();
        BriefFacts facts;
        facts.name = spec_.name;
        facts.work_item = spec_.work_item.empty() ? std::string_view{spec_.task} : std::string_view{spec_.work_item};
        if (spec_.contract) facts.scope = spec_.contract->scope;
        std::string last_step;
        if (watched_.checkpoints->last.at) {
            facts.checkpoint_at =
                wall_at(now_, watched_.run.origin + watched_.run.waited + *watched_.checkpoints->last.at);
            if (rules.prompts.quote_agent_text && !watched_.checkpoints->last.text.empty())
                last_step = continuation::quoted(watched_.checkpoints->last.text, continuation::step_cap);
        }
        facts.last_step = last_step;
        facts.completed = watched_.checkpoints->steps;
        for (const std::int64_t step : spec_.plan)
            if (!detail::is_in_sorted(watched_.checkpoints->steps, step)) facts.remaining.push_back(step);
        facts.planned = !spec_.plan.empty();
        facts.checkpoint_every = checkpoint_interval(*watched_.of_class());
        facts.attempt = watched_.run.attempt + 1;
        facts.incarnation = detail::max_of(watched_.run.incarnation, facts.attempt);
        return text::redact(continuation::compose(rules.prompts, facts));
    }

    /// What an operator can type about this run; empty: nobody could carry it out.
    [[nodiscard]] std::string command(const char* verb) const {
        std::string typed = text::redact(watched_.rules().alerts.operate);
        return typed.empty() ? typed : typed + verb + " -- " + text::shell_word(spec_.id);
    }
    void add_command(AlertRow& row, const char* name, const char* verb) const {
        if (std::string typed = command(verb); !typed.empty()) row.alert.details.push_back({name, std::move(typed)});
    }

    /// What is about to be done is planned: nobody knows yet what comes of it.
    void complete_with_plan(AlertRow& row) const {
        if (judged_.decision.acts()) row.alert.details.push_back({"planned", plan_in_words()});
        const std::string done = steps_in_words(*watched_.verdict, watched_.verdict->incident.number, {});
        complete(row, done == "none" ? "" : done);
    }

    /// What people need besides what was seen: what was done, what comes next and when, and how to stop it.
    void complete(AlertRow& row, std::string done) const { complete(row, std::move(done), next_for_people()); }
    void complete(AlertRow& row, std::string done, std::string next) const {
        if (!done.empty()) row.alert.details.push_back({detail_name::done, std::move(done)});
        row.alert.details.push_back({detail_name::next, std::move(next)});
        add_command(row, "stop", snooze);
        // What the host adds is no reason to lose the alert.
        static_cast<void>(detail::survives([&] {
            if (const auto& last_touch = watched_.rules().prompts.alert) last_touch(row.alert, watched_.run, worked());
        }));
    }

    /// The finding about a condition, else the worst; null if there is none.
    [[nodiscard]] const Finding* finding_about(const std::optional<Condition>& about) const noexcept {
        for (const Finding& finding : judged_.findings)
            if (!about || finding.condition == *about) return &finding;
        return nullptr;
    }

    [[nodiscard]] PromptFacts facts(const std::optional<Condition>& about = {}) {
        PromptFacts facts;
        facts.run = spec_.name;
        facts.goal = spec_.task.empty() ? std::string_view{spec_.work_item} : std::string_view{spec_.task};
        if (spec_.contract) {
            facts.scope = spec_.contract->scope;
            facts.stop_conditions = spec_.contract->stop_conditions;
        }
        facts.condition = about.value_or(judged_.decision.condition);
        const Finding* finding = finding_about(about);
        if (finding == nullptr)
            evidence_ = name_of(judged_.decision.condition);
        else
            evidence_ = about ? words_of({*finding}).front()
                              : evidence_line(*finding, finding->condition == Condition::exhausted);
        facts.evidence = evidence_;
        facts.elapsed = worked();
        const bool quote = watched_.rules().prompts.quote_agent_text && !watched_.checkpoints->last.text.empty();
        if (quote) checkpoint_ = text::quoted_lines(watched_.checkpoints->last.text, prompts::checkpoint_cap);
        facts.checkpoint = checkpoint_;
        facts.step = watched_.checkpoints->last.step;
        facts.metric = spec_.metric_words();
        facts.value = watched_.run.metric_value();
        facts.attempt = attempt();
        facts.max_attempts = watched_.rules().ladder.attempts();
        return facts;
    }

    /// Several agents share the run, and this one was not set apart yet.
    [[nodiscard]] bool is_to_be_isolated() const noexcept {
        return watched_.run.shared_run && !watched_.verdict->incident.isolated;
    }

    /// Since the run started; since it was registered, where nobody knows when that was.
    [[nodiscard]] Duration worked() const noexcept {
        return watched_.run.working(now_.elapsed) - watched_.run.started.value_or(Duration{});
    }

    /// In the words of its detector.
    [[nodiscard]] std::string found_in_words(const Finding& finding) const {
        std::string words;
        if (!detail::survives([&] { words = detectors_words(watched_.rules().detectors, {finding}).front(); }))
            words = evidence_line(finding);
        return text::redact(text::one_line(words, 256));
    }

    [[nodiscard]] std::string recommendation() const {
        const Verdict& verdict = *watched_.verdict;
        const Finding* over = finding_about(Condition::timeout);
        return prompts::recommendation(verdict.found.empty() ? judged_.decision.condition : verdict.cause,
                                       verdict.found, over == nullptr ? 0 : over->evidence.fact("threshold_s"),
                                       watched_.checkpoints->last.step);
    }

    [[nodiscard]] std::string done_so_far() const {
        const std::string attempts = counted_attempts("recovery attempt") + " in this incident";
        return judged_.failed.empty() ? attempts : attempts + "; " + judged_.failed;
    }

    /// Somebody is asked for because no fresh agent is started any more.
    [[nodiscard]] bool is_poisoned() const noexcept {
        const bool holds = watched_.verdict->incident.phase == Phase::holding;
        return judged_.held == HeldBack::poison || (holds && watched_.verdict->restarts.poisoned_at);
    }

    /// `paused`: whoever reads it does once the plan's pause is done.
    [[nodiscard]] std::string next_for_people(bool paused = false) const {
        const Plan& plan = judged_.decision.plan;
        if (watched_.run.waiting_since && plan.empty()) return "nothing is done while the run waits";
        if (judged_.held == HeldBack::freeze || watched_.verdict->marks.frozen_at(now_.wall))
            return "nothing is done while it is frozen";
        if (rung::has(plan, ActionKind::terminate))
            return is_to_be_isolated() ? "the run is terminated once it is isolated and its snapshot is done"
                                       : "the run is terminated once its snapshot is done";
        if (rung::has(plan, ActionKind::pause) && !paused)
            return "once it is paused, the run stays so until an operator resumes it";
        if (rung::has(plan, ActionKind::abandon) || rung::has(plan, ActionKind::mark_failed))
            return "the run may still be running; it is no longer watched";
        if (paused || watched_.run.waits_for_resume()) return "the run stays paused until an operator resumes it";
        if (is_poisoned()) return "no fresh agent is started any more until an operator resumes it";
        if (judged_.decision.reason == "outcome_unknown" && watched_.verdict->incident.phase == Phase::holding)
            return "nothing more is done; a person looks what has become of the run";
        if (judged_.decision.is_final || watched_.verdict->incident.phase == Phase::holding)
            return "nothing more is done; the run goes on and a person decides";
        if (judged_.held == HeldBack::budget) return "nothing is done before the class's budget of rungs allows it";
        if (judged_.held == HeldBack::turn) return "nothing is done before its turn: so much was done just now";
        if (watched_.verdict->incident.phase == Phase::waiting && watched_.verdict->incident.hold_until)
            return "a fresh agent takes the run up, not before " +
                   text::rfc3339(wall_at(now_, *watched_.verdict->incident.hold_until));
        if (watched_.verdict->incident.phase == Phase::waiting)
            return "nothing is done about it; you are told when it is over";
        if (const auto outlook = watched_.rules().ladder.outlook())
            return "checked again " + at_next_cycle() + *outlook;
        return "judged again " + when(watched_.run.origin + watched_.run.waited + watched_.verdict->incident.verify_at);
    }

    [[nodiscard]] std::string when(Elapsed moment) const { return "at " + text::rfc3339(wall_at(now_, moment)); }
    [[nodiscard]] std::string at_next_cycle() const { return when(detail::max_of(watched_.next_cycle, now_.elapsed)); }

private:
    static constexpr std::string_view used_up = "attempts_used_up";
    static constexpr const char* snooze = " snooze --for 2h";

    [[nodiscard]] std::string counted_attempts(std::string_view what) const {
        return words::counted(watched_.verdict->incident.attempts, what);
    }

    const RunMemory& watched_;
    const Judged& judged_;
    Instant now_;
    const RunSpec& spec_;
    std::string evidence_;
    std::string checkpoint_;
};

}  // namespace heeler::inline HEELER_ABI::detail
