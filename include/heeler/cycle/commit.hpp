// Writes what a cycle decided as one batch; hands over what is durable, and drops what is not.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/time.hpp>
#include <heeler/cycle/apply.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/effects/refused_runs.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// From the thread that ticks.
class Committer {
public:
    Committer(Ledger& ledger, Registry& registry, Deliverer& deliverer, Courier& courier,
              const EngineSettings& settings)
        : ledger_{ledger}, registry_{registry}, deliverer_{deliverer}, courier_{courier}, settings_{settings} {}

    /// False: what belongs to no run was not stored.
    bool operator()(Batch batch, List<WorkItem>& work, Instant now, CycleReport& report) {
        List<Change> changes;
        for (WorkItem& item : work) {
            make_ready(item, now);
            changes.push_back(std::move(item.change));
        }
        const auto error = ledger_.commit(changes, std::move(batch), now);
        if (error) report.error("commit", run_at_fault(*error, changes), *error);
        List<RungJob> rungs;
        List<AlertJob> alerts;
        for (std::size_t i = 0; i < work.size(); ++i) {
            work[i].change = std::move(changes[i]);
            if (work[i].change.stored)
                hand_over(work[i], rungs, alerts, now, report);
            else
                give_back(work[i], now, report, error, work.size() == 1);
        }
        deliverer_.queues().add(std::move(rungs), std::move(alerts));
        return !error;
    }

private:
    static Error conflict_error() {
        return {ErrorCode::conflict, "the run was changed by someone else; it is judged again"};
    }

    void make_ready(WorkItem& item, Instant now) const {
        WatchedRun& watched = *item.change.watched;
        const std::lock_guard guard{watched.lock};
        item.change.decided = &item.decided;
        if (!registry_.table().current(item.change.handle)) return;  // another run has its place: nothing is written
        watched.dirty = false;  // what is folded from here on makes the run dirty again, written or not
        item.change.with_memory |= now.elapsed >= watched.last_memory + settings_.memory_every;
        const Incident& incident = item.decided.verdict().incident;
        if (watched.verdict->incident.number != incident.number)
            item.change.related.edit().tallies.push_back({watched.rules().name, incident.condition, 1, 0});
    }

    void hand_over(WorkItem& item, List<RungJob>& rungs, List<AlertJob>& alerts, Instant now, CycleReport& report) {
        for (Event& event : item.events) report.events.push_back(std::move(event));
        report.acted += item.decided.actions() == 0 ? 0 : 1;
        WatchedRun& watched = *item.change.watched;
        bool drop = false;
        {
            const std::lock_guard guard{watched.lock};
            drop = is_terminal(watched.run.state) && watched.verdict->ended_at && !watched.rung_busy &&
                   watched.unsaved->empty() && watched.alerts_pending == 0 && watched.rare->fates->empty();
        }
        for (AlertRow& row : item.change.rows.alerts) {
            const std::lock_guard guard{watched.lock};
            alerts.push_back(alert_job(item.change.handle, watched, std::move(row)));
        }
        if (item.decided.actions() > 0)
            rungs.push_back({item.change.handle, &watched, std::move(item.change.rows.actions)});
        if (item.ends) registry_.table().close(item.change.handle, now.elapsed);
        if (drop) registry_.drop(item.change.handle);
    }

    /// The store refuses the only run that there was to write: perhaps it takes others.
    static std::string run_at_fault(const Error& error, const List<Change>& changes) {
        if (error.code != ErrorCode::unstorable || changes.size() != 1) return {};
        const std::lock_guard guard{changes[0].watched->lock};
        return std::string{changes[0].watched->run.id};
    }

    void give_back(WorkItem& item, Instant now, CycleReport& report, const std::optional<Error>& error, bool alone) {
        WatchedRun& watched = *item.change.watched;
        const bool refused = item.change.fault || (error && error->code == ErrorCode::unstorable);
        const bool conflict = item.change.conflict || (!error && !refused);
        if (item.change.disowned) registry_.disown(item.change.handle, now);
        OnDemand<ActionEvent> given_up;
        bool over = false, twice = false;
        {
            const std::lock_guard guard{watched.lock};
            if (watched.generation != item.change.handle.generation) return;  // it ended and was stored meanwhile
            twice = item.change.twice && !watched.listed;  // what is listed is sorted out by its list
            if (watched.version == 0 && (watched.disowned || twice))
                report.error("commit", watched.run.id, registered_twice());
            if (watched.disowned) return;
            // Of several that are refused together nobody knows which one is at fault.
            const bool at_fault =
                item.change.fault ? item.change.fault->code == ErrorCode::unstorable : alone && refused;
            const bool guarded = (conflict || at_fault) && watched.rules().conflict_fails_run;
            // A run that was given up is written once that works again: no hurry, and no error each time.
            if (guarded && is_terminal(watched.run.state))
                return registry_.table().look_at(item.change.handle.index, now.elapsed + 300s);
            registry_.table().show(item.change.handle, watched.shown.status);
            watched.dirty = true;
            if (refused) watched.next_cycle = detail::min_of(watched.next_cycle, now.elapsed + refused_again_after);
            if (guarded)
                given_up =
                    give_up(watched, item,
                            at_fault ? (item.change.fault ? *item.change.fault : *error) : conflict_error(), now);
            over = conflict && !guarded && is_terminal(watched.run.state);
        }
        if (twice) return static_cast<void>(registry_.drop_new(item.change.handle));
        // Whoever was faster must learn now that the run is over, not a cycle later, when they may be faster again.
        for (int tries = 0; over && tries < 3 && ledger_.commit_one(item.change.handle, watched, now); ++tries)
            continue;
        if (given_up) report.events.push_back(given_up.take());
        if (item.decided.actions() > 0 || conflict) {
            ++report.suppressed;
            ++report.why.unstored;
        }
        if (item.change.fault && !item.change.put_off)
            report.error(
                "commit", watched.run.id,
                Error{item.change.fault->code,
                      "the run was not stored, and nothing is done to it until it is: " + item.change.fault->message});
        if (conflict) report.error("commit", watched.run.id, conflict_error());
        if (item.decided.settles()) deliverer_.queues().add_settled(item.change.handle);
        // What the store refuses now it refuses in the next cycle, too.
        if (refused) return registry_.table().look_at(item.change.handle.index, now.elapsed + refused_again_after);
        registry_.table().sooner(item.change.handle.index, now.elapsed);
    }

    /// Under the run's lock. What the run's rows cannot hold is told at once, by the watchdog itself.
    OnDemand<ActionEvent> give_up(WatchedRun& watched, WorkItem& item, const Error& why, Instant now) {
        auto given_up = Applier{watched, now, item}.fail_by_guard(why.message, why.code);
        if (given_up && watched.rules().mode != Mode::shadow)
            courier_.say(unstored_alert(watched, AlertKind::run_unstored, given_up->action.text,
                                        "it is marked failed and may still be running; it is no longer watched", now));
        return given_up;
    }

    static constexpr Duration refused_again_after = std::chrono::minutes{1};

    Ledger& ledger_;
    Registry& registry_;
    Deliverer& deliverer_;
    Courier& courier_;
    const EngineSettings& settings_;
};

}  // namespace heeler::inline HEELER_ABI::detail
