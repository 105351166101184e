// Reads runs, decisions and histories out of SQLite, each as of one moment; for the SQLite store.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline Result<void> read_part(SqliteConnection& connection, const std::string& run, std::string_view name,
                                            std::optional<std::string>& part) {
    std::vector<std::string> found;
    const auto read = [](SqliteStatement& statement, std::string& bytes) { statement.read(Bytes{bytes}); };
    if (auto done = read_all(connection, Sql::part, found, read, run, name); !done) return done;
    if (!found.empty()) part = std::move(found.front());
    return {};
}

[[nodiscard]] inline Result<void> read_parts(SqliteConnection& connection, RunRow& row) {
    auto done = read_part(connection, row.id, "spec", row.spec);
    if (done) done = read_part(connection, row.id, "memory", row.memory);
    return done;
}

[[nodiscard]] inline Result<void> read_stored(SqliteConnection& connection, StoredRun& run) {
    const std::string& id = run.row.id;
    auto done = read_parts(connection, run.row);
    if (done) done = read_rows(connection, Sql::unfinished_actions, id, run.unfinished);
    if (done) done = read_rows(connection, Sql::interventions, id, run.interventions);
    if (done) done = read_alerts(connection, Sql::pending_alerts, run.pending, id);
    if (!done) return done;
    const auto checkpoints = read_number(connection, Sql::count_checkpoints, 0, id);
    if (!checkpoints) return tl::unexpected<Error>(checkpoints.error());
    run.checkpoints = static_cast<std::uint64_t>(*checkpoints);
    return {};
}

[[nodiscard]] inline Result<Snapshot> read_snapshot(SqliteConnection& connection) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_read);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    Snapshot snapshot;
    const auto read = [](SqliteStatement& statement, StoredRun& run) { read_row(statement, run.row); };
    if (const auto done = read_all(connection, Sql::runs_to_load, snapshot.runs, read); !done)
        return tl::unexpected<Error>(done.error());
    for (StoredRun& run : snapshot.runs)
        if (const auto done = read_stored(connection, run); !done) return tl::unexpected<Error>(done.error());
    auto done = read_all(connection, Sql::mutes, snapshot.mutes, read_row<MuteRow>);
    if (done) done = read_all(connection, Sql::tallies, snapshot.tallies, read_row<TallyRow>);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return snapshot;
}

[[nodiscard]] inline Result<std::vector<DecisionRow>> read_decisions(SqliteConnection& connection) {
    std::vector<DecisionRow> open;
    const auto read = [](SqliteStatement& statement, DecisionRow& row) {
        statement.read(row.number, row.run, row.verb, row.until, row.by, row.at);
    };
    if (const auto done = read_all(connection, Sql::open_decisions, open, read); !done)
        return tl::unexpected<Error>(done.error());
    return open;
}

/// Without the runs' `spec` and `memory`.
[[nodiscard]] inline Result<std::vector<RunRow>> read_runs(SqliteConnection& connection) {
    std::vector<RunRow> rows;
    const auto done = read_all(connection, Sql::all_runs, rows, read_row<RunRow>);
    if (!done) return tl::unexpected<Error>(done.error());
    return rows;
}

[[nodiscard]] inline Result<std::vector<AlertRow>> read_undelivered(SqliteConnection& connection) {
    std::vector<AlertRow> rows;
    if (const auto done = read_alerts(connection, Sql::undelivered_alerts, rows); !done)
        return tl::unexpected<Error>(done.error());
    return rows;
}

[[nodiscard]] inline Result<History> read_history(SqliteConnection& connection, std::string_view run) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_read);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    History found;
    std::vector<RunRow> rows;
    auto done = read_rows(connection, Sql::run, run, rows);
    if (done && !rows.empty()) done = read_parts(connection, found.row.emplace(std::move(rows.front())));
    if (done) done = read_rows(connection, Sql::checkpoints, run, found.checkpoints);
    if (done) done = read_rows(connection, Sql::interventions, run, found.interventions);
    if (done) done = read_rows(connection, Sql::actions, run, found.actions);
    if (done) done = read_alerts(connection, Sql::alerts, found.alerts, run);
    if (done) done = read_rows(connection, Sql::audit, run, found.audit);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return found;
}

}  // namespace heeler::inline HEELER_ABI::detail
