// The older rows of a run's heartbeat log: records of the store, which a report reads back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/core/list.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/record_numbers.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The first `count` rows as the body of a record: number, moment in microseconds since 1970, value and change of each.
[[nodiscard]] inline std::string write_heartbeats(const List<HeartbeatRow>& rows, std::size_t count) {
    text::JsonLine line;
    line.begin_object().key("rows").begin_array();
    for (std::size_t i = 0; i < count; ++i) {
        const HeartbeatRow& row = rows[i];
        line.begin_array().number(std::int64_t{row.number}).number(std::int64_t{row.at.time_since_epoch().count()});
        (row.value ? line.number(*row.value) : line.null()).number(row.delta).end_array();
    }
    line.end_array().end_object();
    return std::move(line).text();
}

/// Adds the rows of a record that come after the last one. What is no such record adds none.
inline void read_heartbeats(const std::string& body, List<HeartbeatRow>& rows) {
    text::RecordNumbers numbers{body, "rows"};
    while (!numbers.over()) {
        const auto number = numbers.next(), at = numbers.next(), value = numbers.next(), delta = numbers.next();
        if (!number || !at || !delta || *number <= 0 || *number > std::int64_t{UINT32_MAX}) return;
        if (rows.empty() || static_cast<std::uint32_t>(*number) > rows.back().number)
            rows.push_back({static_cast<std::uint32_t>(*number), value, *delta, WallTime{Duration{*at}}});
    }
}

/// All of it: the records of the store, those that wait to be stored, and the newest rows.
[[nodiscard]] inline List<HeartbeatRow> heartbeat_log(const RunMemory& watched, const History& known) {
    List<HeartbeatRow> rows;
    for (const List<AuditRow>* records : {&known.audit, &watched.unsaved->audit})
        for (const AuditRow& row : *records)
            if (row.kind == heartbeats_record) read_heartbeats(row.body, rows);
    for (const HeartbeatRow& row : *watched.rare->heartbeats)
        if (rows.empty() || row.number > rows.back().number) rows.push_back(row);
    return rows;
}

}  // namespace heeler::inline HEELER_ABI::detail
