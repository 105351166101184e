// Forgets runs that are over; for the SQLite store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/store/retention.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/prune_sql.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline Result<std::uint64_t> prune_runs(SqliteConnection& connection, const Retention& retention) {
    std::vector<std::string> runs;
    const auto read = [](SqliteStatement& statement, std::string& run) { statement.read(run); };
    if (const auto done = read_all(connection, PruneSql::runs, runs, read, retention.runs, retention.most); !done)
        return tl::unexpected<Error>(done.error());
    for (const std::string& run : runs)
        for (const char* const sql :
             {PruneSql::parts, PruneSql::checkpoints, PruneSql::interventions, PruneSql::actions, PruneSql::run})
            if (const auto done = change(connection, sql, run); !done) return tl::unexpected<Error>(done.error());
    return runs.size();
}

/// One slice, all or nothing.
[[nodiscard]] inline Result<Pruned> prune(SqliteConnection& connection, const Retention& retention) {
    if (const auto usable = check_retention(retention); !usable) return tl::unexpected<Error>(usable.error());
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    const auto runs = prune_runs(connection, retention);
    if (!runs) return tl::unexpected<Error>(runs.error());
    const auto alerts = change(connection, PruneSql::alerts, retention.alerts, retention.most);
    if (!alerts) return tl::unexpected<Error>(alerts.error());
    const auto audit = change(connection, PruneSql::audit, retention.audit, retention.most);
    if (!audit) return tl::unexpected<Error>(audit.error());
    const auto spend = change(connection, PruneSql::spend, retention.audit, retention.most);
    if (!spend) return tl::unexpected<Error>(spend.error());
    if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(done.error());
    return Pruned{*runs, static_cast<std::uint64_t>(*alerts), static_cast<std::uint64_t>(*audit),
                  static_cast<std::uint64_t>(*spend)};
}

}  // namespace heeler::inline HEELER_ABI::detail
