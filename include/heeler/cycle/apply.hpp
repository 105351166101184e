// Applies a decision to one run's memory, together with the rows that make it durable, so that a failed commit can undo
// it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/cycle/notes.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/cycle/plan.hpp>
#include <heeler/cycle/work_item.hpp>

namespace heeler::inline v0 {

/// Changes one run, under its lock.
template <class Detectors>
class Changer {
public:
    Changer(RunCell<Detectors>& cell, Instant now, WorkItem<Detectors>& item) : cell_{cell}, now_{now}, item_{item} {}

    /// Takes over what the cycle found out and decided.
    void change(Judged judged) {
        if (judged.decision.last) verified(judged.decision);
        if (judged.speaks) item_.events.emplace_back(notes::status(cell_.run, judged));
        if (judged.seen) tell_band(*judged.seen);
        item_.change.with_memory |= judged.speaks || judged.seen;
        for (const Finding& note : judged.notes) say_once(note);
        cell_.shown = judged.shows;
        if (judged.decision.retry_after) plan_retry(judged);
        realise(judged, false);
    }

    /// What the outcomes of a rung change is decided at once.
    void settle() {
        std::vector<Action> actions = std::exchange(cell_.rung, {});
        item_.settled_before = actions;
        cell_.rung_open = 0;
        const bool shadow = cell_.rules->rules.mode == Mode::shadow;
        if (is_terminal(cell_.run.state)) return settle_after_end(actions);
        if (shadow)
            for (Action& action : actions)
                if (action.outcome == ActionOutcome::skipped) action.outcome = ActionOutcome::done;
        if (!shadow)
            for (const Action& action : actions) follow_state(action);
        for (const Action& action : actions) free_slot(action);
        if (rung::main_of(actions).kind == ActionKind::resume) return;
        Judged judged{cell_.incident};
        const Duration verify_after = Judge<Detectors>{cell_, now_, true}.verify_after();
        judged.decision = cell_.rules->ladder.absorb(cell_.incident, actions, cell_.run.working(now_.elapsed),
                                                     now_.elapsed, verify_after);
        judged.shows = cell_.shown;
        correct(actions, judged.decision);
        const bool ended = judged.decision.run_ended;
        if (ended && shadow) judged.decision.incident.phase = Phase::holding;
        const RunState state = state_after(actions);
        realise(judged, !judged.decision.is_final);
        if (!ended || shadow) return;
        finish(state);
        end(state == RunState::completed);
    }

    /// The store refuses to write the run: it is given up, so that it does not fail every cycle for ever (S004). What
    /// happened waits for the next commit that succeeds.
    [[nodiscard]] std::optional<ActionEvent> fail_by_guard(std::string_view why) {
        if (is_terminal(cell_.run.state)) return std::nullopt;
        Action action;
        action.kind = ActionKind::mark_failed;
        action.outcome = ActionOutcome::done;
        action.incident = cell_.incident.number;
        action.intervention = cell_.incident.interventions;
        action.attempt = 1;
        action.text = sanitise("Watchdog: StoreConflict: " + std::string{why}, 500);
        action.key = effect_key(cell_.run, action.intervention, "crash guard");
        JsonLine line;
        line.begin_object().key("summary").string(action.text).end_object();
        cell_.unsaved.actions.push_back(action);
        cell_.unsaved.audit.push_back({now_.wall, "crash_guard", cell_.run.id, std::move(line).text()});
        Folder<Detectors>{cell_, now_}.enter(RunState::failed);
        cell_.ended_at = now_.wall;
        if (cell_.incident.phase != Phase::none) cell_.incident.phase = Phase::closed;
        return ActionEvent{cell_.run.id, std::move(action)};
    }

    /// The run is over: the incident closes, and people who were told that it began are told that it ended.
    /// `found_over`: nobody said so, an action found it out.
    void end(bool found_over = false) {
        if (cell_.ended_at) return;
        cell_.ended_at = now_.wall;
        if (!cell_.shown.any) audit("skip", R"({"reason":"terminal"})");
        Incident& incident = cell_.incident;
        for (Intervention& known : cell_.interventions)
            if (known.outcome == InterventionOutcome::pending) {
                known.outcome = InterventionOutcome::ended;
                item_.change.rows.interventions.push_back(known);
            }
        const bool told = incident.open() && incident.alerted && !cell_.alert_dead && !cell_.sent.end_told;
        if (incident.phase != Phase::none) incident.phase = Phase::closed;
        if (cell_.marks.quiet_at(now_.wall)) return;
        if (!found_over && (!told || cell_.run.state == RunState::terminated)) return;
        Judged over{incident};
        over.severity = Severity::none;
        add_alerts({Realiser<Detectors>{cell_, over, now_}.ended(found_over)});
    }

    void skip() {
        cell_.shown.any = true;
        audit("skip", std::string{R"({"reason":")"} + std::string{name_of(cell_.skip)} + "\"}");
    }

    /// The commit failed: nothing was decided. What was taken over from the store stays.
    void undo() {
        if (!item_.change.taken_over) undo_facts();
        if (!item_.actions.empty()) cell_.rung_busy = false;
        cell_.alerts_pending -= std::min(cell_.alerts_pending, static_cast<std::uint32_t>(item_.alerts.size()));
        if (item_.settled_before) cell_.rung = *item_.settled_before;
        if (item_.memory_before) {
            ArchiveReader reader{*item_.memory_before, now_};
            cell_.archive_memory(reader);
        }
        // Somebody else did something: what was seen before that is no evidence any more.
        if (item_.change.taken_over && cell_.incident.interventions > item_.incident_before.interventions)
            Folder<Detectors>{cell_, now_}.learn_watermark();
    }

    /// Turns a decision into rows and into what follows from them.
    void realise(const Judged& judged, bool same_rung) {
        RunBatch rows = Realiser<Detectors>{cell_, judged, now_}(same_rung);
        for (Intervention& record : rows.interventions) keep(record);
        for (AuditRow& row : rows.audit) item_.change.rows.audit.push_back(std::move(row));
        add_alerts(std::move(rows.alerts));
        if (rows.actions.empty()) return;
        cell_.rung_busy = true;
        item_.change.with_memory = true;
        for (Action& action : rows.actions) {
            item_.change.rows.actions.push_back(action);
            item_.actions.push_back(std::move(action));
        }
        cell_.rung_open = static_cast<std::uint32_t>(item_.actions.size());
        if (same_rung) return;
        ArchiveWriter writer{now_};
        cell_.archive_memory(writer);
        item_.memory_before = writer.take();
        Folder<Detectors>{cell_, now_}.learn_watermark();
    }

    void finish(RunState state) {
        item_.state_before = cell_.run.state;
        Folder<Detectors>{cell_, now_}.enter(state);
    }

private:
    void undo_facts() {
        cell_.incident = item_.incident_before;
        cell_.shown = item_.shown_before;
        cell_.interventions = item_.interventions_before;
        cell_.notes_given = item_.notes_before;
        cell_.conditions_seen = item_.conditions_before;
        cell_.rungs_today = item_.rungs_before;
        cell_.rung_day = item_.rung_day_before;
        cell_.ended_at = item_.ended_before;
        cell_.run.incarnation = item_.incarnation_before;
        cell_.marks = item_.marks_before;
        cell_.sent = item_.sent_before;
        cell_.rung_open = item_.rung_open_before;
        if (item_.state_before) cell_.run.state = *item_.state_before;
    }

    /// What the run is after a rung that ended it; completed if an action found it over.
    [[nodiscard]] static RunState state_after(const std::vector<Action>& actions) noexcept {
        const Action& main = rung::main_of(actions);
        if (main.outcome != ActionOutcome::done) return RunState::completed;
        if (main.kind == ActionKind::terminate) return RunState::terminated;
        if (main.kind == ActionKind::abandon) return RunState::abandoned;
        return main.kind == ActionKind::mark_failed ? RunState::failed : RunState::completed;
    }

    /// A steer that did not get through uses up no cooldown.
    void free_slot(const Action& action) {
        if (!action.about || (action.outcome != ActionOutcome::failed && action.outcome != ActionOutcome::rejected &&
                              action.outcome != ActionOutcome::skipped))
            return;
        std::erase_if(cell_.sent.steered, [&](const SteerSlot& slot) { return slot.condition == *action.about; });
    }

    void add_alerts(std::vector<AlertRow> rows) {
        cell_.alerts_pending += static_cast<std::uint32_t>(rows.size());
        for (AlertRow& row : rows) {
            item_.change.rows.alerts.push_back(row);
            item_.alerts.push_back(std::move(row));
        }
    }

    void verified(const Decision& decision) {
        if (cell_.interventions.empty()) return;
        Intervention last = cell_.interventions.back();
        if (last.incident != cell_.incident.number) return;  // nothing was done in this one
        item_.events.emplace_back(OutcomeEvent{cell_.run.id, last.incident, last.action, *decision.last});
        if (last.outcome != InterventionOutcome::pending) return;
        last.outcome = *decision.last;
        keep(last);
    }

    /// Who waits for a person is not taken up, and that is said once for each wait.
    void tell_band(const BandSeen& seen) {
        if (!seen.band) return audit("not_continued", R"({"message":"waiting for human input, not continuing"})");
        item_.events.emplace_back(BandEvent{cell_.run.id, *seen.band, seen.age});
        item_.change.rows.audit.push_back({now_.wall, "band", cell_.run.id, notes::band(*seen.band, seen.age)});
    }

    /// The run is looked at when the retry is due, not only in its next cycle.
    void plan_retry(const Judged& judged) {
        const Elapsed due = judged.decision.incident.hold_until.value_or(now_.elapsed);
        cell_.next_cycle = std::min(cell_.next_cycle, due);
        const bool shadow = cell_.rules->rules.mode == Mode::shadow;
        const std::uint32_t attempt = shadow ? judged.decision.incident.attempts + 1 : cell_.run.attempt;
        audit("retry", notes::retry(attempt, *judged.decision.retry_after, wall_at(now_, due)));
    }

    void say_once(const Finding& note) {
        const std::uint32_t bit = cell_.note_bit(note.kind);
        if ((cell_.notes_given & bit) != 0) return;
        cell_.notes_given |= bit;
        audit("not_evaluable", notes::not_evaluable(note));
    }

    void audit(std::string kind, std::string body) {
        AuditRow row{now_.wall, std::move(kind), cell_.run.id, std::move(body)};
        item_.events.emplace_back(AuditEvent{row});
        item_.change.rows.audit.push_back(std::move(row));
    }

    /// What was done to the run is true of its state at once.
    void follow_state(const Action& action) {
        Folder<Detectors> fold{cell_, now_};
        if (action.kind == ActionKind::spawn) {
            const bool perhaps = action.outcome == ActionOutcome::done || action.outcome == ActionOutcome::unknown;
            return perhaps ? fold.begin_attempt(action.attempt) : fold.keep_attempt();
        }
        if (action.outcome != ActionOutcome::done) return;
        if (action.kind == ActionKind::pause) {
            fold.enter(RunState::paused);
            cell_.run.paused_by_watchdog = true;
        }
        if (action.kind == ActionKind::resume) {
            fold.enter(RunState::running);
            cell_.incident.phase = Phase::closed;
            cell_.incident.closed_at = cell_.run.working(now_.elapsed);
            cell_.incident.hold_until.reset();
        }
    }

    /// The run ended while the rung was carried out: what was done is recorded, and nothing follows from it.
    void settle_after_end(const std::vector<Action>& actions) {
        Decision over{cell_.incident};
        over.corrected = rung::outcome_of(actions);
        if (*over.corrected == InterventionOutcome::pending) over.corrected = InterventionOutcome::ended;
        correct(actions, over);
        end();
    }

    /// The record of the rung says what it came to. An escalation that was added to it does not rename it.
    void correct(const std::vector<Action>& actions, const Decision& decision) {
        for (Intervention known : cell_.interventions) {
            if (known.number != actions.front().intervention || known.outcome != InterventionOutcome::pending) continue;
            known.action = rung::main_of(actions).kind;
            known.outcome = decision.corrected.value_or(InterventionOutcome::pending);
            return keep(known);
        }
    }

    void keep(const Intervention& record) {
        item_.change.rows.interventions.push_back(record);
        for (Intervention& known : cell_.interventions)
            if (known.number == record.number) {
                known = record;
                return;
            }
        auto& rows = cell_.interventions;
        if (rows.size() >= RunCell<Detectors>::most_interventions) rows.erase(rows.begin());
        rows.push_back(record);
    }

    RunCell<Detectors>& cell_;
    Instant now_;
    WorkItem<Detectors>& item_;
};

}  // namespace heeler::inline v0
