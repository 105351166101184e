// Forgets runs that are over; for the PostgreSQL store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/prune_sql.hpp>
#include <heeler/store/postgres/values.hpp>
#include <heeler/store/retention.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline Result<void> prune_runs(PostgresConnection& connection, const Retention& retention,
                                             std::uint64_t& count) {
    std::vector<std::string> runs;
    const auto done = fetch(connection, PostgresPruneSql::runs, wire_values(retention.runs, retention.most),
                            [&](PostgresResult& row) { row.read(runs.emplace_back()); });
    if (!done || runs.empty()) return done;
    const WireValues ids{wire_array(runs)};
    for (const char* const sql :
         {PostgresPruneSql::parts, PostgresPruneSql::checkpoints, PostgresPruneSql::interventions,
          PostgresPruneSql::actions, PostgresPruneSql::gone_runs})
        if (auto gone = change(connection, sql, ids); !gone) return gone;
    count = runs.size();
    return {};
}

/// Inside a transaction.
[[nodiscard]] inline Result<void> prune(PostgresConnection& connection, const Retention& retention, Pruned& pruned) {
    auto done = prune_runs(connection, retention, pruned.runs);
    if (done)
        done = fetch(connection, PostgresPruneSql::alerts, wire_values(retention.alerts, retention.most),
                     [&](PostgresResult&) { ++pruned.alerts; });
    if (done)
        done = fetch(connection, PostgresPruneSql::audit, wire_values(retention.audit, retention.most),
                     [&](PostgresResult&) { ++pruned.audit; });
    if (done)
        done = fetch(connection, PostgresPruneSql::spend, wire_values(retention.audit, retention.most),
                     [&](PostgresResult&) { ++pruned.spend; });
    return done;
}

}  // namespace heeler::inline HEELER_ABI::detail
