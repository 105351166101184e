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
        if (table == "runs") run("DELETE FROM held_runs");
        run("DELETE FROM " + table + "; INSERT INTO " + table + " SELECT * FROM kept_" + table);
    }
    std::vector<damage_contract::Column> columns_of(const std::string& table) {
        std::vector<damage_contract::Column> columns;
        for (const auto& row : ask("SELECT name, type FROM pragma_table_info('" + table + "')"))
            columns.push_back({row[0], row[1] == "TEXT" ? "text" : row[1] == "INTEGER" ? "number" : "bytes"});
        return columns;
    }
    void swallow(const std::string& table) {
        const std::string run = table == "runs" ? "new.id" : "new.run";
        for (const std::string when : {"INSERT", "UPDATE"})
            ask("CREATE TRIGGER swallow_" + when + " BEFORE " + when + " ON " + table + " WHEN " + run +
                " LIKE 'bad%' BEGIN SELECT RAISE(IGNORE); END");
    }
    void loosen() {
        run("PRAGMA writable_schema = ON; "
            "UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '') WHERE type = 'table' "
            "AND sql NOT LIKE '%WITHOUT ROWID%'");
        sqlite3_close(other);
        other = nullptr;
    }
};

const damage_contract::BadValues bad_values{{"text", {"NULL", "'no such word'", "x'00ff'"}},
                                            {"number", {"NULL", "'text'", "x'00'", "1.5", "-1", "9223372036854775807"}},
                                            {"bytes", {"NULL", "'text'", "7"}}};

}  // namespace

TEST_CASE("each value that cannot be read in an SQLite file concerns its run alone [M-008]", "[store][sqlite]") {
    SqliteDamage backend;
    damage_contract::check(backend, bad_values);
}

TEST_CASE("a claim in an SQLite file says which run it cannot be for [M-008]", "[store][sqlite]") {
    damage_contract::is_said_by_claims<SqliteDamage>(bad_values);
    damage_contract::claims_pass_over_what_is_gone<SqliteDamage>();
}

TEST_CASE("what may be left to be done for an ended run in an SQLite file is said [M-008]", "[store][sqlite]") {
    damage_contract::is_said_of_ended_runs<SqliteDamage>(bad_values);
}

TEST_CASE("a row that a trigger of SQLite swallows is an error, not a conflict [M-008]", "[store][sqlite]") {
    damage_contract::says_what_was_swallowed<SqliteDamage>();
}

TEST_CASE("SQLite finds what cannot be read without looking at every row", "[store][sqlite]") {
    SqliteDamage backend;
    {
        auto store = backend.open();
        damage_contract::fill(store);
    }
    for (const auto& [sql, indexes] : std::vector<std::pair<const char*, std::vector<std::string>>>{
             {detail::LeaseSql::unclaimable_runs, {"unclaimable_runs"}},
             {detail::LeaseSql::ended_but_open,
              {"unfinished_actions", "unreadable_actions", "pending_alerts", "unreadable_alerts"}},
             {detail::Sql::runs_to_load,
              {"unclaimable_runs", "unfinished_actions", "unreadable_actions", "pending_alerts",
               "unreadable_alerts"}}}) {
        std::string plan;
        for (const auto& row : backend.ask(std::string{"EXPLAIN QUERY PLAN "} + sql)) plan += row.back() + "\n";
        INFO(plan);
        for (const std::string& index : indexes) CHECK(plan.find("INDEX " + index) != std::string::npos);
        CHECK(plan.find("SCAN runs\n") == std::string::npos);
    }
}
