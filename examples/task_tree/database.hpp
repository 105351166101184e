// One SQLite file: statements with their values, rows with their columns. What goes wrong is thrown.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sqlite3.h>

namespace tracker {

struct DatabaseError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Rows of one statement.
class Rows {
public:
    explicit Rows(sqlite3_stmt* statement) : statement_{statement} {}

    /// Whether there is a row, another one each time.
    bool next();

    [[nodiscard]] std::string text(int column) const;
    [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

private:
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };

    std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

/// An open file. One thread at a time.
class Database {
public:
    explicit Database(const std::string& path);

    /// Several statements without values.
    void run_script(const char* sql);

    /// `?1`, `?2` ... of the statement are the values in their order.
    template <class... Values>
    [[nodiscard]] Rows query(const char* sql, const Values&... values) {
        sqlite3_stmt* const statement = prepare(sql);
        Rows rows{statement};
        int at = 0;
        (bind(statement, ++at, values), ...);
        return rows;
    }

    /// How many rows it changed.
    template <class... Values>
    int run(const char* sql, const Values&... values) {
        Rows rows = query(sql, values...);
        while (rows.next()) {
        }
        return sqlite3_changes(handle_.get());
    }

    [[nodiscard]] bool in_transaction() const noexcept { return sqlite3_get_autocommit(handle_.get()) == 0; }

private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
    };

    [[nodiscard]] sqlite3_stmt* prepare(const char* sql);
    [[nodiscard]] DatabaseError error() const { return DatabaseError{sqlite3_errmsg(handle_.get())}; }

    void bind(sqlite3_stmt* statement, int at, std::string_view text) const;
    void bind(sqlite3_stmt* statement, int at, std::integral auto number) const {
        if (sqlite3_bind_int64(statement, at, static_cast<sqlite3_int64>(number)) != SQLITE_OK) throw error();
    }

    std::unique_ptr<sqlite3, Close> handle_;
};

/// All or nothing: what is not committed is rolled back.
class Transaction {
public:
    explicit Transaction(Database& database) : database_{database} { database_.run("BEGIN IMMEDIATE"); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    void commit() { database_.run("COMMIT"); }

private:
    Database& database_;
};

}  // namespace tracker
