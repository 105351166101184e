// Takes in what the store holds when the watchdog starts: runs, rungs that were under way, alerts that were not sent.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <heeler/engine/events.hpp>
#include <heeler/engine/ledger.hpp>
#include <heeler/engine/queues.hpp>
#include <heeler/engine/registry.hpp>

namespace heeler::inline v0 {

/// May be called from any thread, as often as one likes: what is loaded is not loaded again.
template <class Store, class Detectors>
class Loader {
public:
    using Cell = RunCell<Detectors>;

    Loader(Ledger<Store, Detectors>& ledger, Registry<Detectors>& registry, Queues<Detectors>& queues)
        : ledger_{ledger}, registry_{registry}, queues_{queues} {}

    /// False while the store cannot be read.
    bool run(Instant now, CycleReport& report) {
        const std::lock_guard guard{lock_};
        if (!loaded_) {
            auto snapshot = ledger_.load(now);
            if (!snapshot) {
                report.error("load", {}, snapshot.error());
                return false;
            }
            loaded_ = true;
            strangers_ = std::move(snapshot->runs);
        }
        std::erase_if(strangers_, [&](const StoredRun& stored) { return take_in(stored, now, report); });
        return true;
    }

private:
    bool take_in(const StoredRun& stored, Instant now, CycleReport& report) {
        if (!registry_.find_class(stored.row.class_name)) {
            if (std::find(told_.begin(), told_.end(), stored.row.class_name) == told_.end()) {
                told_.push_back(stored.row.class_name);
                report.error("load", stored.row.id,
                             Error{ErrorCode::invalid_argument, "the store holds runs of the class `" +
                                                                    sanitise(stored.row.class_name, 80) +
                                                                    "`, which is not defined; call define() first"});
            }
            return false;
        }
        std::vector<Action> rung;
        if (!stored.unfinished.empty()) {
            const auto known = ledger_.history(now, stored.row.id);
            if (!known) {
                report.error("load", stored.row.id, known.error());
                return false;
            }
            for (const Action& action : known->actions)
                if (action.intervention == stored.unfinished.front().intervention) rung.push_back(action);
        }
        auto handle = registry_.adopt(stored, now);
        if (!handle) {
            report.error("load", stored.row.id, handle.error());
            return true;
        }
        Cell& cell = *registry_.table().find(*handle);
        const std::lock_guard guard{cell.lock};
        cell.alerts_pending = static_cast<std::uint32_t>(stored.pending.size());
        for (const AlertRow& row : stored.pending) queues_.add(AlertJob<Detectors>{*handle, &cell, row});
        if (!rung.empty()) {
            cell.rung_busy = true;
            std::size_t next = 0;
            while (next < rung.size() && rung[next].outcome != ActionOutcome::intended) ++next;
            queues_.add(RungJob<Detectors>{*handle, &cell, std::move(rung), next, true});
        }
        return true;
    }

    Ledger<Store, Detectors>& ledger_;
    Registry<Detectors>& registry_;
    Queues<Detectors>& queues_;
    std::mutex lock_;
    bool loaded_ = false;
    std::vector<StoredRun> strangers_;  ///< stored runs whose class is not defined yet
    std::vector<std::string> told_;     ///< of these classes
};

}  // namespace heeler::inline v0
