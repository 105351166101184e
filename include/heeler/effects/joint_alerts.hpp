// Stores that one alert speaks for others of its cause, before it is sent; what becomes of it is true of them, too.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <heeler/alert/group.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>
#include <heeler/effects/alert_settler.hpp>
#include <heeler/effects/queues.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// One thread at a time.
class JointAlerts {
public:
    JointAlerts(Ledger& ledger, Queues& queues, RunTable<WatchedRun>& table)
        : ledger_{ledger}, queues_{queues}, table_{table} {}

    /// The first of them tells of all, and that it does is on record at each, in one commit. The others wait until it
    /// is known what became of it, so that none is lost if it was not stored, or nobody gets it. What cannot be stored
    /// waits as it was; false: so does the first.
    [[nodiscard]] bool join(List<AlertJob>& jobs, Instant now, CycleReport& report) {
        if (jobs.size() == 1) return go_alone(jobs.front(), now);
        List<AlertJob> before = jobs;
        write_rows(jobs);
        List<Change> changes;
        const List<std::size_t> places = AlertSettler::put(jobs, changes);
        const auto error = ledger_.commit(changes, {}, now);
        const bool good = changes[places[0]].stored;
        // Whom the store does not take tells of itself alone, and holds up no other.
        if (!good && (changes[places[0]].fault || (error && error->code == ErrorCode::unstorable)))
            before[0].group.clear();
        for (std::size_t i = good ? 1 : 0; i < jobs.size(); ++i) {
            if (good && changes[places[i]].stored)
                queues_.add(std::move(jobs[i]));
            else
                put_back(std::move(before[i]), now);
        }
        if (!good) say(jobs[0], error, changes[places[0]], report);
        return good;
    }

    /// Settles those of which it is known what became of the alert that spoke for them. Where it was not sent, nobody
    /// has heard of them: they are told anew.
    void follow(Instant now, CycleReport& report) {
        for (SpokenFor& those : queues_.take_spoken_for(now.elapsed)) {
            drop_if(those.jobs, AlertSettler::leave_to_others);
            if (those.jobs.empty()) continue;
            const auto lead = find_lead(those.jobs.front().row);
            const bool waits = lead && *lead && (*lead)->state == AlertRow::State::pending;
            if (!lead || (waits && !is_abandoned(those.jobs.front(), now))) {
                those.due = now.elapsed + (lead ? look_after((*lead)->not_before - now.wall) : shortest_wait);
                queues_.add(std::move(those));
            } else if (*lead && !waits && (*lead)->state != AlertRow::State::skipped) {
                settle(those.jobs, (*lead)->state == AlertRow::State::dead, now, report);
            } else {
                for (AlertJob& job : those.jobs) tell_anew(std::move(job));
            }
        }
    }

private:
    static constexpr Duration shortest_wait = std::chrono::seconds{1};
    static constexpr Duration longest_wait = std::chrono::seconds{30};

    /// After a kill it is sent again as what it was, not told with others under their key. No reason to be silent while
    /// the store fails.
    bool go_alone(AlertJob& job, Instant now) {
        job.row.how = AlertRow::How::alone;
        job.keep_row(false);
        (void)ledger_.commit_one(job.handle, *job.watched, now);
        return true;
    }

    static void write_rows(List<AlertJob>& jobs) {
        List<const Alert*> others;
        for (std::size_t i = 1; i < jobs.size(); ++i) others.push_back(&jobs[i].row.alert);
        Alert& lead = jobs[0].row.alert;
        speak_for(lead, others);
        for (std::size_t i = 1; i < jobs.size(); ++i) {
            jobs[i].row.how = AlertRow::How::together;
            jobs[i].row.with_key = lead.key;
            jobs[i].row.with_run = jobs[0].watched->run.id;
            jobs[i].follows = true;
            jobs[i].group.clear();
        }
    }

    /// As it is stored; absent: nothing that speaks for others is. An error: the store does not answer.
    [[nodiscard]] Result<std::optional<AlertRow>> find_lead(const AlertRow& row) {
        auto found = ledger_.alert({row.with_run, row.with_key});
        if (found && *found && !speaks_for_others((*found)->alert)) found->reset();
        return found;
    }

    /// It is tried again then, if what is stored of it is of the last attempt.
    [[nodiscard]] static Duration look_after(Duration next_attempt) noexcept {
        return max_of(shortest_wait, min_of(next_attempt, longest_wait));
    }

    /// Whoever is to send the one that speaks for it would have given it up long ago.
    [[nodiscard]] static bool is_abandoned(const AlertJob& job, Instant now) noexcept {
        return now.wall - job.row.created_at > 2 * job.rules->rules.alerts.outbox.give_up_after;
    }

    void settle(List<AlertJob>& jobs, bool dead, Instant now, CycleReport& report) {
        for (AlertJob& job : jobs) {
            job.row.state = dead ? AlertRow::State::dead : AlertRow::State::skipped;
            job.note(dead ? Fate::What::dead : Fate::What::delivered);
        }
        AlertSettler{ledger_, table_}.settle(jobs, now, report);
    }

    void tell_anew(AlertJob job) {
        job.row.how = AlertRow::How::plain;
        job.row.with_key.clear();
        job.row.with_run.clear();
        WatchedRun& watched = *job.watched;
        AlertJob anew = [&] {
            const std::lock_guard guard{watched.lock};
            return alert_job(job.handle, watched, std::move(job.row));
        }();
        queues_.add(std::move(anew));
    }

    /// The row as it was stands behind the other one, and is what is stored in the end.
    void put_back(AlertJob job, Instant now) {
        job.keep_row(true);
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
