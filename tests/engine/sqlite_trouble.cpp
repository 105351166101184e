// A watchdog on an SQLite file that somebody else alters, locks, fills, takes away or writes nonsense into.
#include <heeler/store/sqlite_store.hpp>

#include <filesystem>
#include <string>

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/store_trouble.hpp"

using namespace store_trouble;
using heeler_test::ScratchDirectory;

namespace {

/// A connection of somebody else.
class Other {
public:
    explicit Other(std::string path) : path_{std::move(path)} {}
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() { sqlite3_close(handle_); }

    void run(const std::string& sql) {
        if (handle_ == nullptr) REQUIRE(sqlite3_open(path_.c_str(), &handle_) == SQLITE_OK);
        sqlite3_busy_timeout(handle_, 2000);
        char* message = nullptr;
        const int done = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, &message);
        INFO(sql << ": " << (message == nullptr ? "" : message));
        sqlite3_free(message);
        REQUIRE(done == SQLITE_OK);
    }

private:
    std::string path_;
    sqlite3* handle_ = nullptr;
};

sqlite3* newest_connection = nullptr;

int note_connection(sqlite3* handle, char**, const void*) {
    newest_connection = handle;
    return SQLITE_OK;
}

/// Notes each connection that is opened while it lives.
struct Listening {
    Listening() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(&note_connection)); }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening() { sqlite3_reset_auto_extension(); }
};

struct SqliteBackend {
    ScratchDirectory scratch;
    Other other{scratch / "store.db"};

    [[nodiscard]] SqliteStore open() const { return SqliteStore{scratch / "store.db", {.busy_timeout = 20ms}}; }
    void run(const std::string& sql) { other.run(sql); }
    void refuse(const std::string& table, const std::string& which, bool silently) {
        for (const std::string event : {"INSERT", "UPDATE"})
            run("CREATE TRIGGER no_" + event + " BEFORE " + event + " ON " + table + " WHEN new." + which +
                " BEGIN SELECT RAISE(" + (silently ? "IGNORE" : "ABORT, 'hands off'") + "); END");
    }
    const std::string let_go = "DROP TRIGGER no_INSERT; DROP TRIGGER no_UPDATE";
};

}  // namespace

TEST_CASE("a watchdog outlasts what others do to its SQLite file [M-009]") {
    const ScratchDirectory scratch;
    const std::string path = scratch / "store.db";
    const std::string away = scratch / "away.db";
    Other other{path};
    const auto sql = [&](std::string text) { return [&other, text = std::move(text)] { other.run(text); }; };
    const bool amid = GENERATE(false, true);
    Trouble trouble;
    SECTION("a table is gone for a while") {
        trouble = {sql("ALTER TABLE runs RENAME TO gone"),
                   sql("ALTER TABLE gone RENAME TO runs"),
                   {"runs", path, "undo what was changed"}};
    }
    SECTION("a column has another name") {
        trouble = {sql("ALTER TABLE runs RENAME COLUMN facts TO facts_v2"),
                   sql("ALTER TABLE runs RENAME COLUMN facts_v2 TO facts"),
                   {"facts", path}};
    }
    SECTION("the operators' decisions are gone") {
        trouble = {sql("ALTER TABLE decisions RENAME TO gone"),
                   sql("ALTER TABLE gone RENAME TO decisions"),
                   {"decisions", path},
                   true};
    }
    SECTION("somebody holds the lock") {
        trouble = {sql("BEGIN IMMEDIATE"), sql("ROLLBACK"), {path, "stop what holds it"}};
    }
    SECTION("a trigger refuses every change") {
        trouble = {sql("CREATE TRIGGER no BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT, 'hands off'); END"),
                   sql("DROP TRIGGER no"),
                   {path, "hands off"}};
    }
    SECTION("the file was moved") {
        trouble = {[&] { std::filesystem::rename(path, away); },
                   [&] { std::filesystem::rename(away, path); },
                   {path, "put the file back"}};
    }
    if (!trouble.begin) return;  // of no section
    SqliteStore store{path, {.busy_timeout = 20ms}};
    if (amid)
        amid_an_action(std::move(store), trouble);
    else
        before_the_verdict(std::move(store), trouble);
}

TEST_CASE("a watchdog that meets a full SQLite file goes on when there is space [M-009]") {
    const Listening listening;
    SqliteBackend backend;
    const auto let = [](const char* pages) {
        return [pages] { sqlite3_exec(newest_connection, pages, nullptr, nullptr, nullptr); };
    };
    Watched watched{backend.open()};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    let("PRAGMA max_page_count = 1")();  // as many as it has
    for (int i = 0; i < 3; ++i) {
        const CycleReport report = watched.after(201s);
        says_all_of(bench::errors_of(report), {watched.dog->store().path(), "is full", "free space on its disk"});
        CHECK(watched.control.spawned() == 0);
    }
    REQUIRE(watched.notifier.sent().size() == 1);  // people are told after a minute of this
    CHECK(watched.notifier.sent()[0].alert.kind == "watchdog.store_down");
    let("PRAGMA max_page_count = 100000")();
    REQUIRE(watched.works_again());
    CHECK(watched.control.spawned() == 1);
    REQUIRE(watched.notifier.sent().size() == 2);
    CHECK(watched.notifier.sent()[1].alert.kind == "watchdog.store_up");
}

TEST_CASE("nonsense in an SQLite file is named once, and left alone with its run [M-008]") {
    for (const ByHand& written : nonsense) leaves_alone<SqliteBackend>(written);
    leaves_alone<SqliteBackend>(
        {"ALTER TABLE runs RENAME TO kept; CREATE TABLE runs AS SELECT * FROM kept; "
         "UPDATE runs SET status = NULL WHERE id = 'stalling'",
         "",
         {"'status' holds no value"}});
}

TEST_CASE("an SQLite file that refuses rows of one run takes those of the others [M-008]") {
    divides_what_is_refused<SqliteBackend>("runs", "id");
    for (const std::string table : {"interventions", "actions", "audit"})
        divides_what_is_refused<SqliteBackend>(table, "run");
}

TEST_CASE("rows of one run that a trigger of SQLite swallows are no conflict, and leave the others alone [M-008]") {
    divides_what_is_refused<SqliteBackend>("runs", "id", true);
    for (const std::string table : {"interventions", "actions", "audit"})
        divides_what_is_refused<SqliteBackend>(table, "run", true);
}

TEST_CASE("people are told of a run that SQLite refuses, and when it is taken again [M-105]") {
    tells_of_what_is_refused<SqliteBackend>();
}

TEST_CASE("a session that SQLite refuses is marked failed, and the others go on [M-105]") {
    gives_up_a_session_that_is_refused<SqliteBackend>(GENERATE(true, false));
}

TEST_CASE("what an ended run left in an SQLite file and nobody can read is said once [M-008]") {
    names_what_an_ended_run_left<SqliteBackend>("actions", "outcome");
}

TEST_CASE("numbers that only people read in an SQLite file change nothing [M-008]") {
    for (const std::string& sql : harmless) does_not_mind<SqliteBackend>(sql, GENERATE(false, true));
    does_what_it_decided_alone<SqliteBackend>();
    gives_time_after_ages<SqliteBackend>();
}

TEST_CASE("damaged detector memory in an SQLite file is said once, and its run is watched [M-008]") {
    for (const std::string bytes : {"x'01'", "'text'", "7"})
        forgets<SqliteBackend>("UPDATE run_parts SET bytes = " + bytes);
    forgets<SqliteBackend>("DELETE FROM run_parts");
}

TEST_CASE("a damaged run in an SQLite file is left alone, the others are watched [M-008]") {
    for (const std::string bytes : {"x''", "x'00'", "x'02ffffffffffffffffffff'", "'text'", "zeroblob(1000)"})
        leaves_alone<SqliteBackend>({"UPDATE runs SET facts = " + bytes + " WHERE id = 'stalling'", "", damaged_facts});
    leaves_alone<SqliteBackend>({"DELETE FROM run_parts WHERE run = 'stalling'", "", damaged_part});
    leaves_alone<SqliteBackend>(
        {"UPDATE run_parts SET bytes = x'01' WHERE part = 'spec' AND run = 'stalling'", "", damaged_part});
}

namespace {

/// The store cannot be written by this user, then it can. Answers 0, or at which point something was wrong.
int live_with_a_read_only_file(const std::string& path, ManualClock clock) {
    const auto fails_as = [](const CycleReport& report, std::string_view what) {
        return bench::errors_of(report).find(what) != std::string::npos;
    };
    RecordingNotifier notifier;
    Starter control;
    {
        Watchdog dog{clock, SqliteStore{path}, notifier};
        dog.attach(control);
        if (!dog.start(bench::spec_of("r"), presets::checkpoint_continuation())) return 1;
        clock.advance(1201s);
    }
    ::chmod(path.c_str(), 0444);
    Watchdog dog{clock, SqliteStore{path}, notifier};
    dog.attach(control);
    if (!dog.define(presets::checkpoint_continuation())) return 2;
    for (int i = 0; i < 2; ++i)
        if (!fails_as(dog.cycle(TickCause::on_demand), "let this user write the file")) return 3;
    if (control.spawned() != 0) return 4;
    ::chmod(path.c_str(), 0644);
    if (dog.cycle(TickCause::on_demand).errors != 0) return 5;
    return control.spawned() == 1 ? 0 : 6;
}

}  // namespace

TEST_CASE("a watchdog that may not write its SQLite file says so, and goes on when it may [M-009]") {
    const ScratchDirectory scratch;
    ::chmod(scratch.text().c_str(), 0777);
    const ManualClock clock{bench::start};
    const pid_t child = ::fork();
    if (child == 0) {  // root may write everything
        if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
        ::_exit(live_with_a_read_only_file(scratch / "store.db", clock));
    }
    REQUIRE(child > 0);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}
