// Takes, checks and ends leases in SQLite, and gives the runs that belong to none; for the SQLite store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/lease_rules.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/lease_sql.hpp>
#include <heeler/store/sqlite/read.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `fenced` if it is not the newest of its holder, or was taken away. Inside a transaction.
[[nodiscard]] inline Result<void> check_held(SqliteConnection& connection, const Lease& lease) {
    const auto held = read_number(connection, LeaseSql::is_held, 0, lease.holder, lease.epoch);
    if (!held) return tl::unexpected<Error>(held.error());
    if (*held == 0) return tl::unexpected<Error>(lease_was_lost(connection.path(), lease));
    return {};
}

struct StoredLease {
    std::uint64_t epoch = 0;
    std::string owner{};
    std::int64_t left = 0;
};

[[nodiscard]] inline Result<Lease> claim_lease(SqliteConnection& connection, Claimant who, Duration length) {
    if (const auto usable = check_lease(who, length); !usable) return tl::unexpected<Error>(usable.error());
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    const auto changed = change(connection, LeaseSql::claim, who.holder, who.owner, length.count());
    if (!changed) return tl::unexpected<Error>(changed.error());
    std::vector<StoredLease> found;
    const auto read = [](SqliteStatement& row, StoredLease& lease) {
        row.read(Bits{lease.epoch}, lease.owner, lease.left);
    };
    if (const auto done = read_all(connection, LeaseSql::lease, found, read, who.holder); !done)
        return tl::unexpected<Error>(done.error());
    const StoredLease& lease = found.front();
    if (*changed == 0)
        return tl::unexpected<Error>(name_is_taken(connection.path(), who.holder, lease.owner, Duration{lease.left}));
    if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(done.error());
    return Lease{std::string{who.holder}, lease.epoch};
}

[[nodiscard]] inline Result<void> release_lease(SqliteConnection& connection, const Lease& lease) {
    const auto changed = change(connection, LeaseSql::release, lease.holder, lease.epoch);
    if (!changed) return tl::unexpected<Error>(changed.error());
    return {};
}

/// Takes away every lease that ran out but the asker's own, and answers of whose the asker is to tell: also those of
/// which somebody was to tell whose own lease is gone.
[[nodiscard]] inline Result<List<LostHolder>> take_away_leases(SqliteConnection& connection, const Lease& asker) {
    List<Lease> gone;
    const auto read = [](SqliteStatement& row, Lease& lease) { row.read(lease.holder, Bits{lease.epoch}); };
    if (const auto done = read_all(connection, LeaseSql::ran_out, gone, read, asker.holder); !done)
        return tl::unexpected<Error>(done.error());
    for (const Lease& lease : gone) {
        const auto runs = read_number(connection, LeaseSql::count_runs, 0, lease.holder, lease.epoch);
        if (!runs) return tl::unexpected<Error>(runs.error());
        auto taken = change(connection, LeaseSql::take_away, lease.holder);
        if (taken) taken = change(connection, LeaseSql::add_lost, lease.holder, lease.epoch, *runs);
        if (!taken) return tl::unexpected<Error>(taken.error());
    }
    List<LostHolder> lost;
    const auto read_lost = [](SqliteStatement& row, LostHolder& one) { row.read(one.name, one.runs, Bits{one.epoch}); };
    if (const auto done = read_all(connection, LeaseSql::untold, lost, read_lost); !done)
        return tl::unexpected<Error>(done.error());
    for (const LostHolder& one : lost)
        if (const auto noted = change(connection, LeaseSql::is_to_tell, one.name, one.epoch, asker.holder, asker.epoch);
            !noted)
            return tl::unexpected<Error>(noted.error());
    return lost;
}

/// Runs of one class that were written under one lease; or one run, if it has an ordinal.
struct RunGroup {
    std::int64_t ordinal = 0;
    std::string holder{};
    std::uint64_t epoch = std::uint64_t{1} << 63;  // in SQLite the lowest number
    std::string class_name{};
};

/// Finds the runs that a claim may take, in steps that read no run but those.
class SqliteRunFinder {
public:
    SqliteRunFinder(SqliteConnection& connection, const Claim& claim) noexcept
        : connection_{connection}, claim_{claim} {}

    /// Their ordinals in order of registration: the first `most`, or more.
    [[nodiscard]] Result<std::vector<std::int64_t>> find(std::uint64_t most) {
        auto done = claim_.run.empty() ? add_groups(most) : add_some(LeaseSql::open_run, claim_.run);
        if (done && claim_.run.empty()) done = add_some(LeaseSql::ended_but_open);
        if (!done) return tl::unexpected<Error>(done.error());
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

private:
    static constexpr auto read_some = [](SqliteStatement& row, RunGroup& one) {
        row.read(one.ordinal, one.holder, Bits{one.epoch}, one.class_name);
    };

    [[nodiscard]] Result<bool> is_free(const RunGroup& group) {
        if (claim_.run.empty() && !asks_for(claim_, group.class_name, group.holder)) return false;
        const auto held = read_number(connection_, LeaseSql::is_held, 0, group.holder, group.epoch);
        if (!held) return tl::unexpected<Error>(held.error());
        return *held == 0;
    }

    [[nodiscard]] Result<void> add_groups(std::uint64_t most) {
        const auto read_group = [](SqliteStatement& row, RunGroup& group) {
            row.read(group.holder, Bits{group.epoch}, group.class_name);
        };
        const auto read_ordinal = [](SqliteStatement& row, std::int64_t& ordinal) { row.read(ordinal); };
        for (RunGroup group;;) {
            std::vector<RunGroup> next;
            if (auto done = read_all(connection_, LeaseSql::next_group, next, read_group, group.holder, group.epoch,
                                     group.class_name);
                !done || next.empty())
                return done;
            group = std::move(next.front());
            const auto free = is_free(group);
            if (!free) return tl::unexpected<Error>(free.error());
            if (!*free) continue;
            if (auto done = read_all(connection_, LeaseSql::runs_of_group, found_, read_ordinal, group.holder,
                                     group.epoch, group.class_name, most);
                !done)
                return done;
        }
    }

    template <class... Parameters>
    [[nodiscard]] Result<void> add_some(const char* sql, const Parameters&... parameters) {
        std::vector<RunGroup> some;
        if (auto done = read_all(connection_, sql, some, read_some, parameters...); !done) return done;
        for (const RunGroup& one : some) {
            const auto free = is_free(one);
            if (!free) return tl::unexpected<Error>(free.error());
            if (*free) found_.push_back(one.ordinal);
        }
        return {};
    }

    SqliteConnection& connection_;
    const Claim& claim_;
    std::vector<std::int64_t> found_;
};

/// A run that cannot be read is handed over all the same, so that one watchdog says so and not each one again and
/// again; its version stays as it is. One that is gone, or that no claim can be for, is passed over.
[[nodiscard]] inline Result<void> hand_over_run(SqliteConnection& connection, std::int64_t ordinal, const Lease& lease,
                                                Claimed& given) {
    List<StoredRun> found;
    if (auto done = read_run_rows(connection, LeaseSql::run_at, found, ordinal); !done || found.empty()) return done;
    StoredRun& run = given.runs.emplace_back(std::move(found.front()));
    if (auto done = read_stored(connection, run, given.damaged); !done) return done;
    if (run.damage.empty()) hand_over(run.row, run.taken_from, lease);
    const auto changed = run.damage.empty() ? change(connection, LeaseSql::hand_over, ordinal, run.row.holder,
                                                     run.row.epoch, run.row.version)
                                            : change(connection, LeaseSql::take, ordinal, lease.holder, lease.epoch);
    if (!changed) return tl::unexpected<Error>(changed.error());
    return {};
}

/// Names the runs that no claim can be for.
[[nodiscard]] inline Result<void> name_unclaimable(SqliteConnection& connection, const Claim& claim,
                                                   List<DamagedRow>& damaged) {
    List<StoredRun> found;
    auto done = read_run_rows(connection, LeaseSql::unclaimable_runs, found, claim.run);
    for (StoredRun& run : found) damaged.push_back({std::move(run.row.id), std::move(run.damage)});
    return done;
}

[[nodiscard]] inline Result<Claimed> claim_runs(SqliteConnection& connection, const Claim& claim) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    if (const auto held = check_held(connection, claim.lease); !held) return tl::unexpected<Error>(held.error());
    auto lost = take_away_leases(connection, claim.lease);
    if (!lost) return tl::unexpected<Error>(lost.error());
    const std::uint64_t most = std::min(claim.most, most_claimed);
    const auto ordinals = SqliteRunFinder{connection, claim}.find(most + 1);
    if (!ordinals) return tl::unexpected<Error>(ordinals.error());

    Claimed given{{}, std::move(*lost), {}, ordinals->size() > most, {}};
    for (const std::int64_t ordinal : *ordinals) {
        if (given.runs.size() >= most) break;
        if (const auto done = hand_over_run(connection, ordinal, claim.lease, given); !done)
            return tl::unexpected<Error>(done.error());
    }
    auto done = name_unclaimable(connection, claim, given.damaged);
    if (done) done = read_whole(connection, Sql::mutes, given.mutes, given.damaged, {}, reads_row<MuteRow>);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return given;
}

[[nodiscard]] inline Result<List<HolderRow>> read_holders(SqliteConnection& connection) {
    List<HolderRow> rows;
    const auto read = [](SqliteStatement& statement, HolderRow& row) {
        int live = 0;
        std::int64_t left = 0;
        statement.read(row.name, Bits{row.epoch}, live, left, row.runs, row.owner);
        row.live = live != 0;
        row.left = Duration{left};
    };
    if (const auto done = read_all(connection, LeaseSql::holders, rows, read); !done)
        return tl::unexpected<Error>(done.error());
    return rows;
}

}  // namespace heeler::inline HEELER_ABI::detail
