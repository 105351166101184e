#include <heeler/store/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <heeler/testing/contract/lease_contract.hpp>
#include <heeler/testing/contract/store_contract.hpp>

#include "contract/damage_contract.hpp"
#include "contract/prune_contract.hpp"
#include "support/catch.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::PostgresServer;
using heeler_test::ScratchSchema;
using heeler_test::wait_for;
using store_contract::commit;
using store_contract::history;
using store_contract::ids;
using store_contract::load;
using store_contract::new_run;
using namespace std::chrono_literals;

namespace {

struct PostgresBackend {
    ScratchSchema schema;
    PostgresStore open() { return PostgresStore{postgres_at(postgres_directory()), schema.settings()}; }
    /// Its connection is found by the name of the schema.
    PostgresStore open_named(Duration statement_timeout = 5s) {
        auto settings = schema.settings();
        settings.statement_timeout = statement_timeout;
        return PostgresStore{postgres_at(postgres_directory()) + " application_name=" + schema.name(), settings};
    }
    /// `sql` of somebody else, who begins in the schema of the store.
    std::string ask(const std::string& sql) {
        return PostgresClient{postgres_at(postgres_directory())}.ask("SET search_path = " + schema.name() + ";" + sql);
    }
};

Batch durable_batch(List<RunBatch> runs) {
    Batch batch;
    batch.runs = std::move(runs);
    batch.durable = true;
    return batch;
}

void gives_a_damaged_run_once() {
    PostgresBackend backend;
    damage_contract::is_given_once(backend, [&](const std::string& sql) { backend.ask(sql); });
}

/// The error of a commit of a new run. It names the store.
Error refused(PostgresStore& store, const std::string& id = "refused") {
    const auto done = store.commit(durable_batch({new_run(id)}));
    REQUIRE_FALSE(done);
    INFO(done.error().message);
    CHECK(done.error().message.find(store.name()) != std::string::npos);
    return done.error();
}

/// A function that ends the connection it is called on, called when rows come to `audit`.
std::string breaking_trigger(std::string_view when) {
    return "CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS "
           "'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';"
           "CREATE CONSTRAINT TRIGGER break AFTER INSERT ON audit " +
           std::string{when} + " FOR EACH ROW EXECUTE FUNCTION break()";
}

}  // namespace

TEST_CASE("PostgresStore keeps the contract of stores", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    store_contract::check<PostgresBackend>();
}

TEST_CASE("PostgresStore lists all runs and what was not delivered", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    store_contract::lists_for_tools<PostgresBackend>();
}

TEST_CASE("the constructor of PostgresStore connects nowhere", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    { const auto store = backend.open(); }
    CHECK(backend.ask("SELECT count(*) FROM pg_namespace WHERE nspname = '" + backend.schema.name() + "'") == "0 ");
}

TEST_CASE("people can read the tables in PostgreSQL", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    RunBatch run = store_contract::full_run("a");
    run.row.created_at = WallTime{Duration{1700000000123456}};
    run.row.holder = "dog";
    run.row.epoch = 7;
    run.row.name = "Zo\u00eb's \"run\" \U0001F415";
    Batch batch = durable_batch({run});
    batch.mutes = {{"coder", Condition::loop_detected, 255, "ana", store_contract::at(1)}};
    batch.tallies = {{"coder", Condition::loop_detected, 4, 1}, {"idle", Condition::stalled, 0, 0}};
    batch.decisions = {{0, "a", Verb::ack, {}, "ana", store_contract::at(0)}};
    DecisionRow silence{0, "", Verb::silence, store_contract::at(0), "bo", store_contract::at(0)};
    silence.because = "deploy";
    silence.about = {"r", "c", "t", "k", Severity::warning};
    batch.decisions.push_back(silence);
    CHECK(commit(store, batch).empty());
    CHECK(backend.ask("SELECT state, status, created_at AT TIME ZONE 'UTC', holder, epoch FROM runs_readable") ==
          "rate_limited TIMEOUT 2023-11-14 22:13:20.123456 dog 7 ");
    CHECK(store.claim({"dog", "d"}, 1min));
    CHECK(backend.ask("SELECT name, owner, epoch, until > clock_timestamp() FROM leases_readable") == "dog d 1 t ");
    CHECK(backend.ask("SELECT name FROM runs") == run.row.name + " ");
    CHECK(backend.ask("SELECT condition, action FROM interventions_readable") == "NO_OUTPUT_ACCESS terminate ");
    CHECK(backend.ask("SELECT state FROM alerts_readable") == "pending dead ");
    CHECK(backend.ask("SELECT run FROM audit_readable") == "a a ");
    CHECK(backend.ask("SELECT count(*) FROM checkpoints_readable") == "2 ");
    CHECK(backend.ask("SELECT identity FROM mutes_readable") == "ff ");
    CHECK(backend.ask("SELECT percent_wrong FROM tallies_readable") == "25.0  ");
    CHECK(backend.ask("SELECT verb, at AT TIME ZONE 'UTC', applied FROM decisions_readable WHERE number = 1") ==
          "ack 1970-01-01 00:00:00 f ");
    CHECK(backend.ask("SELECT number, about_run, about_class, about_tag, about_kind, at_most, until_at AT TIME ZONE "
                      "'UTC', decided_by, because FROM silences_readable") ==
          "2 r c t k warning 1970-01-01 00:00:00 bo deploy ");
}

TEST_CASE("a lock that somebody holds in PostgreSQL is busy, and the store works afterwards", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto settings = backend.schema.settings();
    SECTION("waiting for the lock is bounded") { settings.lock_timeout = 50ms; }
    SECTION("every statement is bounded") { settings.statement_timeout = 500ms; }
    PostgresStore store{postgres_at(postgres_directory()), settings};
    CHECK(commit(store, {new_run("a")}).empty());
    {
        PostgresClient other{postgres_at(postgres_directory())};
        other.ask("BEGIN; LOCK TABLE " + settings.schema + ".runs");
        CHECK(refused(store).code == ErrorCode::busy);
        const auto loaded = store.load();
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().code == ErrorCode::busy);
    }
    CHECK(commit(store, {new_run("b")}).empty());
    CHECK(ids(store) == "a b ");
}

TEST_CASE("a PostgreSQL store that cannot be written says so, and can be read", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto owner = backend.open();
    SECTION("by a role that may not") {
        PostgresStore reader{postgres_at(postgres_directory(), "reader"), backend.schema.settings()};
        CHECK(refused(reader).code == ErrorCode::read_only);  // not even a schema
        CHECK(commit(owner, {new_run("a")}).empty());
        CHECK(wait_for([&] { return reader.load().has_value(); }));
        CHECK(ids(reader) == "a ");
        const Error error = refused(reader);
        CHECK(error.code == ErrorCode::read_only);
        CHECK_THAT(error.message, ContainsSubstring("runs"));
    }
    SECTION("in a session that only reads") {
        CHECK(commit(owner, {new_run("a")}).empty());
        PostgresStore reader{postgres_at(postgres_directory()) + " options='-c default_transaction_read_only=on'",
                             backend.schema.settings()};
        CHECK(ids(reader) == "a ");
        CHECK(refused(reader).code == ErrorCode::read_only);
    }
    CHECK(ids(owner) == "a ");
}

TEST_CASE("while the server is down calls fail at once, and work when it is back", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresServer server;
    PostgresSettings settings;
    settings.reconnect_after = settings.reconnect_at_most = 3s;
    PostgresStore store{server.connection(), settings};
    CHECK(commit(store, {new_run("a")}).empty());
    server.stop();
    const Error first = refused(store);
    CHECK(first.code == ErrorCode::lost);
    const Error second = refused(store);
    CHECK(second.code == ErrorCode::lost);
    CHECK_THAT(second.message, ContainsSubstring("tried again in"));
    server.start_again();
    REQUIRE(wait_for([&] { return store.commit(durable_batch({new_run("b")})).has_value(); }));
    CHECK(ids(store) == "a b ");

    // A restart that falls between two calls is not even noticed.
    server.stop();
    server.start_again();
    CHECK(commit(store, {new_run("c")}).empty());

    // What was acknowledged as durable survives the server's death.
    server.stop("immediate");
    server.start_again();
    CHECK(ids(store) == "a b c ");
}

TEST_CASE("the wait between attempts to connect doubles up to its limit", "[store][postgres]") {
    PostgresSettings settings;
    settings.reconnect_after = 100ms;
    settings.reconnect_at_most = 150ms;
    PostgresStore store{"host=/nowhere/at/all user=heeler", settings};
    int attempts = 0;
    const auto end = std::chrono::steady_clock::now() + 1s;
    while (std::chrono::steady_clock::now() < end) {
        if (refused(store).message.find("tried again") == std::string::npos) ++attempts;
        std::this_thread::sleep_for(2ms);
    }
    CHECK(attempts <= 8);
    CHECK(attempts >= 2);
}

TEST_CASE("a connection that was ended while idle is replaced unnoticed", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open_named();
    CHECK(commit(store, {new_run("a")}).empty());
    CHECK(backend.ask("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = '" +
                      backend.schema.name() + "'") == "t ");
    CHECK(commit(store, {new_run("b")}).empty());
}

TEST_CASE("a connection that breaks before COMMIT has stored nothing", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    backend.ask(breaking_trigger("NOT DEFERRABLE"));
    Batch batch = durable_batch({new_run("b")});
    batch.audit = {{store_contract::at(1), "kind", "", "{}"}};
    const auto done = store.commit(batch);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == ErrorCode::lost);
    CHECK(ids(store) == "a ");
    backend.ask("DROP FUNCTION break CASCADE");
    CHECK(commit(store, batch).empty());
    CHECK(ids(store) == "a b ");
}

TEST_CASE("a connection that breaks in COMMIT, before it took effect, has stored nothing", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    backend.ask(breaking_trigger("DEFERRABLE INITIALLY DEFERRED"));
    Batch batch = durable_batch({new_run("b")});
    batch.audit = {{store_contract::at(1), "kind", "", "{}"}};
    const auto done = store.commit(batch);
    REQUIRE_FALSE(done);
    INFO(done.error().message);
    CHECK(done.error().code == ErrorCode::lost);
    CHECK(ids(store) == "a ");
}

TEST_CASE("a connection that breaks in COMMIT, after it took effect, is asked about", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresServer server;
    PostgresSettings settings;
    settings.reconnect_after = 20ms;
    PostgresStore store{server.connection(), settings};
    CHECK(commit(store, {new_run("a")}).empty());
    server.start_again_for_a_standby();
    PostgresClient other{server.connection()};
    const auto waits = [&] {
        return other.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "1 ";
    };
    Batch batch = durable_batch({new_run("a"), new_run("b")});

    SECTION("the server answers that it was committed") {
        std::thread breaker{[&] {
            CHECK(wait_for(waits));
            other.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        }};
        const auto done = store.commit(batch);
        breaker.join();
        INFO((done ? "" : done.error().message));
        REQUIRE(done);
        CHECK(*done == Conflicts{"a"});
        CHECK(ids(store) == "a b ");
    }
    SECTION("the server cannot be asked") {
        std::thread breaker{[&] {
            CHECK(wait_for(waits));
            server.stop("immediate");
        }};
        const auto done = store.commit(batch);
        breaker.join();
        REQUIRE_FALSE(done);
        CHECK(done.error().code == ErrorCode::io);
        CHECK_THAT(done.error().message, ContainsSubstring("unknown"));
        server.start_again();
        CHECK(wait_for([&] { return store.load().has_value(); }));
        CHECK(ids(store) == "a b ");
    }
}

TEST_CASE("a server that does not answer is given up", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open_named(500ms);
    CHECK(commit(store, {new_run("a")}).empty());
    const auto pid = std::stoi(
        backend.ask("SELECT pid FROM pg_stat_activity WHERE application_name = '" + backend.schema.name() + "'"));
    REQUIRE(::kill(pid, SIGSTOP) == 0);
    const Error error = refused(store);
    ::kill(pid, SIGCONT);
    CHECK(error.code == ErrorCode::lost);
    CHECK_THAT(error.message, ContainsSubstring("in time"));
    CHECK(commit(store, {new_run("b")}).empty());
}

TEST_CASE("tables that somebody changed are named", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    SECTION("dropped") {
        backend.ask("DROP TABLE runs CASCADE");
        const Error error = refused(store);
        CHECK(error.code == ErrorCode::corrupt);
        CHECK_THAT(error.message, ContainsSubstring("runs"));
    }
    SECTION("without a column") {
        backend.ask("ALTER TABLE runs DROP COLUMN facts");
        const Error error = refused(store);
        CHECK(error.code == ErrorCode::corrupt);
        CHECK_THAT(error.message, ContainsSubstring("facts"));
    }
    SECTION("with a column of another type") {
        backend.ask("DROP VIEW runs_readable; ALTER TABLE runs ALTER COLUMN attempt TYPE NUMERIC");
        (void)store.load();  // it may learn of it by its prepared statement
        const auto loaded = store.load();
        REQUIRE(loaded);
        REQUIRE(loaded->runs.size() == 1);
        CHECK_THAT(loaded->runs[0].damage, ContainsSubstring("'attempt' holds values of another type"));
    }
    SECTION("all dropped: a store never begins anew by itself") {
        backend.ask("DROP SCHEMA " + backend.schema.name() + " CASCADE");
        CHECK(refused(store).code == ErrorCode::corrupt);
        CHECK(refused(store).code == ErrorCode::lost);
        auto restarted = backend.open();
        CHECK(ids(restarted) == "");
    }
}

TEST_CASE("two connections to PostgreSQL see each other's versions", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
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

TEST_CASE("of two commits of one version at the same time one is a conflict", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    CHECK(commit(store, {new_run("a")}).empty());
    RunBatch next = new_run("a");
    next.row.version = 1;
    PostgresClient other{postgres_at(postgres_directory())};
    other.ask("BEGIN; UPDATE " + backend.schema.name() + ".runs SET version = 2, name = 'theirs'");
    std::thread committer{[&] {
        CHECK(wait_for([&] { return backend.ask("SELECT count(*) FROM pg_locks WHERE NOT granted") != "0 "; }));
        other.ask("COMMIT");
    }};
    const auto conflicts = store.commit(durable_batch({next}));
    committer.join();
    REQUIRE(conflicts);
    CHECK(*conflicts == Conflicts{"a"});
    CHECK(history(store, "a").row->name == "theirs");
}

TEST_CASE("rows that come twice in one batch are written in their order", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    RunBatch first = new_run("a");
    first.actions = {store_contract::action("k", ActionOutcome::intended),
                     store_contract::action("l", ActionOutcome::intended),
                     store_contract::action("k", ActionOutcome::done)};
    RunBatch second = new_run("a");
    second.row.version = 1;
    second.row.name = "second";
    second.actions = {store_contract::action("l", ActionOutcome::failed)};
    CHECK(commit(store, {first, new_run("b"), second, new_run("b")}) == Conflicts{"b"});
    const History found = history(store, "a");
    CHECK(found.row->version == 2);
    CHECK(found.row->name == "second");
    CHECK(store_contract::show(found.actions) == store_contract::show(List{first.actions[2], second.actions[0]}));
}

TEST_CASE("durable batches are synchronised by PostgreSQL, telemetry is not", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    auto store = backend.open();
    CHECK(load(store).empty());
    backend.ask(
        "CREATE TABLE seen(how TEXT); CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN INSERT INTO seen SELECT current_setting(''synchronous_commit''); RETURN NULL; END';"
        "CREATE TRIGGER look AFTER INSERT ON audit FOR EACH ROW EXECUTE FUNCTION look()");
    Batch batch;
    batch.audit = {{store_contract::at(1), "kind", "", "{}"}};
    for (const bool durable : {true, false, false, true}) {
        batch.durable = durable;
        CHECK(commit(store, batch).empty());
    }
    CHECK(backend.ask("SELECT how FROM seen") == "on off off on ");
}

TEST_CASE("PostgreSQL stores that are created by many processes at once are one store", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            auto store = backend.open();
            for (int n = 0; n < 20; ++n) {
                const auto done = store.commit(durable_batch({new_run(std::to_string(i) + "." + std::to_string(n))}));
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
    auto store = backend.open();
    CHECK(load(store).size() == 120);
}

TEST_CASE("a PostgreSQL store whose maker was killed can be opened", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    for (unsigned delay = 0; delay < 40000; delay += 4000) {
        PostgresBackend backend;
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

namespace {

/// A store on a server that writes down every statement.
struct LoggedBackend {
    static inline const PostgresServer* server = nullptr;
    static inline int count = 0;
    std::string schema = "logged" + std::to_string(++count);

    PostgresStore open() {
        PostgresSettings settings;
        settings.schema = schema;
        return PostgresStore{server->connection(), settings};
    }
};

bool is_known(std::string_view sql) {
    for (const std::string_view known : detail::postgres_statements)
        if (known == sql) return true;
    for (const std::string_view known : detail::postgres_lease_statements)
        if (known == sql) return true;
    for (const std::string_view known : detail::postgres_prune_statements)
        if (known == sql) return true;
    for (const detail::SchemaStep& step : detail::postgres_schema)
        if (sql == step.sql) return true;
    return false;
}

/// The statements in a server's log, whose further lines begin with a tab.
std::set<std::string> statements_in(const std::string& log) {
    std::vector<std::string> found;
    std::istringstream lines{log};
    bool in_statement = false;
    for (std::string line; std::getline(lines, line);) {
        if (in_statement && line.starts_with('\t')) {
            found.back() += "\n" + line.substr(1);
            continue;
        }
        const auto begin = std::min(line.find("LOG:  statement: "), line.find("LOG:  execute heeler_"));
        in_statement = begin != std::string::npos;
        if (in_statement) found.push_back(line.substr(line.find(": ", begin + 5) + 2));
    }
    return {found.begin(), found.end()};
}

}  // namespace

TEST_CASE("a claim takes a run that cannot be read in PostgreSQL, and says so once [M-008]", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    gives_a_damaged_run_once();
}

TEST_CASE("SQL text for PostgreSQL is constant, whatever the rows hold", "[store][postgres][I21]") {
    HEELER_NEEDS_POSTGRES();
    const PostgresServer server;
    LoggedBackend::server = &server;
    PostgresClient{server.connection()}.ask("ALTER ROLE heeler SET log_statement = 'all'");
    store_contract::keeps_every_byte<LoggedBackend>();
    store_contract::checks_versions<LoggedBackend>();
    store_contract::replaces_rows_by_their_identity<LoggedBackend>();
    store_contract::numbers_decisions<LoggedBackend>();
    store_contract::lists_for_tools<LoggedBackend>();
    store_contract::finds_one_alert<LoggedBackend>();
    store_contract::adds_spend_up<LoggedBackend>();
    store_contract::keeps_mutes_and_adds_tallies<LoggedBackend>();
    store_contract::holds_many<LoggedBackend>();
    lease_contract::one_owner_at_a_time<LoggedBackend>();
    prune_contract::check<LoggedBackend>();
    lease_contract::takes_over<LoggedBackend>();
    lease_contract::gives_what_is_asked_for<LoggedBackend>();
    lease_contract::names_the_lost_until_told<LoggedBackend>();
    const auto seen = statements_in(heeler_test::file_content(server.log_file()));
    for (const std::string& sql : seen) {
        INFO(sql);
        CHECK(is_known(sql));
    }
    for (const std::string sql : detail::postgres_statements) {
        INFO(sql);
        const bool seldom = sql == detail::PostgresSql::rollback || sql == detail::PostgresSql::transaction_status;
        CHECK((seen.count(sql) == 1 || seldom));
    }
    for (const std::string sql : detail::postgres_lease_statements) {
        INFO(sql);
        CHECK((seen.count(sql) == 1 || sql == detail::PostgresLeaseSql::take));
    }
    for (const std::string sql : detail::postgres_prune_statements) {
        INFO(sql);
        CHECK(seen.count(sql) == 1);
    }
}

TEST_CASE("PostgresStore forgets what is over", "[store][postgres]") {
    HEELER_NEEDS_POSTGRES();
    prune_contract::check<PostgresBackend>();
}
