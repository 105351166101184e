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
#include <heeler/core/result.hpp>
#include <heeler/engine/run_cell.hpp>

namespace heeler::inline v0 {

/// How often the engine writes, and when it speaks up for itself.
struct EngineSettings {
    Duration flush_every = 1s;        ///< of a run's small row, while it changes
    Duration memory_every = 30s;      ///< of its detectors' memory, while it changes
    Duration gap = 10s;               ///< a difference between the two clocks that is one
    Duration store_down_after = 60s;  ///< without a successful commit, people are told
    Duration store_down_repeat = 4h;  ///< and told again
};

/// What one commit changes about one run. `rows` holds what is new; the run's own row is written by the ledger.
template <class Detectors>
struct Change {
    RunHandle handle;
    RunCell<Detectors>* cell = nullptr;
    RunBatch rows{};   ///< forgotten if the commit fails; what must be kept goes to `RunMemory::unsaved`
    Unsaved waited{};  ///< what waited for this commit
    bool with_memory = false;
    bool stored = false;    ///< out: it is durable
    bool conflict = false;  ///< out: somebody else changed the run; nothing of it was written
};

/// Serialises access to the store. Commits encode the runs' rows under the runs' locks and write without them.
template <class Store, class Detectors>
class Ledger {
public:
    using Cell = RunCell<Detectors>;

    explicit Ledger(Store& store) : store_{store} {}

    [[nodiscard]] Result<Snapshot> load(Instant now) {
        const std::lock_guard guard{lock_};
        return watched(now, [&] { return store_.load(); });
    }
    [[nodiscard]] Result<std::vector<DecisionRow>> list(Instant now) {
        const std::lock_guard guard{lock_};
        return watched(now, [&] { return store_.list(); });
    }
    [[nodiscard]] Result<History> history(Instant now, std::string_view run) {
        const std::lock_guard guard{lock_};
        return watched(now, [&] { return store_.history(run); });
    }

    /// Writes all changes as one batch. After an error nothing was written, and what waited still waits.
    [[nodiscard]] std::optional<Error> commit(std::vector<Change<Detectors>>& changes, Batch batch, Instant now) {
        const std::lock_guard guard{lock_};
        for (Change<Detectors>& change : changes) batch.runs.push_back(prepare(change, now));
        for (const RunBatch& run : batch.runs) batch.durable |= is_durable(run);
        batch.durable |= !batch.decisions.empty() || !batch.applied.empty();
        const auto written = watched(now, [&] { return store_.commit(batch); });
        for (std::size_t i = 0; i < changes.size(); ++i) {
            const std::string& id = batch.runs[i].row.id;
            changes[i].conflict = written && std::find(written->begin(), written->end(), id) != written->end();
            changes[i].stored = written && !changes[i].conflict;
            settle(changes[i], batch.runs[i], now);
        }
        if (!written) return written.error();
        return std::nullopt;
    }

    /// Since when no call has succeeded; absent while the store works.
    [[nodiscard]] std::optional<Elapsed> failing_since() const {
        const std::lock_guard guard{health_lock_};
        return failing_since_;
    }
    [[nodiscard]] Error last_error() const {
        const std::lock_guard guard{health_lock_};
        return last_error_;
    }

private:
    template <class Call>
    auto watched(Instant now, Call&& call) -> decltype(call()) {
        auto result = guarded(std::forward<Call>(call));
        const std::lock_guard guard{health_lock_};
        if (result) {
            failing_since_.reset();
        } else {
            if (!failing_since_) failing_since_ = now.elapsed;
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

    static bool is_durable(const RunBatch& run) noexcept {
        return run.row.version == 0 || run.row.ended_at || run.row.spec || !run.checkpoints.empty() ||
               !run.interventions.empty() || !run.actions.empty() || !run.alerts.empty();
    }

    static RunBatch prepare(Change<Detectors>& change, Instant now) {
        Cell& cell = *change.cell;
        const std::lock_guard guard{cell.lock};
        RunBatch rows = std::move(change.rows);
        change.waited = std::exchange(cell.unsaved, {});
        change.waited.copy_into(rows);
        rows.row = row_of(cell, now);
        ArchiveWriter facts{now};
        cell.archive_facts(facts);
        rows.row.facts = facts.take();
        if (!cell.spec_stored) rows.row.spec = cell.spec;
        if (change.with_memory || cell.version == 0) {
            ArchiveWriter memory{now};
            cell.archive_memory(memory);
            rows.row.memory = memory.take();
        }
        return rows;
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

    /// What a commit means for the run in memory. After a conflict the stored version is taken over, so that the next
    /// cycle judges again and tries once more.
    void settle(Change<Detectors>& change, const RunBatch& batch, Instant now) {
        std::optional<std::uint64_t> version;
        if (change.conflict)
            if (const auto found = guarded([&] { return store_.history(batch.row.id); }); found && found->row)
                version = found->row->version;
        Cell& cell = *change.cell;
        const std::lock_guard guard{cell.lock};
        if (!change.stored) cell.unsaved.put_back(change.waited);
        if (version && cell.version != 0) cell.version = *version;
        if (!change.stored) return;
        ++cell.version;
        cell.spec_stored = true;
        cell.last_flush = now.elapsed;
        if (batch.row.memory) cell.last_memory = now.elapsed;
    }

    Store& store_;
    std::mutex lock_;
    mutable std::mutex health_lock_;
    std::optional<Elapsed> failing_since_;
    Error last_error_;
};

}  // namespace heeler::inline v0
