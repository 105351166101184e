// Carries out what is committed: actions through the agent control, then alerts through the notifier; records outcomes.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/alert/receipt_note.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/effects/alert_settler.hpp>
#include <heeler/effects/context_clearing.hpp>
#include <heeler/effects/courier.hpp>
#include <heeler/effects/effects.hpp>
#include <heeler/effects/inhibition.hpp>
#include <heeler/effects/joint_alerts.hpp>
#include <heeler/effects/kept_off.hpp>
#include <heeler/effects/mass_stall.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/effects/silences.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/run/fold.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Queues are filled by the cycle and by a restart; `run` empties what is due. One `run` at a time, from any one
/// thread.
class Deliverer {
public:
    using Table = RunTable<WatchedRun>;

    Deliverer(Courier& courier, ClockPort& clock, ProcessPort& process, Ledger& ledger, Registry& registry,
              const HeldLease& held_lease)
        : courier_{courier},
          clock_{clock},
          process_{process},
          ledger_{ledger},
          registry_{registry},
          held_lease_{held_lease} {}

    [[nodiscard]] ContextClearing& context() noexcept { return context_; }
    [[nodiscard]] const Registry& registry() const noexcept { return registry_; }
    [[nodiscard]] Effects& effects() noexcept { return effects_; }
    [[nodiscard]] Queues& queues() noexcept { return queues_; }
    [[nodiscard]] const Queues& queues() const noexcept { return queues_; }

    /// Set before `freeze` is called for the first time.
    [[nodiscard]] Silences& silences() noexcept { return silences_; }
    [[nodiscard]] MassStall& mass_stall() noexcept { return mass_stall_; }

    /// Until it is known whether everything is frozen and what is silenced, nothing is done and nobody is told.
    void freeze(bool frozen) noexcept {
        frozen_.store(frozen, std::memory_order_relaxed);
        informed_.store(true, std::memory_order_release);
    }

    /// Whether it is known that nothing is frozen.
    [[nodiscard]] bool may_act() const {
        return informed_.load(std::memory_order_acquire) && !frozen_.load(std::memory_order_relaxed) &&
               !process_.frozen();
    }

    void run(Instant now, CycleReport& report) {
        const std::lock_guard one{running_};
        if (!held_lease_.holds() || !informed_.load(std::memory_order_acquire)) return;
        queues_.follow_clock(now);
        if (!ended_) ended_ = now.elapsed;  // who is started again and again ends nobody sooner
        for (auto& job : queues_.take_due_rungs(now.elapsed)) carry_out(std::move(job), now, report);
        List<AlertJob> due = queues_.take_due_alerts(now);
        drop_if(due, [&](AlertJob& job) { return !is_to_send(job, now, report); });
        Inhibition{ledger_, registry_, mass_stall_}.inhibit(due, now, report);
        List<List<AlertJob>> groups;
        NameMap<std::size_t> places;
        for (auto& job : due) {
            if (job.group.empty()) {
                send(std::move(job), now, report);
                continue;
            }
            if (places.emplace(job.group, groups.size())) groups.emplace_back();
            groups[places[job.group]].push_back(std::move(job));
        }
        for (auto& jobs : groups) send_together(jobs, now, report);
        JointAlerts{ledger_, queues_, table_}.follow(now, report);
    }

    /// What follows a cycle when nothing of it is owed any more.
    template <class OwesMail>
    void clear_context(OwesMail&& owes_mail, Instant now, CycleReport& report) {
        const std::lock_guard one{running_};
        context_.run(queues_, owes_mail, now, report);
    }

private:
    static constexpr Duration retry_after = std::chrono::seconds{1};    ///< of what was answered with `busy`
    static constexpr Duration silence_looks = std::chrono::minutes{1};  ///< whether what waits for its end is told
    static constexpr std::uint8_t most_looks = 2;                       ///< in later cycles, at what nobody knows

    /// An escalation as well. That an incident began is no action: people learn of it. What people order is done, and
    /// that the run was ended is told. What a control put off is not asked for any more once a cycle has seen that the
    /// run goes on, but for words: these may wait for the agent's next turn.
    [[nodiscard]] Held held_back(const RungJob& job, const Action& action, Instant now) const {
        if (in_shadow(job)) return {OutcomeFrom::shadow, "shadow mode"};
        const bool all_frozen = frozen_.load(std::memory_order_relaxed) || process_.frozen();
        const std::lock_guard guard{job.watched->lock};
        const Verdict& verdict = *job.watched->verdict;
        if (all_frozen || verdict.marks.frozen_at(now.wall)) return {OutcomeFrom::freeze, "frozen"};
        if (has_ended_run(job) || verdict.is_order(action.intervention)) return {};
        if (verdict.marks.snoozed_at(now.wall)) return {OutcomeFrom::snooze, "snoozed"};
        if (verdict.is_dropped(action.incident)) return {OutcomeFrom::recovery, closed_by_hand};
        if (has_begun_to_wait(job, action)) return {OutcomeFrom::recovery, "the run waits"};
        const bool waits = action.kind == ActionKind::escalate && mass_stall_.speaks_for(*job.watched);
        const bool words = !waits && (!rung::touches(action.kind) || is_injection(action.kind));
        if (words || (job.may_have_happened && !waits) || !job.watched->called_off) return {};
        return {OutcomeFrom::recovery, "nothing calls for it any more"};
    }

    /// People are told last, so that a slow notifier holds up nothing else of the rung; it is reported in its order.
    void carry_out(RungJob job, Instant now, CycleReport& report) {
        Said said{report};
        go_through(std::move(job), now, said);
        report.absorb(std::move(said.behind));
    }

    struct Said {
        CycleReport& report;
        CycleReport behind{};  ///< what stands behind an escalation, and was done before it
    };

    void go_through(RungJob job, Instant now, Said& all) {
        if (let_go_if_disowned(*job.watched) || !save(job, now, all.report)) return;
        bool waits = false;
        for (std::size_t end = job.actions.size(); job.next(end) < end;) {
            const std::size_t at = job.next(end);
            if (let_go_if_disowned(*job.watched)) return;
            if (!held_lease_.holds()) return queues_.add(std::move(job));
            Action& action = job.actions[at];
            if (!needs_met(job, at)) {
                block(job, at, now);
                continue;
            }
            CycleReport& said = job.overtakes(at) ? all.behind : all.report;
            perform(job, action, now, said);
            if (action.outcome == ActionOutcome::intended) {
                waits = true;
                end = at;
                continue;
            }
            note_outcome(job, action, said);
            if (action.outcome == ActionOutcome::ended) {
                block_behind(job, at, now);
                end = at;
            }
            if (!save(job, now, all.report)) return;
        }
        if (waits) return wait(std::move(job), now);
        if (save(job, now, all.report)) settle(std::move(job), now);
    }

    static void note_outcome(RungJob& job, const Action& action, CycleReport& report) {
        if (action.kind != ActionKind::escalate) {
            job.looks = 0;
            job.asked = job.may_have_happened = false;
        }
        if (action.outcome != ActionOutcome::blocked)
            report.events.push_back(ActionEvent{std::string{job.watched->run.id}, action});
        const std::lock_guard guard{job.watched->lock};
        job.watched->unsaved.edit().actions.push_back(action);
    }

    void settle(RungJob job, Instant now) {
        {
            const std::lock_guard guard{job.watched->lock};
            Folder{*job.watched, now}.carried_out(std::move(job.actions));
        }
        table_.sooner(job.handle.index, now.elapsed);
        queues_.add_settled(job.handle);
    }

    /// Whoever holds the run now goes on with what is under way for it, under the same keys.
    [[nodiscard]] static bool let_go_if_disowned(WatchedRun& watched) {
        const std::lock_guard guard{watched.lock};
        if (watched.disowned) watched.rung_busy = false;
        return watched.disowned;
    }

    /// Settled without being tried, so that a restart does not take it up. Nobody is told of what is not done.
    void block(RungJob& job, std::size_t at, Instant now) {
        Action& action = job.actions[at];
        action.outcome = ActionOutcome::blocked;
        if (action.kind == ActionKind::escalate) skip_alert(job, action, now);
        const std::lock_guard guard{job.watched->lock};
        job.watched->unsaved.edit().actions.push_back(action);
    }

    /// The run is over: nothing more is done to it.
    void block_behind(RungJob& job, std::size_t at, Instant now) {
        while (++at < job.actions.size())
            if (job.actions[at].outcome == ActionOutcome::intended) block(job, at, now);
    }

    /// An outcome is durable before the next action starts; while it is not, the rung waits.
    bool save(RungJob& job, Instant now, CycleReport& report) {
        if (!ledger_.has_open_outcomes(*job.watched)) return true;
        const auto error = ledger_.commit_one(job.handle, *job.watched, now);
        if (!error) return true;
        report.error("commit", job.watched->run.id, *error);
        queues_.add(std::move(job));
        return false;
    }

    [[nodiscard]] static bool in_shadow(const RungJob& job) noexcept { return job.rules->rules.mode == Mode::shadow; }

    /// What an action needs must be done, and so must an isolation before anything that touches the agent.
    [[nodiscard]] static bool needs_met(const RungJob& job, std::size_t at) {
        const Action& action = job.actions[at];
        bool met = !action.needs;
        for (std::size_t before = 0; before < at; ++before) {
            const Action& earlier = job.actions[before];
            const bool done =
                earlier.outcome == ActionOutcome::done || (earlier.outcome == ActionOutcome::skipped && in_shadow(job));
            if (earlier.kind == ActionKind::isolate && !done && rung::touches(action.kind)) return false;
            met |= done && earlier.kind == action.needs;
        }
        return met;
    }

    /// Leaves the action without an outcome if that is not known yet.
    void perform(RungJob& job, Action& action, Instant now, CycleReport& report) {
        const Held held = held_back(job, action, now);
        const bool wanted = held.by == OutcomeFrom::answer;
        const bool asked = job.may_have_happened && held.by != OutcomeFrom::shadow &&
                           action.kind != ActionKind::escalate && !is_record_only(action.kind);
        if (!still_runs(job)) {
            action.outcome = ActionOutcome::ended;
            action.note = "the run is over";
        } else if (held.by == OutcomeFrom::freeze && job.may_have_happened) {
            return;  // to look it up could be to ask for it again
        } else if (!wanted && !asked) {
            action.outcome = ActionOutcome::skipped;
            action.outcome_from = held.by;
            action.note = held.why;
            if (action.kind == ActionKind::escalate) skip_alert(job, action, now);
        } else if (is_locked(job, action, now)) {
            return;  // only a look after that tells what became of what was asked for before
        } else if (wanted && (waits_for_all(job, action, now) || waits_for_turn(job, action, now, report))) {
            // It is done later, if it is still to be done then.
            if (job.may_have_happened && effects_.is_absent(*job.watched, action)) job.may_have_happened = false;
        } else if (action.kind == ActionKind::escalate) {
            escalate(action, now, report);
        } else if (is_record_only(action.kind)) {
            effects_.retire(*job.watched, action, asker_of(job));
        } else {
            ask(job, action, wanted, report);
            if (ends_agent(action.kind) && action.outcome != ActionOutcome::blocked) ended_ = clock_.now().elapsed;
        }
    }

    [[nodiscard]] static bool ends_agent(ActionKind kind) noexcept {
        return kind == ActionKind::terminate || kind == ActionKind::spawn;
    }

    /// Nobody is ended or replaced who was just taken over: what the last holder asked for may still be under way, and
    /// the agent cannot tell.
    [[nodiscard]] static bool is_locked(const RungJob& job, const Action& action, Instant now) {
        if (!ends_agent(action.kind)) return false;
        const std::lock_guard guard{job.watched->lock};
        return job.watched->rare->locked_until > now.elapsed;
    }

    /// Many stand still together: nobody is ended, replaced or paused, and nobody asked for of whom people do not know
    /// yet. Whoever were paused would still stand when what all need is there again. What people order waits for
    /// nobody.
    [[nodiscard]] bool waits_for_all(const RungJob& job, const Action& action, Instant now) const {
        const std::lock_guard guard{job.watched->lock};
        if (job.watched->verdict->is_order(action.intervention)) return false;
        if (ends_agent(action.kind)) return mass_stall_.spares(job.rules->rules.limits.mass_stall, now.elapsed);
        const bool tells = action.kind == ActionKind::escalate && !job.watched->verdict->told.heard;
        return (tells || action.kind == ActionKind::pause) && mass_stall_.speaks_for(*job.watched);
    }

    /// Another agent was ended or replaced just now. That this one waits for that is on record.
    [[nodiscard]] bool waits_for_turn(RungJob& job, const Action& action, Instant now, CycleReport& report) const {
        const Duration apart = job.rules->rules.limits.endings_apart;
        if (!ends_agent(action.kind) || job.asked || clock_.now().elapsed - *ended_ >= apart) return false;
        if (std::exchange(job.waits, true)) return true;
        const std::lock_guard guard{job.watched->lock};
        AuditRow row{now.wall, "suppressed", std::string{job.watched->run.id}, std::string{waits_for_its_turn}};
        report.events.push_back(AuditEvent{row});
        job.watched->unsaved.edit().audit.push_back(std::move(row));
        return true;
    }

    /// Nobody is told of an outcome that is not known before it was looked up, at once and in the next two cycles.
    void ask(RungJob& job, Action& action, bool wanted, CycleReport& report) {
        const Asker asker = asker_of(job);
        // That a run was given up is not told two cycles later because a tracker is down.
        if (action.kind == ActionKind::file_issue) job.looks = most_looks;
        if (!job.may_have_happened) {
            effects_.ask(*job.watched, action, asker);
            if (action.outcome == ActionOutcome::intended && action.kind != ActionKind::file_issue)
                report.error("control", job.watched->run.id, Error{ErrorCode::busy, action.note});
            if (action.outcome != ActionOutcome::unknown) return;
            job.may_have_happened = job.asked = true;
        }
        // Who stood still while it asked may have lost its lease, and to look it up can be to ask for it again.
        if (!held_lease_.holds()) return static_cast<void>(action.outcome = ActionOutcome::intended);
        const bool is_last = !job.asked || job.looks == most_looks;
        if (effects_.look_up(*job.watched, action, asker, is_last, wanted) || job.looks == most_looks)
            return static_cast<void>(job.may_have_happened = action.outcome_from != OutcomeFrom::look_up);
        job.asked |= is_last;
        ++job.looks;
        action.outcome = ActionOutcome::intended;
    }

    /// The rung goes on in the run's next cycle.
    void wait(RungJob job, Instant now) {
        job.due = job.may_have_happened ? next_cycle_of(*job.watched, now) : now.elapsed + retry_after;
        queues_.add(std::move(job));
    }

    [[nodiscard]] static Elapsed next_cycle_of(WatchedRun& watched, Instant now) {
        const std::lock_guard guard{watched.lock};
        return watched.next_cycle > now.elapsed ? watched.next_cycle : now.elapsed + retry_after;
    }

    /// The version is of the tenure in which the intent was stored: whoever takes the run over has a higher one.
    [[nodiscard]] Asker asker_of(const RungJob& job) const {
        const std::lock_guard guard{job.watched->lock};
        const auto born = std::chrono::floor<std::chrono::seconds>(job.watched->created_at.time_since_epoch()).count();
        // A run that is registered anew, because its store was lost, is newer whatever its version is.
        return {held_lease_.asker(),
                (static_cast<std::uint64_t>(max_of<std::int64_t>(born, 0)) << 28) + job.watched->version,
                silence_of(*job.watched)};
    }

    [[nodiscard]] Duration silence_of(const WatchedRun& watched) const {
        if (!watched.source || watched.source->cursor.empty()) return {};
        const Run& run = watched.run;
        const Duration last = max_of(run.checkpoint_base.value_or({}), run.last_activity.value_or({}));
        return max_of(run.working(clock_.now().elapsed) - last, Duration{});
    }

    [[nodiscard]] bool still_runs(const RungJob& job) const {
        const std::lock_guard guard{job.watched->lock};
        return table_.current(job.handle) && !is_terminal(job.watched->run.state);
    }

    void escalate(Action& action, Instant now, CycleReport& report) {
        AlertJob job;
        const OnDemand<AlertJob> waiting = queues_.find_alert(action.key);
        const bool together = waiting && !waiting->group.empty() && !silences_.about(*waiting, now.wall);
        if (together || !queues_.take_alert(action.key, job)) {
            action.outcome = ActionOutcome::done;
            action.note = together ? "told together with others of its cause" : "delivered before";
            return;
        }
        job.group.clear();
        const bool told =
            is_to_send(job, now, report) ? send(job, now, report) : job.row.state == AlertRow::State::delivered;
        action.outcome = told ? ActionOutcome::done : ActionOutcome::failed;
        if (job.row.how == AlertRow::How::silenced) {
            action.outcome = ActionOutcome::skipped;
            action.outcome_from = OutcomeFrom::silence;
            action.note = std::move(job.row.note);
        } else if (!told)
            action.note = "nobody received it yet; it is tried again";
    }

    void skip_alert(const RungJob& rung, const Action& action, Instant now) {
        AlertJob job;
        if (!queues_.take_alert(action.key, job)) return;
        const OutcomeFrom first = rung.actions.front().outcome_from;
        const bool frozen = first == OutcomeFrom::freeze || action.outcome_from == OutcomeFrom::freeze;
        job.note(frozen ? Fate::What::frozen : Fate::What::unsaid);
        finish_alert(job, AlertRow::State::skipped, now);
    }

    /// The first speaks for all of a group. That it does is stored before it is sent: whatever happens then, nobody
    /// is told twice, and none of them is lost.
    void send_together(List<AlertJob>& jobs, Instant now, CycleReport& report) {
        if (!JointAlerts{ledger_, queues_, table_}.join(jobs, now, report)) return;
        send(std::move(jobs.front()), now, report);
    }

    /// Asked once of each that is due, in this order, before it keeps others back or speaks for them; false: it is not
    /// sent now. What is being sent is not taken back.
    bool is_to_send(AlertJob& job, Instant now, CycleReport& report) {
        if (leave_to_others(job)) return false;
        if (const auto settled = settled_elsewhere(job)) return drop_alert(job, *settled);
        if (job.rules->rules.mode == Mode::shadow) return finish_alert(job, AlertRow::State::skipped, now);
        if (is_kept_off(job, now)) return false;
        const auto silence = job.under_way ? std::nullopt : silences_.about(job, now.wall);
        if (silence) return keep_silent(job, *silence, now, report);
        if (job.row.how == AlertRow::How::silenced) job.row.how = AlertRow::How::plain;
        return true;
    }

    /// A person wants no words about the run: they wait for the end of a snooze, and are left out where what they are
    /// about was over by then. Not that the run was ended, nor the answer to an order.
    [[nodiscard]] bool is_kept_off(AlertJob& job, Instant now) {
        KeptOff kept;
        {
            const std::lock_guard guard{job.watched->lock};
            kept = kept_off(*job.watched, job, now);
            if (!kept.why.empty()) job.watched->note(job.fate(Fate::What::unsaid));
        }
        if (kept.why.empty()) return kept.waits && put_off(job, now);
        job.row.last_error = kept.why;
        return !finish_alert(job, AlertRow::State::skipped, now);
    }

    /// It is asked again with each cycle of the run whether it is still snoozed. Nobody fails to deliver it meanwhile.
    bool put_off(AlertJob& job, Instant now) {
        job.owed = job.row.not_before = wall_at(now, next_cycle_of(*job.watched, now));
        job.group.clear();
        return !send_later(std::move(job), now);
    }

    /// Instead of being sent it is on record by whom it was silenced, and why. False: nobody has it.
    bool keep_silent(AlertJob& job, const DecisionRow& silence, Instant now, CycleReport& report) {
        job.row.how = AlertRow::How::silenced;
        const std::string before = std::exchange(job.row.note, silenced_by(silence));
        const bool is_news = before != job.row.note;
        if (is_news) note_silence(job, silence, now, report);
        if (is_last_word(job)) return wait_for_silence(std::move(job), *silence.until, is_news, now);
        job.note(Fate::What::silenced, silence.number);
        return finish_alert(job, AlertRow::State::skipped, now);
    }

    /// That a run is over is said by nothing else later.
    [[nodiscard]] static bool is_last_word(const AlertJob& job) {
        const std::lock_guard guard{job.watched->lock};
        return job.watched->verdict->told.is_last_word(job.row.alert.at, job.row.alert.kind);
    }

    /// A silence may be ended before its time. `is_news`: that it waits for this one.
    bool wait_for_silence(AlertJob job, WallTime until, bool is_news, Instant now) {
        job.row.not_before = min_of(until, now.wall + silence_looks);
        job.owed = job.row.not_before;
        job.wait = job.row.not_before - now.wall;
        if (is_news) job.keep_row(true);
        queues_.add(std::move(job));
        return false;
    }

    static void note_silence(const AlertJob& job, const DecisionRow& silence, Instant now, CycleReport& report) {
        text::JsonLine line;
        line.begin_object().key("what").string("alert").key("why").string("silence").key("kind");
        line.string(job.row.alert.kind).key("key").string(job.row.alert.key).key("silence").number(silence.number);
        line.key("note").string(job.row.note).end_object();
        AuditRow row{now.wall, "suppressed", {}, std::move(line).text()};
        ++report.suppressed;
        ++report.why.silence;
        const std::lock_guard guard{job.watched->lock};
        row.run = job.watched->run.id;
        job.watched->unsaved.edit().audit.push_back(row);
        report.events.push_back(AuditEvent{std::move(row)});
    }

    /// True: somebody has it.
    bool send(AlertJob job, Instant now, CycleReport& report) {
        if (leave_to_others(job)) return false;
        const RunClass& rules = job.rules->rules;
        const bool at_once = rules.alerts.outbox.at_once.has_value();
        Receipt receipt;
        std::string failed;
        const std::size_t taken = job.row.alert.taken.size();
        do {
            auto answer = courier_.send(job.row, rules.alerts.outbox, now, report, job.owed);
            job.under_way = is_under_way(answer) && job.row.state == AlertRow::State::pending;
            if (!answer && answer.error().code == ErrorCode::timed_out) job.note(Fate::What::perhaps);
            if (job.under_way || job.row.state == AlertRow::State::delivered) queues_.told(job, now.wall);
            job.group.clear();  // from here on it waits for nobody
            if (job.under_way) return wait_for(std::move(job), taken, now);
            if (!job.row.last_error.empty()) failed = job.row.last_error;
            if (answer) receipt = *std::move(answer);
        } while (at_once && job.row.state == AlertRow::State::pending && job.row.not_before <= now.wall);
        const bool waits = job.row.state == AlertRow::State::pending;
        if (at_once && waits) return try_later(std::move(job), now);  // the channel said when
        if (job.row.state != AlertRow::State::delivered) context_.fail_to_tell(rules.name);
        if (at_once && job.row.attempts > 1 && failed.empty()) failed = "the channel asked to come again later";
        if (at_once && !failed.empty()) failed = in_the_end(job.row) + failed;
        if ((at_once || waits) && !failed.empty())
            report.error("notifier", job.row.alert.run.id, Error{ErrorCode::delivery_failed, std::move(failed)});
        if (waits) return try_later(std::move(job), now);
        report.events.push_back(AlertEvent{job.row, receipt.names});
        return finish_alert(job, job.row.state, now, receipt);
    }

    /// How an alert ended of which at least one send failed.
    [[nodiscard]] static std::string in_the_end(const AlertRow& row) {
        const std::string sends = std::to_string(row.attempts);
        if (row.state == AlertRow::State::delivered) return "delivered with send " + sends + " only: ";
        return text::concat("given up after ", sends, row.attempts == 1 ? " send: " : " sends: ");
    }

    /// Who has it already is stored at once; for the rest it is asked again soon.
    bool wait_for(AlertJob job, std::size_t taken, Instant now) {
        return job.row.alert.taken.size() != taken ? try_later(std::move(job), now) : send_later(std::move(job), now);
    }

    bool send_later(AlertJob job, Instant now) {
        job.wait = job.row.not_before - now.wall;
        queues_.add(std::move(job));
        return false;
    }

    bool try_later(AlertJob job, Instant now) {
        job.keep_row(true);
        // At once, so that nobody who has it is told again after a crash; if that fails, it waits with the run.
        if (!job.row.alert.taken.empty()) (void)ledger_.commit_one(job.handle, *job.watched, now);
        table_.sooner(job.handle.index, now.elapsed);
        return send_later(std::move(job), now);
    }

    /// Before it is tried again, the store is asked: somebody else may have delivered it, or an earlier process.
    [[nodiscard]] std::optional<AlertRow::State> settled_elsewhere(const AlertJob& job) {
        if (job.row.attempts == 0 || job.under_way) return std::nullopt;
        return ledger_.settled_alert({job.watched->run.id, job.row.alert.key});
    }

    /// What is stored of the alert stands, and nothing that waits here is written over it.
    static bool drop_alert(AlertJob& job, AlertRow::State state) {
        WatchedRun& watched = *job.watched;
        const std::lock_guard guard{watched.lock};
        const auto is_it = [&](const AlertRow& row) { return row.alert.key == job.row.alert.key; };
        if (watched.unsaved) drop_if(watched.unsaved.edit().alerts, is_it);
        watched.settle_alert();
        if (state == AlertRow::State::dead) watched.note(job.fate(Fate::What::dead));
        job.row.state = state;
        return false;
    }

    /// Asked before an alert keeps others back, and again before it is sent: those before it may have taken longer than
    /// the lease.
    [[nodiscard]] bool leave_to_others(AlertJob& job) {
        if (AlertSettler::leave_to_others(job)) return true;
        const bool holds = held_lease_.holds();
        if (!holds) queues_.add(std::move(job));
        return !holds;
    }

    /// Who received it is stored with the alert's new state.
    bool finish_alert(AlertJob& job, AlertRow::State state, Instant now, const Receipt& receipt = {}) {
        job.row.state = state;
        bool end_follows = false;
        {
            const std::lock_guard guard{job.watched->lock};
            job.watched->unsaved.edit().alerts.push_back(job.row);
            if (state == AlertRow::State::delivered && !receipt.names.empty())
                job.watched->unsaved.edit().audit.push_back(receipt_note(job.row, receipt, now.wall));
            job.watched->settle_alert();
            if (state == AlertRow::State::dead) job.watched->note(job.fate(Fate::What::dead));
            // In shadow mode all goes on as if people had read it.
            const bool in_shadow = state == AlertRow::State::skipped && job.rules->rules.mode == Mode::shadow;
            if (state == AlertRow::State::delivered || in_shadow) job.watched->note(job.fate(Fate::What::delivered));
            end_follows = job.watched->end_follows();
        }
        // If this fails, the row waits with the run: the alert went out, so it is not sent again in this process. That
        // the run is over is stored with it: a crash in between would leave nobody who says so.
        if (end_follows || ledger_.commit_one(job.handle, *job.watched, now)) {
            const std::lock_guard guard{job.watched->lock};
            job.watched->dirty = true;
        }
        table_.sooner(job.handle.index, now.elapsed);
        return state == AlertRow::State::delivered;
    }

    Courier& courier_;
    ClockPort& clock_;
    ProcessPort& process_;
    Ledger& ledger_;
    Registry& registry_;
    Table& table_ = registry_.table();
    const HeldLease& held_lease_;
    Effects effects_;
    Silences silences_;
    MassStall mass_stall_;
    ContextClearing context_;
    std::optional<Elapsed> ended_;  ///< when an agent was ended or replaced last
    std::atomic<bool> frozen_{false};
    std::atomic<bool> informed_{false};
    std::mutex running_;
    Queues queues_;
};

}  // namespace heeler::inline HEELER_ABI::detail
