// Writes a batch into SQLite in one transaction; for the SQLite store.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/leases.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `unstorable` if nothing was changed where one row was to be written.
[[nodiscard]] inline Result<void> check_written(SqliteConnection& connection, int changed, std::string_view table,
                                                std::string_view run) {
    if (changed > 0) return {};
    return tl::unexpected<Error>(connection.error(ErrorCode::unstorable, was_swallowed(table, run)));
}

/// Carries out a statement that writes one row into `table`.
template <class... Parameters>
[[nodiscard]] Result<void> put_one(SqliteConnection& connection, std::string_view table, std::string_view run,
                                   const char* sql, const Parameters&... parameters) {
    const auto changed = change(connection, sql, parameters...);
    if (!changed) return tl::unexpected<Error>(changed.error());
    return check_written(connection, *changed, table, run);
}

template <class Row>
[[nodiscard]] Result<void> put_rows(SqliteConnection& connection, const char* sql, const std::string& run,
                                    const List<Row>& rows) {
    if (rows.empty()) return {};
    auto statement = connection.prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    for (const Row& row : rows) {
        bind_row(*statement, run, row);
        if (auto done = statement->run(); !done) return done;
        if (auto done = check_written(connection, connection.changes(), table_of<Row>, run); !done) return done;
        statement->reset();
    }
    return {};
}

[[nodiscard]] inline Result<void> put_alerts(SqliteConnection& connection, const std::string& run,
                                             const List<AlertRow>& rows) {
    for (const AlertRow& row : rows) {
        const std::string body = encode_body(row.alert);
        const std::string text = body_text(row.alert);
        Result<void> done{};
        columns(row, body, [&](const auto&... values) {
            done = put_one(connection, table_of<AlertRow>, run, Sql::put_alert, run, values..., text);
        });
        if (!done) return done;
    }
    return {};
}

[[nodiscard]] inline Result<void> put_part(SqliteConnection& connection, const std::string& run, std::string_view part,
                                           const std::optional<std::string>& bytes) {
    if (!bytes) return {};
    return put_one(connection, "run_parts", run, Sql::put_part, run, part, Bytes{*bytes});
}

/// An audit row belongs to `run`, whatever it says itself.
[[nodiscard]] inline Result<void> add_audit(SqliteConnection& connection, std::string_view run, const AuditRow& row) {
    return put_one(connection, table_of<AuditRow>, run, Sql::add_audit, run, row.at, row.kind, row.body);
}

/// False: the run's version has moved, and nothing was written.
[[nodiscard]] inline Result<bool> put_row(SqliteConnection& connection, const RunRow& row) {
    Result<int> changed = 0;
    columns(row, [&](const auto&... values) {
        changed = change(connection, row.version == 0 ? Sql::insert_run : Sql::update_kept_run, values...);
        if (row.version != 0 && changed && *changed == 0) changed = change(connection, Sql::update_run, values...);
    });
    if (!changed) return tl::unexpected<Error>(changed.error());
    if (*changed == 1) return true;
    const auto unmoved = read_number(connection, Sql::is_unmoved, 0, row.id, row.version);
    if (!unmoved) return tl::unexpected<Error>(unmoved.error());
    const auto written = check_written(connection, *unmoved == 0 ? 1 : 0, table_of<RunRow>, row.id);
    if (!written) return tl::unexpected<Error>(written.error());
    return false;
}

/// False: the run's version has moved, and nothing was written.
[[nodiscard]] inline Result<bool> write_run(SqliteConnection& connection, const RunBatch& changes) {
    const std::string& run = changes.row.id;
    const auto unmoved = put_row(connection, changes.row);
    if (!unmoved || !*unmoved) return unmoved;

    auto done = put_part(connection, run, "spec", changes.row.spec);
    if (done) done = put_part(connection, run, "memory", changes.row.memory);
    if (done) done = put_rows(connection, Sql::put_checkpoint, run, changes.checkpoints);
    if (done) done = put_rows(connection, Sql::put_intervention, run, changes.interventions);
    if (done) done = put_rows(connection, Sql::put_action, run, changes.actions);
    if (done) done = put_alerts(connection, run, changes.alerts);
    for (const AuditRow& row : changes.audit)
        if (done) done = add_audit(connection, run, row);
    if (done && changes.spend.day >= 0) done = put_rows(connection, Sql::add_spend, run, List{changes.spend});
    if (!done) return tl::unexpected<Error>(done.error());
    return true;
}

/// Leaves a decision about one of `conflicts` open: what it asks for was not stored.
[[nodiscard]] inline Result<void> close_decision(SqliteConnection& connection, std::uint64_t number,
                                                 const Conflicts& conflicts) {
    std::vector<std::string> about;
    const auto read = [](SqliteStatement& statement, std::string& run) { statement.read(run); };
    if (auto done = read_all(connection, Sql::decision_run, about, read, number); !done) return done;
    if (about.empty() || std::find(conflicts.begin(), conflicts.end(), about.front()) != conflicts.end()) return {};
    if (const auto done = change(connection, Sql::close_decision, number); !done)
        return tl::unexpected<Error>(done.error());
    return {};
}

/// Rows that belong to no run, one by one.
template <class Row>
[[nodiscard]] Result<void> add_rows(SqliteConnection& connection, const char* sql, const List<Row>& rows) {
    for (const Row& row : rows) {
        Result<int> added = 0;
        columns(row, [&](const auto&... values) { added = change(connection, sql, values...); });
        if (!added) return tl::unexpected<Error>(added.error());
    }
    return {};
}

[[nodiscard]] inline Result<void> write_rest(SqliteConnection& connection, const Batch& batch,
                                             const Conflicts& conflicts) {
    for (const std::uint64_t number : batch.applied)
        if (auto done = close_decision(connection, number, conflicts); !done) return done;
    for (const DecisionRow& row : batch.decisions)
        if (auto done =
                put_one(connection, table_of<DecisionRow>, row.run, Sql::add_decision, row.run, row.verb, row.until,
                        row.by, row.at, row.because, row.about.run, row.about.class_name, row.about.tag, row.about.kind,
                        row.about.at_most, max_of(row.length, Duration{}).count(), max_of(row.tokens, std::int64_t{0}),
                        max_of(row.micro_usd, std::int64_t{0}));
            !done)
            return done;
    for (const AuditRow& row : batch.audit)
        if (auto done = add_audit(connection, row.run, row); !done) return done;
    for (const LostHolder& told : batch.told)
        if (const auto done = change(connection, LeaseSql::told, told.name, told.epoch); !done)
            return tl::unexpected<Error>(done.error());
    if (auto done = add_rows(connection, Sql::add_mute, batch.mutes); !done) return done;
    return add_rows(connection, Sql::add_tally, batch.tallies);
}

/// All of the batch, or nothing on an error; the runs whose version moved are left out and named.
[[nodiscard]] inline Result<Conflicts> write_batch(SqliteConnection& connection, const Batch& batch) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    if (!batch.lease.holder.empty())
        if (const auto held = check_held(connection, batch.lease); !held) return tl::unexpected<Error>(held.error());
    Conflicts conflicts;
    for (const RunBatch& changes : batch.runs) {
        const auto unmoved = write_run(connection, changes);
        if (!unmoved) return tl::unexpected<Error>(unmoved.error());
        if (!*unmoved) conflicts.push_back(changes.row.id);
    }
    if (const auto done = write_rest(connection, batch, conflicts); !done) return tl::unexpected<Error>(done.error());
    if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(done.error());
    return conflicts;
}

}  // namespace heeler::inline HEELER_ABI::detail
