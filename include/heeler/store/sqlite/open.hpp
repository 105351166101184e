// Opens the file of a SQLite store: leaves foreign files alone, adds the tables that are missing, turns on WAL.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/store/sqlite/connection.hpp>
#include <heeler/store/sqlite/rows.hpp>
#include <heeler/store/sqlite/schema.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What lies at a path, found without letting SQLite change it.
enum class FileKind : std::uint8_t { nothing, store, something_else, unclear };

/// The first bytes of a journal, on which nobody has locks; fewer if it is shorter, none if it cannot be read.
[[nodiscard]] inline std::string journal_head(const std::string& path, std::size_t most) {
    if (!waiting_file(path).empty()) return {};
    std::string head(most, '\0');
    std::ifstream file{path + "-journal", std::ios::binary};
    file.read(head.data(), static_cast<std::streamsize>(most));
    head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
    return head;
}

/// The first bytes of a database; fewer if it is shorter, none if it cannot be read. They are read through SQLite's own
/// file, which takes no locks and writes nothing: a file that is closed by anybody else of this process takes along all
/// the locks that its other stores have on it.
[[nodiscard]] inline std::string database_head(const std::string& path, std::size_t most) {
    if (!waiting_file(path).empty()) return {};
    sqlite3* raw = nullptr;
    const int result = sqlite3_open_v2(path.c_str(), &raw, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> opened{raw, sqlite3_close};
    sqlite3_file* file = nullptr;
    if (result != SQLITE_OK) return {};
    if (sqlite3_file_control(raw, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return {};
    if (file == nullptr || file->pMethods == nullptr) return {};
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);  // SQLite takes a single byte for none
    if (error || size == 0) return {};
    std::string head(static_cast<std::size_t>(std::min<std::uintmax_t>(most, size)), '\0');
    if (file->pMethods->xRead(file, head.data(), static_cast<int>(head.size()), 0) != SQLITE_OK) return {};
    return head;
}

[[nodiscard]] inline FileKind look_at(const std::string& path) {
    namespace fs = std::filesystem;
    constexpr std::string_view journal_magic{"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8};
    constexpr std::string_view magic{"SQLite format 3\0", 16};
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return FileKind::nothing;
    if (error) return FileKind::unclear;
    if (!fs::is_regular_file(status)) return FileKind::something_else;
    // A journal that was left behind by a crash may hold the header that the file should have.
    if (journal_head(path, journal_magic.size()) == journal_magic) return FileKind::unclear;
    if (fs::file_size(path, error) == 0 && !error) return FileKind::nothing;
    const std::string head = database_head(path, 72);
    if (head.empty()) return FileKind::unclear;
    if (head.size() < 72 || !head.starts_with(magic)) return FileKind::something_else;
    std::int64_t application = 0;
    for (const char byte : head.substr(68)) application = application * 256 + static_cast<unsigned char>(byte);
    return application == sqlite_application_id ? FileKind::store : FileKind::something_else;
}

/// Whose tables a file holds, and how far they were added to.
struct SchemaState {
    std::int64_t application = 0;
    std::int64_t tables = 0;
    std::int64_t version = 0;
    std::int64_t min_reader = 0;

    [[nodiscard]] bool empty() const noexcept { return application == 0 && tables == 0; }
};

/// Reads it inside the transaction that is going on.
[[nodiscard]] inline Result<SchemaState> read_schema_state(SqliteConnection& connection) {
    const auto application = read_number(connection, Sql::whose, 0);
    if (!application) return tl::unexpected<Error>(application.error());
    const auto tables = read_number(connection, Sql::count_tables, 0);
    if (!tables) return tl::unexpected<Error>(tables.error());
    SchemaState state{*application, *tables, 0, 0};
    if (state.application != sqlite_application_id) return state;
    const auto version = read_number(connection, Sql::meta, 0, "schema_version");
    if (!version) return tl::unexpected<Error>(version.error());
    const auto min_reader = read_number(connection, Sql::meta, 0, "min_reader");
    if (!min_reader) return tl::unexpected<Error>(min_reader.error());
    state.version = *version;
    state.min_reader = *min_reader;
    return state;
}

/// Refuses what this code, whose schema goes from `steps.front()` to `steps.back()`, must not use.
[[nodiscard]] inline Result<void> check_schema(const SqliteConnection& connection, const SchemaState& state,
                                               std::span<const SchemaStep> steps) {
    const std::int64_t oldest = steps.front().version, newest = steps.back().version;
    if (state.empty()) return {};
    if (state.application != sqlite_application_id)
        return tl::unexpected<Error>(
            connection.error(ErrorCode::not_a_store, "it is a database of another application"));
    if (state.min_reader > newest)
        return tl::unexpected<Error>(connection.error(
            ErrorCode::newer_schema, "it needs a heeler with store schema " + std::to_string(state.min_reader) +
                                         " or newer, this one has " + std::to_string(newest)));
    if (state.version < oldest)
        return tl::unexpected<Error>(connection.error(ErrorCode::older_schema, too_old(state.version, oldest)));
    return {};
}

[[nodiscard]] inline Result<void> add_step(SqliteConnection& connection, const SchemaStep& step) {
    if (const auto added = connection.run(step.sql); !added) return added;
    if (const auto set = change(connection, Sql::set_meta, "schema_version", step.version); !set)
        return tl::unexpected<Error>(set.error());
    if (const auto set = change(connection, Sql::set_meta, "min_reader", step.min_reader); !set)
        return tl::unexpected<Error>(set.error());
    return {};
}

/// The same as of one moment, while other processes may be adding tables.
[[nodiscard]] inline Result<SchemaState> read_schema_state_at_once(SqliteConnection& connection) {
    auto transaction = SqliteTransaction::begin(connection, Sql::begin_read);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    auto state = read_schema_state(connection);
    if (!state) return state;
    if (const auto done = transaction->commit(); !done) return tl::unexpected<Error>(done.error());
    return state;
}

/// Brings the tables to the last of `steps`, all or nothing. A store that is further already is used as it is.
[[nodiscard]] inline Result<void> prepare_schema(SqliteConnection& connection, std::span<const SchemaStep> steps) {
    const std::int64_t newest = steps.back().version;
    const auto seen = read_schema_state_at_once(connection);
    if (!seen) return tl::unexpected<Error>(seen.error());
    if (auto usable = check_schema(connection, *seen, steps); !usable) return usable;
    if (seen->version >= newest) return {};

    auto transaction = SqliteTransaction::begin(connection, Sql::begin_write);
    if (!transaction) return tl::unexpected<Error>(transaction.error());
    const auto state = read_schema_state(connection);  // another process may have been faster
    if (!state) return tl::unexpected<Error>(state.error());
    if (auto usable = check_schema(connection, *state, steps); !usable) return usable;
    if (state->empty())
        if (auto marked = connection.run(Sql::mark_as_ours); !marked) return marked;
    for (const SchemaStep& step : steps)
        if (step.version > state->version)
            if (auto added = add_step(connection, step); !added) return added;
    return transaction->commit();
}

[[nodiscard]] inline Result<void> turn_on_wal(SqliteConnection& connection) {
    std::vector<std::string> modes;
    const auto read = [](SqliteStatement& statement, std::string& mode) { statement.read(mode); };
    if (auto done = read_all(connection, Sql::use_wal, modes, read); !done) return done;
    if (modes.size() == 1 && modes.front() == "wal") return {};
    return tl::unexpected<Error>(
        connection.error(ErrorCode::io, "this place cannot hold a write-ahead log (a network file system?)"));
}

/// SQLite does not wait by itself here, though another process may just be doing the same.
[[nodiscard]] inline Result<void> turn_on_wal(SqliteConnection& connection, Duration busy_timeout) {
    constexpr Duration pause = std::chrono::milliseconds{10};
    auto done = turn_on_wal(connection);
    for (Duration waited{}; !done && done.error().code == ErrorCode::busy && waited < busy_timeout; waited += pause) {
        sqlite3_sleep(static_cast<int>(pause / std::chrono::milliseconds{1}));
        done = turn_on_wal(connection);
    }
    return done;
}

[[nodiscard]] inline Result<void> check_path(const std::string& path, bool may_create) {
    const auto refuse = [&](ErrorCode code, std::string_view said) {
        return tl::unexpected<Error>(store_error(path, code, said));
    };
    if (path.empty() || path == ":memory:" || path.find('\0') != std::string::npos)
        return refuse(ErrorCode::invalid_argument, "this path names no file (MemoryStore needs none)");
    switch (look_at(path)) {
        case FileKind::something_else:
            return refuse(ErrorCode::not_a_store, "it is not a store of heeler");
        case FileKind::nothing:
            if (!may_create) return refuse(ErrorCode::lost, "the file was deleted or emptied while in use");
            return {};
        case FileKind::store:
        case FileKind::unclear:
            return {};
    }
    return {};
}

/// SQLite reports a directory that may not be written as if the file were missing.
[[nodiscard]] inline Error creation_error(const std::string& path, Error error) {
    std::error_code ignored;
    const auto directory = std::filesystem::absolute(path, ignored).parent_path();
    if (error.code != ErrorCode::io || !std::filesystem::is_directory(directory, ignored)) return error;
    if (std::filesystem::exists(path, ignored)) return error;
    return store_error(path, ErrorCode::read_only, "no file can be created in its directory");
}

inline constexpr Duration longest_busy_timeout = std::chrono::seconds{60};

/// Opens or creates the store at `path`. Without `may_create` a file that is gone is an error.
[[nodiscard]] inline Result<SqliteConnection> open_sqlite(const std::string& path, Duration busy_timeout,
                                                          bool may_create) {
    if (busy_timeout < Duration::zero() || busy_timeout > longest_busy_timeout)
        return tl::unexpected<Error>(store_error(path, ErrorCode::invalid_argument, "busy_timeout must be 0 to 60 s"));
    if (const auto usable = check_path(path, may_create); !usable) return tl::unexpected<Error>(usable.error());
    auto connection = SqliteConnection::open(path, busy_timeout);
    if (!connection) return tl::unexpected<Error>(creation_error(path, std::move(connection.error())));
    if (connection->read_only())
        return tl::unexpected<Error>(connection->error(ErrorCode::read_only, "it cannot be written"));
    if (const auto prepared = prepare_schema(*connection, sqlite_schema); !prepared)
        return tl::unexpected<Error>(prepared.error());
    if (const auto wal = turn_on_wal(*connection, busy_timeout); !wal) return tl::unexpected<Error>(wal.error());
    return connection;
}

}  // namespace heeler::inline HEELER_ABI::detail
