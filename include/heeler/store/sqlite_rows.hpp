// How the rows of a store lie in SQLite's columns, each list once for writing and for reading; for the SQLite store.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/sqlite_connection.hpp>
#include <heeler/store/sqlite_schema.hpp>
#include <heeler/store/sqlite_statement.hpp>

namespace heeler::inline v0::detail {

template <class T, class Row>
concept RowOf = std::is_same_v<std::remove_const_t<T>, Row>;

/// Calls `visit` with the columns of `row`, in the order of every statement about such rows.
template <class Visit>
void columns(RowOf<RunRow> auto& row, Visit visit) {
    visit(row.id, row.version, row.name, row.class_name, row.state, row.status, row.attempt, row.incarnation,
          row.created_at, row.updated_at, row.ended_at, Bytes{row.facts});
}

template <class Visit>
void columns(RowOf<CheckpointRow> auto& row, Visit visit) {
    visit(row.number, row.incarnation, row.at, row.step, row.text, row.reason);
}

template <class Visit>
void columns(RowOf<Intervention> auto& row, Visit visit) {
    visit(row.number, row.incident, row.attempt, row.condition, row.action, row.outcome, row.at);
}

template <class Visit>
void columns(RowOf<Action> auto& row, Visit visit) {
    visit(row.key, row.kind, row.needs, row.outcome, row.incident, row.intervention, row.attempt, row.text, row.note);
}

/// `body` stands for the lists of the alert.
template <class Visit>
void columns(RowOf<AlertRow> auto& row, RowOf<std::string> auto& body, Visit visit) {
    auto& alert = row.alert;
    visit(alert.key, row.state, row.attempts, row.created_at, row.not_before, row.last_error, row.action_key,
          alert.kind, alert.to, alert.run.id, alert.run.name, alert.run.work_item, alert.run.project, alert.severity,
          alert.summary, alert.at, alert.attempt, Bytes{body});
}

template <class Visit>
void columns(RowOf<AuditRow> auto& row, Visit visit) {
    visit(row.run, row.at, row.kind, row.body);
}

template <class Visit>
void columns(RowOf<MuteRow> auto& row, Visit visit) {
    visit(row.class_name, row.condition, row.identity, row.by, row.at);
}

template <class Visit>
void columns(RowOf<TallyRow> auto& row, Visit visit) {
    visit(row.class_name, row.condition, row.incidents, row.wrong);
}

template <class Row>
void bind_row(SqliteStatement& statement, std::string_view run, const Row& row) {
    columns(row, [&](const auto&... values) { statement.bind(run, values...); });
}

template <class Row>
void read_row(SqliteStatement& statement, Row& row) {
    columns(row, [&](auto&&... values) { statement.read(values...); });
}

/// The lists of an alert, exact.
[[nodiscard]] inline std::string encode_body(const Alert& alert) {
    std::vector<std::string> issues = alert.issues;
    std::vector<std::string> names;
    std::vector<std::string> values;
    for (const Detail& detail : alert.details) {
        names.push_back(detail.name);
        values.push_back(detail.value);
    }
    ArchiveWriter writer{Instant{}};
    writer(issues, names, values);
    return writer.take();
}

/// False: damaged.
[[nodiscard]] inline bool decode_body(std::string_view body, Alert& alert) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    ArchiveReader reader{body, Instant{}};
    reader(alert.issues, names, values);
    if (!reader.ok() || !reader.at_end() || names.size() != values.size()) return false;
    for (std::size_t i = 0; i < names.size(); ++i) alert.details.push_back({names[i], values[i]});
    return true;
}

/// The lists of an alert for people.
[[nodiscard]] inline std::string body_text(const Alert& alert) {
    std::string text;
    for (const std::string& issue : alert.issues) text.append(issue).append("\n");
    for (const Detail& detail : alert.details) text.append(detail.name).append(": ").append(detail.value).append("\n");
    return text;
}

/// Reads all rows that `sql` answers for its parameters: `read(statement, row)` fills one.
template <class Row, class Read, class... Parameters>
[[nodiscard]] Result<void> read_all(SqliteConnection& connection, const char* sql, std::vector<Row>& rows, Read read,
                                    const Parameters&... parameters) {
    auto statement = connection.prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    statement->bind(parameters...);
    for (;;) {
        const auto more = statement->step();
        if (!more) return tl::unexpected<Error>(more.error());
        if (!*more) return {};
        read(*statement, rows.emplace_back());
    }
}

template <class Row>
[[nodiscard]] Result<void> read_rows(SqliteConnection& connection, const char* sql, std::string_view run,
                                     std::vector<Row>& rows) {
    return read_all(connection, sql, rows, read_row<Row>, run);
}

[[nodiscard]] inline Result<void> read_alerts(SqliteConnection& connection, const char* sql, std::string_view run,
                                              std::vector<AlertRow>& rows) {
    bool whole = true;
    const auto read = [&](SqliteStatement& statement, AlertRow& row) {
        std::string body;
        columns(row, body, [&](auto&&... values) { statement.read(values...); });
        whole = decode_body(body, row.alert) && whole;
    };
    if (auto done = read_all(connection, sql, rows, read, run); !done) return done;
    if (!whole) return tl::unexpected<Error>(connection.error(ErrorCode::corrupt, "an alert's body is damaged"));
    return {};
}

/// The number that `sql` answers, or `otherwise` if it answers no row.
template <class... Parameters>
[[nodiscard]] Result<std::int64_t> read_number(SqliteConnection& connection, const char* sql, std::int64_t otherwise,
                                               const Parameters&... parameters) {
    std::vector<std::int64_t> numbers;
    const auto read = [](SqliteStatement& statement, std::int64_t& number) { statement.read(number); };
    if (const auto done = read_all(connection, sql, numbers, read, parameters...); !done)
        return tl::unexpected<Error>(done.error());
    return numbers.empty() ? otherwise : numbers.front();
}

/// Carries out a statement with these parameters; answers how many rows it changed.
template <class... Parameters>
[[nodiscard]] Result<int> change(SqliteConnection& connection, const char* sql, const Parameters&... parameters) {
    auto statement = connection.prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    statement->bind(parameters...);
    if (const auto done = statement->run(); !done) return tl::unexpected<Error>(done.error());
    return connection.changes();
}

}  // namespace heeler::inline v0::detail
