// What is put on record about who received an alert.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>

namespace heeler::inline HEELER_ABI {

/// The kind of the records that name who received an alert.
inline constexpr std::string_view delivery_record = "alert.delivered";

/// `{"key":..,"kind":..,"attempt":1,"recipients":2,"names":[..]}` about an alert that was delivered: the first 16
/// names, 128 bytes of each.
[[nodiscard]] inline AuditRow receipt_note(const AlertRow& row, const Receipt& receipt, WallTime at) {
    constexpr std::size_t name_cap = 128;
    text::JsonLine line;
    line.begin_object().key("key").string(row.alert.key).key("kind").string(row.alert.kind);
    line.key("attempt").number(row.attempts).key("recipients").number(receipt.recipients).key("names").begin_array();
    std::size_t shown = 0;
    for (const std::string& name : receipt.names)
        if (shown++ < Receipt::most_names) line.string(text::one_line(text::redact(name), name_cap));
    line.end_array().end_object();
    return {at, std::string{delivery_record}, row.alert.run.id, std::move(line).text()};
}

}  // namespace heeler::inline HEELER_ABI
