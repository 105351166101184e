#include <heeler/store/postgres/open.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <heeler/store/postgres_store.hpp>
#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "support/catch.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using detail::SchemaStep;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::ScratchSchema;
using store_contract::commit;
using store_contract::ids;
using store_contract::new_run;

namespace {

constexpr std::int64_t newest = detail::postgres_schema.back().version;
constexpr SchemaStep adding{
    newest + 1, newest, "ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; CREATE TABLE extra(x INT);"};
constexpr SchemaStep breaking{newest + 2, newest + 2, "CREATE TABLE needed(x INT);"};
constexpr SchemaStep wrong{newest + 1, newest, "CREATE TABLE half(x INT); CREATE TABLE runs(x INT);"};

/// A store of today's schema with one run.
struct OldStore {
    ScratchSchema schema;

    OldStore() {
        auto store = open();
        CHECK(commit(store, {new_run("a")}).empty());
    }
    PostgresStore open() const { return PostgresStore{postgres_at(postgres_directory()), schema.settings()}; }
    std::string ask(const std::string& sql) const {
        return PostgresClient{postgres_at(postgres_directory())}.ask("SET search_path = " + schema.name() + ";" + sql);
    }
    /// Opens the schema as later code would, which knows more steps.
    Result<void> open_with(std::vector<SchemaStep> later) const {
        std::vector<SchemaStep> steps{detail::postgres_schema.begin(), detail::postgres_schema.end()};
        steps.insert(steps.end(), later.begin(), later.end());
        const auto address = detail::read_address(postgres_at(postgres_directory()), schema.name());
        REQUIRE(address);
        auto connection = detail::open_postgres(*address, schema.settings(), false);
        REQUIRE(connection);
        return detail::prepare_schema(*connection, steps, false);
    }
};

}  // namespace

TEST_CASE("an older PostgreSQL store gets what was added since and keeps its rows [D-47]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const OldStore old;
    CHECK(old.open_with({adding}));
    CHECK(old.ask("SELECT value FROM meta ORDER BY name DESC") ==
          std::to_string(newest + 1) + " " + std::to_string(newest) + " ");
    CHECK(old.ask("SELECT id, mood FROM runs") == "a calm ");
    CHECK(old.open_with({adding}));  // a second time there is nothing to add
    CHECK(old.open_with({adding, breaking}));
}

TEST_CASE("a PostgreSQL store from before the oldest schema is refused and left alone", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const OldStore old;
    const std::string earlier = std::to_string(detail::postgres_schema.front().version - 1);
    old.ask("UPDATE meta SET value = " + earlier);
    auto store = old.open();
    for (const auto& error : {store.load().error(), store.history("a").error()}) {
        CHECK(error.code == ErrorCode::older_schema);
        CHECK_THAT(error.message, ContainsSubstring(old.schema.name()) &&
                                      ContainsSubstring("its store schema is " + earlier + ", and this heeler ") &&
                                      ContainsSubstring("let the heeler that wrote it finish its runs"));
    }
    CHECK(old.ask("SELECT value FROM meta WHERE name = 'schema_version'") == earlier + " ");
    CHECK(old.ask("SELECT count(*) FROM runs") == "1 ");
}

TEST_CASE("additions alone do not lock out an older version of PostgresStore [D-47]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const OldStore old;
    REQUIRE(old.open_with({adding}));
    auto store = old.open();
    CHECK(commit(store, {new_run("b")}).empty());
    CHECK(ids(store) == "a b ");
}

TEST_CASE("a PostgreSQL store that needs a newer version is left alone [D-47]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const OldStore old;
    REQUIRE(old.open_with({adding, breaking}));
    auto store = old.open();
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::newer_schema);
    CHECK_THAT(loaded.error().message, ContainsSubstring("schema " + std::to_string(newest + 2) + " or newer"));
    Batch batch;
    batch.runs = {new_run("b")};
    CHECK_FALSE(store.commit(batch));
    CHECK(old.ask("SELECT count(*) FROM runs") == "1 ");
}

TEST_CASE("a step that fails leaves the PostgreSQL store as it was [D-47]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const OldStore old;
    CHECK_FALSE(old.open_with({wrong}));
    CHECK(old.open_with({}));
    CHECK(old.ask("SELECT max(value) FROM meta") == std::to_string(newest) + " ");
    CHECK(old.ask("SELECT to_regclass('half') IS NULL") == "t ");
    auto store = old.open();
    CHECK(ids(store) == "a ");
}

TEST_CASE("the steps of the PostgreSQL schema are numbered without gaps [D-47]", "[store][postgres]") {
    std::int64_t version = detail::postgres_schema.front().version - 1;
    std::int64_t min_reader = detail::postgres_schema.front().version;
    for (const SchemaStep& step : detail::postgres_schema) {
        CHECK(step.version == ++version);
        CHECK(step.min_reader >= min_reader);
        CHECK(step.min_reader <= step.version);
        min_reader = step.min_reader;
    }
}

TEST_CASE("a schema that is not a store of heeler is left alone", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchSchema schema;
    PostgresClient client{postgres_at(postgres_directory())};
    client.ask("CREATE SCHEMA " + schema.name() + "; CREATE TABLE " + schema.name() + ".meta(name TEXT, value BIGINT)");
    PostgresStore store{postgres_at(postgres_directory()), schema.settings()};
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::not_a_store);
    CHECK_THAT(loaded.error().message, ContainsSubstring(schema.name()));
    CHECK(client.ask("SELECT count(*) FROM pg_tables WHERE schemaname = '" + schema.name() + "'") == "1 ");
}

TEST_CASE("an empty schema becomes a store, whatever its name", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresClient client{postgres_at(postgres_directory())};
    PostgresSettings settings;
    settings.schema = "odd \"one\", $user; 'q'";
    client.ask("CREATE SCHEMA \"odd \"\"one\"\", $user; 'q'\"");
    {
        PostgresStore store{postgres_at(postgres_directory()), settings};
        CHECK(commit(store, {new_run("a")}).empty());
    }
    CHECK(client.ask("SELECT schemaname FROM pg_tables WHERE tablename = 'runs' AND schemaname LIKE 'odd%'") ==
          settings.schema + " ");
    client.ask("SET client_min_messages = error; DROP SCHEMA \"odd \"\"one\"\", $user; 'q'\" CASCADE");
}

TEST_CASE("a database that cannot hold every text is refused", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresClient client{postgres_at(postgres_directory())};
    client.ask("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
    {
        PostgresStore store{"host=" + postgres_directory() + " user=heeler dbname=latin"};
        const auto loaded = store.load();
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().code == ErrorCode::invalid_argument);
        CHECK_THAT(loaded.error().message, ContainsSubstring("LATIN1") && ContainsSubstring("UTF8"));
    }
    client.ask("DROP DATABASE latin WITH (FORCE)");
}
