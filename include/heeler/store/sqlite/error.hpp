// What SQLite's failures mean to a caller of the store, in words that name the file and what to do.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <sqlite3.h>

#include <heeler/core/result.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What SQLite's result code means to a caller. `system` is the errno behind it.
[[nodiscard]] inline ErrorCode sqlite_error_code(int result, int system) noexcept {
    const bool denied = system == EACCES || system == EPERM || system == EROFS;
    switch (result & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return ErrorCode::busy;
        case SQLITE_FULL:
            return ErrorCode::full;
        case SQLITE_READONLY:
        case SQLITE_PERM:
            return ErrorCode::read_only;
        case SQLITE_CANTOPEN:
            return denied ? ErrorCode::read_only : ErrorCode::io;
        case SQLITE_IOERR:
            return system == ENOSPC || system == EDQUOT ? ErrorCode::full : ErrorCode::io;
        case SQLITE_CORRUPT:
            return ErrorCode::corrupt;
        case SQLITE_CONSTRAINT:  // of somebody else's: what is written fits the tables as they were made
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
            return ErrorCode::unstorable;
        case SQLITE_NOTADB:
            return ErrorCode::not_a_store;
        default:
            return ErrorCode::io;
    }
}

[[nodiscard]] constexpr std::string_view store_advice(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::busy:
            return "another connection is writing: try again, or stop what holds it";
        case ErrorCode::full:
            return "free space on its disk, or raise the quota";
        case ErrorCode::read_only:
            return "let this user write the file and its directory";
        case ErrorCode::corrupt:
            return "undo what was changed in it, or move the file and its -wal and -shm files away, then put back a "
                   "copy "
                   "or begin a new store";
        case ErrorCode::not_a_store:
            return "it was left alone: choose another path";
        case ErrorCode::newer_schema:
            return "it was left alone: update heeler, or choose another path";
        case ErrorCode::older_schema:
            return "it was left alone: let the heeler that wrote it finish its runs, and choose another path";
        case ErrorCode::lost:
            return "put the file back, or start again to begin a new store";
        case ErrorCode::invalid_argument:
            return "nothing was stored";
        case ErrorCode::unstorable:
            return "undo what was changed in it: a constraint, a trigger or a limit that was not there";
        default:
            return "check the path, its directory and the disk";
    }
}

/// An error that names the file, what happened, and what to do.
[[nodiscard]] inline Error store_error(std::string_view path, ErrorCode code, std::string_view said) {
    std::string message{"store "};
    message.append(path).append(": ").append(said).append("; ").append(store_advice(code));
    return Error{code, std::move(message)};
}

/// Whether a statement failed because a table or a column is not there. Statements are constant: somebody took it away.
[[nodiscard]] constexpr bool says_what_is_missing(int result, std::string_view said) noexcept {
    return (result & 0xff) == SQLITE_ERROR &&
           (said.starts_with("no such ") || said.find(" has no column named ") != said.npos);
}

/// The failure that `connection` has just reported as `result`.
[[nodiscard]] inline Error sqlite_error(sqlite3* connection, std::string_view path, int result) {
    const int system = connection == nullptr ? 0 : sqlite3_system_errno(connection);
    std::string said{connection == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(connection)};
    if (says_what_is_missing(result, said)) return store_error(path, ErrorCode::corrupt, said);
    if (system != 0) said.append(" (").append(std::generic_category().message(system)).append(")");
    return store_error(path, sqlite_error_code(result, system), said);
}

}  // namespace heeler::inline HEELER_ABI::detail
