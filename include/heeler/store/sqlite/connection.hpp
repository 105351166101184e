// One open SQLite file with its prepared statements and transactions; for the SQLite store.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/posix/private_file.hpp>
#include <heeler/store/sqlite/error.hpp>
#include <heeler/store/sqlite/schema.hpp>
#include <heeler/store/sqlite/statement.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The first of the files of a database that is none, but something whose reader may wait for ever: a named pipe, a
/// device, a socket. Empty: none is.
[[nodiscard]] inline std::string waiting_file(const std::string& path) {
    namespace fs = std::filesystem;
    for (const char* const end : {"", "-journal", "-wal", "-shm"}) {
        std::error_code error;
        const auto status = fs::status(path + end, error);
        if (!error && fs::is_other(status)) return path + end;
    }
    return {};
}

/// An open SQLite file. One thread at a time. Statements on loan must end before it does.
class SqliteConnection {
public:
    /// A file that is created is readable by its owner alone; SQLite gives those beside it the same mode.
    [[nodiscard]] static Result<SqliteConnection> open(std::string path, Duration busy_timeout) {
        SqliteConnection opened{std::move(path)};
        if (const std::string wrong = waiting_file(*opened.path_); !wrong.empty())
            return tl::unexpected<Error>(
                opened.error(ErrorCode::io, wrong + " is no file: it is left alone; remove it"));
        sqlite3* raw = nullptr;
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
        prepare_private_file(opened.path_->c_str());
        const int result = sqlite3_open_v2(opened.path_->c_str(), &raw, flags, nullptr);
        opened.handle_.reset(raw);
        if (result != SQLITE_OK) return tl::unexpected<Error>(opened.error_of(result));
        sqlite3_extended_result_codes(raw, 1);
        const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(busy_timeout);
        sqlite3_busy_timeout(raw, static_cast<int>(wait.count()));
        return opened;
    }

    /// Carries out constant SQL text that takes no parameters and answers nothing.
    [[nodiscard]] Result<void> run(const char* sql) {
        const int result = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
        if (result != SQLITE_OK) return tl::unexpected<Error>(error_of(result));
        return {};
    }

    /// `sql` must be a constant with a lasting address: it is prepared once.
    [[nodiscard]] Result<SqliteStatement> prepare(const char* sql) {
        auto& prepared = statements_[sql];
        if (!prepared) {
            sqlite3_stmt* raw = nullptr;
            const int result = sqlite3_prepare_v3(handle_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
            if (result != SQLITE_OK) return tl::unexpected<Error>(error_of(result));
            prepared.reset(raw);
        }
        return SqliteStatement{prepared.get(), *path_};
    }

    /// Rows that the last INSERT or UPDATE changed.
    [[nodiscard]] int changes() const noexcept { return sqlite3_changes(handle_.get()); }

    [[nodiscard]] bool in_transaction() const noexcept { return sqlite3_get_autocommit(handle_.get()) == 0; }

    /// The file is no longer at its path: what is written now would be lost.
    [[nodiscard]] bool moved() const noexcept {
        int moved = 0;
        const int result = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
        return result == SQLITE_OK && moved != 0;
    }

    [[nodiscard]] bool read_only() const noexcept { return sqlite3_db_readonly(handle_.get(), "main") == 1; }

    [[nodiscard]] const std::string& path() const noexcept { return *path_; }

    [[nodiscard]] Error error(ErrorCode code, std::string_view said) const { return store_error(*path_, code, said); }

private:
    struct Close {
        void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };

    explicit SqliteConnection(std::string path) : path_{std::make_unique<const std::string>(std::move(path))} {}

    [[nodiscard]] Error error_of(int result) const { return sqlite_error(handle_.get(), *path_, result); }

    std::unique_ptr<const std::string> path_;
    std::unique_ptr<sqlite3, Close> handle_;
    std::map<const char*, std::unique_ptr<sqlite3_stmt, Close>> statements_;
};

/// Rolled back unless it was committed.
class SqliteTransaction {
public:
    [[nodiscard]] static Result<SqliteTransaction> begin(SqliteConnection& connection, const char* how) {
        if (const auto begun = connection.run(how); !begun) return tl::unexpected<Error>(begun.error());
        return SqliteTransaction{connection};
    }
    SqliteTransaction(SqliteTransaction&& other) noexcept : connection_{std::exchange(other.connection_, nullptr)} {}
    SqliteTransaction& operator=(SqliteTransaction&&) = delete;
    ~SqliteTransaction() {
        if (connection_ != nullptr && connection_->in_transaction()) static_cast<void>(connection_->run(Sql::rollback));
    }

    [[nodiscard]] Result<void> commit() { return connection_->run(Sql::commit); }

private:
    explicit SqliteTransaction(SqliteConnection& connection) noexcept : connection_{&connection} {}

    SqliteConnection* connection_;
};

}  // namespace heeler::inline HEELER_ABI::detail
