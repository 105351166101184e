// How the rows of a store lie in columns, each list once for writing and for reading; for adapters of databases.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/core/archive.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Marks a string as bytes for the library rather than text for people.
template <class Text>
struct Bytes {
    Text& bytes;
};

template <class Text>
Bytes(Text&) -> Bytes<Text>;

/// Marks a number of which all 64 bits count, so that it may be negative where it is stored.
template <class Number>
struct Bits {
    Number& bits;
};

template <class Number>
Bits(Number&) -> Bits<Number>;

/// The table that a row lies in.
template <class Row>
inline constexpr std::string_view table_of{};
template <>
inline constexpr std::string_view table_of<RunRow> = "runs";
template <>
inline constexpr std::string_view table_of<CheckpointRow> = "checkpoints";
template <>
inline constexpr std::string_view table_of<Intervention> = "interventions";
template <>
inline constexpr std::string_view table_of<Action> = "actions";
template <>
inline constexpr std::string_view table_of<AlertRow> = "alerts";
template <>
inline constexpr std::string_view table_of<AuditRow> = "audit";
template <>
inline constexpr std::string_view table_of<DecisionRow> = "decisions";
template <>
inline constexpr std::string_view table_of<MuteRow> = "mutes";
template <>
inline constexpr std::string_view table_of<TallyRow> = "tallies";
template <>
inline constexpr std::string_view table_of<SpendRow> = "spend";

/// What is wrong with a value of such a row, and where.
template <class Row>
[[nodiscard]] std::string in_table(std::string_view what) {
    std::string text;
    if (!table_of<Row>.empty()) text.append("table '").append(table_of<Row>).append("', ");
    return text.append(what);
}

/// A row is not there, though the database named no error when it was written. `run` may be empty.
[[nodiscard]] inline std::string was_swallowed(std::string_view table, std::string_view run) {
    std::string text{"table '"};
    text.append(table).append("': a row");
    if (!run.empty()) text.append(" of the run \"").append(text::shown_name(run, 160)).append("\"");
    return text.append(" was not stored, though no error was named (a trigger?)");
}

/// The number of a column as this library wrote it. Counts leave room for one more.
template <class T>
[[nodiscard]] constexpr bool is_number_of(std::int64_t stored) noexcept {
    if constexpr (sizeof(T) < sizeof stored)
        return std::in_range<T>(stored);
    else
        return std::is_signed_v<T> || (stored >= 0 && stored < std::numeric_limits<std::int64_t>::max());
}

template <class T, class Row>
concept RowOf = std::is_same_v<std::remove_const_t<T>, Row>;

/// Calls `visit` with the columns of `row`, in the order of every statement about such rows.
template <class Visit>
void columns(RowOf<RunRow> auto& row, Visit visit) {
    visit(row.id, row.version, row.name, row.class_name, row.state, row.status, row.attempt, row.incarnation,
          row.created_at, row.updated_at, row.ended_at, row.holder, Bits{row.epoch}, Bytes{row.facts});
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
    visit(row.key, row.kind, row.needs, row.outcome, row.outcome_from, row.incident, row.intervention, row.attempt,
          row.text, row.note);
}

/// `body` stands for the lists of the alert.
template <class Visit>
void columns(RowOf<AlertRow> auto& row, RowOf<std::string> auto& body, Visit visit) {
    auto& alert = row.alert;
    visit(alert.key, row.state, row.attempts, row.created_at, row.not_before, row.last_error, row.how, row.with_key,
          row.with_run, row.note, row.action_key, alert.kind, alert.to, alert.run.id, alert.run.name,
          alert.run.work_item, alert.run.project, alert.severity, alert.summary, alert.at, alert.attempt, Bytes{body});
}

template <class Visit>
void columns(RowOf<AuditRow> auto& row, Visit visit) {
    visit(row.run, row.at, row.kind, row.body);
}

template <class Visit>
void columns(RowOf<MuteRow> auto& row, Visit visit) {
    visit(row.class_name, row.condition, Bits{row.identity}, row.by, row.at);
}

template <class Visit>
void columns(RowOf<TallyRow> auto& row, Visit visit) {
    visit(row.class_name, row.condition, row.incidents, row.wrong);
}

template <class Visit>
void columns(RowOf<SpendRow> auto& row, Visit visit) {
    visit(row.day, row.lineage, row.owner, row.tokens, row.micro_usd, row.told);
}

/// Whose row it is, as far as the row says so.
[[nodiscard]] inline const std::string& run_of(const RunRow& row) noexcept { return row.id; }
[[nodiscard]] inline const std::string& run_of(const AlertRow& row) noexcept { return row.alert.run.id; }

/// The lists of an alert, exact.
[[nodiscard]] inline std::string encode_body(const Alert& alert) {
    std::vector<std::string> issues = alert.issues;
    std::vector<std::string> names;
    std::vector<std::string> values;
    std::string numbers;
    for (const Detail& detail : alert.details) {
        names.push_back(detail.name);
        values.push_back(detail.value);
        numbers.push_back(detail.is_json ? 'n' : 't');
    }
    std::vector<std::string> tags = alert.tags;
    std::vector<std::string> taken = alert.taken;
    ArchiveWriter writer{Instant{}};
    writer(issues, names, values, numbers, tags, taken);
    return writer.take();
}

/// False: damaged.
[[nodiscard]] inline bool decode_body(std::string_view body, Alert& alert) {
    std::vector<std::string> names;
    std::vector<std::string> values;
    std::string numbers;
    ArchiveReader reader{body, Instant{}};
    reader(alert.issues, names, values, numbers, alert.tags, alert.taken);
    if (!reader.ok() || !reader.at_end() || names.size() != values.size() || names.size() != numbers.size())
        return false;
    for (std::size_t i = 0; i < names.size(); ++i) alert.details.push_back({names[i], values[i], numbers[i] == 'n'});
    return true;
}

/// The lists of an alert for people.
[[nodiscard]] inline std::string body_text(const Alert& alert) {
    std::string text;
    for (const std::string& issue : alert.issues) text.append(issue).append("\n");
    for (const Detail& detail : alert.details) text.append(detail.name).append(": ").append(detail.value).append("\n");
    return text;
}

}  // namespace heeler::inline HEELER_ABI::detail
