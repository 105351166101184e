// All dealings with the store: one call at a time, versions, what waits for the next commit, and whether the store is
// up.
#pragma once

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/concepts.hpp>
#include <heeler/core/result.hpp>
#include <heeler/storage/change.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/storage/take_over.hpp>
#include <heeler/storage/tenure.hpp>

namespace heeler::inline v0 {

/// Serialises access to the store. Commits encode the runs' rows under the runs' locks and write without them.
template <class Store, class Detectors>
class Ledger {
public:
    using Cell = RunCell<Detectors>;

    Ledger(Store& store, Tenure& tenure) : store_{store}, tenure_{tenure} {}

    /// Takes or renews the lease. True if an earlier one was lost meanwhile.
    [[nodiscard]] Result<bool> renew(std::string_view holder, Duration length, Instant now) {
        const std::lock_guard guard{lock_};
        if constexpr (LeasingStoreLike<Store>) {
            const std::string owner = tenure_.owner(now);
            auto lease = watched(unreadable_since_, now, [&] { return store_.claim(holder, owner, length); });
            if (!lease) return tl::unexpected<Error>(lease.error());
            return tenure_.granted(*std::move(lease), now.elapsed);
        } else {
            return fail(ErrorCode::unsupported,
                        "EngineSettings::holder is set, but the store knows no leases: leave it empty, or use a store "
                        "that several watchdogs can share");
        }
    }

    /// Asks for runs under the lease.
    [[nodiscard]] Result<Claimed> claim_runs(Claim claim, Instant now) {
        const std::lock_guard guard{lock_};
        claim.lease = tenure_.lease();
        if constexpr (LeasingStoreLike<Store>) {
            auto claimed = watched(unwritable_since_, now, [&] { return store_.claim_runs(claim); });
            if (claimed) return claimed;
            if (claimed.error().code == ErrorCode::fenced) tenure_.gone();
            if (claimed.error().code == ErrorCode::io) {  // perhaps they are ours, and nobody knows which
                (void)guarded([&] { return store_.release(claim.lease); });
                tenure_.start_over();
            }
            return claimed;
        } else {
            return fail(ErrorCode::unsupported, "the store knows no leases");
        }
    }

    /// Gives the lease back: others may take the runs at once.
    [[nodiscard]] Result<void> release() {
        const std::lock_guard guard{lock_};
        const Lease lease = tenure_.lease();
        tenure_.gone();
        if constexpr (LeasingStoreLike<Store>) {
            if (lease.epoch != 0) return guarded([&] { return store_.release(lease); });
        }
        return {};
    }

    [[nodiscard]] Result<Snapshot> load(Instant now) {
        const std::lock_guard guard{lock_};
        return watched(unreadable_since_, now, [&] { return store_.load(); });
    }
    [[nodiscard]] Result<std::vector<DecisionRow>> list(Instant now) {
        const std::lock_guard guard{lock_};
        return watched(unreadable_since_, now, [&] { return store_.list(); });
    }
    [[nodiscard]] Result<History> history(Instant now, std::string_view run) {
        const std::lock_guard guard{lock_};
        return watched(unreadable_since_, now, [&] { return store_.history(run); });
    }

    /// Writes one run and what waited with it. A conflict is an error; it is gone with the next attempt.
    [[nodiscard]] std::optional<Error> commit_one(RunHandle handle, Cell& cell, Instant now) {
        std::vector<Change<Detectors>> changes(1);
        changes[0].handle = handle;
        changes[0].cell = &cell;
        auto error = commit(changes, {}, now);
        if (!error && changes[0].conflict)
            return Error{ErrorCode::conflict,
                         "the run was changed by someone else; it is written with the next commit"};
        return error;
    }

    /// Writes all runs, their detectors' memory included.
    [[nodiscard]] std::optional<Error> commit_all(const RunTable<Cell>& table, Instant now) {
        std::vector<Change<Detectors>> changes;
        for (const RunHandle run : table.all()) {
            changes.emplace_back();
            changes.back().handle = run;
            changes.back().cell = table.find(run);  // null: passed over
            changes.back().with_memory = true;
        }
        return commit(changes, {}, now);
    }

    /// Writes all changes as one batch. After an error nothing was written, and what waited still waits.
    [[nodiscard]] std::optional<Error> commit(std::vector<Change<Detectors>>& changes, Batch batch, Instant now) {
        const std::lock_guard guard{lock_};
        batch.lease = tenure_.lease();
        std::vector<Change<Detectors>*> included;
        for (Change<Detectors>& change : changes) {
            if (!prepare(change, batch, now)) continue;
            included.push_back(&change);
        }
        if (batch.empty()) return std::nullopt;
        for (const RunBatch& run : batch.runs) batch.durable |= is_durable(run);
        batch.durable |= !batch.decisions.empty() || !batch.applied.empty() || !batch.mutes.empty();
        auto written = watched(unwritable_since_, now, [&] { return store_.commit(batch); });
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
    [[nodiscard]] bool has_open_outcomes(Cell& cell) {
        const std::lock_guard guard{lock_};
        const std::lock_guard cell_guard{cell.lock};
        return !cell.unsaved.actions.empty();
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
    template <class Call>
    auto watched(std::optional<Elapsed>& failing_since, Instant now, Call&& call) -> decltype(call()) {
        auto result = guarded(std::forward<Call>(call));
        const std::lock_guard guard{health_lock_};
        if (result) {
            failing_since.reset();
        } else {
            if (!failing_since) failing_since = now.elapsed;
            last_error_ = result.error();
        }
        return result;
    }

    template <class Call>
    static auto guarded(Call&& call) -> decltype(call()) {
        try {
            return call();
        } catch (const std::exception& error) {
            return fail(ErrorCode::io, std::string{"the store threw: "} + error.what());
        } catch (...) {
            return fail(ErrorCode::io, "the store threw something that is no std::exception");
        }
    }

    /// A commit that answered an error may have happened all the same: the store is asked, and answers for it.
    [[nodiscard]] bool took_effect(const Batch& batch, Result<Conflicts>& written) {
        bool any = false;
        Conflicts others;
        for (const RunBatch& run : batch.runs) {
            const auto found = guarded([&] { return store_.history(run.row.id); });
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
    static bool prepare(Change<Detectors>& change, Batch& batch, Instant now) {
        if (change.cell == nullptr) return false;
        Cell& cell = *change.cell;
        const std::lock_guard guard{cell.lock};
        if (cell.generation != change.handle.generation || cell.disowned) return false;
        RunBatch rows = std::move(change.rows);
        change.waited = std::exchange(cell.unsaved, {});
        change.waited.copy_into(rows);
        rows.row = row_of(cell, now);
        rows.row.holder = batch.lease.holder;
        rows.row.epoch = batch.lease.epoch;
        ArchiveWriter facts{now};
        cell.archive_facts(facts);
        rows.row.facts = facts.take();
        if (!cell.spec_stored) rows.row.spec = cell.spec;
        change.fed = std::exchange(cell.fed, false);
        change.state_told = std::exchange(cell.state_told, false);
        if (change.with_memory || change.fed || cell.version == 0) {
            ArchiveWriter memory{now};
            cell.archive_memory(memory);
            rows.row.memory = memory.take();
        }
        batch.runs.push_back(std::move(rows));
        return true;
    }

    static RunRow row_of(const Cell& cell, Instant now) {
        RunRow row;
        row.id = cell.run.id;
        row.version = cell.version;
        row.name = spec_from(cell.spec).name;
        row.class_name = cell.rules->rules.name;
        row.state = cell.run.state;
        row.status = cell.shown.status;
        row.attempt = cell.run.attempt;
        row.incarnation = cell.run.incarnation;
        row.created_at = cell.created_at;
        row.updated_at = now.wall;
        row.ended_at = cell.ended_at;
        return row;
    }

    /// What a commit means for the run in memory. After a conflict the stored version is taken over, with the facts if
    /// it moved, so that the next cycle judges again and tries once more.
    void settle(Change<Detectors>& change, const RunBatch& batch, Instant now) {
        History known;
        if (change.conflict)
            if (auto found = guarded([&] { return store_.history(batch.row.id); }); found) known = *std::move(found);
        Cell& cell = *change.cell;
        const std::lock_guard guard{cell.lock};
        if (!change.stored) cell.unsaved.put_back(change.waited);
        if (!change.stored) cell.fed |= change.fed;
        if (!change.stored) cell.state_told |= change.state_told;
        if (known.row && !tenure_.alone() && cell.version != 0 && !is_mine(*known.row)) {
            change.disowned = true;
            return;
        }
        // A run that was never stored is not taken for another one of the same name.
        if (known.row &&
            (cell.version != 0 || (known.row->spec == cell.spec && known.row->created_at == cell.created_at))) {
            const bool moved = known.row->version != cell.version;
            change.taken_over = moved && take_over(cell, known, now);
            // What cannot be read is not overwritten: perhaps a newer library wrote it.
            if (!moved || change.taken_over) cell.version = known.row->version;
        }
        if (!change.stored) return;
        ++cell.version;
        cell.spec_stored = true;
        cell.last_flush = now.elapsed;
        if (batch.row.memory) cell.last_memory = now.elapsed;
    }

    [[nodiscard]] bool is_mine(const RunRow& row) const {
        const Lease lease = tenure_.lease();
        return row.holder == lease.holder && row.epoch == lease.epoch;
    }

    Store& store_;
    Tenure& tenure_;
    std::mutex lock_;
    mutable std::mutex health_lock_;
    std::optional<Elapsed> unreadable_since_;
    std::optional<Elapsed> unwritable_since_;
    Error last_error_;
};

}  // namespace heeler::inline v0
