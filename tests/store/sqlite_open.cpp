#include <heeler/store/sqlite_open.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <heeler/store/sqlite_store.hpp>

#include "contract/lease_contract.hpp"
#include "contract/store_contract.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using detail::SchemaStep;
using heeler_test::ScratchDirectory;
using store_contract::commit;
using store_contract::ids;
using store_contract::new_run;

namespace {

constexpr std::int64_t newest = detail::sqlite_schema.back().version;
constexpr SchemaStep adding{newest + 1, newest,
                            "ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; CREATE TABLE extra(x);"};
constexpr SchemaStep breaking{newest + 2, newest + 2, "CREATE TABLE needed(x);"};
constexpr SchemaStep wrong{newest + 1, newest, "CREATE TABLE half(x); CREATE TABLE runs(x);"};

/// Opens the file as code would that knows these steps.
Result<detail::SqliteConnection> open_knowing(const std::string& path, std::span<const SchemaStep> steps) {
    auto connection = detail::SqliteConnection::open(path, std::chrono::seconds{1});
    REQUIRE(connection);
    if (const auto prepared = detail::prepare_schema(*connection, steps); !prepared)
        return tl::unexpected<Error>(prepared.error());
    return connection;
}

/// Opens the file as later code would, which knows more steps.
Result<detail::SqliteConnection> open_with(const std::string& path, std::vector<SchemaStep> later) {
    std::vector<SchemaStep> steps{detail::sqlite_schema.begin(), detail::sqlite_schema.end()};
    steps.insert(steps.end(), later.begin(), later.end());
    return open_knowing(path, steps);
}

std::int64_t number(detail::SqliteConnection& connection, const char* sql) {
    const auto answer = detail::read_number(connection, sql, -1);
    if (!answer) FAIL(answer.error().message);
    return *answer;
}

/// What code of schema 1 and 2 writes.
constexpr char old_run[] =
    "INSERT INTO runs(id, version, name, class, state, status, attempt, incarnation, created_at, updated_at, facts) "
    "VALUES ('a', 3, 'n', 'coder', 'running', 'HEALTHY', 1, 1, 5, 6, x'00');"
    "INSERT INTO checkpoints(run, number, incarnation, at, text, reason) "
    "VALUES ('a', 1, 1, 5, 'one', 'scheduled'), ('a', 2, 1, 6, 'two', 'scheduled');";

/// A store of today's schema with one run.
struct OldStore {
    ScratchDirectory directory;
    std::string path = directory / "store.db";

    OldStore() {
        SqliteStore store{path};
        CHECK(commit(store, {new_run("a")}).empty());
    }
};

}  // namespace

TEST_CASE("a store of an older version gets what was added since and keeps its rows [D-47]", "[store][sqlite]") {
    const OldStore old;
    {
        auto newer = open_with(old.path, {adding});
        REQUIRE(newer);
        CHECK(number(*newer, "SELECT value FROM meta WHERE name = 'schema_version'") == newest + 1);
        CHECK(number(*newer, "SELECT value FROM meta WHERE name = 'min_reader'") == newest);
        CHECK(number(*newer, "SELECT count(*) FROM runs WHERE mood = 'calm' AND id = 'a'") == 1);
    }
    CHECK(open_with(old.path, {adding}));  // a second time there is nothing to add
    CHECK(open_with(old.path, {adding, breaking}));
}

TEST_CASE("a store of an older schema gets mutes, tallies and holders, and keeps its run [D-47]", "[store][sqlite]") {
    const ScratchDirectory directory;
    const std::string path = directory / "store.db";
    const std::size_t version = GENERATE(1u, 2u);
    {
        auto old = open_knowing(path, std::span{detail::sqlite_schema}.first(version));
        REQUIRE(old);
        REQUIRE(old->run(old_run));
        CHECK(number(*old, "SELECT value FROM meta WHERE name = 'schema_version'") == static_cast<int>(version));
    }
    SqliteStore store{path};
    Batch batch;
    batch.mutes = {{"coder", Condition::loop_detected, 7, "ana", store_contract::at(1)}};
    batch.tallies = {{"coder", Condition::loop_detected, 2, 1}};
    CHECK(commit(store, batch).empty());
    const Snapshot found = store_contract::snapshot_of(store);
    REQUIRE(found.runs.size() == 1);
    CHECK(found.runs[0].checkpoints == 2);
    CHECK((found.runs[0].row.holder.empty() && found.runs[0].row.epoch == 0));
    CHECK(found.mutes.size() == 1);
    CHECK(found.tallies.size() == 1);
    CHECK(lease_contract::taken(store, lease_contract::claim_of(lease_contract::claim(store, "dog", "d"), {"coder"})) ==
          "a.4 from '' ");

    // Code of schema 1 cannot read what is written from now on, and is told so. Code of schema 2 knows no holders:
    // it leaves them as they are, and the version tells when it was slower.
    auto old = open_knowing(path, std::span{detail::sqlite_schema}.first(version));
    if (version == 1) {
        REQUIRE_FALSE(old);
        CHECK(old.error().code == ErrorCode::newer_schema);
        return;
    }
    REQUIRE(old);
    REQUIRE(old->run("UPDATE runs SET version = 4, name = 'late' WHERE id = 'a' AND version = 3"));
    REQUIRE(old->run("UPDATE runs SET version = 5, name = 'read again' WHERE id = 'a' AND version = 4"));
    const auto row = store_contract::history(store, "a").row;
    REQUIRE(row);
    CHECK((row->name == "read again" && row->holder == "dog" && row->version == 5));
}

TEST_CASE("additions alone do not lock out an older version [D-47]", "[store][sqlite]") {
    const OldStore old;
    REQUIRE(open_with(old.path, {adding}));
    SqliteStore store{old.path};
    CHECK(commit(store, {new_run("b")}).empty());
    CHECK(ids(store) == "a b ");
}

TEST_CASE("a store that needs a newer version is refused and left alone [D-47]", "[store][sqlite]") {
    const OldStore old;
    REQUIRE(open_with(old.path, {adding, breaking}));
    SqliteStore store{old.path};
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == ErrorCode::newer_schema);
    CHECK_THAT(loaded.error().message,
               ContainsSubstring(old.path) && ContainsSubstring("schema " + std::to_string(newest + 2) + " or newer"));
    Batch batch;
    batch.runs = {new_run("b")};
    CHECK_FALSE(store.commit(batch));
    auto newer = open_with(old.path, {adding, breaking});
    REQUIRE(newer);
    CHECK(number(*newer, "SELECT count(*) FROM runs") == 1);
}

TEST_CASE("a step that fails leaves the store as it was [D-47]", "[store][sqlite]") {
    const OldStore old;
    CHECK_FALSE(open_with(old.path, {wrong}));
    auto same = open_with(old.path, {});
    REQUIRE(same);
    CHECK(number(*same, "SELECT value FROM meta WHERE name = 'schema_version'") == newest);
    CHECK(number(*same, "SELECT count(*) FROM sqlite_master WHERE name = 'half'") == 0);
    SqliteStore store{old.path};
    CHECK(ids(store) == "a ");
}

TEST_CASE("the steps of the schema are numbered without gaps [D-47]", "[store][sqlite]") {
    std::int64_t version = 0;
    std::int64_t min_reader = 1;
    for (const SchemaStep& step : detail::sqlite_schema) {
        CHECK(step.version == ++version);
        CHECK(step.min_reader >= min_reader);
        CHECK(step.min_reader <= step.version);
        min_reader = step.min_reader;
    }
}
