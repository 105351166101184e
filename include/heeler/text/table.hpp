// Tables of plain text with padded columns, for alerts, reports and briefs that people read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::text {

/// The cells of one row, from left to right.
using TableRow = std::vector<std::string>;

}  // namespace heeler::inline HEELER_ABI::text

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::size_t max_cell_bytes = 500;

/// A cell on one line that cannot end its column.
[[nodiscard]] inline std::string table_cell(std::string_view text) {
    std::string out;
    for (const char c : text::sanitise(text, max_cell_bytes)) {
        if (c == '|') out += '\\';
        out += c == '\n' || c == '\t' ? ' ' : c;
    }
    return out;
}

[[nodiscard]] inline std::size_t character_count(std::string_view text) noexcept {
    std::size_t count = 0;
    for (const char c : text) count += text::is_utf8_continuation(c) ? 0 : 1;
    return count;
}

inline void append_table_row(std::string& out, const text::TableRow& cells, const List<std::size_t>& widths) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::string_view cell = i < cells.size() ? std::string_view(cells[i]) : std::string_view();
        out += "| ";
        out += cell;
        out.append(widths[i] - character_count(cell) + 1, ' ');
    }
    out += "|\n";
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// A table of `header` and `rows` in Markdown, one line each, every column as wide as its longest cell. Cells are
/// sanitised, put on one line and cut at 500 bytes; missing ones are empty, ones beyond the header are left out.
[[nodiscard]] inline std::string to_table(const TableRow& header, const std::vector<TableRow>& rows) {
    std::vector<TableRow> cells = {header};
    cells.insert(cells.end(), rows.begin(), rows.end());
    List<std::size_t> widths(header.size(), 3);
    for (auto& row : cells)
        for (std::size_t i = 0; i < detail::min_of(row.size(), widths.size()); ++i) {
            row[i] = detail::table_cell(row[i]);
            widths[i] = detail::max_of(widths[i], detail::character_count(row[i]));
        }
    std::string out;
    for (std::size_t line = 0; line < cells.size(); ++line) {
        detail::append_table_row(out, cells[line], widths);
        if (line > 0) continue;
        for (const auto width : widths) out += "| " + std::string(width, '-') + ' ';
        out += "|\n";
    }
    return out;
}

/// A line of a table about one thing: what is said of it, and the value.
struct TableField {
    std::string name;
    std::string value;
};

/// The table `Field | Value` of one thing.
[[nodiscard]] inline std::string to_table(const std::vector<TableField>& fields) {
    std::vector<TableRow> rows;
    rows.reserve(fields.size());
    for (const auto& field : fields) rows.push_back({field.name, field.value});
    return to_table({"Field", "Value"}, rows);
}

}  // namespace heeler::inline HEELER_ABI::text
