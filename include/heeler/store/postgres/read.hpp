// Reads runs, decisions and histories out of PostgreSQL, each as of one moment; for the PostgreSQL store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/rows.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Reads everything of a snapshot or a history, table by table.
class PostgresReader {
public:
    explicit PostgresReader(PostgresConnection& connection) noexcept : connection_{connection} {}

    /// All rows that `sql` answers, without the run in front of them.
    template <class Row>
    [[nodiscard]] Result<void> rows(const char* sql, const WireValues& parameters, std::vector<Row>& into) {
        return rows_of<Row>(sql, parameters, [&](const std::string&) { return &into; });
    }

    /// The same for rows of many runs: `list_of(run)` says where each belongs, or nullptr.
    template <class Row, class ListOf>
    [[nodiscard]] Result<void> rows_of(const char* sql, const WireValues& parameters, ListOf list_of) {
        bool whole = true;
        auto done = fetch(connection_, sql, parameters, [&](PostgresResult& result) {
            std::string run;
            result.read(run);
            std::vector<Row>* const list = list_of(run);
            if (list != nullptr) whole = read_one(result, run, list->emplace_back()) && whole;
        });
        if (done && !whole)
            return tl::unexpected<Error>(connection_.error(ErrorCode::corrupt, "an alert's body is damaged"));
        return done;
    }

    /// Rows that belong to no run.
    template <class Row>
    [[nodiscard]] Result<void> plain(const char* sql, std::vector<Row>& into) {
        return fetch(connection_, sql, {}, [&](PostgresResult& result) { take_row(result, into.emplace_back()); });
    }

private:
    template <class Row>
    [[nodiscard]] static bool read_one(PostgresResult& result, const std::string&, Row& row) {
        take_row(result, row);
        return true;
    }
    [[nodiscard]] static bool read_one(PostgresResult& result, const std::string& run, AuditRow& row) {
        row.run = run;
        result.read(row.at, row.kind, row.body);
        return true;
    }
    [[nodiscard]] static bool read_one(PostgresResult& result, const std::string&, AlertRow& row) {
        return take_alert(result, row);
    }

    PostgresConnection& connection_;
};

/// Fills in what belongs to the runs of a snapshot.
[[nodiscard]] inline Result<void> read_belongings(PostgresConnection& connection, std::vector<StoredRun>& runs) {
    std::unordered_map<std::string_view, StoredRun*> by_id;
    WireArray ids{WireType::text};
    for (StoredRun& run : runs) {
        by_id.emplace(run.row.id, &run);
        ids.add(run.row.id);
    }
    const auto list_in = [&](auto member) {
        return [&by_id, member](const std::string& run) {
            const auto found = by_id.find(run);
            return found == by_id.end() ? nullptr : &(found->second->*member);
        };
    };
    PostgresReader reader{connection};
    const WireValues these{ids.take()};
    auto done = reader.rows_of<Action>(PostgresSql::unfinished_actions, {}, list_in(&StoredRun::unfinished));
    if (done) done = reader.rows_of<AlertRow>(PostgresSql::pending_alerts, {}, list_in(&StoredRun::pending));
    if (done)
        done = reader.rows_of<Intervention>(PostgresSql::interventions, these, list_in(&StoredRun::interventions));
    if (!done) return done;
    return fetch(connection, PostgresSql::count_checkpoints, these, [&](PostgresResult& result) {
        std::string run;
        std::uint64_t count = 0;
        result.read(run, count);
        if (const auto found = by_id.find(run); found != by_id.end()) found->second->checkpoints = count;
    });
}

/// Carries out `work` on one unchanging state of the tables.
template <class Work>
[[nodiscard]] Result<void> at_one_moment(PostgresConnection& connection, Work work) {
    PostgresTransaction transaction{connection};
    if (const auto begun = transaction.begin(PostgresSql::begin_read); !begun)
        return tl::unexpected<Error>(begun.error());
    if (auto done = work(); !done) return done;
    return transaction.commit();
}

[[nodiscard]] inline Result<Snapshot> read_snapshot(PostgresConnection& connection) {
    Snapshot snapshot;
    const auto done = at_one_moment(connection, [&]() -> Result<void> {
        PostgresReader reader{connection};
        auto read = fetch(connection, PostgresSql::runs_to_load, {},
                          [&](PostgresResult& result) { take_row(result, snapshot.runs.emplace_back().row); });
        if (read && !snapshot.runs.empty()) read = read_belongings(connection, snapshot.runs);
        if (read) read = reader.plain(PostgresSql::mutes, snapshot.mutes);
        if (read) read = reader.plain(PostgresSql::tallies, snapshot.tallies);
        return read;
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return snapshot;
}

/// Without the runs' `spec` and `memory`.
[[nodiscard]] inline Result<std::vector<RunRow>> read_runs(PostgresConnection& connection) {
    std::vector<RunRow> rows;
    const auto done = PostgresReader{connection}.plain(PostgresSql::all_runs, rows);
    if (!done) return tl::unexpected<Error>(done.error());
    return rows;
}

[[nodiscard]] inline Result<std::vector<AlertRow>> read_undelivered(PostgresConnection& connection) {
    std::vector<AlertRow> rows;
    const auto done = PostgresReader{connection}.rows(PostgresSql::undelivered_alerts, {}, rows);
    if (!done) return tl::unexpected<Error>(done.error());
    return rows;
}

[[nodiscard]] inline Result<std::vector<DecisionRow>> read_decisions(PostgresConnection& connection) {
    std::vector<DecisionRow> open;
    const auto done = fetch(connection, PostgresSql::open_decisions, {}, [&](PostgresResult& result) {
        DecisionRow& row = open.emplace_back();
        result.read(row.number, row.run, row.verb, row.until, row.by, row.at);
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return open;
}

[[nodiscard]] inline Result<History> read_history(PostgresConnection& connection, std::string_view run) {
    History found;
    const auto done = at_one_moment(connection, [&]() -> Result<void> {
        PostgresReader reader{connection};
        const WireValues id = wire_values(run);
        const WireValues ids{wire_array(std::vector{std::string{run}})};
        auto read = fetch(connection, PostgresSql::run, id,
                          [&](PostgresResult& result) { take_row(result, found.row.emplace()); });
        if (read) read = reader.rows(PostgresSql::checkpoints, id, found.checkpoints);
        if (read) read = reader.rows(PostgresSql::interventions, ids, found.interventions);
        if (read) read = reader.rows(PostgresSql::actions, id, found.actions);
        if (read) read = reader.rows(PostgresSql::alerts, id, found.alerts);
        if (read) read = reader.rows(PostgresSql::audit, id, found.audit);
        return read;
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return found;
}

}  // namespace heeler::inline HEELER_ABI::detail
