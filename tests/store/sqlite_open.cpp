#include <heeler/store/sqlite_open.hpp>

#include <array>
#include <string>

#include <heeler/store/sqlite_store.hpp>

#include "contract/store_contract.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using detail::SchemaStep;
using heeler_test::ScratchDirectory;
using store_contract::commit;
using store_contract::ids;
using store_contract::new_run;

namespace {

constexpr SchemaStep second{2, 1,
                            "ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; CREATE TABLE extra(x);"};
constexpr SchemaStep breaking{3, 3, "CREATE TABLE needed(x);"};
constexpr SchemaStep wrong{2, 1, "CREATE TABLE half(x); CREATE TABLE runs(x);"};

/// Opens the file as code would whose schema has these steps.
Result<detail::SqliteConnection> open_with(const std::string& path, std::vector<SchemaStep> later) {
    std::vector<SchemaStep> steps{detail::sqlite_schema.begin(), detail::sqlite_schema.end()};
    steps.insert(steps.end(), later.begin(), later.end());
    auto connection = detail::SqliteConnection::open(path, std::chrono::seconds{1});
    REQUIRE(connection);
    if (const auto prepared = detail::prepare_schema(*connection, steps); !prepared)
        return tl::unexpected<Error>(prepared.error());
    return connection;
}

std::int64_t number(detail::SqliteConnection& connection, const char* sql) {
    const auto answer = detail::read_number(connection, sql, -1);
    if (!answer) FAIL(answer.error().message);
    return *answer;
}

/// A store of schema version 1 with one run.
struct OldStore {
    ScratchDirectory directory;
    std::string path = directory / "store.db";

    OldStore() {
        SqliteStore store{path};
        CHECK(commit(store, {new_run("a")}).empty());
    }
};

}  // namespace

TEST_CASE("a store of an older version gets what was added since and keeps its rows", "[store][sqlite][D-47]") {
    const OldStore old;
    {
        auto newer = open_with(old.path, {second});
        REQUIRE(newer);
        CHECK(number(*newer, "SELECT value FROM meta WHERE name = 'schema_version'") == 2);
        CHECK(number(*newer, "SELECT value FROM meta WHERE name = 'min_reader'") == 1);
        CHECK(number(*newer, "SELECT count(*) FROM runs WHERE mood = 'calm' AND id = 'a'") == 1);
    }
    CHECK(open_with(old.path, {second}));  // a second time there is nothing to add
    CHECK(open_with(old.path, {second, breaking}));
}

TEST_CASE("additions alone do not lock out an older version", "[store][sqlite][D-47]") {
    const OldStore old;
    REQUIRE(open_with(old.path, {second}));
    SqliteStore store{old.path};
    CHECK(commit(store, {new_run("b")}).empty());
    CHECK(ids(store) == "a b ");
}

TEST_CASE("a store that needs a newer version is refused and left alone", "[store][sqlite][D-47]") {
    const OldStore old;
    REQUIRE(open_with(old.path, {second, breaking}));
    SqliteStore store{old.path};
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::newer_schema);
    CHECK_THAT(loaded.error().message, ContainsSubstring(old.path) && ContainsSubstring("schema 3 or newer"));
    Batch batch;
    batch.runs = {new_run("b")};
    CHECK_FALSE(store.commit(batch));
    auto newer = open_with(old.path, {second, breaking});
    REQUIRE(newer);
    CHECK(number(*newer, "SELECT count(*) FROM runs") == 1);
}

TEST_CASE("a step that fails leaves the store as it was", "[store][sqlite][D-47]") {
    const OldStore old;
    CHECK_FALSE(open_with(old.path, {wrong}));
    auto same = open_with(old.path, {});
    REQUIRE(same);
    CHECK(number(*same, "SELECT value FROM meta WHERE name = 'schema_version'") == 1);
    CHECK(number(*same, "SELECT count(*) FROM sqlite_master WHERE name = 'half'") == 0);
    SqliteStore store{old.path};
    CHECK(ids(store) == "a ");
}

TEST_CASE("the steps of the schema are numbered without gaps", "[store][sqlite][D-47]") {
    std::int64_t version = 0;
    std::int64_t min_reader = 1;
    for (const SchemaStep& step : detail::sqlite_schema) {
        CHECK(step.version == ++version);
        CHECK(step.min_reader >= min_reader);
        CHECK(step.min_reader <= step.version);
        min_reader = step.min_reader;
    }
}
