// The pure half of a cycle: from a run's memory and one moment to findings, status and the ladder's decision.
#pragma once

#include <algorithm>
#include <optional>

#include <heeler/core/finding.hpp>
#include <heeler/settings/detector_set.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/recover/recovery_ladder.hpp>

namespace heeler::inline v0 {

/// Why a rung that was due is not decided now.
enum class HeldBack : std::uint8_t { no, debounce, budget, gap, quiet };

/// What becomes of the alert that an incident asks for.
enum class Alerting : std::uint8_t { none, send, held };

/// What a cycle found out about one run and wants to do about it. Nothing is changed yet but what was sampled.
struct Judged {
    explicit Judged(const Incident& incident) : decision{incident} {}

    Findings findings;  ///< worst first, notes left out
    Findings notes;     ///< rules that could not judge
    Decision decision;
    HeldBack held = HeldBack::no;
    Shown shows;
    Severity severity = Severity::none;
    Alerting alerting = Alerting::none;
    std::uint64_t loop_identity = 0;
    std::optional<BandSeen> seen;  ///< the bands of a relay were asked
    bool waiting = false;
    bool speaks = false;  ///< the status line changed
};

/// Judges one run. Called under the cell's lock; no clock, no store, no callback.
template <class Detectors>
class Judge {
public:
    Judge(RunMemory<Detectors>& cell, Instant now, bool budget_left)
        : cell_{cell}, run_{cell.run}, rules_{*cell.rules}, now_{now}, budget_left_{budget_left} {}

    [[nodiscard]] Judged operator()() {
        Judged result{cell_.incident};
        take_sample();
        const bool held = cell_.held_until && now_.elapsed < *cell_.held_until;
        if (rules_.rules.mode == Mode::shadow && cell_.incident.attempts > 0) count_shadow();
        if (!held)
            result.seen = Detectors::look(cell_.memories, rules_.settings, seen_run(), cell_.checkpoint.at, now_);
        if (run_.waiting_since || held) {
            result.waiting = true;
            if (held) result.held = HeldBack::gap;
            if (run_.paused_by_watchdog) climb(result);
            show(result);
            return result;
        }
        collect(result);
        climb(result);
        show(result);
        result.alerting = alerting(result);
        return result;
    }

    [[nodiscard]] Duration verify_after() const noexcept {
        const Duration set = rules_.rules.ladder.verify_after;
        return set > Duration{} ? set : run_.interval;
    }

private:
    [[nodiscard]] Duration working() const noexcept { return run_.working(now_.elapsed); }

    /// One sample per interval of the run's working clock. A late one counts once and keeps the grid of the first.
    void take_sample() {
        Sampling& last = cell_.sampling;
        if (working() < last.next || run_.waiting_since) return;
        IntervalSample sample;
        sample.number = ++last.number;
        sample.value = run_.metric_value();
        sample.delta = sample.value && last.value ? *sample.value - *last.value : 0;
        sample.lines = run_.lines - last.lines;
        sample.tokens = run_.usage.tokens_in + run_.usage.tokens_out - last.usage.tokens_in - last.usage.tokens_out;
        sample.api_calls = run_.usage.api_calls - last.usage.api_calls;
        sample.bytes_written = run_.usage.bytes_written - last.usage.bytes_written;
        const bool watched = !cell_.held_until || now_.elapsed >= *cell_.held_until;
        const bool readable = run_.metric == MetricKind::reported || !last.spoiled;
        sample.whole = watched && readable && (!sample.value || last.value);
        Folder<Detectors>{cell_, now_}.learn_sample(sample);
        log(sample);
        last.value = sample.value;
        last.lines = run_.lines;
        last.usage = run_.usage;
        last.spoiled = !run_.output_readable;
        const auto passed = (working() - last.next) / run_.interval;
        last.next += (passed + 1) * run_.interval;
    }

    void log(const IntervalSample& sample) {
        auto& rows = cell_.heartbeats;
        if (rows.size() >= RunMemory<Detectors>::most_heartbeats) rows.erase(rows.begin());
        rows.push_back({sample.number, sample.value, sample.delta});
    }

    /// In shadow mode nobody is started, but what was decided counts as if somebody had been.
    void count_shadow() {
        shadow_ = run_;
        shadow_->attempt += cell_.incident.attempts;
    }
    [[nodiscard]] const Run& seen_run() const noexcept { return shadow_ ? *shadow_ : run_; }

    void collect(Judged& result) const {
        Findings all;
        Detectors::check(cell_.memories, rules_.settings, seen_run(), now_, all);
        for (const Finding& finding : all) {
            if ((cell_.marks.wrong & bit_of(finding.condition)) != 0 || rules_.mutes->has(finding.identity)) continue;
            (finding.condition == Condition::not_evaluable ? result.notes : result.findings).add(finding);
            if (result.loop_identity == 0) result.loop_identity = finding.identity;
        }
    }

    [[nodiscard]] Judgement judgement_of(const Judged& result) const {
        Judgement seen;
        for (const Finding& finding : result.findings) {
            if (finding.level < Level::nudge) continue;
            if (!seen.worst) seen.worst = finding.condition;
            seen.conditions |= bit_of(finding.condition);
            seen.explicit_limit |= finding.condition == Condition::timeout;
        }
        const Incident& incident = cell_.incident;
        seen.progressed = run_.metric_value().value_or(incident.value_then) != incident.value_then ||
                          (run_.last_progress && *run_.last_progress > incident.acted);
        const auto items = static_cast<std::uint64_t>(run_.lines + run_.calls);
        seen.enough_new = incident.condition == Condition::loop_detected && rules_.enough_items > 0 &&
                          items >= incident.items_then + rules_.enough_items;
        // In shadow mode nobody is started, so they are counted as other attempts are: per incident.
        seen.continuations = rules_.rules.mode == Mode::shadow ? incident.attempts : run_.attempt - 1;
        seen.no_output_gone = incident.condition == Condition::no_output_access && run_.output_readable;
        if (rules_.rules.ladder.watch_only) judge_for_watching(seen);
        return seen;
    }

    void judge_for_watching(Judgement& seen) const {
        seen.severity = severity_for(seen.conditions);
        seen.active = run_.last_activity && *run_.last_activity > cell_.incident.acted;
        if ((seen.conditions & bit_of(Condition::stalled)) != 0)
            seen.silence = run_.age(run_.last_activity, now_.elapsed);
        for (const SteerRule& rule : rules_.rules.ladder.steers) {
            const bool recent =
                std::any_of(cell_.sent.steered.begin(), cell_.sent.steered.end(), [&](const SteerSlot& slot) {
                    return slot.condition == rule.condition && now_.wall - slot.at < rule.cooldown;
                });
            if (!recent) seen.steerable |= bit_of(rule.condition);
        }
    }

    void climb(Judged& result) {
        if (cell_.rung_busy) return;
        // While the run waits nothing is judged: what trickles in after a pause is no recovery.
        const Judgement seen = result.waiting ? Judgement{} : judgement_of(result);
        cell_.debounced = seen.worst ? cell_.debounced + 1 : 0;
        result.decision = rules_.ladder.climb(cell_.incident, seen, working(), now_.elapsed, verify_after());
        if (!result.decision.acts()) return;
        if (cell_.marks.quiet_at(now_.wall))
            result.held = HeldBack::quiet;
        else if (seen.worst && cell_.debounced < rules_.rules.ladder.debounce && !seen.explicit_limit)
            result.held = HeldBack::debounce;
        else if (!budget_left_ || !day_budget_left())
            result.held = HeldBack::budget;
        if (result.held == HeldBack::no) return;
        if (rules_.rules.ladder.watch_only && result.held != HeldBack::quiet) {
            // People are still told; only what would be done waits.
            Incident& kept = result.decision.incident;
            result.decision.plan.clear();
            result.decision.last.reset();
            result.decision.is_final = false;
            if (kept.attempts > 0) --kept.attempts;
            if (rules_.rules.ladder.retry) keep_phase(kept);
        } else {
            result.decision = Decision{cell_.incident};
        }
    }

    /// A retry that is held back stays planned.
    void keep_phase(Incident& kept) const {
        kept.phase = cell_.incident.open() ? cell_.incident.phase : Phase::climbing;
        kept.hold_until = cell_.incident.hold_until;
    }

    [[nodiscard]] bool day_budget_left() const {
        const auto& most = rules_.rules.ladder.rungs_per_run_per_day;
        if (!most) return true;
        const auto day = std::chrono::floor<std::chrono::days>(now_.wall).time_since_epoch().count();
        return (cell_.rung_day == day ? cell_.rungs_today : 0) < *most;
    }

    /// An alert when the incident begins and, if the class says so, again while it lasts; none within the cooldown.
    [[nodiscard]] Alerting alerting(const Judged& result) const {
        const RunClass& rules = rules_.rules;
        const Incident& incident = result.decision.incident;
        if (!rules.tell_people || !incident.open() || cell_.marks.quiet_at(now_.wall)) return Alerting::none;
        const auto& last = cell_.sent.alerted;
        const bool begins = !incident.alerted && (result.decision.acts() || rules.ladder.watch_only);
        const bool again = incident.alerted && rules.renotify_every > Duration{} && !cell_.marks.acknowledged &&
                           (!last || now_.wall - *last >= rules.renotify_every);
        if (!begins && !again) return Alerting::none;
        const bool cold = last && now_.wall >= *last && now_.wall - *last < rules.alert_cooldown;
        return cold ? Alerting::held : Alerting::send;
    }

    void show(Judged& result) const {
        Shown& shows = result.shows;
        shows = cell_.shown;
        const bool first = !shows.any;
        if (result.waiting && !first && !result.decision.acts()) return;
        const Decision& decision = result.decision;
        std::uint32_t set = 0;
        shows.level = Level::none;
        for (const Finding& finding : result.findings) {
            set |= 1u << static_cast<unsigned>(finding.condition);
            shows.level = std::max(shows.level, finding.level);
        }
        if (decision.incident.open()) {
            const Condition condition = decision.acts() ? decision.condition : decision.incident.condition;
            set |= 1u << static_cast<unsigned>(condition);
            shows.level = std::max(shows.level, condition == Condition::timeout ? Level::stop : Level::nudge);
        }
        shows.any = true;
        shows.findings = set;
        shows.status = status_for(set);
        // Whoever is over time stays so, however well the run goes on.
        if (decision.last == InterventionOutcome::recovered && shows.status != Status::timeout)
            shows.status = Status::recovered;
        result.severity = severity_for(set);
        result.speaks = first || shows.status != cell_.shown.status || shows.level != cell_.shown.level ||
                        set != cell_.shown.findings;
    }

    [[nodiscard]] static Status status_for(std::uint32_t set) noexcept {
        for (unsigned i = 0; i < static_cast<unsigned>(Condition::not_evaluable); ++i)
            if ((set & (1u << i)) != 0 && status_of(static_cast<Condition>(i)) != Status::healthy)
                return status_of(static_cast<Condition>(i));
        return Status::healthy;
    }

    [[nodiscard]] static Severity severity_for(std::uint32_t set) noexcept {
        if (set == 0) return Severity::none;
        return (set & (set - 1)) == 0 ? Severity::warning : Severity::critical;
    }

    RunMemory<Detectors>& cell_;
    Run& run_;
    const CompiledClass<Detectors>& rules_;
    Instant now_;
    bool budget_left_;
    std::optional<Run> shadow_;
};

}  // namespace heeler::inline v0
