// One cycle over all runs whose time has come: judge, decide, commit as one batch, and hand over what is to be done.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/attached.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/cycle/apply.hpp>
#include <heeler/cycle/commit.hpp>
#include <heeler/cycle/due_runs.hpp>
#include <heeler/cycle/gap.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/cycle/loader.hpp>
#include <heeler/cycle/next_look.hpp>
#include <heeler/cycle/operators.hpp>
#include <heeler/cycle/sources.hpp>
#include <heeler/cycle/whole_classes.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/run/lineage.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/settings/contradictions.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The shell around the pure half. One cycle at a time, from any one thread.
class Cycle {
public:
    Cycle(Loader& loader, Ledger& ledger, Registry& registry, Deliverer& deliverer, const EngineSettings& settings,
          const Attached<SourcePolling>& sources, Courier& courier)
        : loader_{loader},
          ledger_{ledger},
          registry_{registry},
          deliverer_{deliverer},
          settings_{settings},
          sources_{sources},
          committer_{ledger, registry, deliverer, courier, settings} {}

    /// Of the cause `changed` it looks at these runs only. `promise`: when the host was told to call.
    void run(TickCause cause, const std::vector<RunHandle>& only, std::optional<Elapsed> promise, Instant now,
             CycleReport& report) {
        const std::lock_guard one{running_};
        report.cause = cause;
        if (cause == TickCause::period) gap_.called(promise);
        for (Event& event : std::exchange(unheard_, {})) report.events.push_back(std::move(event));
        if (!loader_.run(now, report)) return;
        auto decisions = ledger_.list(now);
        if (!decisions) return report.error("list", {}, decisions.error());
        note_gap(cause, now, report);
        classes_.begin(cause, now);
        // Nothing is decided for a run before it is watched: its class may be defined later.
        loader_.sort_out(*decisions, now, report);
        Round round{cause, now, report};
        Batch batch;
        for (const RunHandle handle : deliverer_.queues().take_settled()) settle(handle, round);
        operators_.apply(*decisions, now, batch, report, [&](RunHandle run, WatchedRun& watched) -> WorkItem& {
            return item_of(run, watched, round.work);
        });
        deliverer_.silences().set(operators_.silences());
        deliverer_.freeze(operators_.frozen());
        registry_.look_at_replaced(now);
        round.early = round.work.size();
        if (cause == TickCause::on_demand) deliverer_.queues().hasten();
        const std::vector<RunHandle> runs = due(cause, only, now, report);
        report.left = due_.left();
        if (SourcePolling* const sources = sources_.get()) {
            sources->read_groups(runs, cause != TickCause::period, now, report);
            sources->drop_missing(now, report);
        }
        for (const RunHandle handle : runs) take_in(handle, round);
        // Each other run to which something was reported has a deadline that lies no farther than its next flush.
        if (registry_.has_children())
            registry_.table().each_due(
                now.elapsed + settings_.flush_every,
                [&](std::uint32_t index, std::int64_t) { credit(registry_.table().at(index), round); }, false);
        for (const RunHandle handle : runs) visit(handle, round);
        if (round.lost_runs > 0)
            tell({{now.wall, std::string{held_record}, {}, notes::lost_source(round.lost_runs, round.lost_for)}, {}},
                 report);
        const bool stored = commit(std::move(batch), round);
        if (stored && !ledger_.failing_since()) ++report.whole;
        classes_.end(stored, now);
    }

    /// Before an orderly end: of a run that is over, and of which the next cycle would say so, it is said now. Nobody
    /// looks at such a run after it.
    void say_ends(Instant now) {
        const std::lock_guard one{running_};
        CycleReport report;
        Round round{TickCause::changed, now, report};
        for (const RunHandle handle : registry_.table().all()) {
            WatchedRun* const watched = registry_.table().find(handle);
            if (watched != nullptr && is_end_to_be_said(*watched)) visit(handle, round);
        }
        commit({}, round);
        for (Event& event : report.events) unheard_.push_back(std::move(event));
    }

    [[nodiscard]] WholeClasses& classes() noexcept { return classes_; }
    [[nodiscard]] const Rhythm& rhythm() const noexcept { return gap_.rhythm(); }
    /// Runs that are due, and were left for the next cycle. Any thread.
    [[nodiscard]] std::uint64_t left() const noexcept { return due_.left(); }

    /// Writes the end of a run that was just reported; its alert goes out with the next delivery.
    [[nodiscard]] std::optional<Error> finish(RunHandle handle, Instant now) {
        const std::lock_guard one{running_};
        WatchedRun* watched = registry_.table().find(handle);
        if (watched == nullptr) return std::nullopt;
        CycleReport report;
        Round round{TickCause::changed, now, report};
        (void)credit_above(registry_, handle, *watched, now, settings_.flush_every);
        {
            const std::lock_guard guard{watched->lock};
            if (!registry_.table().current(handle)) return std::nullopt;
            WorkItem& item = round.work.emplace_back(handle, *watched);
            Deciding deciding{*watched, item.decided};
            Applier{*watched, now, item}.end();
        }
        commit({}, round);
        if (round.work[0].change.fault) return *round.work[0].change.fault;
        for (Event& event : report.events) {
            if (const auto* failed = std::get_if<ErrorEvent>(&event)) return failed->error;
            unheard_.push_back(std::move(event));
        }
        return std::nullopt;
    }

    /// Settings of a class that contradict each other are said with the next cycle, and names in the notifier's
    /// `routes` that nobody has.
    void doubt(const RunClass& rules, const std::string& routes, Instant now) {
        for (const Detail& doubt : doubts_of(rules)) say(notes::doubt(rules.name, doubt), now);
        if (!routes.empty()) say(notes::doubt(rules.name, {"routes", routes}), now);
    }
    /// A doubt is on record, and told with the next cycle.
    void say(std::string doubt, Instant now) {
        const std::lock_guard one{running_};
        AuditEvent said{{now.wall, std::string{doubt_record}, {}, std::move(doubt)}, {}};
        pending_audit_.push_back(said.row);
        unheard_.push_back(std::move(said));
    }

    /// What could not be stored is tried again soon.
    void retry(RunHandle handle, WatchedRun& watched, Instant now) {
        const std::lock_guard guard{watched.lock};
        if (!registry_.table().current(handle)) return;
        watched.dirty = true;
        registry_.table().sooner(handle.index, now.elapsed + settings_.flush_every);
    }

private:
    /// What belongs to one cycle, and ends with it.
    struct Round {
        TickCause cause;
        Instant now;
        CycleReport& report;
        List<WorkItem> work{};
        std::size_t early = 0;                    ///< items from before the visits, each of which is about another run
        std::size_t lost_runs = 0;                ///< of which it is time to say that their source is lost
        Duration lost_for{};                      ///< the longest of them
        NameMap<std::uint32_t> acted{};           ///< rungs, by class
        std::optional<RunHandle> tells_of_all{};  ///< with whose rows it is stored what is told of all
    };

    void note_gap(TickCause cause, Instant now, CycleReport& report) {
        if (auto gap = gap_.note(now, cause, registry_, due_.left() > 0)) tell(*std::move(gap), report);
        if (cause != TickCause::period || !rhythm().is_time_to_say()) return;
        const Duration every = rhythm().median();
        for (const auto& rules : registry_.classes())
            if (rules->rules.needs_more_than(every) && slow_told_.emplace(rules->rules.name, true))
                tell({{now.wall, std::string{slow_host_record}, {}, notes::slow_host(rules->rules, every)}, {}},
                     report);
    }

    void tell(AuditEvent event, CycleReport& report) {
        pending_audit_.push_back(event.row);
        report.events.push_back(std::move(event));
    }

    /// Whoever asks for its source hears an error once. That nobody judges the run is said again, more and more seldom.
    static void count_lost(RunSource& source, Duration interval, Round& round) {
        const Duration length = round.now.elapsed - *source.lost_since;
        if (length < detail::max_of(lost_is_long, detail::max_of<Duration>(interval, 2 * source.lost_told))) return;
        round.lost_for = round.lost_runs++ == 0 ? length : detail::max_of(round.lost_for, length);
        source.lost_told = length;
    }

    /// Of the first `count`.
    [[nodiscard]] static WorkItem* find_item(RunHandle handle, List<WorkItem>& work, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            if (work[i].change.handle == handle) return &work[i];
        return nullptr;
    }

    static WorkItem& item_of(RunHandle handle, WatchedRun& watched, List<WorkItem>& work) {
        WorkItem* const known = find_item(handle, work, work.size());
        return known != nullptr ? *known : work.emplace_back(handle, watched);
    }

    void settle(RunHandle handle, Round& round) {
        WatchedRun* watched = registry_.table().find(handle);
        if (watched == nullptr) return;
        const std::lock_guard guard{watched->lock};
        if (!registry_.table().current(handle) || watched->disowned) return;
        WorkItem& item = item_of(handle, *watched, round.work);
        Deciding deciding{*watched, item.decided};
        if (!watched->rare->rung->empty()) Applier{*watched, round.now, item}.settle();
    }

    /// What is to be known of a run whose time has come before any is judged.
    void take_in(RunHandle handle, Round& round) {
        WatchedRun* watched = registry_.table().find(handle);
        if (watched == nullptr || let_go(handle, *watched, round.now)) return;
        keep_together(handle, *watched, round.now);
        if (is_to_be_read(handle, *watched, round)) sources_.get()->read(handle, *watched, round.now, round.report);
        credit(handle, round);
    }

    /// What a run has done is known to those above it before these are judged.
    void credit(RunHandle handle, Round& round) {
        const Instant now = round.now;
        WatchedRun* const watched = registry_.table().find(handle);
        if (watched == nullptr || !credit_above(registry_, handle, *watched, now, settings_.flush_every)) return;
        const std::lock_guard guard{watched->lock};
        const char* const doubt = "it stands above itself; what it does is credited to each run of that circle once";
        const std::string body = notes::doubt(watched->rules().name, {"parent", doubt});
        tell({{now.wall, std::string{doubt_record}, std::string{watched->run.id}, body}, {}}, round.report);
    }

    [[nodiscard]] static bool is_end_to_be_said(WatchedRun& watched) {
        const std::lock_guard guard{watched.lock};
        return watched.end_follows();
    }

    /// Looks at one run whose time has come.
    void visit(RunHandle handle, Round& round) {
        WatchedRun* watched = registry_.table().find(handle);
        if (watched == nullptr) return;
        const bool inhibited = is_inhibited(handle, *watched, round.work);
        const std::lock_guard guard{watched->lock};
        if (!registry_.table().current(handle) || watched->disowned) return;
        bool idle = false;
        {
            Visit visit{round, handle, *watched, inhibited, Deciding{*watched}};
            if (WorkItem* const early = find_item(handle, round.work, round.early)) begin(visit, *early);
            registry_.renew(*watched, round.now);
            take_beat(handle, *watched, round.now);
            guarded(watched->run.id, round.report, [&] { look(visit); });
            look_again(handle, *watched, round.now);
            idle = visit.idle;
        }
        if (idle) round.work.pop_back();
    }

    /// A run whose class is looked at as a whole waits for that moment.
    void keep_together(RunHandle handle, WatchedRun& watched, Instant now) const {
        const std::lock_guard guard{watched.lock};
        if (!registry_.table().current(handle) || !watched.rules().schedule.together) return;
        if (now.elapsed >= watched.next_cycle && !classes_.is_now(watched.rules().name))
            watched.next_cycle = registry_.cycle_after(watched, now);
    }

    /// A run that another watchdog holds is forgotten as soon as nothing is under way for it here.
    bool let_go(RunHandle handle, WatchedRun& watched, Instant now) {
        {
            const std::lock_guard guard{watched.lock};
            if (!registry_.table().current(handle) || !watched.disowned) return false;
            registry_.table().look_at(handle.index, now.elapsed + settings_.flush_every);
            registry_.turns().wait(handle, false);
            if (watched.rung_busy || watched.alerts_pending > 0) return true;
        }
        registry_.drop(handle);
        return true;
    }

    /// Whether what was kept back is not to be told yet.
    [[nodiscard]] bool is_inhibited(RunHandle handle, WatchedRun& watched, List<WorkItem>& work) {
        std::string parent;
        {
            const std::lock_guard guard{watched.lock};
            const auto is_inhibited = [](const RunMemory& run) {
                return run.verdict->told.begin == Beginning::inhibited;
            };
            if (!registry_.table().current(handle)) return false;
            if (deliverer_.mass_stall().speaks_for(watched)) return !watched.verdict->told.heard;
            if (!watched.as_told(is_inhibited)) return false;
            if (!watched.rules().alerts.outbox.inhibit) return false;  // not any more
            parent = watched.spec.parent();
        }
        const auto as_decided = [&](RunHandle above) -> Decided* {
            WorkItem* const item = find_item(above, work, work.size());
            return item == nullptr ? nullptr : &item->decided;
        };
        return !known_trouble_above(registry_, handle, std::move(parent), as_decided).empty();
    }

    /// A source is read when its run is about to be judged.
    [[nodiscard]] bool is_to_be_read(RunHandle handle, WatchedRun& watched, const Round& round) const {
        const std::lock_guard guard{watched.lock};
        return registry_.table().current(handle) && watched.source && watched.source->ref.present() &&
               (round.cause != TickCause::period || round.now.elapsed >= watched.next_cycle);
    }

    /// One run, under its lock, and as it is decided to be.
    struct Visit {
        Round& round;
        RunHandle handle;
        WatchedRun& watched;
        bool inhibited;
        Deciding deciding;
        WorkItem* item = nullptr;  ///< what is decided about it, if anything is
        bool idle = false;         ///< nothing is, but what became of its alerts is taken in: no reason to write it
    };

    /// From here on it is as it is decided to be.
    static void begin(Visit& visit, WorkItem& item) {
        visit.item = &item;
        visit.deciding.begin(item.decided);
    }
    static WorkItem& decide(Visit& visit) {
        if (visit.item == nullptr) begin(visit, visit.round.work.emplace_back(visit.handle, visit.watched));
        visit.idle = false;
        return *visit.item;
    }

    void look(Visit& visit) {
        WatchedRun& watched = visit.watched;
        const Instant now = visit.round.now;
        if (is_terminal(watched.run.state)) {
            registry_.turns().wait(visit.handle, false);
            if (!watched.verdict->ended_at || !watched.unsaved->empty() || watched.alerts_pending == 0)
                Applier{watched, now, decide(visit)}.end();
        } else if (watched.skip != Skip::no) {
            if (!watched.shown.any) Applier{watched, now, decide(visit)}.skip();
        } else if (visit.round.cause != TickCause::period || now.elapsed >= watched.next_cycle) {
            if (visit.item == nullptr && !watched.rare->fates->empty()) {
                decide(visit);
                visit.idle = true;
            }
            judge(visit);
        } else if (watched.dirty && now.elapsed >= watched.last_flush + settings_.flush_every) {
            decide(visit);
        }
    }

    /// What a host's detector throws is an error of that run alone.
    template <class Call>
    static void guarded(std::string_view run, CycleReport& report, Call&& call) {
        const auto done = detail::guarded(ErrorCode::failed, "a detector", [&]() -> Result<void> {
            call();
            return {};
        });
        if (!done) report.error("judge", run, done.error());
    }

    void take_beat(RunHandle handle, WatchedRun& watched, Instant now) {
        const auto beat = registry_.table().last_beat(handle.index);
        if (beat && !watched.run.waiting_since) {
            const Duration at = watched.run.working(*beat);
            if (!watched.run.last_alive || at > *watched.run.last_alive) watched.run.last_alive = at;
        }
        if (watched.rare->waits_until && now.elapsed >= *watched.rare->waits_until) Folder{watched, now}.end_wait();
    }

    void judge(Visit& visit) {
        WatchedRun& watched = visit.watched;
        Round& round = visit.round;
        const Instant now = round.now;
        ++round.report.checked;
        watched.unjudged = false;
        const bool lost = watched.source && watched.source->lost_since;
        // What other watchdogs hold, this one does not see.
        if (watched.run.children)
            watched.run.children.edit().left = !settings_.holder.empty() || registry_.has_children(watched.run.id);
        watched.run.late = lost || gap_.late(registry_.period_of(watched));
        watched.run.source_lost = lost && now.elapsed - *watched.source->lost_since >= watched.run.interval;
        if (now.elapsed >= watched.next_cycle) watched.next_cycle = registry_.cycle_after(watched, now);
        const bool sampled = Folder{watched, now}.sample();
        std::optional<Sighting> saw;
        if (!is_held(watched, now)) {
            if (watched.rare->held_starts != 0) {
                watched.rare.edit().held_starts = 0;
                watched.dirty = true;
            }
            if (!watched.source && watched.rare->lost_since) watched.rare.edit().lost_since.reset();
            const OnDemand<Run> shadow = shadow_of(watched);
            saw = watched.detectors.poll(shadow ? *shadow : watched.run, watched.checkpoints->last, now);
        }
        AlertRow words;
        if (ledger_.counter != nullptr) ledger_.counter->look(watched, now, words);
        ActionTurns& turns = registry_.turns();
        const std::uint32_t per_minute = watched.rules().rungs_a_minute();
        const Circumstances around{
            .budget_left = budget_left(watched, round),
            .inhibited = visit.inhibited,
            .silence_over = silence_is_over(watched),
            .frozen = !deliverer_.may_act(),  // asked once: both halves of a telling go by the same answer
            .can_pause = deliverer_.effects().control_of(watched.rules().name).has(ActionKind::pause),
            .its_turn = turns.is_turn_of(visit.handle, per_minute, now.elapsed)};
        const Judged judged = Judge{watched, now, around}();
        const bool begins_to_wait = turns.wait(visit.handle, judged.held == HeldBack::turn);
        MassStall& mass = deliverer_.mass_stall();
        // That a sign of life is late is shown so soon that it may come of the host.
        const bool late = judged.findings.size() == 1 && judged.findings.begin()->kind == AliveAge::kind;
        const bool stands =
            (judged.shows.findings & MassStall::stall) != 0 && !(late && judged.shows.level <= Level::watch);
        const bool of_all = mass.see(visit.handle, watched, stands, registry_.table(), now);
        const bool tells = !round.tells_of_all && !mass.untold().alert.key.empty();
        if (judged.debounced != watched.rare->debounced) {
            watched.rare.edit().debounced = judged.debounced;
            watched.rare.edit().debounced_at = watched.run.working(now.elapsed);
        }
        watched.called_off |= watched.rung_busy && judged.calls_off;
        watched.put_off = judged.put_off || gap_.late(registry_.period_of(watched));
        if (lost) count_lost(watched.source.edit(), watched.run.interval, round);
        if (judged.shows.status == Status::healthy && judged.shows.findings == 0) ++round.report.healthy;
        const Decision& decision = judged.decision;
        const Incident& incident = watched.verdict->incident;
        const Telling telling = telling_of(watched, judged, now);
        count_held_back(judged, begins_to_wait, telling, watched.put_off || lost, round.report);
        const bool changed =
            judged.speaks || saw || decision.acts() || decision.last || watched.verdict->has_new(judged.notes) ||
            telling.told != watched.verdict->told || decision.incident.verify_at != incident.verify_at ||
            decision.incident.phase != incident.phase || begins_to_wait || of_all != watched.verdict->told.of_all;
        if (rung::has_deeds(decision.plan)) ++round.acted[watched.rules().name];
        if (per_minute != 0 && rung::touches(decision.plan)) turns.count(now.elapsed);
        const bool flush = (watched.dirty || sampled) && now.elapsed >= watched.last_flush + settings_.flush_every;
        if (!changed && !flush && !tells && words.alert.key.empty()) return;
        WorkItem& item = decide(visit);
        if (!words.alert.key.empty()) Applier{watched, now, item}.tell(std::move(words));
        if (changed) Applier{watched, now, item}.change(judged, saw);
        if (begins_to_wait) Applier{watched, now, item}.audit("suppressed", std::string{waits_for_its_turn});
        if (of_all != watched.verdict->told.of_all) watched.verdict.edit().told.of_all = of_all;
        if (!tells) return;
        Applier{watched, now, item}.tell(mass.untold());
        round.tells_of_all = visit.handle;
    }

    static void count_held_back(const Judged& judged, bool turn, const Telling& telling, bool put_off,
                                CycleReport& report) noexcept {
        const bool over_budget = judged.held == HeldBack::budget || turn;
        if (judged.held == HeldBack::debounce || over_budget) ++report.suppressed;
        if (telling.held_back || telling.flapping) ++report.suppressed;
        report.why.debounce += judged.held == HeldBack::debounce ? 1 : 0;
        report.why.budget += over_budget ? 1 : 0;
        report.why.grace += judged.held == HeldBack::gap || put_off ? 1 : 0;
        report.why.snooze += judged.held == HeldBack::snooze ? 1 : 0;
        report.why.cooldown += telling.held_back ? 1 : 0;
        report.why.flapping += telling.flapping ? 1 : 0;
    }

    /// People were not told of something, and may be now. What came of a rung is taken in first: the ladder would
    /// repeat an escalation that was told meanwhile.
    [[nodiscard]] bool silence_is_over(const WatchedRun& watched) const {
        const Unheard& unheard = *watched.verdict->told.unheard;
        const bool is_open = unheard.escalated && (watched.rung_busy || !watched.rare->rung->empty());
        return unheard.silence != 0 && !is_open && !deliverer_.silences().stands(unheard.silence);
    }

    [[nodiscard]] static bool budget_left(const WatchedRun& watched, Round& round) {
        const auto& most = watched.rules().limits.rungs_per_tick;
        return !most || round.acted[watched.rules().name] < *most;
    }

    void look_again(RunHandle handle, WatchedRun& watched, Instant now) {
        registry_.table().show(handle, watched.shown.status);
        registry_.table().look_at(handle.index, next_look(watched, now, settings_));
    }

    /// False: something of it was not stored. A run that the store does not take holds up no other.
    bool commit(Batch batch, Round& round) {
        if (SourcePolling* const sources = sources_.get())
            for (AuditRow& row : sources->take_audit()) pending_audit_.push_back(std::move(row));
        append_all(batch.audit, pending_audit_);
        if (round.work.empty() && batch.empty()) return true;
        const bool stored = committer_(std::move(batch), round.work, round.now, round.report);
        if (stored) pending_audit_.clear();
        operators_.written(stored);
        for (const WorkItem& item : round.work)
            if (item.change.stored && item.change.handle == round.tells_of_all) deliverer_.mass_stall().told();
        for (const WorkItem& item : round.work)
            if (!item.change.stored && !item.change.fault) return false;
        return stored;
    }

    /// Whoever does not take its turn in the first tick does in the next ones.
    void all_due(Instant now) {
        for (const RunHandle handle : registry_.table().all()) {
            WatchedRun* const watched = registry_.table().find(handle);
            if (watched == nullptr) continue;
            const std::lock_guard guard{watched->lock};
            if (registry_.table().current(handle)) registry_.table().sooner(handle.index, now.elapsed);
        }
    }

    [[nodiscard]] std::vector<RunHandle> due(TickCause cause, const std::vector<RunHandle>& only, Instant now,
                                             CycleReport& report) {
        if (cause == TickCause::outcome || cause == TickCause::changed) return registry_.in_order_of_ids(only);
        if (cause == TickCause::startup) all_due(now);
        // Of a class that is looked at as a whole nobody is left for later.
        const std::size_t most = classes_.is_any_now() ? ~std::size_t{0} : settings_.due_per_tick;
        std::vector<RunHandle> handles =
            cause == TickCause::on_demand ? registry_.table().all() : due_.take(most, now.elapsed);
        if (SourcePolling* const sources = sources_.get())
            sources->refresh(handles, cause != TickCause::period, classes_, now, report);
        return registry_.in_order_of_ids(handles);
    }

    Loader& loader_;
    Ledger& ledger_;
    Registry& registry_;
    Deliverer& deliverer_;
    const EngineSettings& settings_;
    const Attached<SourcePolling>& sources_;
    Committer committer_;
    OperatorDecisions operators_{registry_};
    std::mutex running_;
    DueRuns due_{registry_.table()};
    WholeClasses classes_{registry_, deliverer_.context()};
    GapWatch gap_{settings_.gap};
    NameMap<bool> slow_told_;  ///< classes of which it is on record that the host calls too seldom for them
    List<AuditRow> pending_audit_;
    List<Event> unheard_;  ///< of ends that were written between two cycles
    static constexpr Duration lost_is_long = std::chrono::minutes{10};
};

}  // namespace heeler::inline HEELER_ABI::detail
