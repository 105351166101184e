// Writes and reads the rows of a store as columns of PostgreSQL statements; for the PostgreSQL store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/store/postgres/result.hpp>
#include <heeler/store/postgres/values.hpp>
#include <heeler/store/sql_columns.hpp>
#include <heeler/store/stored_columns.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Adds a row that belongs to a run.
template <class Row>
void add_row(WireRows& rows, const std::string& run, const Row& row) {
    columns(row, [&](const auto&... values) { rows.add(run, values...); });
}

inline void add_row(WireRows& rows, const std::string& run, const AlertRow& row) {
    const std::string body = encode_body(row.alert);
    columns(row, body, [&](const auto&... values) { rows.add(run, values..., body_text(row.alert)); });
}

/// An audit row belongs to `run`, whatever it says itself.
inline void add_row(WireRows& rows, const std::string& run, const AuditRow& row) {
    rows.add(run, row.at, row.kind, row.body);
}

/// Adds a row that belongs to no run.
template <class Row>
void add_row(WireRows& rows, const Row& row) {
    columns(row, [&](const auto&... values) { rows.add(values...); });
}

[[nodiscard]] inline std::uint64_t key_of(const CheckpointRow& row) { return row.number; }
[[nodiscard]] inline std::uint64_t key_of(const Intervention& row) { return row.number; }
[[nodiscard]] inline std::string_view key_of(const Action& row) { return row.key; }
[[nodiscard]] inline std::string_view key_of(const AlertRow& row) { return row.alert.key; }

/// Each key's last row, in the order in which the keys came: one statement may touch a stored row only once.
template <class Row>
[[nodiscard]] std::vector<const Row*> latest(const List<Row>& rows) {
    std::map<decltype(key_of(rows.front())), std::size_t> places;
    std::vector<const Row*> last;
    for (const Row& row : rows) {
        const auto [found, is_new] = places.emplace(key_of(row), last.size());
        if (is_new)
            last.push_back(&row);
        else
            last[found->second] = &row;
    }
    return last;
}

template <class Row>
void take_row(PostgresResult& result, Row& row) {
    columns(row, [&](auto&&... values) { result.read(values...); });
}

/// With `spec` and `memory`, which come last. `memory` stays absent if it cannot be read.
inline void take_row(PostgresResult& result, RunRow& row) {
    columns(row, [&](auto&&... values) { result.read(values...); });
    result.read(Bytes{row.spec});
    result.read_if_whole(row.memory);
}

/// Behind the run.
inline void take_row(PostgresResult& result, AlertRow& row) {
    std::string body;
    columns(row, body, [&](auto&&... values) { result.read(values...); });
    if (!decode_body(body, row.alert)) result.is_damaged(body_column);
}

inline void take_row(PostgresResult& result, DecisionRow& row) {
    AlertMatch& about = row.about;
    std::uint64_t length_us = 0, tokens = 0, micro_usd = 0;  // a negative one is damage
    result.read(row.number, row.run, row.verb, row.until, row.by, row.at, row.because, about.run, about.class_name,
                about.tag, about.kind, about.at_most, length_us, tokens, micro_usd);
    row.length = Duration{static_cast<Duration::rep>(length_us)};
    row.tokens = static_cast<std::int64_t>(tokens);
    row.micro_usd = static_cast<std::int64_t>(micro_usd);
}

inline void take_row(PostgresResult& result, StoredRun& run) { take_row(result, run.row); }

/// Of the columns "run", ...
inline void take_row(PostgresResult& result, AuditRow& row) { result.read(row.at, row.kind, row.body); }

}  // namespace heeler::inline HEELER_ABI::detail
