// A prepared SQLite statement on loan: values in, rows out, each type in its own form; for the SQLite store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <sqlite3.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/sqlite/error.hpp>
#include <heeler/store/stored_columns.hpp>
#include <heeler/store/stored_names.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A prepared statement on loan from its connection: bind, step until false, read each row. Problems of `bind` are
/// answered by the next `step`. Values that cannot be understood are left as they are and named by `take_unreadable()`.
class SqliteStatement {
public:
    SqliteStatement(sqlite3_stmt* statement, const std::string& path) noexcept : statement_{statement}, path_{&path} {}
    SqliteStatement(SqliteStatement&& other) noexcept
        : statement_{std::exchange(other.statement_, nullptr)}, path_{other.path_} {}
    SqliteStatement& operator=(SqliteStatement&&) = delete;
    ~SqliteStatement() {
        if (statement_ != nullptr) reset();
    }

    /// Binds the parameters ?1, ?2, ... in order.
    template <class... Ts>
    void bind(const Ts&... values) {
        int at = 0;
        ((keep(put(++at, values))), ...);
    }

    /// True: there is a row to read. False: done.
    [[nodiscard]] Result<bool> step() {
        if (problem_ == SQLITE_OK) problem_ = sqlite3_step(statement_);
        const int result = std::exchange(problem_, SQLITE_OK);
        if (result == SQLITE_ROW) return true;
        if (result == SQLITE_DONE) return false;
        return tl::unexpected<Error>(sqlite_error(sqlite3_db_handle(statement_), *path_, result));
    }

    /// Carries out a statement that answers no rows.
    [[nodiscard]] Result<void> run() {
        if (const auto row = step(); !row) return tl::unexpected<Error>(row.error());
        return {};
    }

    /// Ready to be bound again.
    void reset() noexcept {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }

    /// Reads the first columns of the row, in order.
    template <class... Ts>
    void read(Ts&&... values) {
        int at = 0;
        (get(at++, values), ...);
    }

    /// What could not be read since it was asked last; empty: nothing.
    [[nodiscard]] std::string take_unreadable() { return std::exchange(unreadable_, {}); }

    /// A value of the row makes no sense to whoever decoded it.
    void is_damaged(int at) { refuse(at); }

private:
    void keep(int result) noexcept {
        if (problem_ == SQLITE_OK) problem_ = result;
    }

    int put(int at, std::string_view text) {
        const char* const bytes = text.data() == nullptr ? "" : text.data();
        return sqlite3_bind_text64(statement_, at, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8);
    }
    template <class Text>
    int put(int at, const Bytes<Text>& blob) {
        const std::string_view bytes = blob.bytes;
        return sqlite3_bind_blob64(statement_, at, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                                   SQLITE_STATIC);
    }
    template <class Number>
    int put(int at, const Bits<Number>& number) {
        return put(at, number.bits);
    }
    template <class T>
    requires std::is_integral_v<T>
    int put(int at, T value) { return sqlite3_bind_int64(statement_, at, static_cast<sqlite3_int64>(value)); }
    template <class T>
    requires Named<T>
    int put(int at, const T& value) { return put(at, stored_name(value)); }
    int put(int at, WallTime when) { return put(at, when.time_since_epoch().count()); }
    template <class T>
    int put(int at, const std::optional<T>& value) {
        return value ? put(at, *value) : sqlite3_bind_null(statement_, at);
    }

    [[nodiscard]] std::string_view bytes_at(int at) const {
        const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_, at));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, at));
        return bytes == nullptr ? std::string_view{} : std::string_view{bytes, size};
    }
    /// SQLite keeps any value in any column.
    [[nodiscard]] bool is(int at, int type) {
        if (sqlite3_column_type(statement_, at) == type) return true;
        refuse(at);
        return false;
    }
    void get(int at, std::string& text) {
        if (is(at, SQLITE_TEXT)) text = bytes_at(at);
    }
    void get(int at, Bytes<std::string> blob) {
        if (is(at, SQLITE_BLOB)) blob.bytes = bytes_at(at);
    }
    void get(int at, Bits<std::uint64_t> number) {
        if (is(at, SQLITE_INTEGER)) number.bits = static_cast<std::uint64_t>(sqlite3_column_int64(statement_, at));
    }
    template <class T>
    requires std::is_integral_v<T>
    void get(int at, T& value) {
        if (!is(at, SQLITE_INTEGER)) return;
        const sqlite3_int64 stored = sqlite3_column_int64(statement_, at);
        if (is_number_of<T>(stored))
            value = static_cast<T>(stored);
        else
            refuse(at);
    }
    template <class T>
    requires Named<T>
    void get(int at, T& value) {
        if (!is(at, SQLITE_TEXT)) return;
        if (const auto known = value_named<T>(bytes_at(at)))
            value = *known;
        else
            refuse(at);
    }
    void get(int at, WallTime& when) {
        Duration::rep count = 0;
        get(at, count);
        when = in_calendar(WallTime{Duration{count}});
    }
    template <class T>
    void get(int at, std::optional<T>& value) {
        if (sqlite3_column_type(statement_, at) == SQLITE_NULL)
            value.reset();
        else
            get(at, value.emplace());
    }

    void refuse(int at) {
        if (!unreadable_.empty()) return;
        unreadable_.append("column '").append(sqlite3_column_name(statement_, at)).append("' holds ");
        unreadable_.append(shown(at)).append(", which cannot be read");
        if (at > 0) unreadable_.append(", in the row of '").append(text::one_line(bytes_at(0), 160)).append("'");
    }
    [[nodiscard]] std::string shown(int at) const {
        const int type = sqlite3_column_type(statement_, at);
        if (type == SQLITE_NULL) return "no value";
        if (type == SQLITE_BLOB) return std::to_string(bytes_at(at).size()) + " bytes";
        return "'" + text::one_line(bytes_at(at), 64) + "'";
    }

    sqlite3_stmt* statement_;
    const std::string* path_;
    int problem_ = SQLITE_OK;
    std::string unreadable_;
};

}  // namespace heeler::inline HEELER_ABI::detail
