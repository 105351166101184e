// Reads runs, decisions and histories out of SQLite, each as of one moment; for the SQLite store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Spoilt>
[[nodiscard]] Result<void> read_part(SqliteConnection& connection, const std::string& run, std::string_view name,
                                     std::optional<std::string>& part, Spoilt spoilt) {
    std::vector<std::string> found;
    const auto read = [](SqliteStatement& statement, std::string& bytes) { statement.read(Bytes{bytes}); };
    const auto say_where = [&](const std::string& what) {
        found.pop_back();
        spoilt("table 'run_parts', " + what + ", in the part '" + std::string{name} + "'");
    };
    if (auto done = read_each(connection, Sql::part, found, read, say_where, run, name); !done) return done;
    if (!found.empty()) part = std::move(found.front());
    return {};
}

/// `memory` stays absent if it cannot be read.
template <class Spoilt>
[[nodiscard]] Result<void> read_parts(SqliteConnection& connection, RunRow& row, Spoilt spoilt) {
    auto done = read_part(connection, row.id, "spec", row.spec, spoilt);
    if (done) done = read_part(connection, row.id, "memory", row.memory, [](const std::string&) {});
    return done;
}

/// Reads runs; what of one cannot be read is noted in it.
template <class... Parameters>
[[nodiscard]] Result<void> read_run_rows(SqliteConnection& connection, const char* sql, List<StoredRun>& runs,
                                         const Parameters&... parameters) {
    const auto read = [](SqliteStatement& statement, StoredRun& run) { read_row(statement, run.row); };
    const auto note = [&](const std::string& what) { runs.back().damage = in_table<RunRow>(what); };
    return read_each(connection, sql, runs, read, note, parameters...);
}

/// Fills in what belongs to a run; what of it cannot be read is noted in it, or in `damaged`.
[[nodiscard]] inline Result<void> read_stored(SqliteConnection& connection, StoredRun& run, List<DamagedRow>& damaged) {
    if (!run.damage.empty()) return {};
    const std::string& id = run.row.id;
    const auto note = [&](std::string what) { run.damage = run.damage.empty() ? std::move(what) : run.damage; };
    auto done = read_parts(connection, run.row, note);
    if (done) done = read_each(connection, Sql::open_actions, run.actions, reads_row<Action>, note, id);
    if (done) done = read_each(connection, Sql::interventions, run.interventions, reads_row<Intervention>, note, id);
    if (done) done = read_whole(connection, Sql::pending_alerts, run.pending, damaged, id, reads_row<AlertRow>, id);
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
    List<DamagedRow>& damaged = snapshot.damaged;
    if (const auto done = read_run_rows(connection, Sql::runs_to_load, snapshot.runs); !done)
        return tl::unexpected<Error>(done.error());
    for (StoredRun& run : snapshot.runs)
        if (const auto done = read_stored(connection, run, damaged); !done) return tl::unexpected<Error>(done.error());
    auto done = read_whole(connection, Sql::mutes, snapshot.mutes, damaged, {}, reads_row<MuteRow>);
    if (done) done = read_whole(connection, Sql::tallies, snapshot.tallies, damaged, {}, reads_row<TallyRow>);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return snapshot;
}

[[nodiscard]] inline Result<List<DecisionRow>> read_decisions(SqliteConnection& connection) {
    List<DecisionRow> open;
    const auto note = [&](std::string what) { open.back().damage = std::move(what); };
    if (const auto done = read_each(connection, Sql::open_decisions, open, reads_row<DecisionRow>, note); !done)
        return tl::unexpected<Error>(done.error());
    return open;
}

/// Rows of many runs for tools.
template <class Row>
[[nodiscard]] Result<Listed<Row>> read_listed(SqliteConnection& connection, const char* sql) {
    Listed<Row> found;
    const auto pass_over = [&](std::string what) {
        found.damaged.push_back({run_of(found.rows.back()), std::move(what)});
        found.rows.pop_back();
    };
    if (const auto done = read_each(connection, sql, found.rows, reads_row<Row>, pass_over); !done)
        return tl::unexpected<Error>(done.error());
    return found;
}

/// The run's own row, with `spec` and `memory`.
[[nodiscard]] inline Result<void> read_known_row(SqliteConnection& connection, const std::string& run, History& found) {
    List<RunRow> rows;
    auto done = read_whole(connection, Sql::run, rows, found.damaged, run, reads_row<RunRow>, run);
    if (!done || rows.empty()) return done;
    found.row = std::move(rows.front());
    const auto note = [&](std::string what) { found.damaged.push_back({run, std::move(what)}); };
    return read_parts(connection, *found.row, note);
}

[[nodiscard]] inline Result<History> read_history(SqliteConnection& connection, std::string_view run) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_read);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    History found;
    const std::string id{run};
    const auto rows = [&]<class Row>(const char* sql, List<Row>& into) {
        return read_whole(connection, sql, into, found.damaged, id, reads_row<Row>, id);
    };
    auto done = read_known_row(connection, id, found);
    if (done) done = rows(Sql::checkpoints, found.checkpoints);
    if (done) done = rows(Sql::interventions, found.interventions);
    if (done) done = rows(Sql::actions, found.actions);
    if (!found.damaged.empty()) found.damage = found.damaged.front().what;
    if (done) done = rows(Sql::alerts, found.alerts);
    if (done) done = rows(Sql::audit, found.audit);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return found;
}

/// An error if a row cannot be read: a sum without it would be too small.
[[nodiscard]] inline Result<List<SpendRow>> read_spent(SqliteConnection& connection, std::int64_t day,
                                                       const std::vector<std::string>& lineages) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_read);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    List<SpendRow> rows;
    auto done = read_all(connection, Sql::spent_on_day, rows, reads_row<SpendRow>, day);
    for (const std::string& lineage : lineages)
        if (done) done = read_all(connection, Sql::spent_besides, rows, reads_row<SpendRow>, lineage, day);
    if (done) done = transaction->commit();
    if (!done) return tl::unexpected<Error>(done.error());
    return rows;
}

/// An alert that cannot be read is absent.
[[nodiscard]] inline Result<std::optional<AlertRow>> read_alert(SqliteConnection& connection, AlertKey which) {
    List<AlertRow> rows;
    List<DamagedRow> damaged;
    const std::string id{which.run};
    auto done = read_whole(connection, Sql::alert, rows, damaged, id, reads_row<AlertRow>, id, std::string{which.key});
    if (!done) return tl::unexpected<Error>(done.error());
    return rows.empty() ? std::optional<AlertRow>{} : std::optional{std::move(rows.front())};
}

}  // namespace heeler::inline HEELER_ABI::detail
