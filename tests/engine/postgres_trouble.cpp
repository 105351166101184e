// A watchdog on a PostgreSQL store whose tables somebody else alters or locks, and whose server stops, fills, refuses.
#include <heeler/store/postgres_store.hpp>

#include <string>

#include "engine/store_trouble.hpp"
#include "support/postgres.hpp"

using namespace store_trouble;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::PostgresServer;
using heeler_test::ScratchSchema;

namespace {

/// A schema of its own, and somebody else who works in it.
struct PostgresBackend {
    ScratchSchema schema;
    PostgresClient other{postgres_at(postgres_directory())};

    [[nodiscard]] PostgresStore open() const {
        PostgresSettings settings = schema.settings();
        settings.lock_timeout = 50ms;
        settings.statement_timeout = 500ms;
        return PostgresStore{postgres_at(postgres_directory()), settings};
    }
    void run(const std::string& sql) {
        other.ask("SET search_path = " + schema.name());
        other.ask(sql);
    }
    void refuse(const std::string& table, const std::string& which, bool silently) {
        const std::string what = silently ? "RETURN NULL" : "RAISE EXCEPTION ''hands off''";
        run("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN " + what +
            "; END'; "
            "CREATE TRIGGER no BEFORE INSERT OR UPDATE ON " +
            table + " FOR EACH ROW WHEN (NEW." + which + ") EXECUTE FUNCTION no()");
    }
    const std::string let_go = "DROP FUNCTION no CASCADE";
};

}  // namespace

TEST_CASE("a watchdog outlasts what others do to its PostgreSQL tables [M-009]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const bool amid = GENERATE(false, true);
    PostgresBackend backend;
    const auto sql = [&](std::string text) { return [&backend, text = std::move(text)] { backend.run(text); }; };
    const auto refuse = [&](const std::string& how) {
        return Trouble{sql("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN " + how +
                           "; RETURN NEW; END'; CREATE TRIGGER no BEFORE UPDATE ON runs FOR EACH ROW EXECUTE "
                           "FUNCTION no()"),
                       sql("DROP FUNCTION no CASCADE"),
                       {}};
    };
    const std::string put_back = "somebody else changed its tables: put them back";
    Trouble trouble;
    SECTION("a table is gone for a while") {
        trouble = {sql("ALTER TABLE runs RENAME TO gone"), sql("ALTER TABLE gone RENAME TO runs"), {"runs", put_back}};
    }
    SECTION("a column has another name") {
        trouble = {sql("ALTER TABLE runs RENAME COLUMN facts TO facts_v2"),
                   sql("ALTER TABLE runs RENAME COLUMN facts_v2 TO facts"),
                   {"facts", put_back}};
    }
    SECTION("the operators' decisions are gone") {
        trouble = {sql("ALTER TABLE decisions RENAME TO gone"),
                   sql("ALTER TABLE gone RENAME TO decisions"),
                   {"decisions", put_back},
                   true};
    }
    SECTION("somebody holds a lock") {
        trouble = {sql("BEGIN; LOCK TABLE runs"), sql("ROLLBACK"), {"stop what holds it"}};
    }
    SECTION("every change takes too long") {
        trouble = refuse("PERFORM pg_sleep(5)");
        trouble.says = {"stop what holds it"};
    }
    SECTION("the disk is full") {
        trouble = refuse("RAISE EXCEPTION ''could not extend file'' USING ERRCODE = ''disk_full''");
        trouble.says = {"could not extend file", "free space on the server's disk"};
    }
    SECTION("a trigger refuses every change") {
        trouble = refuse("RAISE EXCEPTION ''hands off''");
        trouble.says = {"hands off"};
    }
    if (amid)
        amid_an_action(backend.open(), trouble);
    else
        before_the_verdict(backend.open(), trouble);
}

TEST_CASE("a watchdog outlasts what becomes of its PostgreSQL server [M-009]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresServer server;
    PostgresSettings settings;
    settings.reconnect_after = 50ms;
    settings.reconnect_at_most = 100ms;
    int round = 0;
    for (const bool amid : {false, true}) {
        const auto reload = [&](const std::string& setting) {
            return [&, setting] {
                PostgresClient other{server.connection() + " options='-c default_transaction_read_only=off'"};
                other.ask("ALTER SYSTEM SET " + setting);
                other.ask("SELECT pg_reload_conf()");
                REQUIRE(heeler_test::wait_for([&] {
                    PostgresClient fresh{server.connection()};
                    return "default_transaction_read_only = " + fresh.ask("SHOW default_transaction_read_only") ==
                           setting + " ";
                }));
            };
        };
        const Trouble troubles[] = {
            {[&] { server.stop(); }, [&] { server.start_again(); }, {"check the server"}},
            {[&] { server.stop("immediate"); }, [&] { server.start_again(); }, {"check the server"}},
            {reload("default_transaction_read_only = on"),
             reload("default_transaction_read_only = off"),
             {"connect to the primary"}},
        };
        for (const Trouble& trouble : troubles) {
            INFO("round " << round);
            settings.schema = "round" + std::to_string(++round);
            PostgresStore store{server.connection(), settings};
            if (amid)
                amid_an_action(std::move(store), trouble);
            else
                before_the_verdict(std::move(store), trouble);
        }
    }
}

TEST_CASE("a PostgreSQL server that restarts between cycles is not even noticed [M-009]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresServer server;
    Watched watched{PostgresStore{server.connection()}};
    watched.clock.advance(1000s);
    REQUIRE(watched.work());
    server.stop("immediate");
    server.start_again();
    watched.control.on_spawn = [&] {
        server.stop();
        server.start_again();
    };
    const CycleReport report = watched.after(201s);
    CHECK(bench::acts_of(report) == "spawn done");
    INFO(bench::errors_of(report));
    REQUIRE(watched.works_again());
    lives_on(watched);
}

TEST_CASE("nonsense in PostgreSQL tables is named once, and left alone with its run [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    for (const ByHand& written : nonsense) leaves_alone<PostgresBackend>(written);
    leaves_alone<PostgresBackend>(
        {"ALTER TABLE runs ALTER COLUMN attempt DROP NOT NULL; "
         "UPDATE runs SET attempt = NULL WHERE id = 'stalling'",
         "UPDATE runs SET attempt = 1",
         {"'attempt' holds no value"}});
}

TEST_CASE("PostgreSQL tables that refuse rows of one run take those of the others [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    divides_what_is_refused<PostgresBackend>("runs", "id");
    for (const std::string table : {"interventions", "actions", "audit"})
        divides_what_is_refused<PostgresBackend>(table, "run");
}

TEST_CASE("rows of one run that a trigger of PostgreSQL swallows are no conflict, and leave the others alone [M-008]",
          "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    divides_what_is_refused<PostgresBackend>("runs", "id", true);
    for (const std::string table : {"interventions", "actions", "audit"})
        divides_what_is_refused<PostgresBackend>(table, "run", true);
}

TEST_CASE("people are told of a run that PostgreSQL refuses, and a session is given up [M-105]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    tells_of_what_is_refused<PostgresBackend>();
    gives_up_a_session_that_is_refused<PostgresBackend>(false);
}

TEST_CASE("what an ended run left in PostgreSQL and nobody can read is said once [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    names_what_an_ended_run_left<PostgresBackend>("actions", "outcome");
}

TEST_CASE("numbers that only people read in PostgreSQL tables change nothing [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const bool restart = GENERATE(false, true);
    for (const std::string& sql : harmless) does_not_mind<PostgresBackend>(sql, restart);
    does_what_it_decided_alone<PostgresBackend>();
    gives_time_after_ages<PostgresBackend>();
}

TEST_CASE("damaged detector memory in PostgreSQL tables is said once, and its run is watched [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    forgets<PostgresBackend>("UPDATE run_parts SET bytes = '\\x01'");
    forgets<PostgresBackend>("ALTER TABLE run_parts ALTER bytes DROP NOT NULL; UPDATE run_parts SET bytes = NULL");
}

TEST_CASE("a damaged run in PostgreSQL tables is left alone, the others are watched [M-008]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    for (const std::string bytes : {"''", "'\\x00'", "'\\x02ffffffffffffffffffff'"})
        leaves_alone<PostgresBackend>(
            {"UPDATE runs SET facts = " + bytes + " WHERE id = 'stalling'", "", damaged_facts});
    leaves_alone<PostgresBackend>({"DELETE FROM run_parts WHERE run = 'stalling'", "", damaged_part});
    leaves_alone<PostgresBackend>(
        {"UPDATE run_parts SET bytes = '\\x01' WHERE part = 'spec' AND run = 'stalling'", "", damaged_part});
}
