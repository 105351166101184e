// Stores that one alert speaks for others of its cause, before it is sent.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <heeler/core/events.hpp>
#include <heeler/deliver/alert_group.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One thread at a time.
class GroupDesk {
public:
    GroupDesk(Ledger& ledger, Queues& queues, RunTable<WatchedRun>& table)
        : ledger_{ledger}, queues_{queues}, table_{table} {}

    /// The first of them tells of all; when that is stored, the others are settled by it. What cannot be stored waits
    /// as it was; false: so do all.
    [[nodiscard]] bool join(std::vector<AlertJob>& jobs, Instant now, CycleReport& report) {
        std::vector<AlertJob> before = jobs;
        settle_rows(jobs);
        const std::span<const AlertJob> all{jobs};
        if (!store_first(all.first(1), before[0], now, report)) {
            for (std::size_t i = 1; i < before.size(); ++i) queues_.add(std::move(before[i]));
            return false;
        }
        std::vector<Change> changes;
        const std::vector<std::size_t> places = put(all.subspan(1), changes);
        if (const auto error = ledger_.commit(changes, {}, now)) report.error("commit", {}, *error);
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            if (changes[places[i - 1]].stored)
                leave(jobs[i], now);
            else
                put_back(std::move(before[i]), now);
        }
        return true;
    }

private:
    /// Whom the store does not take tells of itself alone, and holds up no other.
    [[nodiscard]] bool store_first(std::span<const AlertJob> first, AlertJob& before, Instant now,
                                   CycleReport& report) {
        std::vector<Change> changes;
        (void)put(first, changes);
        const auto error = ledger_.commit(changes, {}, now);
        if (changes[0].stored) return true;
        say(first[0], error, changes[0], report);
        if (changes[0].fault || (error && error->code == ErrorCode::unstorable)) before.group.clear();
        put_back(std::move(before), now);
        return false;
    }

    static void settle_rows(std::vector<AlertJob>& jobs) {
        std::vector<const Alert*> others;
        for (std::size_t i = 1; i < jobs.size(); ++i) others.push_back(&jobs[i].row.alert);
        Alert& lead = jobs[0].row.alert;
        speak_for(lead, others);
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            jobs[i].row.state = AlertRow::State::skipped;
            jobs[i].row.last_error = concat("told with ", lead.key, " of the run ", lead.run.id);
        }
    }

    /// One change for each run; says which one each job's row went to.
    [[nodiscard]] static std::vector<std::size_t> put(std::span<const AlertJob> jobs, std::vector<Change>& changes) {
        std::map<const WatchedRun*, std::size_t> known;
        std::vector<std::size_t> places;
        for (const AlertJob& job : jobs) {
            const auto place = known.emplace(job.watched, changes.size());
            places.push_back(place.first->second);
            if (place.second) {
                changes.emplace_back();
                changes.back().handle = job.handle;
                changes.back().watched = job.watched;
            }
            const std::lock_guard guard{job.watched->lock};
            job.watched->unsaved.edit().alerts.push_back(job.row);
        }
        return places;
    }

    void leave(const AlertJob& job, Instant now) {
        {
            const std::lock_guard guard{job.watched->lock};
            if (job.watched->alerts_pending > 0) --job.watched->alerts_pending;
        }
        table_.sooner(job.handle.index, now.elapsed);
    }

    /// The row as it was stands behind the other one, and is what is stored in the end.
    void put_back(AlertJob job, Instant now) {
        {
            const std::lock_guard guard{job.watched->lock};
            job.watched->unsaved.edit().alerts.push_back(job.row);
            job.watched->dirty = true;
        }
        table_.sooner(job.handle.index, now.elapsed);
        queues_.add(std::move(job));
    }

    static void say(const AlertJob& job, const std::optional<Error>& error, const Change& change, CycleReport& report) {
        const Error why = error ? *error : change.fault ? *change.fault : Error{ErrorCode::conflict, "the run changed"};
        report.error("commit", job.row.alert.run.id, why);
    }

    Ledger& ledger_;
    Queues& queues_;
    RunTable<WatchedRun>& table_;
};

}  // namespace heeler::inline HEELER_ABI::detail
