// The columns of the tables of a store, each list once for the statements of both databases; for adapters of databases.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>

#include <heeler/core/min_max.hpp>
#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

// In the order in which stored_columns.hpp visits a row, behind the run where the row belongs to one; with PostgreSQL's
// type where it is not text. The tables themselves stand in the steps of each schema, which never change once they are
// released.
inline constexpr char run_columns[] =
    "id, version bigint, name, class, state, status, attempt bigint, incarnation bigint, created_at bigint, "
    "updated_at bigint, ended_at bigint, holder, epoch bigint, facts bytea";
inline constexpr char checkpoint_columns[] =
    "run, number bigint, incarnation bigint, at bigint, step bigint, text, reason";
inline constexpr char intervention_columns[] =
    "run, number bigint, incident bigint, attempt bigint, condition, action, outcome, at bigint";
inline constexpr char action_columns[] =
    "run, key, kind, needs, outcome, outcome_from, incident bigint, intervention bigint, attempt bigint, text, note";
/// `body_text` is for people, and never read.
inline constexpr char alert_columns[] =
    "run, key, state, attempts bigint, created_at bigint, not_before bigint, last_error, how, with_key, with_run, "
    "note, action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at bigint, "
    "attempt bigint, body bytea, body_text";
inline constexpr char audit_columns[] = "run, at bigint, kind, body";
/// Behind the number, which the database gives.
inline constexpr char decision_columns[] =
    "run, verb, until_at bigint, decided_by, at bigint, because, about_run, about_class, about_tag, about_kind, "
    "at_most, length bigint, tokens bigint, micro_usd bigint";
inline constexpr char mute_columns[] = "class, condition, identity bigint, muted_by, at bigint";
inline constexpr char tally_columns[] = "class, condition, incidents bigint, wrong bigint";
inline constexpr char spend_columns[] = "run, day bigint, lineage, owner, tokens bigint, micro_usd bigint, told";

struct SqlColumn {
    std::string_view name, type = "text";
};

[[nodiscard]] constexpr SqlColumn take_column(std::string_view& list) {
    const std::string_view column = list.substr(0, list.find(", "));
    list.remove_prefix(min_of(column.size() + 2, list.size()));
    const std::size_t blank = column.find(' ');
    if (blank == std::string_view::npos) return {column};
    return {column.substr(0, blank), column.substr(blank + 1)};
}

[[nodiscard]] constexpr std::size_t place_of(std::string_view name, std::string_view list) {
    std::size_t at = 0;
    while (take_column(list).name != name) ++at;
    return at;
}

/// How a column stands in a list: `%` is its name, `#` its place, from 1, `@` its type.
template <std::size_t Size>
struct SqlPattern {
    char text[Size]{};

    consteval SqlPattern(const char (&from)[Size]) {  // NOLINT: as a literal
        for (std::size_t i = 0; i < Size; ++i) text[i] = from[i];
    }
};

template <const auto& columns, SqlPattern pattern, std::size_t first, std::size_t end>
constexpr void write_columns(SqlWriter& to) {
    std::string_view list{columns};
    for (std::size_t place = 1; !list.empty() && place <= end; ++place) {
        const SqlColumn column = take_column(list);
        const char digits[] = {static_cast<char>('0' + place / 10), static_cast<char>('0' + place % 10)};
        if (place <= first) continue;
        if (to.size > 0) to.add(", ");
        for (const char& c : pattern.text)
            if (c == '#')
                to.add(std::string_view{digits, 2}.substr(place < 10 ? 1 : 0));
            else if (c != '\0')
                to.add(c == '%' ? column.name : c == '@' ? column.type : std::string_view{&c, 1});
    }
}

template <const auto& columns, SqlPattern pattern, std::size_t first, std::size_t end>
inline constexpr auto written_columns = written_sql<write_columns<columns, pattern, first, end>>();

/// The columns of a list like this, without the first few, and up to a place: `key = excluded.key, kind = ...`.
template <const auto& columns, SqlPattern pattern = "%", std::size_t first = 0,
          std::size_t end = std::numeric_limits<std::size_t>::max()>
inline constexpr const auto& sql_list = written_columns<columns, pattern, first, end>.text;

/// Of an upsert of rows that have two columns as their key.
template <const auto& columns>
inline constexpr const auto& all_excluded = sql_list<columns, "% = excluded.%", 2>;

/// Behind the run.
inline constexpr int body_column = static_cast<int>(place_of("body", alert_columns));

/// What is read of an alert.
inline constexpr std::size_t body_text_place = place_of("body_text", alert_columns);
template <SqlPattern pattern = "%", std::size_t first = 0>
inline constexpr const auto& alert_list = sql_list<alert_columns, pattern, first, body_text_place>;

}  // namespace heeler::inline HEELER_ABI::detail
