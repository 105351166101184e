#include <heeler/store/sqlite_store.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "contract/damage_contract.hpp"
#include "contract/prune_contract.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using heeler_test::ScratchDirectory;
using store_contract::checkpoint;
using store_contract::commit;
using store_contract::history;
using store_contract::ids;
using store_contract::new_run;
using namespace std::chrono_literals;

namespace {

struct SqliteBackend {
    ScratchDirectory directory;
    SqliteStore open() { return SqliteStore{directory / "store.db"}; }
};

std::string bytes_of(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void write_bytes(const std::string& path, std::string_view bytes) { std::ofstream{path, std::ios::binary} << bytes; }

/// A connection of somebody else.
class Other {
public:
    explicit Other(const std::string& path) { REQUIRE(sqlite3_open(path.c_str(), &handle_) == SQLITE_OK); }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { sqlite3_close(handle_); }

    void run(const char* sql) {
        INFO(sql);
        INFO(sqlite3_errmsg(handle_));
        REQUIRE(sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    }
    std::string answer(const char* sql) {
        std::string text;
        const auto keep = [](void* to, int, char** values, char**) {
            static_cast<std::string*>(to)->append(values[0] == nullptr ? "null" : values[0]).append(" ");
            return 0;
        };
        REQUIRE(sqlite3_exec(handle_, sql, keep, &text, nullptr) == SQLITE_OK);
        return text;
    }

private:
    sqlite3* handle_ = nullptr;
};

void gives_a_damaged_run_once() {
    SqliteBackend backend;
    damage_contract::is_given_once(
        backend, [&](const std::string& sql) { Other{backend.directory / "store.db"}.run(sql.c_str()); });
}

/// The error of a commit of a new run. It names the file.
Error refused(SqliteStore& store, const std::string& id = "refused") {
    Batch batch;
    batch.runs = {new_run(id)};
    batch.durable = true;
    const auto done = store.commit(batch);
    REQUIRE_FALSE(done);
    INFO(done.error().message);
    CHECK(done.error().message.find(store.path()) != std::string::npos);
    return done.error();
}

/// Runs `work` in a process of its own, as a user who is not root, and answers its exit status.
template <class Work>
int unprivileged(Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
        ::_exit(static_cast<int>(work()));
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/// Calls `sqlite3_auto_extension` with a function for every connection that is opened while this lives.
template <int (*OnOpen)(sqlite3*)>
class EveryConnection {
public:
    EveryConnection() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&on_open)); }
    EveryConnection(const EveryConnection&) = delete;
    EveryConnection& operator=(const EveryConnection&) = delete;
    ~EveryConnection() { sqlite3_reset_auto_extension(); }

private:
    static int on_open(sqlite3* handle, char**, const void*) { return OnOpen(handle); }
};

}  // namespace

TEST_CASE("SqliteStore keeps the contract of stores", "[store][sqlite]") { store_contract::check<SqliteBackend>(); }

TEST_CASE("SqliteStore keeps the contract of leases", "[store][sqlite]") { lease_contract::check<SqliteBackend>(); }

TEST_CASE("SqliteStore lists all runs and what was not delivered", "[store][sqlite]") {
    store_contract::lists_for_tools<SqliteBackend>();
}

TEST_CASE("the constructor of SqliteStore touches nothing", "[store][sqlite]") {
    const ScratchDirectory directory;
    { const SqliteStore store{directory / "store.db"}; }
    CHECK(std::filesystem::is_empty(directory.text()));
}

TEST_CASE("a store is readable by its owner alone, with the files beside it [M-184]", "[store][sqlite]") {
    namespace fs = std::filesystem;
    const mode_t before = ::umask(0);
    ScratchDirectory directory;
    const std::string path = directory / "store.db";
    {
        SqliteStore store{path};
        CHECK(commit(store, {new_run("a")}).empty());
        for (const std::string& file : {path, path + "-wal", path + "-shm"}) {
            INFO(file);
            CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
        }
    }
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    CHECK(SqliteStore{path}.load());  // who gives others leave to read it is not contradicted
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
    ::umask(before);
}

TEST_CASE("people can read the tables", "[store][sqlite]") {
    SqliteBackend backend;
    auto store = backend.open();
    RunBatch run = store_contract::full_run("a");
    run.row.created_at = WallTime{Duration{1700000000123456}};
    run.row.holder = "dog";
    run.row.epoch = 7;
    Batch batch;
    batch.runs = {run};
    batch.decisions = {{0, "a", Verb::mark_wrong, {}, "ana", run.row.created_at}};
    DecisionRow silence{0, "", Verb::silence, run.row.created_at, "bo", run.row.created_at};
    silence.because = "deploy";
    silence.about = {"r", "c", "t", "k", Severity::warning};
    batch.decisions.push_back(silence);
    batch.mutes = {{"coder", Condition::loop_detected, 0xfedcba9876543210, "ana", run.row.created_at}};
    batch.tallies = {{"coder", Condition::loop_detected, 12, 1}, {"coder", Condition::stalled, 0, 0}};
    CHECK(commit(store, batch).empty());
    Other other{store.path()};
    CHECK(other.answer("SELECT class || condition || identity || muted_by || at FROM mutes_readable") ==
          "coderLOOP_DETECTEDfedcba9876543210ana2023-11-14T22:13:20.123Z ");
    CHECK(other.answer("SELECT percent_wrong FROM tallies_readable") == "8.3 null ");
    CHECK(other.answer("SELECT run || verb || at || applied FROM decisions_readable WHERE number = 1") ==
          "amark_wrong2023-11-14T22:13:20.123Z0 ");
    CHECK(other.answer("SELECT number || about_run || about_class || about_tag || about_kind || at_most || until_at || "
                       "decided_by || because FROM silences_readable") ==
          "2rctkwarning2023-11-14T22:13:20.123Zbodeploy ");
    CHECK(other.answer("SELECT state || ',' || status || ',' || created_at || holder || epoch FROM runs_readable") ==
          "rate_limited,TIMEOUT,2023-11-14T22:13:20.123Zdog7 ");
    CHECK(store.claim({"dog", "d"}, 1min));
    CHECK(
        other.answer("SELECT name || owner || epoch || (until LIKE '20__-__-__T__:__:__.___Z') FROM leases_readable") ==
        "dogd11 ");
    CHECK(other.answer("SELECT condition || ',' || action FROM interventions_readable") ==
          "NO_OUTPUT_ACCESS,terminate ");
    CHECK(other.answer("SELECT state FROM alerts_readable") == "pending dead ");
    CHECK(other.answer("SELECT typeof(run) FROM audit_readable") == "text text ");
    CHECK(other.answer("SELECT count(*) FROM checkpoints_readable") == "2 ");
    CHECK(other.answer("PRAGMA journal_mode") == "wal ");
    CHECK(other.answer("PRAGMA integrity_check") == "ok ");
}

TEST_CASE("a store that somebody else is writing is busy, and works afterwards", "[store][sqlite]") {
    const ScratchDirectory directory;
    SqliteStore store{directory / "store.db", {.busy_timeout = 50ms}};
    CHECK(commit(store, {new_run("a")}).empty());
    {
        Other other{store.path()};
        other.run("BEGIN IMMEDIATE");
        CHECK(refused(store).code == ErrorCode::busy);
        CHECK(ids(store) == "a ");  // reading goes on
    }
    CHECK(commit(store, {new_run("b")}).empty());
    CHECK(ids(store) == "a b ");

    SqliteStore unwilling{directory / "other.db", {.busy_timeout = 61s}};
    CHECK(refused(unwilling).code == ErrorCode::invalid_argument);
}

namespace {

sqlite3* last_opened = nullptr;

int with_few_pages(sqlite3* handle) {
    last_opened = handle;
    return sqlite3_exec(handle, "PRAGMA max_page_count=64", nullptr, nullptr, nullptr);
}

}  // namespace

TEST_CASE("a full store says so, keeps what it has, and works when there is space", "[store][sqlite]") {
    const EveryConnection<with_few_pages> small;
    SqliteBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    Batch batch;
    batch.runs = {new_run("b"), new_run("c")};
    batch.runs[1].row.spec = std::string(1 << 20, 'x');
    const auto done = store.commit(batch);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::full);
    CHECK_THAT(done.error().message, ContainsSubstring("free space"));
    CHECK(ids(store) == "a ");
    sqlite3_exec(last_opened, "PRAGMA max_page_count=100000", nullptr, nullptr, nullptr);
    CHECK(commit(store, batch).empty());
    CHECK(ids(store) == "a b c ");
}

TEST_CASE("what cannot be written is read-only", "[store][sqlite]") {
    SqliteBackend backend;
    const std::string path = backend.directory / "store.db";
    ::chmod(backend.directory.text().c_str(), 0555);
    const auto code_of_commit = [&] {
        SqliteStore store{path};
        Batch batch;
        batch.runs = {new_run("b")};
        const auto done = store.commit(batch);
        return done ? ErrorCode::failed : done.error().code;
    };
    CHECK(unprivileged(code_of_commit) == static_cast<int>(ErrorCode::read_only));
    ::chmod(backend.directory.text().c_str(), 0755);
    {
        auto store = backend.open();
        CHECK(commit(store, {new_run("a")}).empty());
    }
    ::chmod(backend.directory.text().c_str(), 0555);
    CHECK(unprivileged(code_of_commit) == static_cast<int>(ErrorCode::read_only));
    ::chmod(backend.directory.text().c_str(), 0755);
    ::chmod(path.c_str(), 0444);
    CHECK(unprivileged(code_of_commit) == static_cast<int>(ErrorCode::read_only));
    ::chmod(path.c_str(), 0000);
    CHECK(unprivileged(code_of_commit) == static_cast<int>(ErrorCode::read_only));
    ::chmod(path.c_str(), 0644);
    auto store = backend.open();
    CHECK(ids(store) == "a ");
}

TEST_CASE("a place that does not exist is named", "[store][sqlite]") {
    const ScratchDirectory directory;
    SqliteStore store{directory / "missing/store.db"};
    const Error error = refused(store);
    CHECK(error.code == ErrorCode::io);
    CHECK_THAT(error.message, ContainsSubstring("No such file or directory"));
    std::filesystem::create_directory(directory / "missing");
    CHECK(commit(store, {new_run("a")}).empty());  // the same store, once the directory is there

    for (const auto& path : {std::string{}, std::string{":memory:"}, std::string{"a\0b", 3}}) {
        SqliteStore nowhere{path};
        CHECK(refused(nowhere).code == ErrorCode::invalid_argument);
    }
    SqliteStore folder{directory.text()};
    CHECK(refused(folder).code == ErrorCode::not_a_store);
}

TEST_CASE("a file that is not a store is left alone", "[store][sqlite]") {
    const ScratchDirectory directory;
    const std::string path = directory / "theirs";
    SECTION("text") { write_bytes(path, "Dear diary, this is no database at all.\n" + std::string(5000, 'x')); }
    SECTION("a few bytes") { write_bytes(path, "S"); }
    SECTION("a header and nothing else") { write_bytes(path, std::string_view{"SQLite format 3\0", 16}); }
    SECTION("text beside which a file lies that has the name of a journal") {
        write_bytes(path, "notes");
        write_bytes(path + "-journal", "more notes");
    }
    SECTION("a database without an application id") {
        Other other{path};
        other.run("CREATE TABLE theirs(x); INSERT INTO theirs VALUES (1)");
    }
    SECTION("a database of another application, in WAL mode") {
        Other other{path};
        other.run("PRAGMA application_id=7; PRAGMA journal_mode=WAL; CREATE TABLE theirs(x)");
    }
    SECTION("a database of another application that was killed with a write-ahead log") {
        const std::string source = directory / "source";
        Other other{source};
        other.run("PRAGMA journal_mode=WAL; CREATE TABLE theirs(x)");
        std::filesystem::copy(source, path);
        std::filesystem::copy(source + "-wal", path + "-wal");
    }
    const std::string before = bytes_of(path);
    const std::string journal = bytes_of(path + "-journal");
    const std::string log = bytes_of(path + "-wal");
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator{directory.text()}) files.insert(entry.path());
    {
        SqliteStore store{path};
        const Error error = refused(store);
        CHECK(error.code == ErrorCode::not_a_store);
        CHECK_THAT(error.message, ContainsSubstring("left alone"));
        CHECK_FALSE(store.load());
    }
    CHECK(bytes_of(path) == before);
    CHECK(bytes_of(path + "-journal") == journal);
    CHECK(bytes_of(path + "-wal") == log);
    for (const auto& entry : std::filesystem::directory_iterator{directory.text()})
        CHECK(files.count(entry.path()) == 1);
}

TEST_CASE("an empty file becomes a store", "[store][sqlite]") {
    SqliteBackend backend;
    write_bytes(backend.directory / "store.db", "");
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
}

TEST_CASE("a damaged store is corrupt, not empty", "[store][sqlite]") {
    SqliteBackend backend;
    const std::string path = backend.directory / "store.db";
    {
        auto store = backend.open();
        CHECK(commit(store, {store_contract::full_run("a")}).empty());
    }
    SECTION("pages of rubbish") {
        std::string bytes = bytes_of(path);
        std::fill(bytes.begin() + 4096, bytes.end(), '\x5a');
        write_bytes(path, bytes);
    }
    SECTION("cut short") { std::filesystem::resize_file(path, 4096); }
    auto store = backend.open();
    const auto loaded = store.load();
    REQUIRE_FALSE(loaded);
    INFO(loaded.error().message);
    CHECK(loaded.error().code == ErrorCode::corrupt);
    CHECK(loaded.error().message.find(path) != std::string::npos);
}

TEST_CASE("a store whose file is gone says so, and never begins anew by itself", "[store][sqlite]") {
    SqliteBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    const std::string away = backend.directory / "away.db";
    std::filesystem::rename(store.path(), away);
    CHECK(refused(store).code == ErrorCode::lost);
    CHECK_FALSE(std::filesystem::exists(store.path()));
    CHECK(refused(store).code == ErrorCode::lost);
    SECTION("put back") {
        std::filesystem::rename(away, store.path());
        CHECK(commit(store, {new_run("b")}).empty());
        CHECK(ids(store) == "a b ");
    }
    SECTION("replaced by another store") {
        SqliteStore other{store.path()};
        std::filesystem::remove(store.path() + "-wal");
        std::filesystem::remove(store.path() + "-shm");
        CHECK(commit(other, {new_run("new")}).empty());
        RunBatch stale = new_run("a");
        stale.row.version = 1;
        CHECK(commit(store, {stale}) == Conflicts{"a"});
    }
    SECTION("replaced by something else") {
        write_bytes(store.path(), "something else");
        CHECK(refused(store).code == ErrorCode::not_a_store);
    }
}

TEST_CASE("two connections see each other's versions", "[store][sqlite]") {
    SqliteBackend backend;
    auto one = backend.open();
    auto two = backend.open();
    CHECK(commit(one, {new_run("a"), new_run("b")}).empty());
    RunBatch a = new_run("a");
    a.row.version = 1;
    CHECK(commit(two, {a}).empty());
    RunBatch b = new_run("b");
    b.row.version = 1;
    CHECK(commit(one, {a, b}) == Conflicts{"a"});
    CHECK(history(two, "a").row->version == 2);
    CHECK(history(two, "b").row->version == 2);
}

TEST_CASE("stores that are created by many processes at once are one store", "[store][sqlite]") {
    const ScratchDirectory directory;
    const std::string path = directory / "store.db";
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            SqliteStore store{path, {.busy_timeout = 20s}};
            for (int n = 0; n < 20; ++n) {
                Batch batch;
                batch.runs = {new_run(std::to_string(i) + "." + std::to_string(n))};
                const auto done = store.commit(batch);
                if (!done) write_bytes(path + std::to_string(i), done.error().message);
                if (!done || !done->empty()) ::_exit(1);
            }
            ::_exit(0);
        }
        REQUIRE(child > 0);
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
    }
    for (int i = 0; i < 6; ++i) CHECK(bytes_of(path + std::to_string(i)) == "");
    SqliteStore store{path};
    CHECK(store_contract::load(store).size() == 120);
}

TEST_CASE("a store that was killed while it was created can be opened", "[store][sqlite]") {
    for (unsigned delay = 0; delay < 4000; delay += 100) {
        SqliteBackend backend;
        const pid_t child = ::fork();
        if (child == 0) {
            static_cast<void>(backend.open().load());
            ::_exit(0);
        }
        REQUIRE(child > 0);
        ::usleep(delay);
        ::kill(child, SIGKILL);
        REQUIRE(::waitpid(child, nullptr, 0) == child);
        auto store = backend.open();
        CHECK(commit(store, {new_run("a")}).empty());
    }
}

TEST_CASE("an acknowledged commit survives SIGKILL, and no commit is half there", "[store][sqlite][I5]") {
    const ScratchDirectory directory;
    const std::string path = directory / "store.db";
    std::uint64_t version = 0;
    for (int round = 0; round < 8; ++round) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const pid_t child = ::fork();
        if (child == 0) {
            SqliteStore store{path};
            for (std::uint64_t next = version;; ++next) {
                Batch batch;
                batch.durable = next % 3 != 0;
                for (const auto* id : {"a", "b"}) {
                    batch.runs.push_back(new_run(id));
                    batch.runs.back().row.version = next;
                    batch.runs.back().checkpoints = {checkpoint(next + 1, std::string(3000, 'x'))};
                    batch.runs.back().actions = {store_contract::action(std::to_string(next), ActionOutcome::intended)};
                }
                const auto done = store.commit(batch);
                if (!done || !done->empty()) ::_exit(1);
                if (::write(ends[1], &next, sizeof next) != sizeof next) ::_exit(2);
            }
        }
        ::close(ends[1]);
        REQUIRE(child > 0);
        std::uint64_t acknowledged = version;
        for (int n = 0; n < 5 + 7 * round; ++n) REQUIRE(::read(ends[0], &acknowledged, sizeof acknowledged) > 0);
        ::kill(child, SIGKILL);
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        REQUIRE(WIFSIGNALED(status));
        while (::read(ends[0], &acknowledged, sizeof acknowledged) > 0) {
        }
        ::close(ends[0]);

        SqliteStore store{path};
        const auto runs = store_contract::load(store);
        REQUIRE(runs.size() == 2);
        version = runs[0].row.version;
        CHECK(version >= acknowledged + 1);
        CHECK(version <= acknowledged + 2);  // one commit may have been stored and not yet acknowledged
        for (const StoredRun& run : runs) {
            CHECK(run.row.version == version);
            CHECK(run.checkpoints == version);
            CHECK(run.actions.size() == version);
        }
    }
    CHECK(Other{path}.answer("PRAGMA integrity_check") == "ok ");
}

namespace {

std::vector<std::string>* statements_seen = nullptr;

int trace(sqlite3* handle) {
    const auto keep = [](unsigned, void*, void* statement, void*) {
        if (const char* const sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement)))
            if (statements_seen != nullptr) statements_seen->push_back(sql);
        return 0;
    };
    return sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, keep, nullptr);
}

/// Records every statement while it lives.
struct Traced {
    EveryConnection<trace> connections;
    std::vector<std::string> statements;

    Traced() { statements_seen = &statements; }
    ~Traced() { statements_seen = nullptr; }

    /// How the commits since the last call were synchronised.
    std::string durability() {
        std::string text;
        for (const std::string& sql : std::exchange(statements, {})) {
            if (sql == detail::Sql::sync_always) text += "FULL ";
            if (sql == detail::Sql::sync_seldom) text += "NORMAL ";
            if (sql == detail::Sql::begin_write) text += "write ";
        }
        return text;
    }
};

bool is_known(const std::string& sql) {
    for (const char* const known : detail::sqlite_statements)
        if (sql == known) return true;
    for (const char* const known : detail::sqlite_lease_statements)
        if (sql == known) return true;
    for (const char* const known : detail::sqlite_prune_statements)
        if (sql == known) return true;
    for (const detail::SchemaStep& step : detail::sqlite_schema)
        if (std::string_view{step.sql}.find(sql) != std::string_view::npos) return true;
    return false;
}

}  // namespace

TEST_CASE("a claim takes a run that cannot be read, and says so once [M-008]", "[store][sqlite]") {
    gives_a_damaged_run_once();
}

TEST_CASE("SQL text is constant, whatever the rows hold", "[store][sqlite][I21]") {
    std::set<std::string> seen;
    {
        const Traced traced;
        store_contract::keeps_every_byte<SqliteBackend>();
        store_contract::replaces_rows_by_their_identity<SqliteBackend>();
        store_contract::numbers_decisions<SqliteBackend>();
        store_contract::keeps_mutes_and_adds_tallies<SqliteBackend>();
        store_contract::lists_for_tools<SqliteBackend>();
        store_contract::finds_one_alert<SqliteBackend>();
        store_contract::adds_spend_up<SqliteBackend>();
        store_contract::holds_many<SqliteBackend>();
        prune_contract::check<SqliteBackend>();
        lease_contract::takes_over<SqliteBackend>();
        lease_contract::gives_up_in_order<SqliteBackend>();
        lease_contract::names_the_lost_until_told<SqliteBackend>();
        lease_contract::gives_what_is_asked_for<SqliteBackend>();
        seen.insert(traced.statements.begin(), traced.statements.end());
    }
    for (const std::string& sql : seen) {
        INFO(sql);
        CHECK(is_known(sql));
    }
    for (const char* const sql : detail::sqlite_statements) {
        INFO(sql);
        CHECK((seen.count(sql) == 1 || sql == std::string_view{detail::Sql::rollback}));
    }
    for (const char* const sql : detail::sqlite_lease_statements) {
        INFO(sql);
        CHECK((seen.count(sql) == 1 || sql == std::string_view{detail::LeaseSql::take}));
    }
    for (const char* const sql : detail::sqlite_prune_statements) {
        INFO(sql);
        CHECK((seen.count(sql) == 1 || sql == std::string_view{detail::PruneSql::compact}));
    }
}

TEST_CASE("SqliteStore forgets what is over", "[store][sqlite]") { prune_contract::check<SqliteBackend>(); }

TEST_CASE("a pruned SQLite file gives the disk its room back", "[store][sqlite]") {
    SqliteBackend backend;
    auto store = backend.open();
    Batch batch;
    for (int i = 0; i < 200; ++i) {
        batch.runs.push_back(prune_contract::ended_run("run " + std::to_string(i), prune_contract::long_ago));
        batch.runs.back().row.memory = std::string(10'000, 'm');
    }
    batch.durable = true;
    CHECK(commit(store, batch).empty());
    CHECK(prune_contract::prune(store, prune_contract::before(prune_contract::lately, 0, 0)).runs == 200);
    const auto compacted = store.compact();
    REQUIRE(compacted);
    Other{store.path()}.run("PRAGMA wal_checkpoint(TRUNCATE)");
    CHECK(std::filesystem::file_size(store.path()) < 1'000'000);
    CHECK(store_contract::history(store, "run 0").alerts.size() == 2);
}

TEST_CASE("durable batches are synchronised, telemetry is not", "[store][sqlite]") {
    Traced traced;
    SqliteBackend backend;
    auto store = backend.open();
    CHECK(store_contract::load(store).empty());
    traced.statements.clear();
    Batch batch;
    batch.runs = {new_run("a")};
    const auto next = [&](bool durable) {
        batch.durable = durable;
        CHECK(commit(store, batch).empty());
        ++batch.runs[0].row.version;
        return traced.durability();
    };
    CHECK(next(true) == "FULL write ");
    CHECK(next(true) == "write ");
    CHECK(next(false) == "NORMAL write ");
    CHECK(next(false) == "write ");
    CHECK(next(true) == "FULL write ");
}

TEST_CASE("people are told where a store on disk is, from anywhere and as a shell reads it", "[store][sqlite]") {
    CHECK(SqliteStore{"/var/it's/s.db"}.place() == R"('sqlite:/var/it'\''s/s.db')");
    CHECK(SqliteStore{"s.db"}.place() == "'sqlite:" + (std::filesystem::current_path() / "s.db").string() + "'");
    CHECK(SqliteStore{":memory:"}.place().empty());
    CHECK(SqliteStore{""}.place().empty());
}
