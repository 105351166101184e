// Reads runs, decisions and histories out of PostgreSQL, each as of one moment; for the PostgreSQL store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/rows.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>
#include <heeler/store/stored_columns.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Reads all rows that `sql` answers: `read(result)` fills one, and `spoilt(what)` hears what of it cannot be read.
template <class Row, class Read, class Spoilt>
[[nodiscard]] Result<void> read_each(PostgresConnection& connection, const char* sql, const WireValues& parameters,
                                     Read read, Spoilt spoilt) {
    return fetch(connection, sql, parameters, [&](PostgresResult& result) {
        read(result);
        if (const std::string what = result.take_unreadable(); !what.empty()) spoilt(in_table<Row>(what));
    });
}

/// The run in front, then the row.
template <class Row>
void take_row_of(std::string& run, PostgresResult& result, Row& row) {
    result.read(run);
    take_row(result, row);
    if constexpr (std::is_same_v<Row, AuditRow>) row.run = run;
}

/// Rows with their run in front of them; those that are not whole are passed over.
template <class Row>
[[nodiscard]] Result<void> read_rows(PostgresConnection& connection, const char* sql, const WireValues& parameters,
                                     List<Row>& into, List<DamagedRow>& damaged) {
    std::string run;
    const auto read = [&](PostgresResult& result) { take_row_of(run, result, into.emplace_back()); };
    return read_each<Row>(connection, sql, parameters, read, [&](std::string what) {
        into.pop_back();
        damaged.push_back({run, std::move(what)});
    });
}

/// Rows that belong to no run; those that are not whole are passed over.
template <class Row>
[[nodiscard]] Result<void> read_plain(PostgresConnection& connection, const char* sql, List<Row>& into,
                                      List<DamagedRow>& damaged) {
    const auto read = [&](PostgresResult& result) { take_row(result, into.emplace_back()); };
    return read_each<Row>(connection, sql, {}, read, [&](std::string what) {
        into.pop_back();
        damaged.push_back({{}, std::move(what)});
    });
}

/// Reads runs; what of one cannot be read is noted in it.
[[nodiscard]] inline Result<void> read_run_rows(PostgresConnection& connection, const char* sql,
                                                const WireValues& parameters, List<StoredRun>& runs) {
    const auto read = [&](PostgresResult& result) { take_row(result, runs.emplace_back()); };
    return read_each<RunRow>(connection, sql, parameters, read,
                             [&](std::string what) { runs.back().damage = std::move(what); });
}

/// Fills in what belongs to runs.
class BelongingsReader {
public:
    /// What of an alert cannot be read is noted in `damaged`, of anything else in its run.
    BelongingsReader(PostgresConnection& connection, List<StoredRun>& runs, List<DamagedRow>& damaged)
        : connection_{connection}, damaged_{damaged} {
        WireArray ids{WireType::text};
        for (StoredRun& run : runs) {
            by_id_.emplace(run.row.id, &run);
            ids.add(run.row.id);
        }
        these_ = {ids.take()};
    }

    [[nodiscard]] Result<void> read() {
        auto done = rows(PostgresSql::open_actions, &StoredRun::actions);
        if (done) done = rows(PostgresSql::pending_alerts, &StoredRun::pending);
        if (done) done = rows(PostgresSql::interventions, &StoredRun::interventions);
        if (!done) return done;
        return fetch(connection_, PostgresSql::count_checkpoints, these_, [&](PostgresResult& result) {
            std::string run;
            std::uint64_t count = 0;
            result.read(run, count);
            if (const auto found = by_id_.find(run); found != by_id_.end()) found->second->checkpoints = count;
        });
    }

private:
    template <class Row>
    [[nodiscard]] Result<void> rows(const char* sql, List<Row> StoredRun::*list) {
        StoredRun* run = nullptr;
        const auto read = [&](PostgresResult& result) {
            std::string id;
            result.read(id);
            run = by_id_.find(id)->second;
            take_row(result, (run->*list).emplace_back());
        };
        return read_each<Row>(connection_, sql, these_, read, [&](std::string what) {
            if constexpr (std::is_same_v<Row, AlertRow>) {
                (run->*list).pop_back();
                damaged_.push_back({run->row.id, std::move(what)});
            } else {
                run->damage = std::move(what);
            }
        });
    }

    PostgresConnection& connection_;
    List<DamagedRow>& damaged_;
    std::unordered_map<std::string_view, StoredRun*> by_id_;
    WireValues these_;
};

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
        List<DamagedRow>& damaged = snapshot.damaged;
        auto read = read_run_rows(connection, PostgresSql::runs_to_load, {}, snapshot.runs);
        if (read && !snapshot.runs.empty()) read = BelongingsReader{connection, snapshot.runs, damaged}.read();
        if (read) read = read_plain(connection, PostgresSql::mutes, snapshot.mutes, damaged);
        if (read) read = read_plain(connection, PostgresSql::tallies, snapshot.tallies, damaged);
        return read;
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return snapshot;
}

/// Rows of many runs for tools.
template <class Row>
[[nodiscard]] Result<Listed<Row>> read_listed(PostgresConnection& connection, const char* sql) {
    Listed<Row> found;
    std::string run;
    const auto read = [&](PostgresResult& result) {
        Row& row = found.rows.emplace_back();
        if constexpr (std::is_same_v<Row, RunRow>)
            take_row(result, row);
        else
            take_row_of(run, result, row);
    };
    const auto done = read_each<Row>(connection, sql, {}, read, [&](std::string what) {
        found.damaged.push_back({run_of(found.rows.back()), std::move(what)});
        found.rows.pop_back();
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return found;
}

/// An error if a row cannot be read: a sum without it would be too small.
[[nodiscard]] inline Result<List<SpendRow>> read_spent(PostgresConnection& connection, std::int64_t day,
                                                       const std::vector<std::string>& lineages) {
    List<SpendRow> rows;
    std::string damage;
    const auto read = [&](PostgresResult& result) { take_row(result, rows.emplace_back()); };
    WireValues asked = wire_values(day);
    asked.push_back(wire_array(lineages));
    const auto done = read_each<SpendRow>(connection, PostgresSql::spent, asked, read,
                                          [&](std::string what) { damage = std::move(what); });
    if (!done) return tl::unexpected<Error>(done.error());
    if (!damage.empty()) return tl::unexpected<Error>(connection.error(ErrorCode::corrupt, damage));
    return rows;
}

[[nodiscard]] inline Result<List<DecisionRow>> read_decisions(PostgresConnection& connection) {
    List<DecisionRow> open;
    const auto read = [&](PostgresResult& result) { take_row(result, open.emplace_back()); };
    const auto done = read_each<DecisionRow>(connection, PostgresSql::open_decisions, {}, read,
                                             [&](std::string what) { open.back().damage = std::move(what); });
    if (!done) return tl::unexpected<Error>(done.error());
    return open;
}

/// The run's own row, with `spec` and `memory`.
[[nodiscard]] inline Result<void> read_known_row(PostgresConnection& connection, const std::string& run,
                                                 History& found) {
    const auto read = [&](PostgresResult& result) { take_row(result, found.row.emplace()); };
    return read_each<RunRow>(connection, PostgresSql::run, wire_values(run), read, [&](std::string what) {
        found.row.reset();
        found.damaged.push_back({run, std::move(what)});
    });
}

[[nodiscard]] inline Result<History> read_history(PostgresConnection& connection, std::string_view run) {
    History found;
    const std::string name{run};
    const auto done = at_one_moment(connection, [&]() -> Result<void> {
        const WireValues id = wire_values(name);
        const WireValues ids{wire_array(std::vector{name})};
        const auto rows = [&]<class Row>(const char* sql, const WireValues& of, List<Row>& into) {
            return read_rows(connection, sql, of, into, found.damaged);
        };
        auto read = read_known_row(connection, name, found);
        if (read) read = rows(PostgresSql::checkpoints, id, found.checkpoints);
        if (read) read = rows(PostgresSql::interventions, ids, found.interventions);
        if (read) read = rows(PostgresSql::actions, id, found.actions);
        if (!found.damaged.empty()) found.damage = found.damaged.front().what;
        if (read) read = rows(PostgresSql::alerts, id, found.alerts);
        if (read) read = rows(PostgresSql::audit, id, found.audit);
        return read;
    });
    if (!done) return tl::unexpected<Error>(done.error());
    return found;
}

/// An alert that cannot be read is absent.
[[nodiscard]] inline Result<std::optional<AlertRow>> read_alert(PostgresConnection& connection, AlertKey which) {
    List<AlertRow> rows;
    List<DamagedRow> damaged;
    auto done = read_rows(connection, PostgresSql::alert, wire_values(std::string{which.run}, std::string{which.key}),
                          rows, damaged);
    if (!done) return tl::unexpected<Error>(done.error());
    return rows.empty() ? std::optional<AlertRow>{} : std::optional{std::move(rows.front())};
}

}  // namespace heeler::inline HEELER_ABI::detail
