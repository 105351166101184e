// All dealings with the store: one call at a time, versions, what waits for the next commit, and whether the store is
// up.
#pragma once

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/storage/take_over.hpp>
#include <heeler/storage/tenure.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What one commit changes about one run. `rows` holds what is new; the run's own row is written by the ledger.
struct Change {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    RunBatch rows{};           ///< forgotten if the commit fails; what must be kept goes to `RunMemory::unsaved`
    Seldom<Unsaved> waited{};  ///< what waited for this commit
    bool with_memory = false;
    bool fed = false;         ///< it takes a source's cursor along
    bool state_told = false;  ///< it takes a reported state along
    bool stored = false;      ///< out: it is durable
    bool conflict = false;    ///< out: somebody else changed the run; nothing of it was written
    bool taken_over = false;  ///< out: and the run is now what they made of it
    bool disowned = false;    ///< out: or another watchdog holds it
};

/// Serialises access to the store. Commits encode the runs' rows under the runs' locks and write without them.
class Ledger {
public:
    Ledger(StorePort& store, Tenure& tenure) : store_{store}, tenure_{tenure} {}

    /// Takes or renews the lease. True if an earlier one was lost meanwhile.
    [[nodiscard]] Result<bool> renew(std::string_view holder, Duration length, Instant now) {
        const std::lock_guard guard{lock_};
        if (!store_.leases())
            return fail(ErrorCode::unsupported,
                        "EngineSettings::holder is set, but the store knows no leases: leave it empty, or use a store "
                        "that several watchdogs can share");
        const std::string owner = tenure_.owner();
        auto lease = note(unreadable_since_, now, store_.claim(holder, owner, length));
        if (!lease) return tl::unexpected<Error>(lease.error());
        return tenure_.granted(*std::move(lease), now.elapsed);
    }

    /// Asks for runs under the lease.
    [[nodiscard]] Result<Claimed> claim_runs(Claim claim, Instant now) {
        const std::lock_guard guard{lock_};
        claim.lease = tenure_.lease();
        auto claimed = note(unwritable_since_, now, store_.claim_runs(claim));
        if (claimed) return claimed;
        if (claimed.error().code == ErrorCode::fenced) tenure_.gone();
        if (claimed.error().code == ErrorCode::io) {  // perhaps they are ours, and nobody knows which
            (void)store_.release(claim.lease);
            tenure_.start_over();
        }
        return claimed;
    }

    /// Gives the lease back: others may take the runs at once.
    [[nodiscard]] Result<void> release() {
        const std::lock_guard guard{lock_};
        const Lease lease = tenure_.lease();
        tenure_.gone();
        if (lease.epoch == 0) return {};
        return store_.release(lease);
    }

    [[nodiscard]] Result<Snapshot> load(Instant now) {
        const std::lock_guard guard{lock_};
        return note(unreadable_since_, now, store_.load());
    }
    [[nodiscard]] Result<std::vector<DecisionRow>> list(Instant now) {
        const std::lock_guard guard{lock_};
        return note(unreadable_since_, now, store_.list());
    }
    [[nodiscard]] Result<History> history(Instant now, std::string_view run) {
        const std::lock_guard guard{lock_};
        return note(unreadable_since_, now, store_.history(run));
    }

    /// Writes one run and what waited with it. A conflict is an error; it is gone with the next attempt.
    [[nodiscard]] std::optional<Error> commit_one(RunHandle handle, WatchedRun& watched, Instant now) {
        std::vector<Change> changes(1);
        changes[0].handle = handle;
        changes[0].watched = &watched;
        auto error = commit(changes, {}, now);
        if (!error && changes[0].conflict)
            return Error{ErrorCode::conflict,
                         "the run was changed by someone else; it is written with the next commit"};
        return error;
    }

    /// Writes all runs, their detectors' memory included.
    [[nodiscard]] std::optional<Error> commit_all(const RunTable<WatchedRun>& table, Instant now) {
        std::vector<Change> changes;
        for (const RunHandle run : table.all()) {
            changes.emplace_back();
            changes.back().handle = run;
            changes.back().watched = table.find(run);  // null: passed over
            changes.back().with_memory = true;
        }
        return commit(changes, {}, now);
    }

    /// Writes all changes as one batch. After an error nothing was written, and what waited still waits.
    [[nodiscard]] std::optional<Error> commit(std::vector<Change>& changes, Batch batch, Instant now) {
        const std::lock_guard guard{lock_};
        batch.lease = tenure_.lease();
        std::vector<Change*> included;
        for (Change& change : changes) {
            if (!prepare(change, batch, now)) continue;
            included.push_back(&change);
        }
        if (batch.empty()) return std::nullopt;
        for (const RunBatch& run : batch.runs) batch.durable |= is_durable(run);
        batch.durable |= !batch.decisions.empty() || !batch.applied.empty() || !batch.mutes.empty();
        auto written = note(unwritable_since_, now, store_.commit(batch));
        std::optional<Error> error;
        if (!written) error = written.error();
        const bool fenced = error && error->code == ErrorCode::fenced;
        if (fenced) tenure_.gone();
        if (error && !fenced && took_effect(batch, written)) error.reset();
        for (std::size_t i = 0; i < included.size(); ++i) {
            const std::string& id = batch.runs[i].row.id;
            included[i]->conflict = written && std::find(written->begin(), written->end(), id) != written->end();
            included[i]->stored = written && !included[i]->conflict;
            settle(*included[i], batch.runs[i], now);
        }
        return error;
    }

    /// Whether outcomes of actions are not durable yet. Waits for a commit that is under way.
    [[nodiscard]] bool has_open_outcomes(WatchedRun& watched) {
        const std::lock_guard guard{lock_};
        const std::lock_guard run_guard{watched.lock};
        return !watched.unsaved->actions.empty();
    }

    /// Absent while reading and writing work.
    [[nodiscard]] std::optional<Elapsed> failing_since() const {
        const std::lock_guard guard{health_lock_};
        if (!unreadable_since_) return unwritable_since_;
        return unwritable_since_ ? std::min(*unreadable_since_, *unwritable_since_) : unreadable_since_;
    }
    [[nodiscard]] Error last_error() const {
        const std::lock_guard guard{health_lock_};
        return last_error_;
    }

private:
    /// Keeps in mind since when calls of one kind fail.
    template <class T>
    [[nodiscard]] Result<T> note(std::optional<Elapsed>& failing_since, Instant now, Result<T> answer) {
        const std::lock_guard guard{health_lock_};
        if (answer) {
            failing_since.reset();
        } else {
            if (!failing_since) failing_since = now.elapsed;
            last_error_ = answer.error();
        }
        return answer;
    }

    /// A commit that answered an error may have happened all the same: the store is asked, and answers for it.
    [[nodiscard]] bool took_effect(const Batch& batch, Result<Conflicts>& written) {
        bool any = false;
        Conflicts others;
        for (const RunBatch& run : batch.runs) {
            const auto found = store_.history(run.row.id);
            if (!found) return false;
            const bool ours =
                found->row && found->row->version == run.row.version + 1 && found->row->facts == run.row.facts;
            if (!ours) others.push_back(run.row.id);
            any |= ours;
            if (!any && others.size() > 2) return false;
        }
        if (any) written = std::move(others);
        return any;
    }

    static bool is_durable(const RunBatch& run) noexcept {
        return run.row.version == 0 || run.row.ended_at || run.row.spec || !run.checkpoints.empty() ||
               !run.interventions.empty() || !run.actions.empty() || !run.alerts.empty();
    }

    /// Adds the run's rows to the batch; false if the run ended meanwhile and was stored by somebody else.
    static bool prepare(Change& change, Batch& batch, Instant now) {
        if (change.watched == nullptr) return false;
        WatchedRun& watched = *change.watched;
        const std::lock_guard guard{watched.lock};
        if (watched.generation != change.handle.generation || watched.disowned) return false;
        RunBatch rows = std::move(change.rows);
        change.waited = std::exchange(watched.unsaved, {});
        change.waited->copy_into(rows);
        rows.row = row_of(watched, now);
        rows.row.holder = batch.lease.holder;
        rows.row.epoch = batch.lease.epoch;
        ArchiveWriter facts{now};
        watched.archive_facts(facts);
        rows.row.facts = facts.take();
        if (!watched.spec_stored) rows.row.spec = std::string{watched.spec.view()};
        change.fed = std::exchange(watched.fed, false);
        change.state_told = std::exchange(watched.state_told, false);
        if (change.with_memory || change.fed || watched.version == 0) {
            rows.row.memory = watched.saved_memory(now);
        }
        batch.runs.push_back(std::move(rows));
        return true;
    }

    static RunRow row_of(const WatchedRun& watched, Instant now) {
        RunRow row;
        row.id = watched.run.id;
        row.version = watched.version;
        row.name = watched.spec.name();
        row.class_name = watched.rules->rules.name;
        row.state = watched.run.state;
        row.status = watched.shown.status;
        row.attempt = watched.run.attempt;
        row.incarnation = watched.run.incarnation;
        row.created_at = watched.created_at;
        row.updated_at = now.wall;
        row.ended_at = watched.verdict->ended_at;
        return row;
    }

    /// What a commit means for the run in memory. After a conflict the stored version is taken over, with the facts if
    /// it moved, so that the next cycle judges again and tries once more.
    void settle(Change& change, const RunBatch& batch, Instant now) {
        History known;
        if (change.conflict)
            if (auto found = store_.history(batch.row.id); found) known = *std::move(found);
        WatchedRun& watched = *change.watched;
        const std::lock_guard guard{watched.lock};
        if (!change.stored && change.waited) watched.unsaved.edit().put_back(*change.waited);
        if (!change.stored) watched.fed |= change.fed;
        if (!change.stored) watched.state_told |= change.state_told;
        if (known.row && !tenure_.alone() && watched.version != 0 && !is_mine(*known.row)) {
            change.disowned = true;
            return;
        }
        // A run that was never stored is not taken for another one of the same name.
        if (known.row && (watched.version != 0 ||
                          (known.row->spec == watched.spec.view() && known.row->created_at == watched.created_at))) {
            const bool moved = known.row->version != watched.version;
            change.taken_over = moved && take_over(watched, known, now);
            // What cannot be read is not overwritten: perhaps a newer library wrote it.
            if (!moved || change.taken_over) watched.version = known.row->version;
        }
        if (!change.stored) return;
        ++watched.version;
        watched.spec_stored = true;
        watched.last_flush = now.elapsed;
        if (batch.row.memory) watched.last_memory = now.elapsed;
    }

    [[nodiscard]] bool is_mine(const RunRow& row) const {
        const Lease lease = tenure_.lease();
        return row.holder == lease.holder && row.epoch == lease.epoch;
    }

    StorePort& store_;
    Tenure& tenure_;
    std::mutex lock_;
    mutable std::mutex health_lock_;
    std::optional<Elapsed> unreadable_since_;
    std::optional<Elapsed> unwritable_since_;
    Error last_error_;
};

}  // namespace heeler::inline HEELER_ABI::detail
