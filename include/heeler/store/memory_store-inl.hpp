// How the store in memory keeps its rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/lease_rules.hpp>
#include <heeler/store/memory_leases.hpp>
#include <heeler/store/memory_store.hpp>

namespace heeler::inline HEELER_ABI {

struct MemoryStore::Content {
    std::atomic<std::size_t> handles{1};
    std::mutex mutex;
    List<History> runs;  // in order of registration; their audit is kept below
    detail::NameMap<std::size_t> places;
    detail::NameMap<List<AuditRow>> audit;
    List<SpendRow> spend;              // added up when it is asked for
    List<DecisionRow> open_decisions;  // in order of their numbers
    std::uint64_t decisions = 0;
    List<MuteRow> mutes;
    List<TallyRow> tallies;
    detail::MemoryLeases leases;
    List<LostHolder> lost;  // of whom nobody told yet
    Duration passed{};      // beyond what really did

    [[nodiscard]] Duration now() const {
        const auto real = std::chrono::steady_clock::now().time_since_epoch();
        return std::chrono::duration_cast<Duration>(real) + passed;
    }

    [[nodiscard]] bool is_held(const Lease& lease) const { return leases.is_held(lease.holder, lease.epoch); }

    /// It has not ended, or something of it is to be carried out.
    [[nodiscard]] static bool is_open(const History& kept) {
        if (!is_terminal(kept.row->state)) return true;
        for (const Action& action : kept.actions)
            if (action.outcome == ActionOutcome::intended) return true;
        for (const AlertRow& alert : kept.alerts)
            if (alert.state == AlertRow::State::pending) return true;
        return false;
    }

    [[nodiscard]] bool is_claimable(const History& kept, const Claim& claim) const {
        const RunRow& row = *kept.row;
        const bool asked =
            claim.run.empty() ? detail::asks_for(claim, row.class_name, row.holder) : row.id == claim.run;
        return asked && !leases.is_held(row.holder, row.epoch) && is_open(kept);
    }

    template <class Which>
    [[nodiscard]] std::uint64_t count_unended(Which which) const {
        std::uint64_t count = 0;
        for (const History& kept : runs) count += !is_terminal(kept.row->state) && which(*kept.row);
        return count;
    }

    static StoredRun summary_of(const History& kept) {
        StoredRun run;
        run.row = *kept.row;
        std::uint32_t newest = 0;
        for (const Action& action : kept.actions) newest = detail::max_of(newest, action.intervention);
        for (const Action& action : kept.actions)
            if (action.intervention == newest || action.outcome == ActionOutcome::intended)
                run.actions.push_back(action);
        run.interventions = kept.interventions;
        for (const AlertRow& alert : kept.alerts)
            if (alert.state == AlertRow::State::pending) run.pending.push_back(alert);
        run.checkpoints = kept.checkpoints.size();
        return run;
    }

    /// The run's place if its stored version is the expected one; a new run's place is at the end.
    [[nodiscard]] std::optional<std::size_t> place_for(const RunRow& row) const {
        const auto known = places.find(row.id);
        if (known == places.end()) return row.version == 0 ? std::optional{runs.size()} : std::nullopt;
        const bool unmoved = row.version != 0 && runs[known->second].row->version == row.version;
        return unmoved ? std::optional{known->second} : std::nullopt;
    }

    bool write(const RunBatch& changes) {
        const auto place = place_for(changes.row);
        if (!place) return false;
        if (*place == runs.size()) {
            runs.emplace_back();
            places.emplace(changes.row.id, *place);
        }
        History& kept = runs[*place];
        write_row(kept.row, changes.row);
        for (const CheckpointRow& row : changes.checkpoints) put_by_number(kept.checkpoints, row);
        for (const Intervention& row : changes.interventions) put_by_number(kept.interventions, row);
        for (const Action& row : changes.actions)
            put(kept.actions, row, [](auto& a) -> std::string_view { return a.key; });
        for (const AlertRow& row : changes.alerts)
            put(kept.alerts, row, [](auto& a) -> std::string_view { return a.alert.key; });
        drop_oldest_settled(kept.actions);
        if (changes.spend.day >= 0) spend.push_back(changes.spend);
        for (AuditRow row : changes.audit) {
            row.run = changes.row.id;
            add_audit(std::move(row));
        }
        return true;
    }

    void add_audit(AuditRow row) {
        List<AuditRow>& rows = audit[row.run];
        if (rows.size() >= most_records) rows.erase(rows.begin());
        rows.push_back(std::move(row));
    }

    /// One that is to be carried out yet is never forgotten.
    static void drop_oldest_settled(List<Action>& actions) {
        for (auto next = actions.begin(); actions.size() > most_records && next != actions.end();)
            next = next->outcome != ActionOutcome::intended ? actions.erase(next) : next + 1;
    }

    static void write_row(std::optional<RunRow>& kept, RunRow row) {
        if (kept && !row.spec) row.spec = std::move(kept->spec);
        if (kept && !row.memory) row.memory = std::move(kept->memory);
        ++row.version;
        kept = std::move(row);
    }

    template <class Row, class Identity>
    static void put(List<Row>& rows, const Row& row, Identity identity) {
        for (Row& other : rows) {
            if (identity(other) != identity(row)) continue;
            other = row;
            return;
        }
        rows.push_back(row);
    }

    template <class Row>
    static void put_by_number(List<Row>& rows, const Row& row) {
        auto place = rows.end();  // most come last
        while (place != rows.begin() && place[-1].number >= row.number) --place;
        if (place != rows.end() && place->number == row.number)
            *place = row;
        else
            rows.insert(place, row);
    }

    void close_decision(std::uint64_t number, const Conflicts& conflicts) {
        for (auto decision = open_decisions.begin(); decision != open_decisions.end(); ++decision) {
            if (decision->number != number) continue;
            for (const std::string& run : conflicts)
                if (run == decision->run) return;
            open_decisions.erase(decision);
            return;
        }
    }

    void add_mute(const MuteRow& row) {
        for (const MuteRow& other : mutes)
            if (other.class_name == row.class_name && other.condition == row.condition &&
                other.identity == row.identity)
                return;
        mutes.push_back(row);
    }

    void add_tally(const TallyRow& row) {
        for (TallyRow& kept : tallies) {
            if (kept.class_name != row.class_name || kept.condition != row.condition) continue;
            kept.incidents += row.incidents;
            kept.wrong += row.wrong;
            return;
        }
        tallies.push_back(row);
    }
};

HEELER_INLINE MemoryStore::MemoryStore() : content_{new Content} {}

HEELER_INLINE MemoryStore::MemoryStore(const MemoryStore& other) noexcept : content_{other.content_} {
    content_->handles.fetch_add(1, std::memory_order_relaxed);
}

HEELER_INLINE MemoryStore& MemoryStore::operator=(MemoryStore other) noexcept {
    std::swap(content_, other.content_);
    return *this;
}

HEELER_INLINE MemoryStore::~MemoryStore() {
    if (content_->handles.fetch_sub(1, std::memory_order_acq_rel) == 1) delete content_;
}

HEELER_INLINE Result<Snapshot> MemoryStore::load() {
    const std::lock_guard lock{content_->mutex};
    Snapshot snapshot;
    for (const History& kept : content_->runs)
        if (content_->is_open(kept)) snapshot.runs.push_back(content_->summary_of(kept));
    snapshot.mutes = content_->mutes;
    snapshot.tallies = content_->tallies;
    return snapshot;
}

HEELER_INLINE Result<List<DecisionRow>> MemoryStore::list() {
    const std::lock_guard lock{content_->mutex};
    return content_->open_decisions;
}

HEELER_INLINE Result<Conflicts> MemoryStore::commit(const Batch& batch) {
    const std::lock_guard lock{content_->mutex};
    if (!batch.lease.holder.empty() && !content_->is_held(batch.lease))
        return tl::unexpected<Error>(detail::lease_was_lost("in memory", batch.lease));
    Conflicts conflicts;
    for (const RunBatch& changes : batch.runs)
        if (!content_->write(changes)) conflicts.push_back(changes.row.id);
    for (const std::uint64_t number : batch.applied) content_->close_decision(number, conflicts);
    for (const DecisionRow& decision : batch.decisions) {
        content_->open_decisions.push_back(decision);
        content_->open_decisions.back().number = ++content_->decisions;
    }
    for (const AuditRow& row : batch.audit) content_->add_audit(row);
    for (const MuteRow& row : batch.mutes) content_->add_mute(row);
    for (const TallyRow& row : batch.tallies) content_->add_tally(row);
    for (const LostHolder& told : batch.told)
        for (const LostHolder* one = content_->lost.begin(); one != content_->lost.end();)
            one = one->name == told.name && one->epoch == told.epoch ? content_->lost.erase(one) : one + 1;
    return conflicts;
}

HEELER_INLINE Result<History> MemoryStore::history(std::string_view run) {
    const std::lock_guard lock{content_->mutex};
    History found;
    if (const auto place = content_->places.find(run); place != content_->places.end())
        found = content_->runs[place->second];
    if (const auto audit = content_->audit.find(run); audit != content_->audit.end()) found.audit = audit->second;
    return found;
}

HEELER_INLINE Result<std::optional<AlertRow>> MemoryStore::alert(AlertKey which) {
    const std::lock_guard lock{content_->mutex};
    if (const auto place = content_->places.find(which.run); place != content_->places.end())
        for (const AlertRow& row : content_->runs[place->second].alerts)
            if (row.alert.key == which.key) return std::optional<AlertRow>{row};
    return std::optional<AlertRow>{};
}

HEELER_INLINE Result<Lease> MemoryStore::claim(Claimant who, Duration length) {
    const std::lock_guard lock{content_->mutex};
    return content_->leases.claim(who, length, content_->now());
}

HEELER_INLINE Result<void> MemoryStore::release(const Lease& lease) {
    const std::lock_guard lock{content_->mutex};
    content_->leases.release(lease, content_->now());
    return {};
}

HEELER_INLINE Result<Claimed> MemoryStore::claim_runs(const Claim& claim) {
    const std::lock_guard lock{content_->mutex};
    if (!content_->is_held(claim.lease)) return tl::unexpected<Error>(detail::lease_was_lost("in memory", claim.lease));
    Claimed given;
    for (const Lease& gone : content_->leases.take_away(claim.lease.holder, content_->now()))
        content_->lost.push_back({gone.holder, content_->count_unended([&](const RunRow& row) {
                                      return row.holder == gone.holder && row.epoch == gone.epoch;
                                  }),
                                  gone.epoch});
    for (LostHolder& lost : content_->lost) {
        if (content_->is_held(lost.finder)) continue;
        lost.finder = claim.lease;
        given.lost.push_back(lost);
    }
    for (History& kept : content_->runs) {
        if (!content_->is_claimable(kept, claim)) continue;
        given.more = given.runs.size() >= detail::min_of(claim.most, detail::most_claimed);
        if (given.more) break;
        StoredRun& run = given.runs.emplace_back(content_->summary_of(kept));
        detail::hand_over(run.row, run.taken_from, claim.lease);
        kept.row = run.row;
    }
    given.mutes = content_->mutes;
    return given;
}

HEELER_INLINE Result<List<HolderRow>> MemoryStore::holders() {
    const std::lock_guard lock{content_->mutex};
    auto rows = content_->leases.rows(content_->now());
    for (HolderRow& holder : rows)
        holder.runs = content_->count_unended([&](const RunRow& row) { return row.holder == holder.name; });
    return rows;
}

HEELER_INLINE void MemoryStore::let_pass(Duration time) {
    const std::lock_guard lock{content_->mutex};
    content_->passed += time;
}

}  // namespace heeler::inline HEELER_ABI
