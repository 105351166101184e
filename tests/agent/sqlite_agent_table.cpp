#include <heeler/agent/sqlite_agent_table.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>
#include <sys/stat.h>

#include <heeler/store/sqlite_store.hpp>

#include "contract/agent_table_contract.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A connection of somebody else: an agent, or a person at the prompt.
class SqliteClient {
public:
    explicit SqliteClient(const std::string& file) {
        REQUIRE(sqlite3_open(file.c_str(), &handle_) == SQLITE_OK);
        sqlite3_busy_timeout(handle_, 10'000);
        sqlite3_exec(handle_, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
    }
    SqliteClient(const SqliteClient&) = delete;
    SqliteClient& operator=(const SqliteClient&) = delete;
    ~SqliteClient() { sqlite3_close(handle_); }

    std::string ask(const std::string& sql, bool& ok) {
        std::string text;
        const auto add = [](void* out, int columns, char** values, char**) {
            for (int i = 0; i < columns; ++i)
                static_cast<std::string*>(out)->append(values[i] == nullptr ? "" : values[i]).append(" ");
            return 0;
        };
        ok = sqlite3_exec(handle_, sql.c_str(), add, &text, nullptr) == SQLITE_OK;
        return ok ? text : sqlite3_errmsg(handle_);
    }

    /// With a step and a text as parameters; whether it answered a row.
    bool counts(const std::string& sql, int step, const std::string& text) {
        sqlite3_stmt* statement = nullptr;
        REQUIRE(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
        sqlite3_bind_int(statement, 1, step);
        sqlite3_bind_text(statement, 2, text.c_str(), -1, SQLITE_TRANSIENT);
        const bool counted = sqlite3_step(statement) == SQLITE_ROW;
        CHECK(sqlite3_step(statement) == SQLITE_DONE);
        sqlite3_finalize(statement);
        return counted;
    }

private:
    sqlite3* handle_ = nullptr;
};

struct SqliteBackend {
    ScratchLog folder;
    std::string file = folder.path("agents.db");

    std::unique_ptr<SqliteAgentTable> open(Duration every = 10min) {
        return std::make_unique<SqliteAgentTable>(file,
                                                  SqliteAgentSettings{.checkpoint_every = every, .busy_timeout = 10s});
    }
    std::string ask(const std::string& sql) {
        bool ok = false;
        const std::string answer = SqliteClient{file}.ask(sql, ok);
        INFO(sql << ": " << answer);
        REQUIRE(ok);
        return answer;
    }
    std::string ask_now(const std::string& sql) {  // from any thread
        bool ok = false;
        std::string answer = SqliteClient{file}.ask(sql, ok);
        return ok ? answer : "";
    }
    bool ask_with(const std::string& sql, int step, const std::string& text) {
        return SqliteClient{file}.counts(sql, step, text);
    }
    static std::string ago(int seconds) {
        return "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-" + std::to_string(seconds) + " seconds')";
    }
    void make_table_without_rules() {
        ask("CREATE TABLE agent_progress(run TEXT PRIMARY KEY, token, attempt, status, last_checkpoint, "
            "last_heartbeat, last_step, completed_steps, completed_by, completed_at, "
            "created_at DEFAULT CURRENT_TIMESTAMP, attempt_started_at, claim_key, claimed_by, claim_fence, id, "
            "queue_item_id, agent_task_name, updated_at, work_item, plan, question, resumed_at)");
    }
    /// The statement of the agents' first prompt, in the words of this database.
    static std::string by_queue_item(int item, int step, const std::string& text) {
        return "UPDATE agent_progress\nSET last_checkpoint = CURRENT_TIMESTAMP,\n    last_step = '" + text +
               "',\n    completed_steps = json_insert(completed_steps, '$[#]', " + std::to_string(step) +
               ")\nWHERE queue_item_id = " + std::to_string(item) + ";";
    }
    static std::string repeated(const std::string& text, int count) {
        return "replace(hex(zeroblob(" + std::to_string(count) + ")), '00', '" + text + "')";
    }
    static std::string huge_steps() { return "'[' || " + repeated("1,", 5'000'000) + " || '1]'"; }
    static std::string many_steps() {
        return "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) "
               "SELECT json_group_array(i) FROM n)";
    }
    static std::vector<std::string> odd_times() {
        return {"'yesterday'", "''", "1795000000", "-1e300", "x'00ff41'", repeated("9", 100'000)};
    }
    static void wait() {}
};

}  // namespace

TEST_CASE("SqliteAgentTable keeps the contract of agents' tables [M-027] [M-049] [M-098]") {
    agent_table_contract::check<SqliteBackend>();
}

TEST_CASE("values of any type in a SQLite row are problems, not crashes") {
    agent_table_contract::Bench<SqliteBackend> b;
    b.backend.make_table_without_rules();
    b.cursors.push_back({"r", {}});
    b.ask(
        "INSERT INTO agent_progress VALUES ('r', x'00', 1.5, 7, 1e999, -1, x'ff00fe', 'no JSON', 'x', x'', '', '', 3, "
        "5, 'high', 'x', x'00', 1, 'y', x'ff', x'00ff', x'00', -1)");
    const std::string news = b.news();
    INFO(news);
    for (const char* const column : {"attempt", "status", "last_checkpoint", "completed_steps", "plan"})
        CHECK(news.find(std::string{"column "} + column + " holds") != std::string::npos);
    CHECK(b.news().empty());
    const auto refused = b.table->claim("r", 1, "k");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::rejected);
    CHECK_FALSE(b.table->enlist("r"));
    REQUIRE(b.table->describe({"r"}));
    CHECK(b.table->describe({"r"})->front().plan.empty());
}

TEST_CASE("agents and watchdog share the store's own file once the store has made it [M-027]") {
    const ScratchLog folder;
    const std::string file = folder.path("heeler.db");
    SqliteStore store{file};
    REQUIRE(store.load());
    SqliteAgentTable table{file};
    REQUIRE(table.enlist("r"));
    REQUIRE(SqliteStore{file}.load());
    REQUIRE(table.enlist("s"));
}

TEST_CASE("a file of agents that is gone or is something else is an error that names it") {
    const ScratchLog folder;
    SqliteAgentTable table{folder.path("agents.db")};
    REQUIRE(table.enlist("r"));
    std::filesystem::remove(folder.path("agents.db"));
    const auto gone = table.poll({});
    REQUIRE_FALSE(gone);
    CHECK(gone.error().message.find("agents.db: the file was deleted while in use") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path("agents.db")));
    folder.append("this is no database, whatever its name says, and it is longer than a header of one hundred bytes");
    SqliteAgentTable other{folder.path()};
    const auto refused = other.enlist("r");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::not_a_store);
    CHECK_FALSE(SqliteAgentTable{":memory:"}.enlist("r"));
    CHECK_FALSE(SqliteAgentTable{folder.path("x.db"), {.busy_timeout = -1s}}.enlist("r"));
}

TEST_CASE("a named pipe that an agent makes beside its table, or in its place, stops nobody") {
    const std::string end = GENERATE("", "-journal", "-wal", "-shm");
    const ScratchLog folder;
    const std::string file = folder.path("agents.db");
    SqliteAgentTable table{file, {.busy_timeout = 0s}};
    REQUIRE(table.enlist("r"));
    const bool reopens = GENERATE(false, true);
    std::filesystem::remove(file + end);
    REQUIRE(::mkfifo((file + end).c_str(), 0600) == 0);
    SqliteAgentTable other{file, {.busy_timeout = 0s}};
    const auto refused = reopens ? other.poll({}) : table.poll({});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::io);
    CHECK(refused.error().message.find(file + end + " is no file") != std::string::npos);
    std::filesystem::remove(file + end);
    if (end == "-journal") CHECK(table.enlist("s"));
}

TEST_CASE("while somebody else holds the file, agents' tables answer busy and go on later") {
    const ScratchLog folder;
    SqliteAgentTable table{folder.path("agents.db"), {.busy_timeout = 0s}};
    REQUIRE(table.enlist("r"));
    SqliteClient other{folder.path("agents.db")};
    bool ok = false;
    other.ask("BEGIN IMMEDIATE", ok);
    REQUIRE(ok);
    CHECK(table.claim("r", 1, "k").error().code == ErrorCode::busy);
    const std::vector<RunCursor> runs{{"r", ""}};
    CHECK(table.poll(runs));  // readers are not held up
    other.ask("COMMIT", ok);
    CHECK(table.claim("r", 1, "k").error().code == ErrorCode::rejected);
}
