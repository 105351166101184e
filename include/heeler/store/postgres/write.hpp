// Writes a batch into PostgreSQL in one transaction, and finds out about a commit without answer; for the store.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/postgres/connection.hpp>
#include <heeler/store/postgres/leases.hpp>
#include <heeler/store/postgres/rows.hpp>
#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/postgres/values.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Carries out one statement with all rows, if there are any.
[[nodiscard]] inline Result<void> put_rows(PostgresConnection& connection, const char* sql, WireRows& rows) {
    if (rows.empty()) return {};
    return change(connection, sql, rows.take());
}

[[nodiscard]] inline Error swallowed(PostgresConnection& connection, std::string_view table, std::string_view run) {
    return connection.error(ErrorCode::unstorable, was_swallowed(table, run));
}

/// The same where each row must have been written; `run`: whose they are, if they are one run's.
[[nodiscard]] inline Result<void> put_every(PostgresConnection& connection, const char* sql, WireRows& rows,
                                            std::string_view table, std::string_view run) {
    if (rows.empty()) return {};
    const std::string all = std::to_string(rows.count());
    const auto done = connection.query(sql, rows.take());
    if (!done) return tl::unexpected<Error>(done.error());
    if (done->written() != all) return tl::unexpected<Error>(swallowed(connection, table, run));
    return {};
}

[[nodiscard]] inline std::string_view sole_watchdog(const std::vector<const RunBatch*>& runs) {
    return runs.size() == 1 ? std::string_view{runs.front()->row.id} : std::string_view{};
}

template <class Row>
[[nodiscard]] Result<void> put_rows(PostgresConnection& connection, const char* sql,
                                    const std::vector<const RunBatch*>& runs, List<Row> RunBatch::*list) {
    WireRows rows;
    for (const RunBatch* run : runs)
        for (const Row* row : latest(run->*list)) add_row(rows, run->row.id, *row);
    return put_every(connection, sql, rows, table_of<Row>, sole_watchdog(runs));
}

/// `unstorable` if one of the runs was neither written nor changed by anybody else.
[[nodiscard]] inline Result<void> check_moved(PostgresConnection& connection, WireRows& unwritten) {
    if (unwritten.empty()) return {};
    std::string run;
    auto done = fetch(connection, PostgresSql::unmoved_runs, unwritten.take(),
                      [&](PostgresResult& result) { result.read(run); });
    if (done && !run.empty()) return tl::unexpected<Error>(swallowed(connection, table_of<RunRow>, run));
    return done;
}

/// Writes the rows of these runs, no run twice, and answers those whose version had not moved.
[[nodiscard]] inline Result<std::vector<const RunBatch*>> put_runs(PostgresConnection& connection,
                                                                   std::span<const RunBatch> runs) {
    WireRows fresh;
    WireRows known;
    for (const RunBatch& run : runs) add_row(run.row.version == 0 ? fresh : known, run.row);
    std::set<std::string, std::less<>> written;
    const auto keep = [&](PostgresResult& result) {
        std::string id;
        result.read(id);
        written.insert(std::move(id));
    };
    Result<void> done{};
    if (!known.empty()) done = fetch(connection, PostgresSql::update_runs, known.take(), keep);
    if (done && !fresh.empty()) done = fetch(connection, PostgresSql::insert_runs, fresh.take(), keep);
    if (!done) return tl::unexpected<Error>(done.error());
    std::vector<const RunBatch*> unmoved;
    WireRows unwritten;
    for (const RunBatch& run : runs) {
        if (written.count(run.row.id) == 1)
            unmoved.push_back(&run);
        else
            unwritten.add(run.row.id, run.row.version);
    }
    if (done = check_moved(connection, unwritten); !done) return tl::unexpected<Error>(done.error());
    return unmoved;
}

[[nodiscard]] inline Result<void> put_belongings(PostgresConnection& connection,
                                                 const std::vector<const RunBatch*>& runs) {
    WireRows parts;
    for (const RunBatch* run : runs) {
        if (run->row.spec) parts.add(run->row.id, std::string_view{"spec"}, Bytes{*run->row.spec});
        if (run->row.memory) parts.add(run->row.id, std::string_view{"memory"}, Bytes{*run->row.memory});
    }
    auto done = put_every(connection, PostgresSql::put_parts, parts, "run_parts", sole_watchdog(runs));
    if (done) done = put_rows(connection, PostgresSql::put_checkpoints, runs, &RunBatch::checkpoints);
    if (done) done = put_rows(connection, PostgresSql::put_interventions, runs, &RunBatch::interventions);
    if (done) done = put_rows(connection, PostgresSql::put_actions, runs, &RunBatch::actions);
    if (done) done = put_rows(connection, PostgresSql::put_alerts, runs, &RunBatch::alerts);
    WireRows spend;
    for (const RunBatch* run : runs)
        if (run->spend.day >= 0) add_row(spend, run->row.id, run->spend);
    if (done) done = put_every(connection, PostgresSql::add_spend, spend, table_of<SpendRow>, sole_watchdog(runs));
    return done;
}

/// How many runs there are before one comes a second time.
[[nodiscard]] inline std::size_t count_different(std::span<const RunBatch> runs) {
    std::set<std::string_view> ids;
    std::size_t count = 0;
    while (count < runs.size() && ids.insert(runs[count].row.id).second) ++count;
    return count;
}

/// Leaves a decision about one of `conflicts` open: what it asks for was not stored.
[[nodiscard]] inline Result<void> put_rest(PostgresConnection& connection, const Batch& batch,
                                           const Conflicts& conflicts, WireRows& audit) {
    WireRows decisions;
    WireRows mutes;
    WireRows tallies;
    WireRows told;
    for (const LostHolder& lost : batch.told) told.add(lost.name, lost.epoch);
    for (const AuditRow& row : batch.audit) add_row(audit, row.run, row);
    for (const DecisionRow& row : batch.decisions)
        decisions.add(row.run, row.verb, row.until, row.by, row.at, row.because, row.about.run, row.about.class_name,
                      row.about.tag, row.about.kind, row.about.at_most, max_of(row.length, Duration{}).count(),
                      max_of(row.tokens, std::int64_t{0}), max_of(row.micro_usd, std::int64_t{0}));
    for (const MuteRow& row : batch.mutes) add_row(mutes, row);
    for (const TallyRow& row : batch.tallies) add_row(tallies, row);
    Result<void> done{};
    if (!batch.applied.empty())
        done = change(connection, PostgresSql::close_decisions, {wire_array(batch.applied), wire_array(conflicts)});
    const std::string_view run = batch.runs.size() == 1 ? std::string_view{batch.runs.front().row.id} : "";
    if (done) done = put_every(connection, PostgresSql::add_decisions, decisions, table_of<DecisionRow>, {});
    if (done) done = put_every(connection, PostgresSql::add_audit, audit, table_of<AuditRow>, run);
    if (done) done = put_rows(connection, PostgresLeaseSql::told, told);
    if (done) done = put_rows(connection, PostgresSql::add_mutes, mutes);
    if (done) done = put_rows(connection, PostgresSql::add_tallies, tallies);
    return done;
}

[[nodiscard]] inline Result<void> put_batch(PostgresConnection& connection, const Batch& batch, Conflicts& conflicts) {
    WireRows audit;
    for (std::span<const RunBatch> left{batch.runs}; !left.empty();) {
        const auto some = left.first(count_different(left));
        left = left.subspan(some.size());
        const auto unmoved = put_runs(connection, some);
        if (!unmoved) return tl::unexpected<Error>(unmoved.error());
        if (auto done = put_belongings(connection, *unmoved); !done) return done;
        auto next = unmoved->begin();
        for (const RunBatch& run : some) {
            if (next == unmoved->end() || *next != &run) {
                conflicts.push_back(run.row.id);
                continue;
            }
            ++next;
            for (const AuditRow& row : run.audit) add_row(audit, run.row.id, row);
        }
    }
    return put_rest(connection, batch, conflicts, audit);
}

/// All of the batch but the runs whose version moved, which are named. Inside a transaction.
[[nodiscard]] inline Result<void> write_batch(PostgresConnection& connection, const Batch& batch,
                                              Conflicts& conflicts) {
    if (!batch.lease.holder.empty())
        if (auto held = hold_lease(connection, batch.lease); !held) return held;
    return put_batch(connection, batch, conflicts);
}

/// What is known of a transaction, should the answer of its COMMIT get lost.
template <class Answer>
struct CommitTrace {
    std::int64_t transaction = 0;
    bool sent = false;  ///< COMMIT was sent
    Answer answer{};    ///< complete when `sent`
};

/// Carries out `work(answer)` and commits it, all or nothing on an error. If the connection broke when `trace.sent`,
/// it is not known which.
template <class Answer, class Work>
[[nodiscard]] Result<Answer> commit_traced(PostgresConnection& connection, const char* begin,
                                           CommitTrace<Answer>& trace, Work work) {
    PostgresTransaction transaction{connection};
    const auto begun = transaction.begin(begin);
    if (!begun) return tl::unexpected<Error>(begun.error());
    const std::string_view number = begun->text();
    std::from_chars(number.data(), number.data() + number.size(), trace.transaction);
    if (const Result<void> done = work(trace.answer); !done) return tl::unexpected<Error>(done.error());
    trace.sent = true;
    if (const auto done = transaction.commit(); !done) return tl::unexpected<Error>(done.error());
    return trace.answer;
}

/// Names the history of the server's transactions; empty if the server does not tell.
[[nodiscard]] inline std::string cluster_of(PostgresConnection& connection) {
    std::string cluster;
    const auto done = fetch(connection, PostgresSql::cluster, {}, [&](PostgresResult& row) { row.read(cluster); });
    return done ? cluster : std::string{};
}

/// "committed", "aborted", "in progress", or empty: the server does not know.
[[nodiscard]] inline Result<std::string> status_of(PostgresConnection& connection, std::int64_t transaction) {
    std::string status;
    const auto done = fetch(connection, PostgresSql::transaction_status, wire_values(transaction),
                            [&](PostgresResult& row) { row.read(status); });
    if (!done) return tl::unexpected<Error>(done.error());
    return status;
}

}  // namespace heeler::inline HEELER_ABI::detail
