// The rows that a PostgreSQL statement answered, each value in its own form; for the PostgreSQL store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <libpq-fe.h>

#include <heeler/core/time.hpp>
#include <heeler/store/postgres/values.hpp>
#include <heeler/store/stored_columns.hpp>
#include <heeler/store/stored_names.hpp>
#include <heeler/text/one_line.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What one statement answered. Rows are read in order: `next()`, then `read` its columns from the first on. Values
/// that cannot be understood are left as they are and named by `unreadable()`.
class PostgresResult {
public:
    PostgresResult() = default;
    explicit PostgresResult(PGresult* raw) noexcept : result_{raw} {}

    [[nodiscard]] bool ok() const noexcept {
        const auto status = PQresultStatus(result_.get());
        return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
    }
    [[nodiscard]] bool present() const noexcept { return result_ != nullptr; }

    /// Empty if the server did not answer.
    [[nodiscard]] std::string_view state() const noexcept { return field(PG_DIAG_SQLSTATE); }
    [[nodiscard]] std::string_view message() const noexcept {
        const std::string_view primary = field(PG_DIAG_MESSAGE_PRIMARY);
        return primary.empty() ? std::string_view{PQresultErrorMessage(result_.get())} : primary;
    }
    /// The word for what was done, e.g. COMMIT.
    [[nodiscard]] std::string_view command() const noexcept { return PQcmdStatus(result_.get()); }

    /// How many rows were written.
    [[nodiscard]] std::string_view written() const noexcept { return PQcmdTuples(result_.get()); }

    /// The first value, where it was asked for as text.
    [[nodiscard]] std::string_view text() const noexcept {
        return PQntuples(result_.get()) > 0 ? std::string_view{PQgetvalue(result_.get(), 0, 0)} : std::string_view{};
    }

    [[nodiscard]] bool next() noexcept {
        column_ = 0;
        return ++row_ < PQntuples(result_.get());
    }

    /// Reads the next columns of the row.
    template <class... Ts>
    void read(Ts&&... values) {
        (get(column_++, values), ...);
    }

    /// Reads the next column; bytes that cannot be read are left out without a word.
    void read_if_whole(std::optional<std::string>& blob) {
        const std::string before = unreadable_;
        read(Bytes{blob});
        if (unreadable_ != before) blob.reset();
        unreadable_ = before;
    }

    /// What could not be read since it was asked last; empty: nothing.
    [[nodiscard]] std::string take_unreadable() { return std::exchange(unreadable_, {}); }
    /// A value of the row makes no sense to whoever decoded it.
    void is_damaged(int at) { refuse(at, std::to_string(PQgetlength(result_.get(), row_, at)) + " bytes"); }

private:
    struct Clear {
        void operator()(PGresult* result) const noexcept { PQclear(result); }
    };

    [[nodiscard]] std::string_view field(int code) const noexcept {
        const char* const text = PQresultErrorField(result_.get(), code);
        return text == nullptr ? std::string_view{} : std::string_view{text};
    }

    /// Nothing if somebody gave the column another type or made it null.
    [[nodiscard]] std::optional<std::string_view> bytes_at(int at, WireType type) {
        const bool null = PQgetisnull(result_.get(), row_, at) != 0;
        if (PQftype(result_.get(), at) != static_cast<Oid>(type) || PQfformat(result_.get(), at) != 1 || null) {
            refuse(at, null ? "no value" : "values of another type");
            return std::nullopt;
        }
        return std::string_view{PQgetvalue(result_.get(), row_, at),
                                static_cast<std::size_t>(PQgetlength(result_.get(), row_, at))};
    }

    void get(int at, std::string& text) {
        if (const auto bytes = bytes_at(at, WireType::text)) text = from_column(*bytes);
    }
    void get(int at, Bytes<std::string> blob) {
        if (const auto bytes = bytes_at(at, WireType::bytes)) blob.bytes = *bytes;
    }
    template <class T>
    requires std::is_integral_v<T>
    void get(int at, T& value) {
        const auto bytes = bytes_at(at, WireType::integer);
        if (!bytes) return;
        std::uint64_t bits = 0;
        for (const char byte : *bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
        const auto stored = static_cast<std::int64_t>(bits);
        if (is_number_of<T>(stored))
            value = static_cast<T>(stored);
        else
            refuse(at, std::to_string(stored));
    }
    void get(int at, Bits<std::uint64_t> number) {
        std::int64_t stored = 0;
        get(at, stored);
        number.bits = static_cast<std::uint64_t>(stored);
    }
    template <class T>
    requires Named<T>
    void get(int at, T& value) {
        const auto bytes = bytes_at(at, WireType::text);
        if (!bytes) return;
        if (const auto known = value_named<T>(*bytes))
            value = *known;
        else
            refuse(at, *bytes);
    }
    void get(int at, WallTime& when) {
        Duration::rep count = 0;
        get(at, count);
        when = in_calendar(WallTime{Duration{count}});
    }
    template <class T>
    void get(int at, std::optional<T>& value) {
        if (PQgetisnull(result_.get(), row_, at) != 0)
            value.reset();
        else
            get(at, value.emplace());
    }
    void get(int at, Bytes<std::optional<std::string>> blob) {
        if (PQgetisnull(result_.get(), row_, at) != 0)
            blob.bytes.reset();
        else
            get(at, Bytes{blob.bytes.emplace()});
    }

    void refuse(int at, std::string_view value) {
        if (!unreadable_.empty()) return;
        const char* const column = PQfname(result_.get(), at);
        unreadable_.append("column '").append(column == nullptr ? "?" : column).append("' holds ");
        unreadable_.append(text::one_line(value, 64)).append(", which cannot be read");
        if (at > 0) unreadable_.append(", in the row of ").append(first_value());
    }

    /// What names the row for people.
    [[nodiscard]] std::string first_value() const {
        const std::string_view bytes{PQgetvalue(result_.get(), row_, 0),
                                     static_cast<std::size_t>(PQgetlength(result_.get(), row_, 0))};
        if (PQftype(result_.get(), 0) == static_cast<Oid>(WireType::text))
            return "'" + text::one_line(bytes, 160) + "'";
        std::uint64_t number = 0;
        for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
        return std::to_string(static_cast<std::int64_t>(number));
    }

    std::unique_ptr<PGresult, Clear> result_;
    int row_ = -1;
    int column_ = 0;
    std::string unreadable_;
};

}  // namespace heeler::inline HEELER_ABI::detail
