#include <heeler/store/sqlite/open.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/store/sqlite_store.hpp>
#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "support/catch.hpp"
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

/// A store of today's schema with one run.
struct OldStore {
    ScratchDirectory directory;
    std::string path = directory / "store.db";

    OldStore() {
        SqliteStore store{path};
        CHECK(commit(store, {new_run("a")}).empty());
    }
};

/// Another process finds a lock on the file.
bool locked_for_others(const std::string& path) {
    const ::pid_t other = ::fork();
    if (other == 0) {
        const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        struct ::flock wanted {};
        wanted.l_type = F_WRLCK;
        wanted.l_whence = SEEK_SET;
        const bool asked = file >= 0 && ::fcntl(file, F_GETLK, &wanted) == 0;
        ::_exit(!asked ? 2 : wanted.l_type == F_UNLCK ? 1 : 0);
    }
    REQUIRE(other > 0);
    int status = -1;
    REQUIRE(::waitpid(other, &status, 0) == other);
    REQUIRE(WIFEXITED(status));
    REQUIRE(WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a second store on the same file of one process leaves the first one's locks in place", "[store][sqlite]") {
    const OldStore old;
    {
        auto first = detail::SqliteConnection::open(old.path, std::chrono::seconds{1});
        REQUIRE(first);
        REQUIRE(first->run("BEGIN IMMEDIATE"));
        REQUIRE(first->run("UPDATE runs SET version = version"));
        REQUIRE(locked_for_others(old.path));
        {
            SqliteStore second{old.path};
            CHECK(ids(second) == "a ");
            CHECK(locked_for_others(old.path));
        }
        CHECK(locked_for_others(old.path));
        CHECK(first->run("COMMIT"));
    }
    CHECK_FALSE(locked_for_others(old.path));
}

TEST_CASE("a database of another application keeps its locks when a store is wanted in its place", "[store][sqlite]") {
    const ScratchDirectory directory;
    const std::string path = directory / "other.db";
    auto theirs = detail::SqliteConnection::open(path, std::chrono::seconds{1});
    REQUIRE(theirs);
    REQUIRE(theirs->run("CREATE TABLE orders(x)"));
    REQUIRE(theirs->run("BEGIN EXCLUSIVE"));
    SqliteStore store{path};
    CHECK(store.load().error().code == ErrorCode::not_a_store);
    CHECK(locked_for_others(path));
}

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

TEST_CASE("a store from before the oldest schema is refused and left alone", "[store][sqlite]") {
    const OldStore old;
    const std::string earlier = std::to_string(detail::sqlite_schema.front().version - 1);
    {
        auto connection = detail::SqliteConnection::open(old.path, std::chrono::seconds{1});
        REQUIRE(connection);
        REQUIRE(connection->run(("UPDATE meta SET value = " + earlier).c_str()));
    }
    SqliteStore store{old.path};
    for (const auto& error : {store.load().error(), store.history("a").error(), store.commit(Batch{}).error()}) {
        CHECK(error.code == ErrorCode::older_schema);
        CHECK_THAT(error.message, ContainsSubstring(old.path) &&
                                      ContainsSubstring("its store schema is " + earlier + ", and this heeler ") &&
                                      ContainsSubstring("let the heeler that wrote it finish its runs"));
    }
    auto same = detail::SqliteConnection::open(old.path, std::chrono::seconds{1});
    REQUIRE(same);
    CHECK(number(*same, "SELECT value FROM meta WHERE name = 'schema_version'") == std::stoi(earlier));
    CHECK(number(*same, "SELECT count(*) FROM runs") == 1);
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
    std::int64_t version = detail::sqlite_schema.front().version - 1;
    std::int64_t min_reader = detail::sqlite_schema.front().version;
    for (const SchemaStep& step : detail::sqlite_schema) {
        CHECK(step.version == ++version);
        CHECK(step.min_reader >= min_reader);
        CHECK(step.min_reader <= step.version);
        min_reader = step.min_reader;
    }
}

TEST_CASE("a store beside which, or in whose place, a named pipe was made is an error at once") {
    const std::string end = GENERATE("", "-journal", "-wal", "-shm");
    const OldStore old;
    if (end.empty()) std::filesystem::remove(old.path);
    REQUIRE(::mkfifo((old.path + end).c_str(), 0600) == 0);
    SqliteStore store{old.path};
    const auto refused = store.load();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == (end.empty() ? ErrorCode::not_a_store : ErrorCode::io));
    CHECK(refused.error().message.find(old.path) != std::string::npos);
    std::filesystem::remove(old.path + end);
    if (!end.empty()) CHECK(store.load());
}
