#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <heeler/store/postgres_store.hpp>

#include "contract/damage_contract.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;

namespace {

struct PostgresDamage {
    heeler_test::ScratchSchema schema;
    heeler_test::PostgresClient other{postgres_at(postgres_directory())};

    [[nodiscard]] PostgresStore open() const {
        return PostgresStore{postgres_at(postgres_directory()), schema.settings()};
    }
    void run(const std::string& sql) {
        other.ask("SET search_path = " + schema.name());
        other.ask(sql);
    }
    void restore(const std::string& table) {
        run("DELETE FROM " + table + "; INSERT INTO " + table + " OVERRIDING SYSTEM VALUE SELECT * FROM kept_" + table);
    }
    std::vector<damage_contract::Column> columns_of(const std::string& table) {
        std::istringstream words{
            other.ask("SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = '" +
                      schema.name() + "' AND table_name = '" + table + "' ORDER BY ordinal_position")};
        std::vector<damage_contract::Column> columns;
        for (std::string name, type; words >> name >> type;)
            columns.push_back({name, type == "text" ? "text" : type == "bigint" ? "number" : type});
        return columns;
    }
    void swallow(const std::string& table) {
        const std::string column = table == "runs" ? "id" : "run";
        run("CREATE FUNCTION swallow() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NULL; END $f$; "
            "CREATE TRIGGER swallow BEFORE INSERT OR UPDATE ON " +
            table + " FOR EACH ROW WHEN (new." + column + " LIKE 'bad%') EXECUTE FUNCTION swallow()");
    }
    void loosen() {
        run("DO $do$ DECLARE c record; BEGIN FOR c IN SELECT table_name, column_name FROM information_schema.columns k "
            "JOIN information_schema.tables t USING (table_schema, table_name) WHERE table_schema = '" +
            schema.name() +
            "' AND t.table_type = 'BASE TABLE' AND k.is_nullable = 'NO' AND NOT k.is_identity = 'YES' AND NOT EXISTS "
            "(SELECT FROM information_schema.key_column_usage u JOIN information_schema.table_constraints n USING "
            "(constraint_name, table_schema) WHERE u.table_schema = k.table_schema AND u.table_name = k.table_name "
            "AND u.column_name = k.column_name AND n.constraint_type = 'PRIMARY KEY') LOOP EXECUTE format('ALTER TABLE "
            "%I ALTER COLUMN %I DROP NOT NULL', c.table_name, c.column_name); END LOOP; END $do$");
    }
};

const damage_contract::BadValues bad_values{{"text", {"NULL", "'no such word'"}},
                                            {"number", {"NULL", "-1", "9223372036854775807"}}};

}  // namespace

TEST_CASE("each value that cannot be read in PostgreSQL tables concerns its run alone [M-008]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresDamage backend;
    damage_contract::check(backend, bad_values);
}

TEST_CASE("a claim in PostgreSQL tables says which run it cannot be for [M-008]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    damage_contract::is_said_by_claims<PostgresDamage>(bad_values);
    damage_contract::claims_pass_over_what_is_gone<PostgresDamage>();
}

TEST_CASE("what may be left to be done for an ended run in PostgreSQL is said [M-008]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    damage_contract::is_said_of_ended_runs<PostgresDamage>(bad_values);
}

TEST_CASE("a row that a trigger of PostgreSQL swallows is an error, not a conflict [M-008]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    damage_contract::says_what_was_swallowed<PostgresDamage>();
}
