// The pure half of a cycle: from a run's memory and one moment to findings, status and the ladder's decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <heeler/alert/next.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/time.hpp>
#include <heeler/cycle/recovery_signs.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Why a rung that was due is not decided now.
enum class HeldBack : std::uint8_t { no, debounce, budget, turn, gap, snooze, freeze, poison };

/// What a cycle found out about one run and wants to do about it.
struct Judged {
    explicit Judged(const Incident& incident) : decision{incident} {}

    Findings findings;  ///< worst first, notes left out
    Findings notes;     ///< rules that could not judge
    Decision decision;
    HeldBack held = HeldBack::no;
    Shown shows;
    Severity severity = Severity::none;
    News news;
    std::uint64_t loop_identity = 0;
    std::uint32_t debounced = 0;  ///< cycles in a row with a finding, this one included
    std::string failed{};         ///< what came to nothing of the rung just carried out, and what was answered
    bool calls_off = false;       ///< a rung that is not carried out yet would not be decided any more
    bool put_off = false;         ///< a stall that is not judged yet, because the watchdog was away
    bool there_again = false;     ///< what a stall was about
    bool set_aside = false;       ///< a stall, because something is exhausted
    bool outlived = false;        ///< a repetition, because the run has gone on without it
    bool excused = false;         ///< what stopped the run's agent counts against nobody
    bool waiting = false;
    bool speaks = false;  ///< the status line changed
};

/// What people are told of what was judged, and decided, about a run that is still as it was then.
[[nodiscard]] inline Telling telling_of(const RunMemory& watched, const Judged& judged, Instant now) {
    const Decision& decision = judged.decision;
    News news = judged.news;
    news.before = watched.verdict->incident;
    news.after = decision.incident;
    news.interval = watched.run.interval;
    const EscalationSettings& escalation = watched.rules().alerts.escalation;
    news.has_parent = escalation.parent_first && news.after.open() && watched.run.has_parent;
    news.severity = judged.severity;
    news.pending = watched.alerts_pending;
    news.recovered = decision.last == InterventionOutcome::recovered;
    news.acts = decision.acts();
    news.tells = decision.tells;
    news.is_final = decision.is_final;
    news.escalates = rung::has(decision.plan, ActionKind::escalate);
    constexpr ConditionBits limits = bit_of(Condition::timeout) | bit_of(Condition::runaway) |
                                     bit_of(Condition::token_budget) | bit_of(Condition::exhausted);
    news.ends_run = rung::ends_run(decision.plan);
    news.is_urgent = news.ends_run || news.is_final || rung::has(decision.plan, ActionKind::spawn) ||
                     judged.severity == Severity::critical || (bit_of(news.after.condition) & limits) != 0;
    return next(watched.verdict->told, news, watched.rules().alerts, now);
}

/// The run as detectors see it. In shadow mode nobody is started, but what was decided counts as if somebody had been.
[[nodiscard]] inline OnDemand<Run> shadow_of(const RunMemory& watched) {
    if (watched.rules().mode != Mode::shadow || watched.verdict->incident.attempts == 0) return {};
    OnDemand<Run> seen;
    seen.edit() = watched.run;
    seen.edit().attempt += watched.verdict->incident.attempts;
    return seen;
}

[[nodiscard]] inline bool is_held(const RunMemory& watched, Instant now) noexcept {
    return watched.rare->held_until && now.elapsed < *watched.rare->held_until;
}

/// What a judgement depends on besides the run and the moment.
struct Circumstances {
    bool budget_left = true;    ///< its class may do more in this cycle
    bool inhibited = false;     ///< people know of trouble above the run
    bool silence_over = false;  ///< the one that kept an alert about it from people
    bool frozen = false;        ///< every run is
    bool can_pause = true;      ///< somebody who acts on the run has a verb for it
    bool its_turn = true;       ///< no more is done within a minute than may be
};

/// Judges one run. Called under the run's lock; changes nothing; no clock, no store, no callback but to detectors and
/// ladder.
class Judge {
public:
    Judge(const RunMemory& watched, Instant now, const Circumstances& around = {})
        : watched_{watched}, now_{now}, around_{around} {
        around_.frozen |= verdict_.marks.frozen_at(now.wall);
    }

    [[nodiscard]] Judged operator()() const {
        Judged result{verdict_.incident};
        result.debounced = watched_.rare->debounced;
        if (is_held(watched_, now_)) result.held = HeldBack::gap;
        const bool rests = run_.waiting_since || result.held == HeldBack::gap;
        if (result.held != HeldBack::gap) collect(result);
        Judgement seen = rests ? Judgement{} : judgement_of(result);
        seen.acknowledged = verdict_.told.acknowledged;
        // That nothing is found proves nothing where nothing is known.
        const bool unknown = run_.late || result.put_off || !is_seen_since_rung(seen);
        result.waiting = rests || (unknown && !seen.worst && verdict_.incident.open());
        // What holds a run that it paused may have to say so again; one that an operator paused is left alone.
        if (!result.waiting || (run_.paused_by_watchdog && verdict_.incident.phase == Phase::holding))
            climb(result, seen);
        show(result);
        result.news = news_of(result);
        return result;
    }

private:
    [[nodiscard]] Duration working() const noexcept { return run_.working(now_.elapsed); }

    void collect(Judged& result) const {
        const OnDemand<Run> shadow = shadow_of(watched_);
        watched_.detectors.check(shadow ? *shadow : run_, now_, [&](const Finding& finding) {
            if ((verdict_.marks.wrong & bit_of(finding.condition)) != 0 || rules_.mutes.has(finding.identity)) return;
            if (run_.waiting_since && finding.condition.opens_incident()) return;
            if (watched_.begins_anew() && watched_.detectors.begins_anew(finding.kind)) return;
            // A person was asked for, and came: the rule still sees the repetition, but the run has left it behind.
            if (verdict_.incident.phase == Phase::holding && watched_.detectors.is_repetition(finding) &&
                watched_.detectors.had_enough(kind_bit(finding.kind), 0))
                return void(result.outlived = true);
            const bool snoozed = finding.condition == Condition::silent && verdict_.marks.snoozed_at(now_.wall);
            if (snoozed) return (void)result.findings.add(only_shown(finding));
            if (finding.is_put_off()) return (void)(result.put_off = true);
            if (finding.is_over()) return (void)(result.there_again = true);
            (finding.condition == Condition::not_evaluable ? result.notes : result.findings).add(finding);
        });
        collect_loss(result);
        for (const Finding& finding : result.findings)
            if (result.loop_identity == 0) result.loop_identity = finding.identity;
        if (!has(result, Condition::exhausted)) return;
        result.set_aside = has(result, Condition::stalled);
        result.findings.drop(Condition::stalled);  // that is why it stands still
    }

    [[nodiscard]] bool is_lost() const noexcept { return watched_.source && watched_.source->lost_since; }

    /// Shown as soon as an interval could not be read.
    void collect_loss(Judged& result) const {
        if (!is_lost() || !run_.source_lost) return;
        Finding lost{Condition::unobservable, Level::watch, "source", {.rule = "source_not_readable"}};
        lost.evidence.add("for_s", in_seconds(now_.elapsed - *watched_.source->lost_since));
        result.findings.add(lost);
    }

    /// People know of this silence, so it is only shown; it is critical again when the snooze is over.
    [[nodiscard]] Finding only_shown(Finding finding) const noexcept {
        finding.condition = Condition::stalled;
        finding.level = Level::watch;
        finding.evidence.rule = verdict_.marks.dismissed ? "dismissed_silence" : "snoozed_silence";
        return finding;
    }

    /// What the run did before its source was lost says nothing about what it does now.
    [[nodiscard]] bool is_known(const Condition& condition) const noexcept {
        return !is_lost() || condition == Condition::timeout || condition == Condition::no_output_access;
    }

    [[nodiscard]] Judgement judgement_of(const Judged& result) const {
        Judgement seen;
        for (const Finding& finding : result.findings) {
            if (finding.level < Level::nudge || !finding.condition.opens_incident()) continue;
            if (!is_known(finding.condition)) continue;
            if (!seen.worst) seen.worst = finding.condition;
            seen.certain |= around_.can_pause && finding.level == Level::stop && finding.condition == *seen.worst;
            seen.conditions |= bit_of(finding.condition);
            seen.explicit_limit |= finding.condition == Condition::timeout;
        }
        const Incident& incident = verdict_.incident;
        const RecoverySigns signs{watched_, verify_after(watched_), working()};
        seen.progressed = signs.progressed();
        seen.enough_new = signs.enough_new();
        seen.same_loop = result.loop_identity != 0 && result.loop_identity == verdict_.loop_identity;
        // In shadow mode nobody is started, so they are counted as other attempts are: per incident.
        seen.continuations = rules_.rules.mode == Mode::shadow ? incident.attempts : run_.attempt - 1;
        seen.no_output_gone = incident.condition == Condition::no_output_access && run_.output_readable && !run_.late;
        seen.no_output_gone |=
            incident.condition == Condition::exhausted && !has(result, Condition::exhausted) && !run_.late;
        if (incident.phase == Phase::closed && run_.last_progress && rules_.rules.mode != Mode::shadow)
            seen.well_for = *run_.last_progress - incident.closed_at;
        seen.no_output_gone |= result.there_again && incident.condition == Condition::stalled &&
                               !has(result, Condition::stalled) && !result.put_off;
        seen.severity = severity_for(seen.conditions);
        seen.active = run_.last_activity && *run_.last_activity > incident.acted;
        if ((seen.conditions & bit_of(Condition::stalled)) != 0)
            if (const auto last = run_.excused(run_.last_activity)) seen.silence = run_.unseen_for(*last, now_.elapsed);
        // A ladder that has no answer to the cause may have one to the stall.
        if (result.set_aside && is_known(Condition::stalled)) seen.conditions |= bit_of(Condition::stalled);
        seen.steered = &verdict_.steered;
        seen.wall = now_.wall;
        return seen;
    }

    /// What came of the last rung: nobody can say while nobody has looked for as long as that takes.
    [[nodiscard]] bool is_seen_since_rung(const Judgement& seen) const noexcept {
        if (verdict_.incident.phase != Phase::climbing) return true;
        if (seen.progressed || seen.enough_new || seen.no_output_gone) return true;
        return !run_.watched_less_than(verify_after(watched_), verdict_.incident.acted, now_.elapsed);
    }

    /// It is found, and warrants acting.
    [[nodiscard]] static bool has(const Judged& result, const Condition& condition) noexcept {
        return detail::any_of(result.findings, [&](const Finding& finding) {
            return finding.condition == condition && finding.level >= Level::nudge;
        });
    }

    /// `seen` is empty while the run waits: what trickles in after a pause is no recovery.
    void climb(Judged& result, const Judgement& seen) const {
        // Carried out while this cycle was under way: what came of it is taken in first.
        const bool wanted = seen.worst || verdict_.is_order(verdict_.incident.interventions);
        result.calls_off = !wanted && (seen.progressed || seen.enough_new || seen.no_output_gone);
        if (watched_.rung_busy || !watched_.rare->rung->empty()) return;
        // A cycle that a crash has repeated, or what came of a rung, is no further look.
        const bool same = watched_.rare->debounced != 0 && watched_.rare->debounced_at == working();
        result.debounced = seen.worst ? watched_.rare->debounced + !same : 0;
        const RunClass& rules = rules_.rules;
        result.decision =
            rules.ladder.climb({verdict_.incident, seen, working(), now_.elapsed, verify_after(watched_)});
        result.excused = watched_.was_stopped_from_outside() || has(result, Condition::exhausted);
        const bool starts = result.decision.retry_after || rung::has(result.decision.plan, ActionKind::spawn);
        const bool poison = starts && verdict_.restarts.forbid(rules.limits.restarts, result.excused, now_.wall);
        bool over_time = false;
        for (const Finding& each : result.findings) over_time |= each.evidence.rule == RunTimeout::lineage_rule;
        const bool spent = starts && (run_.spend->is_over() || (over_time && !result.decision.is_final));
        if (starts && over_time && !spent) result.decision = poisoned(verdict_.incident, result.decision, true);
        if (!result.decision.acts() && !poison && !spent) return;
        const bool waits = rung::has(result.decision.plan, ActionKind::nudge) && !find_rung_beyond_nudges(result, seen);
        if (verdict_.marks.snoozed_at(now_.wall))
            result.held = HeldBack::snooze;
        else if (around_.frozen && was_skipped())
            result.held = HeldBack::freeze;
        else if (seen.worst && result.debounced < rules.limits.debounce && !seen.explicit_limit)
            result.held = HeldBack::debounce;
        else if (poison)
            result.held = HeldBack::poison;
        else if (spent ||
                 (rung::has_deeds(result.decision.plan) && (!around_.budget_left || !day_budget_left() || waits)))
            result.held = HeldBack::budget;
        else if (!around_.its_turn && rung::touches(result.decision.plan))
            result.held = HeldBack::turn;
        if (result.held == HeldBack::snooze || result.held == HeldBack::freeze) {
            result.decision = Decision{verdict_.incident};
            result.decision.tells = result.held == HeldBack::freeze;
        } else if (result.held == HeldBack::poison)
            result.decision = poisoned(verdict_.incident, result.decision, verdict_.restarts.poisoned_at.has_value());
        else if (result.held == HeldBack::budget || result.held == HeldBack::turn)
            result.decision = rules.ladder.over_budget(verdict_.incident, std::move(result.decision));
        else if (result.held != HeldBack::no)
            result.decision = rules.ladder.held_back(verdict_.incident, std::move(result.decision));
        if (result.held == HeldBack::turn) result.decision.plan.clear();  // who is asked for is told what was done
    }

    /// Where no nudge is left: what the ladder does when that one has not helped either. False: there is nothing, or
    /// the last one was just now.
    [[nodiscard]] bool find_rung_beyond_nudges(Judged& result, const Judgement& seen) const {
        const NudgeLimits& most = rules_.rules.limits.nudges;
        const std::uint32_t in_row = verdict_.nudges_in_row(most, working());
        Decision next = result.decision;
        std::uint32_t skipped = 0;
        for (; skipped < 100 && rung::has(next.plan, ActionKind::nudge); ++skipped) {
            const bool used_up = (most.in_row != 0 && in_row >= most.in_row) ||
                                 (most.per_incident != 0 && next.incident.nudges >= most.per_incident);
            if (!used_up) return in_row == 0 || working() - verdict_.nudged >= most.apart;
            next.incident.verify_at = working();
            next.incident.unclear = 1;
            Decision then =
                rules_.rules.ladder.climb({next.incident, seen, working(), now_.elapsed, verify_after(watched_)});
            then.last = next.last;  // of what was really done
            next = std::move(then);
        }
        if (!next.acts() || rung::has(next.plan, ActionKind::nudge)) return false;
        next.reason = "nudges_used_up";
        if (next.is_final) next.incident.attempts -= min_of(skipped, next.incident.attempts);  // none was made
        result.decision = std::move(next);
        return true;
    }

    /// It is on record what a freeze keeps from being done in this incident: that is not said again while it lasts.
    [[nodiscard]] bool was_skipped() const noexcept {
        if (verdict_.interventions.empty() || !verdict_.incident.open()) return false;
        const Intervention& last = verdict_.interventions.back();
        return last.incident == verdict_.incident.number && last.outcome == InterventionOutcome::skipped;
    }

    [[nodiscard]] bool day_budget_left() const {
        const auto& most = rules_.rules.limits.rungs_per_run_per_day;
        if (!most) return true;
        const auto day = std::chrono::floor<std::chrono::days>(in_calendar(now_.wall)).time_since_epoch().count();
        return (verdict_.rung_day == day ? verdict_.rungs_today : 0) < *most;
    }

    /// What people may have to be told of.
    [[nodiscard]] News news_of(const Judged& result) const {
        News news;
        news.looked = true;
        news.held = result.held == HeldBack::gap;
        news.waiting = result.waiting;
        news.run_waits = run_.waiting_since.has_value();
        news.silence_known = !run_.late && !result.put_off && is_known(Condition::silent);
        news.readable = !watched_.source || watched_.source->is_readable();
        for (const Finding& finding : result.findings)
            if (is_worth_telling(finding)) news.found |= bit_of(finding.condition);
        news.flaps = *verdict_.told.flaps;
        if (!result.waiting)  // that nothing is known ends nothing
            news.flaps.look(rules_.rules.alerts.flapping_every, result.decision.incident.open(),
                            run_.unseen_for(news.flaps.at, now_.elapsed), working());
        if (news.flaps.found && rules_.rules.alerts.tell_people) news.found |= bit_of(Condition::flapping);
        news.snoozed = verdict_.marks.snoozed_at(now_.wall);
        news.frozen = around_.frozen;
        news.inhibited = around_.inhibited;
        news.silence_over = around_.silence_over && !news.held && !news.snoozed;
        return news;
    }

    [[nodiscard]] bool is_worth_telling(const Finding& finding) const noexcept {
        if (finding.condition == Condition::silent) return is_known(finding.condition);
        const Duration told_after = rules_.rules.alerts.unobservable_after;
        if (finding.condition == Condition::unobservable)
            return told_after > Duration{} && now_.elapsed - *watched_.source->lost_since >= told_after;
        return finding.level >= Level::nudge || !finding.condition.opens_incident();
    }

    /// A wait changes nothing of an incident but what is seen of it; what nothing was done about is not seen meanwhile.
    void show_wait(Judged& result) const {
        Shown& shows = result.shows;
        if (!verdict_.incident.open()) shows = {.any = true};
        shows.findings &= ~no_unhealth;
        for (const Finding& finding : result.findings) shows.findings |= bit_of(finding.condition);
        if (shows.level <= Level::watch) shows.level = shows.findings != 0 ? Level::watch : Level::none;
        result.severity = severity_for(shows.findings);
        result.speaks = shows.findings != watched_.shown.findings || shows.status != watched_.shown.status;
    }

    /// What was known of the run stands, beside whether anything is known of it now.
    void show_loss(Judged& result, bool lost) const {
        Shown& shows = result.shows;
        shows.findings &= ~bit_of(Condition::unobservable);
        if (lost) shows.findings |= bit_of(Condition::unobservable);
        result.speaks = shows.findings != watched_.shown.findings;
        if (result.speaks && shows.level <= Level::watch)
            shows.level = shows.findings != 0 ? Level::watch : Level::none;
    }

    void show(Judged& result) const {
        Shown& shows = result.shows;
        shows = watched_.shown;
        const bool first = !shows.any;
        const bool lost = is_lost() && run_.source_lost;
        const bool unknown =
            (run_.late || result.put_off) && result.findings.size() == (lost ? 1u : 0u) && !verdict_.incident.open();
        if ((result.waiting || unknown) && !first && !result.decision.acts()) {
            if (result.held == HeldBack::gap) return;
            run_.waiting_since ? show_wait(result) : show_loss(result, lost);
            return;
        }
        const Decision& decision = result.decision;
        const Condition* worst = nullptr;  // of those that have a status of their own
        const auto add = [&](const Condition& condition) {
            shows.findings |= bit_of(condition);
            if (condition.status() != Status::healthy && (worst == nullptr || outranks(condition, *worst)))
                worst = &condition;
        };
        shows = {.any = true};
        for (const Finding& finding : result.findings) {
            add(finding.condition);
            shows.level = detail::max_of(shows.level, finding.level);
        }
        if (decision.incident.open()) {
            const Condition& condition = decision.acts() ? decision.condition : decision.incident.condition;
            add(condition);
            shows.level = detail::max_of(shows.level, condition == Condition::timeout ? Level::stop : Level::nudge);
        }
        shows.status = worst == nullptr ? Status::healthy : worst->status();
        // Whoever is over time stays so, however well the run goes on.
        if (decision.last == InterventionOutcome::recovered && shows.status != Status::timeout)
            shows.status = Status::recovered;
        // Hard work fails, too: what is only shown of it adds nothing.
        const bool fails = has(result, Condition::error_cascade) || decision.condition == Condition::error_cascade;
        result.severity = severity_for(fails ? shows.findings : shows.findings & ~bit_of(Condition::error_cascade));
        const Shown& before = watched_.shown;
        result.speaks =
            first || shows.status != before.status || shows.level != before.level || shows.findings != before.findings;
    }

    static constexpr ConditionBits no_unhealth = bit_of(Condition::needs_input) | bit_of(Condition::unanswered) |
                                                 bit_of(Condition::left_waiting) | bit_of(Condition::complete) |
                                                 bit_of(Condition::unobservable);
    static constexpr ConditionBits no_severity = no_unhealth | bit_of(Condition::overdue);

    [[nodiscard]] static Severity severity_for(ConditionBits set) noexcept {
        set &= ~no_severity;
        if (set == 0) return Severity::none;
        if ((set & bit_of(Condition::silent)) != 0) return Severity::critical;
        return (set & (set - 1)) == 0 ? Severity::warning : Severity::critical;
    }

    const RunMemory& watched_;
    const Verdict& verdict_ = *watched_.verdict;
    const Run& run_ = watched_.run;
    const ReadyClass& rules_ = *watched_.of_class();
    Instant now_;
    Circumstances around_;
};

}  // namespace heeler::inline HEELER_ABI::detail
