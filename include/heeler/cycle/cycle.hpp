// One cycle over all runs whose time has come: judge, decide, commit as one batch, and hand over what is to be done.
#pragma once

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <heeler/cycle/next_look.hpp>
#include <heeler/cycle/apply.hpp>
#include <heeler/cycle/commit.hpp>
#include <heeler/cycle/operators.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/cycle/gap.hpp>
#include <heeler/cycle/intake.hpp>
#include <heeler/cycle/judge.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/cycle/loader.hpp>
#include <heeler/run/registry.hpp>

namespace heeler::inline v0 {

/// The shell around the pure half. One cycle at a time, from any one thread.
template <class Store, class Notifier, class Detectors>
class Ticker {
public:
    using Cell = RunCell<Detectors>;
    using Hands = Deliverer<Store, Notifier, Detectors>;
    using Item = WorkItem<Detectors>;

    Ticker(Loader<Store, Detectors>& loader, Ledger<Store, Detectors>& ledger, Registry<Detectors>& registry,
           Hands& hands, const EngineSettings& settings, Intake<Detectors>& intake, LostHolders& lost)
        : loader_{loader},
          ledger_{ledger},
          registry_{registry},
          hands_{hands},
          settings_{settings},
          intake_{intake},
          lost_{lost},
          committer_{ledger, registry, hands, settings} {}

    void run(TickCause cause, Instant now, CycleReport& report) {
        const std::lock_guard one{running_};
        report.cause = cause;
        for (Event& event : std::exchange(unheard_, {})) report.events.push_back(std::move(event));
        if (!loader_.run(now, report)) return;
        if (auto row = gap_.note(now, registry_, settings_.gap)) {
            pending_audit_.push_back(*row);
            report.events.emplace_back(AuditEvent{*std::move(row)});
        }
        auto decisions = ledger_.list(now);
        if (!decisions) return report.error("list", {}, decisions.error());
        // Nothing is decided for a run before it is watched: its class may be defined later.
        std::erase_if(*decisions, [&](const DecisionRow& row) { return loader_.is_elsewhere(row.run, now); });
        std::vector<Item> work;
        Batch batch;
        acted_.clear();
        early_ = 0;
        visiting_ = false;
        for (const RunHandle handle : hands_.queues().take_settled()) settle(handle, now, work);
        decisions_.apply(*decisions, now, batch, report,
                         [&](RunHandle run, Cell& cell) -> Item& { return item_of(run, cell, work); });
        hands_.freeze(decisions_.frozen());
        registry_.look_at_replaced(now);
        visiting_ = true;
        const std::vector<RunHandle> runs = due(cause, now);
        intake_.read_groups(runs, cause != TickCause::period, now, report);
        for (const RunHandle handle : runs) visit(handle, cause, now, work, report);
        commit(std::move(batch), work, now, report);
    }

    /// Writes the end of a run that was just reported; its alert goes out with the next delivery.
    [[nodiscard]] std::optional<Error> finish(RunHandle handle, Instant now) {
        const std::lock_guard one{running_};
        Cell* cell = registry_.table().find(handle);
        if (cell == nullptr) return std::nullopt;
        std::vector<Item> work;
        {
            const std::lock_guard guard{cell->lock};
            if (!registry_.table().current(handle)) return std::nullopt;
            Changer<Detectors>{*cell, now, work.emplace_back(handle, *cell)}.end();
        }
        CycleReport report;
        commit({}, work, now, report);
        for (Event& event : report.events) {
            if (const auto* failed = std::get_if<ErrorEvent>(&event)) return failed->error;
            unheard_.push_back(std::move(event));
        }
        return std::nullopt;
    }

    /// What could not be stored is tried again soon.
    void retry(RunHandle handle, Cell& cell, Instant now) {
        const std::lock_guard guard{cell.lock};
        if (!registry_.table().current(handle)) return;
        cell.dirty = true;
        registry_.table().sooner(handle.index, now.elapsed + settings_.flush_every);
    }

private:
    Item& item_of(RunHandle handle, Cell& cell, std::vector<Item>& work) {
        // Only what came before the visits can be there already: each due run is visited once.
        for (std::size_t i = 0; i < std::min(early_, work.size()); ++i)
            if (work[i].change.handle == handle) return work[i];
        if (!visiting_) early_ = work.size() + 1;
        return work.emplace_back(handle, cell);
    }

    void settle(RunHandle handle, Instant now, std::vector<Item>& work) {
        Cell* cell = registry_.table().find(handle);
        if (cell == nullptr) return;
        const std::lock_guard guard{cell->lock};
        if (cell->disowned) return;
        Item& item = item_of(handle, *cell, work);
        if (!cell->rung.empty()) Changer<Detectors>{*cell, now, item}.settle();
    }

    /// Looks at one run whose time has come.
    void visit(RunHandle handle, TickCause cause, Instant now, std::vector<Item>& work, CycleReport& report) {
        Cell* cell = registry_.table().find(handle);
        if (cell == nullptr || let_go(handle, *cell, now)) return;
        if (wants_intake(handle, *cell, cause, now)) intake_.read(handle, *cell, now, report);
        const std::lock_guard guard{cell->lock};
        if (!registry_.table().current(handle)) return;
        registry_.renew(*cell, now);
        take_beat(handle, *cell, now);
        guarded(cell->run.id, report, [&] { look(handle, *cell, cause, now, work, report); });
        look_again(handle, *cell, now);
    }

    /// A run that another watchdog holds is forgotten as soon as nothing is under way for it here.
    bool let_go(RunHandle handle, Cell& cell, Instant now) {
        {
            const std::lock_guard guard{cell.lock};
            if (!registry_.table().current(handle) || !cell.disowned) return false;
            registry_.table().look_at(handle.index, now.elapsed + settings_.flush_every);
            if (cell.rung_busy || cell.alerts_pending > 0) return true;
        }
        registry_.drop(handle);
        return true;
    }

    /// A source is read when its run is about to be judged.
    [[nodiscard]] bool wants_intake(RunHandle handle, Cell& cell, TickCause cause, Instant now) const {
        const std::lock_guard guard{cell.lock};
        return registry_.table().current(handle) && cell.feed && cell.feed->source.present() &&
               (cause != TickCause::period || now.elapsed >= cell.next_cycle);
    }

    void look(RunHandle handle, Cell& cell, TickCause cause, Instant now, std::vector<Item>& work,
              CycleReport& report) {
        if (is_terminal(cell.run.state)) {
            if (!cell.ended_at || !cell.unsaved.empty() || cell.alerts_pending == 0)
                Changer<Detectors>{cell, now, item_of(handle, cell, work)}.end();
        } else if (cell.skip != Skip::no) {
            if (!cell.shown.any) Changer<Detectors>{cell, now, item_of(handle, cell, work)}.skip();
        } else if (cause != TickCause::period || now.elapsed >= cell.next_cycle) {
            judge(handle, cell, cause, now, work, report);
        } else if (cell.dirty && now.elapsed >= cell.last_flush + settings_.flush_every) {
            item_of(handle, cell, work);
        }
    }

    /// What a host's detector throws is an error of that run alone.
    template <class Call>
    static void guarded(const std::string& run, CycleReport& report, Call&& call) {
        try {
            call();
        } catch (const std::exception& error) {
            report.error("judge", run, Error{ErrorCode::failed, std::string{"a detector threw: "} + error.what()});
        } catch (...) {
            report.error("judge", run,
                         Error{ErrorCode::failed, "a detector threw something that is no std::exception"});
        }
    }

    void take_beat(RunHandle handle, Cell& cell, Instant now) {
        const auto beat = registry_.table().last_beat(handle.index);
        if (beat && !cell.run.waiting_since) {
            const Duration at = cell.run.working(*beat);
            if (!cell.run.last_alive || at > *cell.run.last_alive) cell.run.last_alive = at;
        }
        if (cell.waits_until && now.elapsed >= *cell.waits_until) Folder<Detectors>{cell, now}.enter(RunState::running);
    }

    void judge(RunHandle handle, Cell& cell, TickCause cause, Instant now, std::vector<Item>& work,
               CycleReport& report) {
        ++report.checked;
        cell.run.late = cause == TickCause::period &&
                        now.elapsed - std::max(cell.next_cycle, cell.awaited) > 3 * registry_.period_of(cell);
        cell.run.late |= cell.feed && cell.feed->lost;
        if (now.elapsed >= cell.next_cycle) cell.next_cycle = registry_.cycle_after(cell, now);
        const std::uint32_t samples = cell.sampling.number;
        Judged judged = Judge<Detectors>{cell, now, budget_left(cell)}();
        if (judged.held == HeldBack::debounce || judged.held == HeldBack::budget) ++report.suppressed;
        if (judged.alerting == Alerting::held) ++report.suppressed;
        if (judged.shows.status == Status::healthy && judged.shows.findings == 0) ++report.healthy;
        const Decision& decision = judged.decision;
        const bool changed = judged.speaks || judged.seen || decision.acts() || decision.last ||
                             cell.has_new(judged.notes) || decision.incident.verify_at != cell.incident.verify_at ||
                             decision.incident.phase != cell.incident.phase || judged.alerting == Alerting::send ||
                             (judged.alerting == Alerting::held && !cell.sent.hold_told);
        if (decision.acts()) ++acted_[cell.rules->rules.name];
        const bool flush =
            (cell.dirty || samples != cell.sampling.number) && now.elapsed >= cell.last_flush + settings_.flush_every;
        if (!changed && !flush) return;
        Item& item = item_of(handle, cell, work);
        if (changed) Changer<Detectors>{cell, now, item}.change(std::move(judged));
    }

    [[nodiscard]] bool budget_left(const Cell& cell) {
        const auto& most = cell.rules->rules.ladder.rungs_per_tick;
        return !most || acted_[cell.rules->rules.name] < *most;
    }

    void look_again(RunHandle handle, Cell& cell, Instant now) {
        const auto next = next_look<Detectors>(cell, now, settings_);
        cell.awaited = next.value_or(Elapsed::max());
        registry_.table().look_at(handle.index, next);
    }

    void commit(Batch batch, std::vector<Item>& work, Instant now, CycleReport& report) {
        for (AuditRow& row : lost_.take_audit()) pending_audit_.push_back(std::move(row));
        batch.audit.insert(batch.audit.end(), pending_audit_.begin(), pending_audit_.end());
        if (work.empty() && batch.empty()) return;
        const bool stored = committer_(std::move(batch), work, now, report);
        if (stored) pending_audit_.clear();
        decisions_.written(stored);
    }

    [[nodiscard]] std::vector<RunHandle> due(TickCause cause, Instant now) {
        std::vector<RunHandle> handles;
        auto& table = registry_.table();
        if (cause == TickCause::outcome) return handles;
        if (cause == TickCause::period)
            table.each_due(now.elapsed, [&](std::uint32_t index) { handles.push_back(table.at(index)); });
        else
            handles = table.all();
        return registry_.in_order_of_ids(handles);
    }

    Loader<Store, Detectors>& loader_;
    Ledger<Store, Detectors>& ledger_;
    Registry<Detectors>& registry_;
    Hands& hands_;
    const EngineSettings& settings_;
    Intake<Detectors>& intake_;
    LostHolders& lost_;
    Committer<Store, Notifier, Detectors> committer_;
    Decisions<Detectors> decisions_{registry_};
    std::mutex running_;
    GapWatch gap_;
    std::vector<AuditRow> pending_audit_;
    std::vector<Event> unheard_;  ///< of ends that were written between two cycles
    std::size_t early_ = 0;       ///< items from before the visits
    bool visiting_ = false;
    std::map<std::string, std::uint32_t> acted_;  ///< rungs in this cycle, by class
};

}  // namespace heeler::inline v0
