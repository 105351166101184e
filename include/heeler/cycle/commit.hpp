// Writes what a cycle decided as one batch; hands over what is durable, and takes back what is not.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <heeler/cycle/apply.hpp>
#include <heeler/effects/deliverer.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/run/registry.hpp>

namespace heeler::inline v0 {

/// From the thread that ticks.
template <class Store, class Notifier, class Detectors>
class Committer {
public:
    using Cell = RunCell<Detectors>;
    using Hands = Deliverer<Store, Notifier, Detectors>;
    using Item = WorkItem<Detectors>;

    Committer(Ledger<Store, Detectors>& ledger, Registry<Detectors>& registry, Hands& hands,
              const EngineSettings& settings)
        : ledger_{ledger}, registry_{registry}, hands_{hands}, settings_{settings} {}

    /// False: nothing was stored.
    bool operator()(Batch batch, std::vector<Item>& work, Instant now, CycleReport& report) {
        std::vector<Change<Detectors>> changes;
        for (Item& item : work) {
            {
                Cell& cell = *item.change.cell;
                const std::lock_guard guard{cell.lock};
                cell.dirty = false;  // what is folded from here on makes the run dirty again, written or not
                item.change.with_memory |= now.elapsed >= cell.last_memory + settings_.memory_every;
                if (cell.incident.number != item.incident_before.number)
                    batch.tallies.push_back({cell.rules->rules.name, cell.incident.condition, 1, 0});
            }
            changes.push_back(std::move(item.change));
        }
        const auto error = ledger_.commit(changes, std::move(batch), now);
        if (error) report.error("commit", {}, *error);
        for (std::size_t i = 0; i < work.size(); ++i) {
            work[i].change = std::move(changes[i]);
            if (work[i].change.stored)
                hand_over(work[i], now, report);
            else
                give_back(work[i], now, report, !error);
        }
        return !error;
    }

private:
    static constexpr const char* conflict_message = "the run was changed by someone else; it is judged again";

    void hand_over(Item& item, Instant now, CycleReport& report) {
        for (Event& event : item.events) report.events.push_back(std::move(event));
        report.acted += item.actions.empty() ? 0 : 1;
        Cell& cell = *item.change.cell;
        bool drop = false;
        {
            const std::lock_guard guard{cell.lock};
            drop = is_terminal(cell.run.state) && cell.ended_at && !cell.rung_busy && cell.unsaved.empty() &&
                   cell.alerts_pending == 0;
        }
        for (AlertRow& row : item.alerts)
            hands_.queues().add(AlertJob<Detectors>{item.change.handle, &cell, std::move(row)});
        if (!item.actions.empty())
            hands_.queues().add(RungJob<Detectors>{item.change.handle, &cell, std::move(item.actions)});
        if (item.state_before) registry_.table().close(item.change.handle, now.elapsed);
        if (drop) registry_.drop(item.change.handle);
    }

    void give_back(Item& item, Instant now, CycleReport& report, bool conflict) {
        Cell& cell = *item.change.cell;
        if (item.change.disowned) registry_.disown(item.change.handle, now);
        std::optional<ActionEvent> given_up;
        bool over = false;
        {
            const std::lock_guard guard{cell.lock};
            if (cell.generation != item.change.handle.generation) return;  // it ended and was stored meanwhile
            if (cell.disowned) return;
            const bool guarded = conflict && cell.rules->rules.conflict_fails_run;
            // A run that was given up is written once that works again: no hurry, and no error each time.
            if (guarded && is_terminal(cell.run.state))
                return registry_.table().look_at(item.change.handle.index, now.elapsed + 300s);
            Changer<Detectors>{cell, now, item}.undo();
            cell.dirty = true;
            if (guarded) given_up = Changer<Detectors>{cell, now, item}.fail_by_guard(conflict_message);
            over = conflict && !guarded && is_terminal(cell.run.state);
        }
        // Whoever was faster must learn now that the run is over, not a cycle later, when they may be faster again.
        for (int tries = 0; over && tries < 3 && ledger_.commit_one(item.change.handle, cell, now); ++tries) continue;
        if (given_up) report.events.emplace_back(*std::move(given_up));
        if (!item.actions.empty() || conflict) ++report.suppressed;
        if (conflict) report.error("commit", cell.run.id, Error{ErrorCode::conflict, conflict_message});
        if (item.settled_before) hands_.queues().add_settled(item.change.handle);
        registry_.table().sooner(item.change.handle.index, now.elapsed);
    }

    Ledger<Store, Detectors>& ledger_;
    Registry<Detectors>& registry_;
    Hands& hands_;
    const EngineSettings& settings_;
};

}  // namespace heeler::inline v0
