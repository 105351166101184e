#include "database.hpp"

#include <heeler/posix/private_file.hpp>

namespace tracker {

bool Rows::next() {
    const int result = sqlite3_step(statement_.get());
    if (result == SQLITE_ROW) return true;
    if (result == SQLITE_DONE) return false;
    throw DatabaseError{sqlite3_errmsg(sqlite3_db_handle(statement_.get()))};
}

std::string Rows::text(int column) const {
    const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes == nullptr ? std::string{} : std::string{bytes, size};
}

Database::Database(const std::string& path) {
    sqlite3* handle = nullptr;
    heeler::prepare_private_file(path.c_str());
    const int result = sqlite3_open(path.c_str(), &handle);
    handle_.reset(handle);
    if (result != SQLITE_OK) throw DatabaseError{path + ": " + sqlite3_errmsg(handle)};
    sqlite3_busy_timeout(handle, 5000);
    run_script("PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;");
}

void Database::run_script(const char* sql) {
    if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw error();
}

sqlite3_stmt* Database::prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql, -1, &statement, nullptr) != SQLITE_OK) throw error();
    return statement;
}

void Database::bind(sqlite3_stmt* statement, int at, std::string_view text) const {
    const char* const bytes = text.data() == nullptr ? "" : text.data();
    if (sqlite3_bind_text64(statement, at, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)
        throw error();
}

Transaction::~Transaction() {
    try {
        if (database_.in_transaction()) database_.run("ROLLBACK");
    } catch (const DatabaseError&) {  // SQLite has rolled back, or does when the file is opened again
    }
}

}  // namespace tracker
