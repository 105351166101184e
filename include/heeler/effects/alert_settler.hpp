// Settles alerts of many runs in one commit, without sending them.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>

#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One thread at a time.
class AlertSettler {
public:
    AlertSettler(Ledger& ledger, RunTable<WatchedRun>& table) : ledger_{ledger}, table_{table} {}

    /// An alert of a run that another watchdog holds is theirs.
    [[nodiscard]] static bool leave_to_others(const AlertJob& job) {
        const std::lock_guard guard{job.watched->lock};
        if (job.watched->disowned) job.watched->settle_alert();
        return job.watched->disowned;
    }

    /// One change for each run, with the rows of its alerts; says which one each job's row went to. `settled`: they
    /// wait in the outbox no longer. Where the end of a run waited for that, there is no change: the row waits with the
    /// run, and is stored with the words that it is over. A crash in between would leave nobody who says so.
    [[nodiscard]] static List<std::size_t> put(const List<AlertJob>& jobs, List<Change>& changes,
                                               bool settled = false) {
        for (const AlertJob& job : jobs) {
            const std::lock_guard guard{job.watched->lock};
            job.watched->unsaved.edit().alerts.push_back(job.row);
            if (settled) job.watched->settle_alert();
        }
        NameMap<std::size_t> known;
        List<std::size_t> places;
        for (const AlertJob& job : jobs) {
            const std::lock_guard guard{job.watched->lock};
            if (job.watched->end_follows()) {
                job.watched->dirty = true;
                continue;
            }
            const bool is_first = known.emplace(job.row.alert.run.id, changes.size());
            places.push_back(known[job.row.alert.run.id]);
            if (!is_first) continue;
            changes.emplace_back();
            changes.back().handle = job.handle;
            changes.back().watched = job.watched;
        }
        return places;
    }

    /// They are as their rows say, and their runs know what became of them. What cannot be stored now waits with its
    /// run.
    void settle(const List<AlertJob>& jobs, Instant now, CycleReport& report) {
        if (jobs.empty()) return;
        List<Change> changes;
        (void)put(jobs, changes, true);
        (void)ledger_.commit(changes, {}, now);
        for (const Change& change : changes) {
            const std::lock_guard guard{change.watched->lock};
            if (!change.stored) change.watched->dirty = true;
        }
        for (const AlertJob& job : jobs) {
            table_.sooner(job.handle.index, now.elapsed);
            report.events.push_back(AlertEvent{job.row, {}});
        }
    }

private:
    Ledger& ledger_;
    RunTable<WatchedRun>& table_;
};

}  // namespace heeler::inline HEELER_ABI::detail
