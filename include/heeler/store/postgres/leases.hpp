// Takes, checks and ends leases in PostgreSQL, and gives the runs that belong to none; for the PostgreSQL store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/lease_rules.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/lease_sql.hpp>
#include <heeler/store/postgres/read.hpp>
#include <heeler/store/postgres/rows.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `fenced` if it is not the newest of its holder, or was taken away; otherwise it stays until the transaction ends.
[[nodiscard]] inline Result<void> hold_lease(PostgresConnection& connection, const Lease& lease) {
    bool held = false;
    auto done = fetch(connection, PostgresLeaseSql::hold, wire_values(lease.holder, lease.epoch),
                      [&](PostgresResult&) { held = true; });
    if (done && !held) return tl::unexpected<Error>(lease_was_lost(connection.address().name, lease));
    return done;
}

[[nodiscard]] inline Error who_has_it(PostgresConnection& connection, std::string_view holder) {
    std::string owner;
    std::int64_t left = 0;
    const auto done = fetch(connection, PostgresLeaseSql::lease, wire_values(holder),
                            [&](PostgresResult& row) { row.read(owner, left); });
    return done ? name_is_taken(connection.address().name, holder, owner, Duration{left}) : done.error();
}

[[nodiscard]] inline Result<Lease> claim_lease(PostgresConnection& connection, Claimant who, Duration length) {
    if (const auto usable = check_lease(who, length); !usable) return tl::unexpected<Error>(usable.error());
    PostgresTransaction transaction{connection};
    if (const auto begun = transaction.begin(PostgresSql::begin_durable); !begun)
        return tl::unexpected<Error>(begun.error());
    Lease lease{std::string{who.holder}, 0};
    const std::int64_t microseconds = length.count();
    auto done = fetch(connection, PostgresLeaseSql::claim, wire_values(who.holder, who.owner, microseconds),
                      [&](PostgresResult& row) { row.read(Bits{lease.epoch}); });
    if (done && lease.epoch == 0) return tl::unexpected<Error>(who_has_it(connection, who.holder));
    if (done) done = transaction.commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return lease;
}

[[nodiscard]] inline Result<void> release_lease(PostgresConnection& connection, const Lease& lease) {
    return change(connection, PostgresLeaseSql::release, wire_values(lease.holder, lease.epoch));
}

/// Locks one run more than the claim may take, if there is one.
[[nodiscard]] inline Result<std::vector<std::int64_t>> lock_runs(PostgresConnection& connection, const Claim& claim,
                                                                 std::uint64_t most) {
    std::vector<std::int64_t> ordinals;
    const auto read = [&](PostgresResult& row) { row.read(ordinals.emplace_back()); };
    const auto done = claim.run.empty() ? fetch(connection, PostgresLeaseSql::lock_free_runs,
                                                {wire_array(claim.classes), wire_array(claim.own_classes),
                                                 to_column(claim.lease.holder), wire_values(most + 1).front()},
                                                read)
                                        : fetch(connection, PostgresLeaseSql::lock_run, wire_values(claim.run), read);
    if (!done) return tl::unexpected<Error>(done.error());
    return ordinals;
}

/// Gives those of the locked runs that are free to the asker; what cannot be read, too, so that one watchdog says so.
[[nodiscard]] inline Result<void> hand_over_runs(PostgresConnection& connection,
                                                 const std::vector<std::int64_t>& ordinals, const Claim& claim,
                                                 List<StoredRun>& runs, List<DamagedRow>& damaged) {
    auto done = read_run_rows(connection, PostgresLeaseSql::free_runs, {wire_array(ordinals)}, runs);
    drop_if(runs, [&](const StoredRun& run) {
        return claim.run.empty() && !asks_for(claim, run.row.class_name, run.row.holder);
    });
    if (!done || runs.empty()) return done;
    if (done = BelongingsReader{connection, runs, damaged}.read(); !done) return done;
    std::vector<std::string> ids;
    std::vector<std::string> unreadable;
    for (StoredRun& run : runs) {
        (run.damage.empty() ? ids : unreadable).push_back(run.row.id);
        if (run.damage.empty()) hand_over(run.row, run.taken_from, claim.lease);
    }
    WireValues parameters = wire_values(std::string_view{}, claim.lease.holder, claim.lease.epoch);
    parameters.front() = wire_array(unreadable);
    if (!unreadable.empty()) done = change(connection, PostgresLeaseSql::take, parameters);
    parameters.front() = wire_array(ids);
    return done && !ids.empty() ? change(connection, PostgresLeaseSql::hand_over, parameters) : done;
}

/// Names the runs that no claim can be for.
[[nodiscard]] inline Result<void> name_unclaimable(PostgresConnection& connection, const Claim& claim,
                                                   List<DamagedRow>& damaged) {
    List<StoredRun> found;
    auto done = read_run_rows(connection, PostgresLeaseSql::unclaimable_runs, wire_values(claim.run), found);
    for (StoredRun& run : found) damaged.push_back({std::move(run.row.id), std::move(run.damage)});
    return done;
}

/// Inside a transaction.
[[nodiscard]] inline Result<void> claim_runs(PostgresConnection& connection, const Claim& claim, Claimed& given) {
    if (auto held = hold_lease(connection, claim.lease); !held) return held;
    auto done = change(connection, PostgresLeaseSql::take_away, wire_values(claim.lease.holder));
    if (done)
        done = fetch(connection, PostgresLeaseSql::untold, wire_values(claim.lease.holder, claim.lease.epoch),
                     [&](PostgresResult& row) {
                         LostHolder& lost = given.lost.emplace_back();
                         row.read(lost.name, lost.runs, Bits{lost.epoch});
                     });
    if (!done) return done;
    const std::uint64_t most = std::min(claim.most, most_claimed);
    auto ordinals = lock_runs(connection, claim, most);
    if (!ordinals) return tl::unexpected<Error>(ordinals.error());
    given.more = ordinals->size() > most;
    if (given.more) ordinals->resize(most);
    if (!ordinals->empty()) done = hand_over_runs(connection, *ordinals, claim, given.runs, given.damaged);
    if (done) done = name_unclaimable(connection, claim, given.damaged);
    if (done) done = read_plain(connection, PostgresSql::mutes, given.mutes, given.damaged);
    return done;
}

[[nodiscard]] inline Result<List<HolderRow>> read_holders(PostgresConnection& connection) {
    List<HolderRow> rows;
    const auto done = fetch(connection, PostgresLeaseSql::holders, {}, [&](PostgresResult& result) {
        std::int64_t live = 0;
        std::int64_t left = 0;
        HolderRow& row = rows.emplace_back();
        result.read(row.name, Bits{row.epoch}, live, left, row.runs, row.owner);
        row.live = live != 0;
        row.left = Duration{left};
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return rows;
}

}  // namespace heeler::inline HEELER_ABI::detail
