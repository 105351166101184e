// Applies a decision to what is decided about one run, together with the rows that make it durable.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/cycle/notes.hpp>
#include <heeler/cycle/plan.hpp>
#include <heeler/cycle/wording.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/settings/contradictions.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What one cycle changes about one run. Made under the run's lock.
struct WorkItem {
    WorkItem(RunHandle run, WatchedRun& of) : change{run, &of}, decided{of} {}

    Change change;  ///< its actions and alerts are carried out once they are durable
    Decided decided;
    List<Event> events;  ///< reported once it is durable
    bool ends = false;   ///< this cycle ends the run
};

/// Decides about one run, under its lock and while it is as it is decided to be (`Deciding`).
class Applier {
public:
    Applier(WatchedRun& watched, Instant now, WorkItem& item) : watched_{watched}, now_{now}, item_{item} {}

    /// Takes over what the cycle found out and decided.
    void change(const Judged& judged, const std::optional<Sighting>& saw) {
        if (judged.decision.last) verified(judged.decision);
        if (judged.speaks) item_.events.push_back(notes::status(watched_.run, judged));
        if (saw) tell(*saw);
        item_.change.with_memory |= judged.speaks;
        for (const Finding& note : judged.notes) say_once(note);
        if (!watched_.shown.any)
            for (const Detail& doubt : doubts_of(watched_.rules(), watched_.run))
                audit(std::string{doubt_record}, notes::doubt(watched_.rules().name, doubt));
        watched_.shown = judged.shows;
        if (judged.decision.retry_after) plan_retry(judged);
        plan(judged, false);
        if (judged.outlived && judged.decision.last == InterventionOutcome::recovered) begin_anew();
    }

    /// Who was snoozed while a rung was carried out: what follows from it, and what nobody was told of it, is a
    /// person's business when that is over.
    void wait_for_snooze(Decision& decision, const List<Action>& actions) const {
        const OperatorMarks& marks = watched_.verdict->marks;
        const Action* const telling = rung::find(actions, ActionKind::escalate);
        const bool unsaid = telling != nullptr && telling->outcome_from == OutcomeFrom::snooze;
        if (!unsaid && (!decision.acts() || !marks.snoozed_at(now_.wall))) return;
        decision.plan.clear();
        if (decision.incident.phase == Phase::holding && marks.snoozed_until)
            decision.incident.hold_until = now_.elapsed + (*marks.snoozed_until - now_.wall);
    }

    /// What the outcomes of a rung change is decided at once.
    void settle() {
        List<Action> actions = item_.decided.settle(watched_);
        watched_.verdict.edit().rung_open = 0;
        ++watched_.verdict.edit().settled;
        const bool shadow = watched_.rules().mode == Mode::shadow;
        if (is_terminal(watched_.run.state)) return settle_after_end(actions);
        for (Action& action : actions) {
            if (shadow && action.outcome == ActionOutcome::skipped) action.outcome = ActionOutcome::done;
            if (!shadow) follow_state(action);
            count_nudge(action);
            take_back_level(action);
            free_slot(action);
            uncount_start(action);
        }
        record_outcomes(actions);
        const Action& main = rung::main_of(actions);
        if (watched_.verdict->is_order(main.intervention) && main.outcome != ActionOutcome::ended)
            return settle_order(main);
        const bool silenced = take_for_told(actions);
        Judged judged{watched_.verdict->incident};
        const Duration wait = verify_after(watched_);
        judged.decision = watched_.rules().ladder.absorb(
            {watched_.verdict->incident, actions, watched_.run.working(now_.elapsed), now_.elapsed, wait});
        if (silenced) judged.decision.corrected = InterventionOutcome::skipped;
        const bool ended = judged.decision.run_ended;
        correct(actions, judged.decision);
        // While it was carried out a person said that the incident is none.
        if (watched_.verdict->incident.phase == Phase::none && !ended)
            judged.decision = Decision{watched_.verdict->incident};
        if (!ended) watched_.verdict.edit().told.take_back_end();
        judged.shows = watched_.shown;
        judged.failed = notes::failed(actions);
        if (ended && shadow) judged.decision.incident.phase = Phase::holding;
        wait_for_snooze(judged.decision, actions);
        const RunState state = state_after(actions);
        if (judged.decision.incident.cannot_pause != watched_.verdict->incident.cannot_pause)
            watched_.next_cycle = now_.elapsed;  // nothing was done: what is found decides anew
        else if (rung::find(actions, ActionKind::pause) != nullptr && watched_.rules().ladder.verifies())
            begin_anew();
        plan(judged, !judged.decision.is_final);
        if (!ended || shadow) return;
        finish(state);
        end(state == RunState::completed);
    }

    /// The store refuses to write the run: it is given up, so that it does not fail every cycle for ever (the session
    /// monitor). What happened waits for the next commit that succeeds.
    [[nodiscard]] OnDemand<ActionEvent> fail_by_guard(std::string_view why, ErrorCode code = ErrorCode::conflict) {
        if (is_terminal(watched_.run.state)) return {};
        Action action;
        action.kind = ActionKind::mark_failed;
        action.outcome = ActionOutcome::done;
        action.incident = watched_.verdict->incident.number;
        action.intervention = watched_.verdict->incident.interventions;
        action.attempt = 1;
        action.text = text::sanitise(
            text::concat("Watchdog: ", code == ErrorCode::unstorable ? "Unstorable" : "StoreConflict", ": ", why), 500);
        action.key = effect_key(watched_.run, action.intervention, "crash guard");
        text::JsonLine line;
        line.begin_object().key("summary").string(action.text).end_object();
        watched_.unsaved.edit().actions.push_back(action);
        watched_.unsaved.edit().audit.push_back(
            {now_.wall, "crash_guard", std::string{watched_.run.id}, std::move(line).text()});
        Folder{watched_, now_}.enter(RunState::failed);
        watched_.verdict.edit().ended_at = now_.wall;
        if (watched_.verdict->incident.phase != Phase::none) watched_.verdict.edit().incident.phase = Phase::closed;
        OnDemand<ActionEvent> event;
        event.edit() = {std::string{watched_.run.id}, std::move(action)};
        return event;
    }

    /// The run is over: the incident closes, and people who were told that it began are told that it ended.
    /// `found_over`: nobody said so, an action found it out.
    void end(bool found_over = false) {
        if (watched_.verdict->ended_at) return tell_end();
        watched_.verdict.edit().ended_at = now_.wall;
        if (!watched_.shown.any) audit("skip", R"({"reason":"terminal"})");
        Incident& incident = watched_.verdict.edit().incident;
        for (Intervention& known : watched_.verdict.edit().interventions)
            if (known.outcome == InterventionOutcome::pending) {
                known.outcome = InterventionOutcome::ended;
                item_.change.rows.interventions.push_back(known);
            }
        watched_.verdict.edit().told.end(found_over);
        if (incident.open()) incident.closed_at = watched_.run.working(now_.elapsed);
        if (incident.phase != Phase::none) incident.phase = Phase::closed;
        tell_end();
    }

    void tell(AlertRow row) { add_alerts({std::move(row)}); }

    void audit(std::string kind, std::string body) {
        AuditRow row{now_.wall, std::move(kind), std::string{watched_.run.id}, std::move(body)};
        item_.events.push_back(AuditEvent{row});
        item_.change.rows.audit.push_back(std::move(row));
    }

    void skip() {
        watched_.shown.any = true;
        audit("skip", std::string{R"({"reason":")"} + std::string{name_of(watched_.skip)} + "\"}");
    }

    /// Turns a decision into rows and into what follows from them.
    void plan(const Judged& judged, bool same_rung) {
        RunBatch rows = Planner{watched_, judged, now_}(same_rung);
        for (Intervention& record : rows.interventions) keep(record);
        for (const AuditRow& row : rows.audit)
            if (row.kind == escalation_record || row.kind == flapping_record) item_.events.push_back(AuditEvent{row});
        for (AuditRow& row : rows.audit) item_.change.rows.audit.push_back(std::move(row));
        add_alerts(std::move(rows.alerts));
        if (rows.actions.empty()) return;
        item_.decided.add_actions(watched_, rows.actions.size());
        item_.change.with_memory = true;
        for (Action& action : rows.actions) item_.change.rows.actions.push_back(std::move(action));
        watched_.verdict.edit().rung_open = static_cast<std::uint32_t>(item_.decided.actions());
        // What a ladder that only watches does makes no evidence void. A fresh agent has done nothing yet. Whether a
        // pause was one is not known yet.
        const bool anew = watched_.rules().ladder.verifies() || rung::has(judged.decision.plan, ActionKind::spawn);
        if (!same_rung && anew && !rung::has(judged.decision.plan, ActionKind::pause)) begin_anew();
    }

    void finish(RunState state) {
        Folder{watched_, now_}.enter(state);
        item_.ends = true;
    }

private:
    /// Nobody reads that the run is over before they could read that it was in trouble.
    void tell_end() {
        Told& told = watched_.verdict.edit().told;
        if (!told.tells_end(watched_.rules().alerts, watched_.alerts_pending,
                            watched_.verdict->marks.snoozed_at(now_.wall)))
            return;
        Judged over{watched_.verdict->incident};
        over.severity = Severity::none;
        List<AlertRow> rows = Planner{watched_, over, now_}.ended();
        for (AlertRow& row : rows) {
            row.not_before += told.in_vain->pause(watched_.run.interval);
            told.ask({now_.wall, watched_.verdict->incident.number, {}, row.alert.kind, true, true});
        }
        add_alerts(std::move(rows));
    }

    /// Detectors of repetition forget what they have seen.
    void begin_anew() {
        item_.change.with_memory = true;
        ++watched_.verdict.edit().watermark;
    }

    /// What the run is after a rung that ended it; completed if an action found it over.
    [[nodiscard]] static RunState state_after(const List<Action>& actions) noexcept {
        const Action& main = rung::main_of(actions);
        if (main.outcome != ActionOutcome::done) return RunState::completed;
        if (main.kind == ActionKind::terminate) return RunState::terminated;
        if (main.kind == ActionKind::abandon) return RunState::abandoned;
        return main.kind == ActionKind::mark_failed ? RunState::failed : RunState::completed;
    }

    /// What detectors that listen to what came of actions put on record of it.
    void record_outcomes(const List<Action>& actions) {
        if (!watched_.of_class()->listens<Acted>()) return;
        item_.change.with_memory = true;
        for (const Action& action : actions)
            for (Record& record : watched_.detectors.records(watched_.run, action))
                audit(std::move(record.kind), std::move(record.body));
    }

    /// The ladder need not repeat an escalation that was silenced: people are told when the silence is over. True if
    /// that is what the rung was for.
    bool take_for_told(List<Action>& actions) const {
        const Unheard& unheard = *watched_.verdict->told.unheard;
        if (!unheard.escalated || unheard.incident != watched_.verdict->incident.number) return false;
        const Action& main = rung::main_of(actions);
        const bool silenced = main.kind == ActionKind::escalate && main.outcome == ActionOutcome::skipped;
        for (Action& action : actions)
            if (action.kind == ActionKind::escalate && action.outcome == ActionOutcome::skipped)
                action.outcome = ActionOutcome::done;
        return silenced;
    }

    /// Also one that may have reached the agent.
    void count_nudge(const Action& action) {
        if (action.kind != ActionKind::nudge || !rung::may_be_done(action)) return;
        Verdict& verdict = watched_.verdict.edit();
        ++verdict.incident.nudges;
        ++verdict.nudges;
        verdict.nudged = watched_.run.working(now_.elapsed);
    }

    /// Nobody was started, and everybody knows it: then it does not count.
    void uncount_start(const Action& action) {
        if (action.kind != ActionKind::spawn || rung::may_be_done(action) || watched_.verdict->restarts.starts.empty())
            return;
        std::vector<std::int64_t>& starts = watched_.verdict.edit().restarts.starts;
        if (starts.back() == watched_.verdict->interventions.back().at.time_since_epoch().count()) starts.pop_back();
    }

    void take_back_level(const Action& action) {
        const bool told = action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::failed;
        if (action.kind == ActionKind::escalate && !told && watched_.verdict->told.levels->told > 0)
            watched_.verdict.edit().told.take_back_level();
    }

    /// A steer that did not get through uses up no cooldown.
    void free_slot(const Action& action) {
        if (!action.about || (action.outcome != ActionOutcome::failed && action.outcome != ActionOutcome::rejected &&
                              action.outcome != ActionOutcome::skipped))
            return;
        auto& slots = watched_.verdict.edit().steered;
        for (auto slot = slots.begin(); slot != slots.end(); ++slot)
            if (slot->condition == *action.about) {
                slots.erase(slot);
                return;
            }
    }

    void add_alerts(List<AlertRow> rows) {
        item_.decided.add_alerts(watched_, rows.size());
        for (AlertRow& row : rows) item_.change.rows.alerts.push_back(std::move(row));
    }

    /// Puts on record what a detector saw.
    void tell(const Sighting& saw) {
        item_.change.with_memory = true;
        if (saw.answer.empty()) return audit(std::string{saw.record}, notes::sighting(saw));
        item_.events.push_back(SightingEvent{std::string{watched_.run.id}, saw});
        item_.change.rows.audit.push_back(
            {now_.wall, std::string{saw.record}, std::string{watched_.run.id}, notes::sighting(saw)});
    }

    void verified(const Decision& decision) {
        if (watched_.verdict->interventions.empty()) return;
        Intervention last = watched_.verdict->interventions.back();
        if (last.incident != watched_.verdict->incident.number) return;  // nothing was done in this one
        item_.events.push_back(OutcomeEvent{std::string{watched_.run.id}, last.incident, last.action, *decision.last});
        if (last.outcome != InterventionOutcome::pending) return;
        last.outcome = *decision.last;
        keep(last);
    }

    /// The run is looked at when the retry is due, not only in its next cycle.
    void plan_retry(const Judged& judged) {
        const Elapsed due = judged.decision.incident.hold_until.value_or(now_.elapsed);
        watched_.next_cycle = min_of(watched_.next_cycle, due);
        const bool shadow = watched_.rules().mode == Mode::shadow;
        const std::uint32_t attempt = shadow ? judged.decision.incident.attempts + 1 : watched_.run.attempt;
        audit("retry", notes::retry(attempt, *judged.decision.retry_after, wall_at(now_, due)));
    }

    void say_once(const Finding& note) {
        const std::uint32_t bit = kind_bit(note.kind);
        if ((watched_.verdict->notes_given & bit) != 0) return;
        watched_.verdict.edit().notes_given |= bit;
        audit("not_evaluable", notes::not_evaluable(note));
    }

    /// What was done to the run is true of its state at once.
    void follow_state(const Action& action) {
        Folder fold{watched_, now_};
        if (action.kind == ActionKind::spawn)
            return rung::may_be_done(action) ? fold.begin_attempt(action.attempt) : fold.keep_attempt();
        if (action.kind == ActionKind::pause) return fold.pause(action.outcome);
        if (action.kind != ActionKind::resume || action.outcome != ActionOutcome::done) return;
        fold.resume();
        if (watched_.verdict->incident.open())
            watched_.verdict.edit().drop_incident(watched_.run.working(now_.elapsed));
    }

    /// An operator asked for it, and is told if it is not known to be done. That is no trouble of the run.
    void settle_order(const Action& order) {
        if (order.outcome == ActionOutcome::done || order.outcome == ActionOutcome::skipped) return;
        if (order.kind != ActionKind::escalate) tell(undone(order));  // what came of that is told already
    }

    [[nodiscard]] AlertRow undone(const Action& order) const {
        const Judged judged{watched_.verdict->incident};
        const std::string_view what = order.kind == ActionKind::resume ? "resume_failed" : "pause_failed";
        const bool perhaps = order.outcome == ActionOutcome::unknown, stands = watched_.run.waits_for_resume();
        AlertRow row = Planner{watched_, judged, now_}.alert(AlertKind::escalation, order.key);
        row.alert.summary = text::concat("run ", row.alert.run.name, ": ", name_of(order.kind), " was ordered, and ",
                                         perhaps ? "nobody knows whether it is done (" : "is not done (", what, ")");
        row.alert.issues = {notes::failed({order})};
        row.alert.details.front().value = text::concat(what, ": ", row.alert.issues.front());
        Wording{watched_, judged, now_, watched_.spec.decoded()}.complete(
            row, "",
            stands ? "the run stays paused until an operator resumes it"
                   : "nothing more is done until it is ordered again");
        return row;
    }

    /// The run ended while the rung was carried out: what was done is recorded, and nothing follows from it.
    void settle_after_end(const List<Action>& actions) {
        Decision over{watched_.verdict->incident};
        over.corrected = rung::outcome_of(actions);
        if (*over.corrected == InterventionOutcome::pending) over.corrected = InterventionOutcome::ended;
        correct(actions, over);
        end();
    }

    /// The record of the rung says what it came to. An escalation that was added to it does not rename it.
    void correct(const List<Action>& actions, const Decision& decision) {
        for (Intervention known : watched_.verdict->interventions) {
            if (known.number != actions.front().intervention || known.outcome != InterventionOutcome::pending) continue;
            known.action = rung::main_of(actions).kind;
            known.outcome = decision.corrected.value_or(InterventionOutcome::pending);
            return keep(known);
        }
    }

    void keep(const Intervention& record) {
        item_.change.rows.interventions.push_back(record);
        watched_.verdict.edit().keep(record);
    }

    WatchedRun& watched_;
    Instant now_;
    WorkItem& item_;
};

}  // namespace heeler::inline HEELER_ABI::detail
