// Writes and reads the rows of a store as columns of SQLite statements; for the SQLite store.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/store/sql_columns.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/schema.hpp>
#include <heeler/store/sqlite/statement.hpp>
#include <heeler/store/stored_columns.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Row>
void bind_row(SqliteStatement& statement, std::string_view run, const Row& row) {
    columns(row, [&](const auto&... values) { statement.bind(run, values...); });
}

template <class Row>
void read_row(SqliteStatement& statement, Row& row) {
    columns(row, [&](auto&&... values) { statement.read(values...); });
}

/// Reads all rows that `sql` answers for its parameters: `read(statement, row)` fills the last one, and
/// `spoilt(what)` hears what of it cannot be read.
template <class Rows, class Read, class Spoilt, class... Parameters>
[[nodiscard]] Result<void> read_each(SqliteConnection& connection, const char* sql, Rows& rows, Read read,
                                     Spoilt spoilt, const Parameters&... parameters) {
    auto statement = connection.prepare(sql);
    if (!statement) return tl::unexpected<Error>(statement.error());
    statement->bind(parameters...);
    for (;;) {
        const auto more = statement->step();
        if (!more) return tl::unexpected<Error>(more.error());
        if (!*more) return {};
        read(*statement, rows.emplace_back());
        if (const std::string what = statement->take_unreadable(); !what.empty())
            spoilt(in_table<typename Rows::value_type>(what));
    }
}

/// The same where each row must be whole.
template <class Rows, class Read, class... Parameters>
[[nodiscard]] Result<void> read_all(SqliteConnection& connection, const char* sql, Rows& rows, Read read,
                                    const Parameters&... parameters) {
    std::string damage;
    const auto keep_first = [&](std::string what) { damage = damage.empty() ? std::move(what) : damage; };
    if (auto done = read_each(connection, sql, rows, read, keep_first, parameters...); !done) return done;
    if (!damage.empty()) return tl::unexpected<Error>(connection.error(ErrorCode::corrupt, damage));
    return {};
}

/// The same where rows that are not whole are passed over.
template <class Rows, class Read, class... Parameters>
[[nodiscard]] Result<void> read_whole(SqliteConnection& connection, const char* sql, Rows& rows,
                                      List<DamagedRow>& damaged, const std::string& run, Read read,
                                      const Parameters&... parameters) {
    const auto pass_over = [&](std::string what) {
        rows.pop_back();
        damaged.push_back({run, std::move(what)});
    };
    return read_each(connection, sql, rows, read, pass_over, parameters...);
}

/// How `read_row` is handed on for a type of row.
template <class Row>
inline constexpr auto reads_row = [](SqliteStatement& statement, Row& row) { read_row(statement, row); };

inline void read_row(SqliteStatement& statement, AlertRow& row) {
    std::string body;
    columns(row, body, [&](auto&&... values) { statement.read(values...); });
    if (!decode_body(body, row.alert)) statement.is_damaged(body_column - 1);
}

inline void read_row(SqliteStatement& statement, DecisionRow& row) {
    AlertMatch& about = row.about;
    std::uint64_t length_us = 0, tokens = 0, micro_usd = 0;  // a negative one is damage
    statement.read(row.number, row.run, row.verb, row.until, row.by, row.at, row.because, about.run, about.class_name,
                   about.tag, about.kind, about.at_most, length_us, tokens, micro_usd);
    row.length = Duration{static_cast<Duration::rep>(length_us)};
    row.tokens = static_cast<std::int64_t>(tokens);
    row.micro_usd = static_cast<std::int64_t>(micro_usd);
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

}  // namespace heeler::inline HEELER_ABI::detail
