#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include <heeler/store/sqlite_store.hpp>

#include "contract/damage_contract.hpp"
#include "support/real_process.hpp"

using namespace heeler;

namespace {

struct SqliteDamage {
    heeler_test::ScratchDirectory directory;
    sqlite3* other = nullptr;

    ~SqliteDamage() { sqlite3_close(other); }
    [[nodiscard]] SqliteStore open() const { return SqliteStore{directory / "store.db"}; }

    std::vector<std::vector<std::string>> ask(const std::string& sql) {
        if (other == nullptr) REQUIRE(sqlite3_open((directory / "store.db").c_str(), &other) == SQLITE_OK);
        std::vector<std::vector<std::string>> rows;
        const auto keep = [](void* to, int count, char** values, char**) {
            auto& row = static_cast<std::vector<std::vector<std::string>>*>(to)->emplace_back();
            for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "" : values[i]);
            return 0;
        };
        const int done = sqlite3_exec(other, sql.c_str(), keep, &rows, nullptr);
        INFO(sql << ": " << sqlite3_errmsg(other));
        REQUIRE(done == SQLITE_OK);
        return rows;
    }
    void run(const std::string& sql) { ask(sql); }
    void restore(const std::string& table) {
        run("DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM kept_" + table);
    }
    std::vector<damage_contract::Column> columns_of(const std::string& table) {
        std::vector<damage_contract::Column> columns;
        for (const auto& row : ask("SELECT name, type FROM pragma_table_info('" + table + "')"))
            columns.push_back({row[0], row[1] == "TEXT" ? "text" : row[1] == "INTEGER" ? "number" : "bytes"});
        return columns;
    }
    void loosen() {
        run("DROP TRIGGER run_was_added; DROP TRIGGER run_was_handed_over; PRAGMA writable_schema = ON; "
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table' "
            "AND sql NOT LIKE '%WITHOUT ROWID%'");
        sqlite3_close(other);
        other = nullptr;
    }
};

}  // namespace

TEST_CASE("each value that cannot be read in an SQLite file concerns its run alone [M-008]", "[store][sqlite]") {
    SqliteDamage backend;
    damage_contract::check(backend, {{"text", {"NULL", "'no such word'", "x'00ff'"}},
                                     {"number", {"NULL", "'text'", "x'00'", "1.5", "-1", "9223372036854775807"}},
                                     {"bytes", {"NULL", "'text'", "7"}}});
}
