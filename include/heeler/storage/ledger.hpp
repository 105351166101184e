// All dealings with the store: one call at a time, versions, what waits for the next commit, and whether the store is
// up.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/decided.hpp>
#include <heeler/run/run_table.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/storage/held_lease.hpp>
#include <heeler/storage/in_parts.hpp>
#include <heeler/storage/sole_watchdog.hpp>
#include <heeler/storage/take_over.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What one commit changes about one run. `rows` holds what is new; the run's own row is written by the ledger.
struct Change {
    RunHandle handle;
    WatchedRun* watched = nullptr;
    RunBatch rows{};  ///< forgotten if the commit fails; what must be kept goes to `RunMemory::unsaved`. Out: of what
                      ///< is decided and stored, the actions and alerts to carry out
    OnDemand<RelatedRows> related{};
    OnDemand<Unsaved> waited{};  ///< what waited for this commit
    Decided* decided = nullptr;  ///< stored instead of what the run is now, and takes its place then
    bool with_memory = false;
    bool fed = false;         ///< it takes a source's cursor along
    bool state_told = false;  ///< it takes a reported state along
    bool stored = false;      ///< out: it is durable
    bool conflict = false;    ///< out: somebody else changed the run; nothing of it was written
    bool taken_over = false;  ///< out: and the run is now what they made of it
    bool disowned = false;    ///< out: or another watchdog holds it
    bool twice = false;       ///< out: or it is another run that happens to have the same id
    bool put_off = false;     ///< out: it was not tried, because of a fault that is known
    bool outdated = false;    ///< out: likewise, because what was decided is about an earlier version
    OnDemand<Error> fault{};  ///< out: why the store takes others, but not this run
};

/// Of a run that was registered while nobody could ask the store.
[[nodiscard]] inline Error registered_twice() {
    return {ErrorCode::duplicate,
            "the store holds a run with this id already, which is over or another watchdog's: what was registered here "
            "before "
            "the store could be asked is not watched any more; choose another id"};
}

/// Serialises access to the store. Commits encode the runs' rows under the runs' locks and write without them.
class Ledger {
public:
    Ledger(StorePort& store, HeldLease& held_lease, ProcessPort& process)
        : store_{store}, held_lease_{held_lease}, sole_watchdog_{store, process} {}

    SpendPort* counter = nullptr;  ///< changed while nobody asks anything of the ledger; null: nobody counts

    /// Takes or renews the lease. True if an earlier one was lost meanwhile.
    [[nodiscard]] Result<bool> renew(std::string_view holder, Duration length, Instant now) {
        const std::lock_guard guard{lock_};
        if (!store_.leases)
            return fail(ErrorCode::unsupported,
                        "EngineSettings::holder is set, but the store knows no leases: leave it empty, or use a store "
                        "that several watchdogs can share");
        const std::string owner = held_lease_.owner();
        auto lease = note(unreadable_since_, now, store_.claim({holder, owner}, length));
        if (!lease) return tl::unexpected<Error>(lease.error());
        return held_lease_.granted(*std::move(lease), now.elapsed);
    }

    /// For a watchdog without a name. An error: another one without a name works on the store.
    [[nodiscard]] Result<void> stay_alone(Instant now) {
        const std::lock_guard guard{lock_};
        auto alone = sole_watchdog_.check(now);
        held_lease_.refuse(!alone);
        return alone;
    }
    [[nodiscard]] Result<void> refusal() {
        const std::lock_guard guard{lock_};
        return sole_watchdog_.answer();
    }

    /// Another watchdog without a name need not wait for this one.
    void leave() {
        const std::lock_guard guard{lock_};
        if (!failing_since()) sole_watchdog_.leave();
    }

    /// Asks for runs under the lease.
    [[nodiscard]] Result<Claimed> claim_runs(Claim claim, Instant now) {
        const std::lock_guard guard{lock_};
        claim.lease = held_lease_.lease();
        auto claimed = note(unwritable_since_, now, store_.claim_runs(claim));
        if (claimed) return claimed;
        if (claimed.error().code == ErrorCode::fenced) held_lease_.gone();
        if (claimed.error().code == ErrorCode::io) {  // perhaps they are ours, and nobody knows which
            (void)store_.release(claim.lease);
            held_lease_.start_over();
        }
        return claimed;
    }

    /// Gives the lease back: others may take the runs at once.
    [[nodiscard]] Result<void> release() {
        const std::lock_guard guard{lock_};
        if (held_lease_.alone()) sole_watchdog_.leave();
        const Lease lease = held_lease_.lease();
        held_lease_.gone();
        if (lease.epoch == 0) return {};
        return store_.release(lease);
    }

    [[nodiscard]] Result<Snapshot> load(Instant now) {
        const std::lock_guard guard{lock_};
        return note(unreadable_since_, now, store_.load());
    }
    [[nodiscard]] Result<List<DecisionRow>> list(Instant now) {
        const std::lock_guard guard{lock_};
        if (counter != nullptr)
            if (auto known = counter->read(now); !known) return tl::unexpected<Error>(known.error());
        return note(unreadable_since_, now, store_.list());
    }
    [[nodiscard]] Result<History> history(Instant now, std::string_view run) {
        const std::lock_guard guard{lock_};
        return unless_damaged(note(unreadable_since_, now, store_.history(run)));
    }

    /// An alert as it is stored.
    [[nodiscard]] Result<std::optional<AlertRow>> alert(AlertKey which) {
        const std::lock_guard guard{lock_};
        return store_.alert(which);
    }

    /// What became of an alert that is stored. Absent: it waits, or the store does not say; better told twice than
    /// never.
    [[nodiscard]] std::optional<AlertRow::State> settled_alert(AlertKey which) {
        const auto found = alert(which);
        if (!found || !*found || (*found)->state == AlertRow::State::pending) return std::nullopt;
        return (*found)->state;
    }

    /// Writes one run and what waited with it. A conflict is an error; it is gone with the next attempt.
    [[nodiscard]] std::optional<Error> commit_one(RunHandle handle, WatchedRun& watched, Instant now) {
        List<Change> changes(1);
        changes[0].handle = handle;
        changes[0].watched = &watched;
        auto error = commit(changes, {}, now);
        if (error) return error;
        if (changes[0].fault) return *changes[0].fault;
        if (changes[0].conflict)
            return Error{ErrorCode::conflict,
                         "the run was changed by someone else; it is written with the next commit"};
        return std::nullopt;
    }

    /// Writes all runs, their detectors' memory included.
    [[nodiscard]] std::optional<Error> commit_all(const RunTable<WatchedRun>& table, Instant now) {
        List<Change> changes;
        for (const RunHandle run : table.all()) {
            changes.emplace_back();
            changes.back().handle = run;
            changes.back().watched = table.find(run);  // null: passed over
            changes.back().with_memory = true;
        }
        auto error = commit(changes, {}, now);
        for (const Change& change : changes)
            if (!error && change.fault) error = *change.fault;
        return error;
    }

    /// Whether the store did not take this run, and is not asked again yet.
    [[nodiscard]] bool is_put_off(std::string_view run, Instant now) {
        const std::lock_guard guard{lock_};
        return find_fault(run, now) != nullptr;
    }

    /// Why the store does not take a run, though it takes others.
    struct Fault {
        Error error;
        Elapsed again{};  ///< when to ask it again
        Elapsed since{};
        SmallOptional<Elapsed> told{};  ///< when people were
    };
    /// `take(run, fault)` under the ledger's lock, which may be held while a run's is taken. While a commit is under
    /// way nothing is taken: whoever delivers asks again, and waits for no store.
    template <class Take>
    void each_refused(Take&& take) {
        const std::unique_lock guard{lock_, std::try_to_lock};
        if (!guard) return;
        for (auto& [run, fault] : faults_) take(run, fault);
    }
    /// Runs that people know to have been refused, and that were stored since. Likewise.
    [[nodiscard]] std::vector<std::string> take_accepted() {
        const std::unique_lock guard{lock_, std::try_to_lock};
        return guard ? std::exchange(accepted_, {}) : std::vector<std::string>{};
    }

    /// Writes all changes as one batch; if the store refuses a row of it, in parts, so that only the runs at fault are
    /// left out. What was not stored still waits. An error: of all of it, or of what belongs to no run.
    [[nodiscard]] std::optional<Error> commit(List<Change>& changes, Batch batch, Instant now) {
        const std::lock_guard guard{lock_};
        if (const auto alone = sole_watchdog_.answer(); !alone) return alone.error();
        batch.lease = held_lease_.lease();
        List<Change*> included;
        for (Change& change : changes) {
            if (waits(change, now) || !prepare(change, batch, now)) continue;
            included.push_back(&change);
        }
        const Batch rest = without_runs(batch);
        for (const Change* change : included) change->related->add_to(batch);
        if (batch.empty()) return std::nullopt;
        batch.durable = must_be_durable(batch);
        Parted parted = write(batch, rest, included);
        const Result<void> worked = parted.any ? Result<void>{} : tl::unexpected<Error>(*parted.error);
        (void)note(unwritable_since_, now, worked);
        if (parted.error && parted.error->code == ErrorCode::fenced) held_lease_.gone();
        for (auto& [place, error] : parted.faults)
            put_off(*included[place], batch.runs[place].row.id, std::move(error), now);
        for (std::size_t i = 0; i < included.size(); ++i) {
            const std::string& id = batch.runs[i].row.id;
            bool conflict = false;
            for (const std::string& run : parted.conflicts) conflict |= run == id;
            included[i]->conflict = parted.stored[i] && conflict;
            included[i]->stored = parted.stored[i] && !included[i]->conflict;
            settle(*included[i], batch.runs[i], now);
        }
        return parted.error;
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
        return unwritable_since_ ? detail::min_of(*unreadable_since_, *unwritable_since_) : unreadable_since_;
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

    /// When to ask the store again about a run that it does not take.
    static constexpr Duration again_after = std::chrono::minutes{1};

    /// Nullptr: the store takes the run, as far as is known, or may be asked again.
    [[nodiscard]] const Fault* find_fault(std::string_view run, Instant now) const {
        const auto known = faults_.find(run);
        return known == faults_.end() || now.elapsed >= known->second.again ? nullptr : &known->second;
    }

    /// The run was stored as ended and forgotten meanwhile: what is behind the pointer is another one, or nobody. Under
    /// the lock, and asked anew each time that it was let go.
    [[nodiscard]] static bool is_gone(const Change& change) noexcept {
        return change.watched->generation != change.handle.generation;
    }

    [[nodiscard]] bool waits(Change& change, Instant now) {
        if (faults_.empty() || change.watched == nullptr) return false;
        const std::lock_guard guard{change.watched->lock};
        if (is_gone(change)) return false;
        const Fault* const known = find_fault(change.watched->run.id, now);
        if (known == nullptr) return false;
        change.fault.edit() = known->error;
        return change.put_off = true;
    }

    void put_off(Change& change, const std::string& run, Error error, Instant now) {
        Fault& fault = faults_[run];
        if (fault.again == Elapsed{}) fault.since = now.elapsed;
        fault.error = error;
        fault.again = now.elapsed + again_after;
        change.fault.edit() = std::move(error);
    }

    /// `corrupt` if the run must be left alone for what it holds.
    [[nodiscard]] static Result<History> unless_damaged(Result<History> found) {
        if (found && !found->damage.empty()) return fail(ErrorCode::corrupt, std::move(found->damage));
        return found;
    }

    [[nodiscard]] static Batch without_runs(const Batch& batch) {
        return {batch.lease,   {},    batch.decisions, batch.applied, batch.audit, batch.mutes,
                batch.tallies, false, batch.told};
    }

    [[nodiscard]] Parted write(const Batch& batch, const Batch& rest, const List<Change*>& included) {
        Parted parted;
        auto written = commit_for_certain(store_, batch);
        if (written) return {List<bool>(included.size(), true), *std::move(written), {}, {}, true};
        if (may_be_of_a_row(written.error().code) && batch.runs.size() + (rest.empty() ? 0 : 1) > 1) {
            const auto related = [&](std::size_t place) -> const RelatedRows& { return *included[place]->related; };
            parted = InParts{store_, batch, rest, related}.write();
            if (parted.any) return parted;
            parted.faults.clear();
        }
        parted.stored = List<bool>(included.size(), false);
        parted.error = std::move(written.error());
        return parted;
    }

    /// Adds the run's rows to the batch; false if the run ended meanwhile and was stored by somebody else.
    bool prepare(Change& change, Batch& batch, Instant now) {
        if (change.watched == nullptr) return false;
        WatchedRun& watched = *change.watched;
        const std::lock_guard guard{watched.lock};
        if (is_gone(change) || watched.disowned) return false;
        change.outdated = change.decided != nullptr && !change.decided->is_about(watched);
        if (change.outdated) return false;
        Deciding as_decided{watched};
        if (change.decided != nullptr) as_decided.begin(*change.decided);
        RunBatch rows = std::move(change.rows);
        change.waited = std::exchange(watched.unsaved, {});
        change.waited->copy_into(rows);
        rows.row = row_of(watched, now);
        rows.row.holder = batch.lease.holder;
        rows.row.epoch = batch.lease.epoch;
        ArchiveWriter facts{now};
        watched.archive_facts(facts);
        rows.row.facts = facts.take();
        if (!watched.spec_stored) rows.row.spec = watched.spec.bytes();
        change.fed = std::exchange(watched.fed, false);
        change.state_told = std::exchange(watched.state_told, false);
        if (change.with_memory || change.fed || watched.version == 0) rows.row.memory = watched.saved_memory(now);
        if (counter != nullptr) counter->add(watched, rows, now);
        batch.runs.push_back(std::move(rows));
        return true;
    }

    static RunRow row_of(const WatchedRun& watched, Instant now) {
        RunRow row;
        row.id = watched.run.id;
        row.version = watched.version;
        row.name = watched.spec.name();
        row.class_name = watched.rules().name;
        // Its last cycle ends it: until then the store holds it for whoever comes next.
        row.state =
            is_terminal(watched.run.state) && !watched.verdict->ended_at ? RunState::running : watched.run.state;
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
    void settle(Change& change, RunBatch& batch, Instant now) {
        History known;
        if (change.conflict) {
            auto found = unless_damaged(store_.history(batch.row.id));
            if (found) known = *std::move(found);
            if (!found && found.error().code == ErrorCode::corrupt) {
                put_off(change, batch.row.id, std::move(found.error()), now);
                change.conflict = false;
            }
        }
        WatchedRun& watched = *change.watched;
        const std::lock_guard guard{watched.lock};
        if (is_gone(change)) return;
        if (!change.stored && change.waited) watched.unsaved.edit().put_back(*change.waited);
        if (!change.stored) watched.fed |= change.fed;
        if (!change.stored) watched.state_told |= change.state_told;
        // A run that was never stored is not taken for another one of the same name, nor for another watchdog's.
        const bool same = known.row && (watched.version != 0 || (known.row->spec == watched.spec.bytes() &&
                                                                 known.row->created_at == watched.created_at &&
                                                                 known.row->holder == held_lease_.lease().holder));
        if (known.row && !held_lease_.alone() && (watched.version != 0 || !same) && !is_mine(*known.row)) {
            change.disowned = true;
            return;
        }
        change.twice = known.row && watched.version == 0 && !same;
        if (same) {
            const bool moved = known.row->version != watched.version;
            change.taken_over = moved && take_over(watched, known, now);
            // What cannot be read is not overwritten: perhaps a newer library wrote it.
            if (!moved || change.taken_over) watched.version = known.row->version;
        }
        if (!change.stored) return;
        if (counter != nullptr) counter->stored(watched, batch);
        if (change.decided != nullptr) {
            change.decided->install(watched, now);
            take_back(change.rows.actions, std::move(batch.actions), change.decided->actions());
            take_back(change.rows.alerts, std::move(batch.alerts), change.decided->alerts());
        }
        if (const auto fault = faults_.find(batch.row.id); fault != faults_.end()) {
            if (fault->second.told) accepted_.push_back(batch.row.id);
            faults_.erase(batch.row.id);
        }
        ++watched.version;
        watched.spec_stored = true;
        watched.last_flush = now.elapsed;
        if (batch.row.memory) watched.last_memory = now.elapsed;
    }

    /// The newest rows, which follow what waited: they are carried out now.
    template <class Row>
    static void take_back(List<Row>& rows, List<Row>&& stored, std::size_t count) {
        rows.clear();
        for (std::size_t i = stored.size() - detail::min_of(count, stored.size()); i < stored.size(); ++i)
            rows.push_back(std::move(stored[i]));
    }

    [[nodiscard]] bool is_mine(const RunRow& row) const {
        const Lease lease = held_lease_.lease();
        return row.holder == lease.holder && row.epoch == lease.epoch;
    }

    StorePort& store_;
    HeldLease& held_lease_;
    SoleWatchdog sole_watchdog_;
    std::mutex lock_;
    mutable std::mutex health_lock_;
    std::optional<Elapsed> unreadable_since_;
    std::optional<Elapsed> unwritable_since_;
    Error last_error_;
    NameMap<Fault> faults_;  ///< of runs that the store does not take, though it takes others
    std::vector<std::string> accepted_;
};

}  // namespace heeler::inline HEELER_ABI::detail
