#include <heeler/agent/postgres_agent_table.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include <heeler/store/postgres_store.hpp>

#include "contract/agent_table_contract.hpp"
#include "support/postgres.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::postgres_at;
using heeler_test::postgres_directory;
using heeler_test::PostgresClient;
using heeler_test::ScratchSchema;

namespace {

struct PostgresBackend {
    ScratchSchema schema;

    std::unique_ptr<PostgresAgentTable> open(Duration every = 10min) {
        PostgresSettings settings = schema.settings();
        settings.reconnect_after = 0ms;
        settings.reconnect_at_most = 0ms;
        return std::make_unique<PostgresAgentTable>(postgres_at(postgres_directory()), every, settings);
    }
    /// The schema is there even if nothing was opened yet.
    std::string ask(const std::string& sql) {
        return PostgresClient{postgres_at(postgres_directory())}.ask(
            "SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS " + schema.name() +
            "; SET search_path = " + schema.name() + "; SET client_min_messages = notice; " + sql);
    }
    std::string ask_now(const std::string& sql) {  // from any thread
        PGconn* const handle = PQconnectdb(postgres_at(postgres_directory()).c_str());
        PGresult* const result = PQexec(handle, sql.c_str());
        const std::string answer = PQntuples(result) == 1 ? PQgetvalue(result, 0, 0) : "";
        PQclear(result);
        PQfinish(handle);
        return answer;
    }
    bool ask_with(const std::string& sql, int step, const std::string& text) {
        PGconn* const handle = PQconnectdb(postgres_at(postgres_directory()).c_str());
        const std::string number = std::to_string(step);
        const char* const values[] = {number.c_str(), text.c_str()};
        PGresult* const result = PQexecParams(handle, sql.c_str(), 2, nullptr, values, nullptr, nullptr, 0);
        const bool counted = PQntuples(result) == 1 && std::string_view{PQgetvalue(result, 0, 0)} == "t";
        PQclear(result);
        PQfinish(handle);
        return counted;
    }
    static std::string ago(int seconds) {
        return "clock_timestamp() - interval '" + std::to_string(seconds) + " seconds'";
    }
    void make_table_without_rules() {
        ask("CREATE TABLE agent_progress(run text PRIMARY KEY, token text, attempt bigint, status text, "
            "last_checkpoint timestamptz, last_heartbeat timestamptz, last_step text, completed_steps jsonb, "
            "completed_by bigint, completed_at timestamptz, created_at timestamptz DEFAULT clock_timestamp(), "
            "attempt_started_at timestamptz, claim_key text, claimed_by text, claim_fence bigint, id bigint, "
            "queue_item_id bigint, agent_task_name varchar(255), updated_at timestamptz, work_item text, plan jsonb, "
            "question text, resumed_at timestamptz)");
    }
    /// The statement of the agents' first prompt, word for word.
    static std::string by_queue_item(int item, int step, const std::string& text) {
        return "UPDATE agent_progress \nSET last_checkpoint = NOW(),\n    last_step = '" + text +
               "',\n    completed_steps = JSON_ARRAY_APPEND(completed_steps, '$', " + std::to_string(step) +
               ")\nWHERE queue_item_id = " + std::to_string(item) + ";";
    }
    static std::string repeated(const std::string& text, int count) {
        return "repeat('" + text + "', " + std::to_string(count) + ")";
    }
    static std::string huge_steps() { return "('[' || repeat('1,', 1000000) || '1]')::jsonb"; }
    static std::string many_steps() { return "(SELECT jsonb_agg(i) FROM generate_series(1, 2000) i)"; }
    static std::vector<std::string> odd_times() { return {"'infinity'", "'-infinity'", "'294276-12-31 00:00:00Z'"}; }
    static void wait() {}
};

/// Creates a role that may do nothing but what `grants` says; `place` stands for the schema.
class Role {
public:
    Role(const ScratchSchema& schema, const std::string& grants) : name_{"agent_" + schema.name()} {
        owner_.ask("CREATE ROLE " + name_ + " LOGIN");
        owner_.ask(grants);
    }
    Role(const Role&) = delete;
    Role& operator=(const Role&) = delete;
    ~Role() { owner_.ask("DROP OWNED BY " + name_ + "; DROP ROLE " + name_); }

    /// The first value, or the error.
    [[nodiscard]] std::string ask(const std::string& sql) const {
        PGconn* const handle = PQconnectdb(postgres_at(postgres_directory(), name_).c_str());
        PGresult* const result = PQexec(handle, sql.c_str());
        std::string answer = PQresultStatus(result) == PGRES_TUPLES_OK ? "no row" : PQresultErrorMessage(result);
        if (PQntuples(result) > 0) answer = PQgetvalue(result, 0, 0);
        PQclear(result);
        PQfinish(handle);
        return answer;
    }

private:
    PostgresClient owner_{postgres_at(postgres_directory())};
    std::string name_;
};

}  // namespace

TEST_CASE("PostgresAgentTable keeps the contract of agents' tables [M-027] [M-049] [M-098]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    agent_table_contract::check<PostgresBackend>();
}

TEST_CASE("an agent that may only execute the functions can do its part and nothing else [M-027]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    agent_table_contract::Bench<PostgresBackend> b;
    const AgentTicket first = b.enlist();
    const std::string place = b.backend.schema.name();
    const std::string role = "agent_" + place;
    const Role agent{b.backend.schema, "GRANT USAGE ON SCHEMA " + place + " TO " + role +
                                           ";GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA " + place + " TO " + role};
    const auto says = [&](const AgentTicket& ticket) { return b.table->prompted(ticket, 1, "it's \\ done"); };
    CHECK(agent.ask(says(first).checkpoint) == "t");
    CHECK(b.news() == "checkpoint(1,it's \\ done)#1@0 ");
    CHECK(agent.ask("SELECT token FROM " + place + ".agent_progress").find("permission denied") != std::string::npos);
    CHECK(agent.ask(b.table->statements(first, 1, "").checkpoint).find("permission denied") != std::string::npos);
    // What the role puts in front of the search path is not what the functions use.
    CHECK(agent.ask("CREATE TEMP TABLE agent_progress(token text); SET search_path = pg_temp; " +
                    says(first).checkpoint) == "t");
    b.make_old();
    b.poll();
    const auto second = b.table->claim("r", 1, "key");
    REQUIRE(second);
    CHECK(agent.ask(says(first).checkpoint) == "f");
    CHECK(agent.ask(says(first).heartbeat) == "f");
    CHECK(agent.ask(says(first).complete) == "f");
    CHECK(agent.ask(says(*second).heartbeat) == "t");
    CHECK(agent.ask(says(*second).complete) == "t");
    CHECK(b.column("completed_by") == "2 ");
    CHECK(agent.ask("SELECT " + place + ".heeler_checkpoint(NULL, NULL, NULL)") == "f");
}

TEST_CASE("the functions are not everybody's", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    agent_table_contract::Bench<PostgresBackend> b;
    const AgentTicket ticket = b.enlist();
    const std::string place = b.backend.schema.name();
    const Role stranger{b.backend.schema, "GRANT USAGE ON SCHEMA " + place + " TO agent_" + place};
    CHECK(stranger.ask(b.table->prompted(ticket, 1, "").checkpoint).find("permission denied") != std::string::npos);
}

TEST_CASE("a watchdog needs no right to create where the table is there already", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    agent_table_contract::Bench<PostgresBackend> b;
    b.enlist();
    const std::string place = b.backend.schema.name();
    const std::string role = "agent_" + place;
    const Role watchdog{b.backend.schema, "GRANT USAGE ON SCHEMA " + place + " TO " + role +
                                              ";GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + place +
                                              " TO " + role};
    PostgresAgentTable table{postgres_at(postgres_directory(), role), 10min, b.backend.schema.settings()};
    CHECK(table.enlist("other"));
}

TEST_CASE("columns of another type are refused by name", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    PostgresBackend backend;
    backend.make_table_without_rules();
    backend.ask("ALTER TABLE agent_progress ALTER completed_steps TYPE text");
    const auto refused = backend.open()->enlist("r");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::not_a_store);
    CHECK(refused.error().message.find("\"completed_steps\" of type text, not jsonb") != std::string::npos);
}

TEST_CASE("agents and watchdog share the store's own schema once the store has made it [M-027]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    const ScratchSchema schema;
    PostgresStore store{postgres_at(postgres_directory()), schema.settings()};
    REQUIRE(store.load());
    PostgresAgentTable table{postgres_at(postgres_directory()), 10min, schema.settings()};
    REQUIRE(table.enlist("r"));
    PostgresStore again{postgres_at(postgres_directory()), schema.settings()};
    REQUIRE(again.load());
}

TEST_CASE("a server that went away is an error until it is back", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    heeler_test::PostgresServer server;
    PostgresSettings settings;
    settings.schema = "agents";
    settings.reconnect_after = 1ms;
    settings.reconnect_at_most = 1ms;
    PostgresAgentTable table{server.connection(), 10min, settings};
    REQUIRE(table.enlist("r"));
    server.stop("immediate");
    const std::vector<RunCursor> runs{{"r", ""}};
    CHECK(table.poll(runs).error().code == ErrorCode::lost);
    CHECK(table.claim("r", 1, "k").error().code == ErrorCode::lost);
    server.start_again();
    CHECK(heeler_test::wait_for([&] { return table.poll(runs).has_value(); }));
}

TEST_CASE("a claim whose answer was lost is asked for again, and only by whom it is [M-098]", "[postgres]") {
    HEELER_NEEDS_POSTGRES();
    agent_table_contract::Bench<PostgresBackend> b;
    b.enlist();
    b.make_old();
    b.poll();
    b.ask(
        "CREATE FUNCTION break() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM "
        "pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';"
        "CREATE CONSTRAINT TRIGGER break AFTER UPDATE ON agent_progress DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
        "EXECUTE FUNCTION break()");
    const auto asked = [](std::string_view key, std::string_view asker) {
        return ActionRequest{"r", key, {}, 1, asker, 5};
    };
    CHECK(b.table->claim(asked("k1", "w1.1"), false).error().code == ErrorCode::lost);
    b.ask("DROP FUNCTION break() CASCADE");
    // It was not stored, but nobody knows; so let it be stored.
    b.ask(
        "INSERT INTO agent_attempts(run, attempt, token, status, last_step, completed_steps, attempt_started_at) "
        "VALUES ('r', 1, 'old', 'stalled', '', '[]', now());"
        "UPDATE agent_progress SET attempt = 2, claim_key = 'k1', claimed_by = 'w1.1', claim_fence = 5");
    CHECK(b.table->claim(asked("k1", "w2.1"), false).error().code == ErrorCode::timed_out);
    CHECK(b.table->claim(asked("k2", "w2.1"), false).error().code == ErrorCode::rejected);
    CHECK(b.table->claimer("k1") == AgentClaimer::we);
    CHECK(b.backend.open()->claimer("k1") == AgentClaimer::somebody);
    CHECK(b.table->claimer("k0") == AgentClaimer::nobody);
    const auto again = b.table->claim(asked("k1", "w1.1"), false);
    REQUIRE(again);
    CHECK(again->attempt == 2);
    CHECK(b.table->claim(asked("k2", "w1.1"), false)->attempt == 2);
    CHECK(b.column("claim_key") == "k2 ");
}
