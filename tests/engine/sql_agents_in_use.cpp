// A watchdog that knows its agents only from the table that they write, with a clock that has nothing to do with the
// database's.
#include <heeler/agent/listed_agents.hpp>
#include <heeler/agent/sqlite_agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>
#include <heeler/settings/presets.hpp>

#include <sqlite3.h>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// The preset of checkpoints over a table of agents. Nothing but the rows is ever reported.
struct AgentsBench : bench::Bench {
    ScratchLog folder;
    std::string file = folder.path("agents.db");
    std::unique_ptr<SqliteAgentTable> table;

    AgentsBench() { classes = {presets::checkpoint_continuation()}; }

    /// An agent's statement, or somebody's by hand. Answers the values of its rows.
    std::string ask(const std::string& sql) const {
        sqlite3* database = nullptr;
        REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
        sqlite3_busy_timeout(database, 5000);
        std::string text;
        const auto add = [](void* out, int columns, char** values, char**) {
            for (int i = 0; i < columns; ++i)
                static_cast<std::string*>(out)->append(values[i] == nullptr ? "" : values[i]).append(" ");
            return 0;
        };
        const int result = sqlite3_exec(database, sql.c_str(), add, &text, nullptr);
        INFO(sql << ": " << sqlite3_errmsg(database));
        CHECK(result == SQLITE_OK);
        sqlite3_close(database);
        return text;
    }
    bool checkpoints(const AgentTicket& ticket, std::int64_t step) const {
        return !ask(table->statements(ticket, step, "step's text").checkpoint).empty();
    }
    /// The row's moments, so many seconds ago.
    void age(int seconds) const {
        const std::string then = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-" + std::to_string(seconds) + " seconds')";
        ask("UPDATE agent_progress SET created_at = " + then + ", attempt_started_at = " + then +
            ", last_checkpoint = iif(last_checkpoint IS NULL, NULL, " + then + ")");
    }
    AgentTicket ticket() { return *table->enlist("r"); }
};

/// One run of the table, which the host registers.
struct SqlBench : AgentsBench {
    std::unique_ptr<TableFencedControl<SqliteAgentTable, ScriptedControl>> fenced;
    RunHandle handle;
    AgentTicket first;

    SqlBench() {
        connect();
        auto enlisted = table->enlist("r");
        REQUIRE(enlisted);
        first = *enlisted;
        RunSpec spec = bench::spec_of("r");
        spec.plan = {1, 2, 3};
        handle = run(spec);
    }

    /// As after a restart.
    void connect() {
        boot();
        table = std::make_unique<SqliteAgentTable>(file);
        fenced = std::make_unique<TableFencedControl<SqliteAgentTable, ScriptedControl>>(*table, control);
        dog->attach(*fenced);
        dog->attach("checkpoint_continuation", *table);
        if (const auto known = dog->find("r")) handle = *known;
    }
};

/// Whatever runs the table lists.
struct ListedBench : AgentsBench {
    std::unique_ptr<ListedAgents<SqliteAgentTable>> listed;
    std::unique_ptr<TableFencedControl<ListedAgents<SqliteAgentTable>, ScriptedControl>> fenced;

    ListedBench() {
        connect();
        CHECK(bench::errors_of(after(900s)).empty());  // makes the table
    }

    /// As after a restart.
    void connect() {
        boot();
        table = std::make_unique<SqliteAgentTable>(file);
        listed = std::make_unique<ListedAgents<SqliteAgentTable>>(*table);
        fenced =
            std::make_unique<TableFencedControl<ListedAgents<SqliteAgentTable>, ScriptedControl>>(*listed, control);
        dog->attach(*fenced);
        dog->attach("checkpoint_continuation", *listed);
    }
};

}  // namespace

TEST_CASE("a run is watched by its agents' table alone, from checkpoint to continuation to its end [M-098]") {
    SqlBench b;
    CHECK(b.checkpoints(b.first, 1));
    CHECK(b.after(900s).errors == 0);
    REQUIRE(b.history().checkpoints.size() == 1);
    CHECK(b.history().checkpoints[0].step == 1);
    CHECK(b.history().checkpoints[0].text == "step's text");
    b.age(1190);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.acts.empty());
    b.age(2090);
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");
    REQUIRE(b.control.requests().size() == 1);
    const std::string brief = b.control.requests()[0].text;
    CHECK_THAT(brief, ContainsSubstring("Completed steps: [1]\nRemaining steps: [2,3]"));
    CHECK_THAT(brief, ContainsSubstring("| step's text"));
    CHECK_THAT(brief, ContainsSubstring(b.table->prompt(b.ticket())));
    CHECK_FALSE(b.checkpoints(b.first, 2));
    CHECK(b.checkpoints(b.ticket(), 2));
    (void)b.after(900s);
    CHECK(b.history().checkpoints.back().step == 2);
    CHECK(b.history().checkpoints.back().incarnation == 2);
    b.ask(b.table->prompted(b.ticket(), {}, "").complete);
    (void)b.after(900s);
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().row->incarnation == 2);
    CHECK(b.acts == "spawn done");
}

TEST_CASE("a class that would act before its table lets anybody be replaced is refused, with both numbers [M-098]") {
    RunClass hasty = presets::checkpoint_continuation();
    hasty.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 599s});
    const auto refusal = [](const Result<void>& answer) { return answer ? "" : answer.error().message; };
    SqlBench b;
    CHECK_THAT(refusal(b.dog->define(hasty)), ContainsSubstring("599") && ContainsSubstring("600"));
    hasty.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 600s});
    CHECK(b.dog->define(hasty));
    hasty.name = "later";
    hasty.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 599s});
    CHECK(b.dog->define(hasty));
    CHECK_THAT(refusal(b.dog->attach("later", *b.table)), ContainsSubstring("599") && ContainsSubstring("600"));
    CHECK(b.dog->attach("not defined", *b.table));
}

TEST_CASE("ages are the database's, however the watchdog's clock stands [M-028]") {
    const auto age = GENERATE(1190, 1201);
    SqlBench b;
    b.clock.advance(2000s);
    CHECK(b.checkpoints(b.first, 1));
    b.age(age);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.acts == (age == 1190 ? "" : "spawn done"));
}

TEST_CASE("a checkpoint of the future counts as now and hides no stall [M-028]") {
    SqlBench b;
    b.ask("UPDATE agent_progress SET last_checkpoint = '2199-01-01T00:00:00Z'");
    CHECK_THAT(bench::errors_of(b.after(900s)), ContainsSubstring("it lies in the future and counts as now"));
    CHECK(b.after(900s).errors == 0);
    CHECK(b.acts.empty());
    CHECK(b.after(900s).errors == 0);
    CHECK(b.acts == "spawn done");
}

TEST_CASE("a verdict that a checkpoint has overtaken is dropped, and nobody is replaced [M-098]") {
    SqlBench b;
    CHECK(b.checkpoints(b.first, 1));
    b.age(1300);
    b.clock.advance(900s);
    (void)b.dog->tick(TickCause::on_demand);  // judged, not yet carried out
    CHECK(b.checkpoints(b.first, 2));
    CHECK(bench::acts_of(b.dog->deliver()) == "spawn rejected");
    (void)b.cycle(TickCause::outcome);
    (void)b.after(900s);
    CHECK(b.checkpoints(b.first, 3));
    (void)b.after(900s);
    CHECK(b.control.requests().empty());
    CHECK(b.history().row->incarnation == 1);
    CHECK(b.history().checkpoints.size() == 3);
}

TEST_CASE("a checkpoint that is read between the verdict and a late claim drops the verdict [M-098]") {
    const bool restarts = GENERATE(false, true);
    CAPTURE(restarts);
    struct Hesitant {
        TableFencedControl<SqliteAgentTable, ScriptedControl>& inner;
        bool ready = false;

        Result<ActionDone> spawn(const ActionRequest& asked) {
            if (ready) return inner.spawn(asked);
            return fail(ErrorCode::busy, "not yet");
        }
        Result<Found> find(std::string_view key) { return inner.find(key); }
    };
    SqlBench b;
    CHECK(b.checkpoints(b.first, 1));
    b.age(2090);
    Hesitant hesitant{*b.fenced};
    b.dog->attach(hesitant);
    (void)b.after(900s);
    CHECK(b.acts.empty());
    CHECK(b.checkpoints(b.first, 2));
    b.age(700);
    if (restarts) b.connect();
    hesitant.ready = true;
    (void)b.after(900s);
    CHECK(b.acts == "spawn rejected");
    CHECK(b.control.requests().empty());
    (void)b.after(900s);
    CHECK(b.history().checkpoints.back().step == 2);
    CHECK(b.acts == "spawn rejected");
}

TEST_CASE("a run that completed between verdict and spawn is not continued [M-049]") {
    SqlBench b;
    b.age(3600);
    b.clock.advance(900s);
    (void)b.dog->tick(TickCause::on_demand);
    b.ask(b.table->prompted(b.first, {}, "").complete);
    CHECK(bench::acts_of(b.dog->deliver()) == "spawn ended");
    (void)b.cycle(TickCause::outcome);
    CHECK(b.control.requests().empty());
    CHECK(b.history().row->state == RunState::completed);
}

TEST_CASE("a spawn that failed leaves the run with its agent until one works [M-098]") {
    SqlBench b;
    b.age(3600);
    b.control.answer(ControlVerb::spawn, ControlAnswer::fail);
    (void)b.after(1201s);
    CHECK(b.acts == "spawn failed");
    CHECK(b.ticket().token == b.first.token);
    b.control.answer(ControlVerb::spawn, ControlAnswer::ok);
    (void)b.after(900s);
    (void)b.after(900s);
    CHECK(b.ticket().attempt == 2);
    CHECK(b.history().row->incarnation == 2);
}

TEST_CASE("a table that cannot be read holds verdicts back and is said once [M-098]") {
    SqlBench b;
    CHECK(b.checkpoints(b.first, 1));
    (void)b.after(900s);
    b.ask("ALTER TABLE agent_progress RENAME TO hidden");
    std::string said;
    for (int i = 0; i < 4; ++i) said += bench::errors_of(b.after(900s));
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    CHECK_THAT(said, ContainsSubstring("agent_progress is gone"));
    CHECK(b.acts.empty());
    b.ask("ALTER TABLE hidden RENAME TO agent_progress");
    CHECK(b.checkpoints(b.first, 2));
    (void)b.after(900s);
    CHECK(b.history().checkpoints.back().step == 2);
    CHECK(b.acts.empty());
}

TEST_CASE("after a restart the rows are read on from the stored cursor [M-098]") {
    SqlBench b;
    CHECK(b.checkpoints(b.first, 1));
    (void)b.after(900s);
    b.connect();
    (void)b.after(900s);
    CHECK(b.history().checkpoints.size() == 1);
    b.age(1201);
    (void)b.after(900s);
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");
    b.connect();
    CHECK(b.checkpoints(b.ticket(), 2));
    (void)b.after(900s);
    CHECK(b.history().checkpoints.back().incarnation == 2);
}

TEST_CASE("steps and endings written by hand reach the run as well [M-098]") {
    SqlBench b;
    b.ask("UPDATE agent_progress SET completed_steps = '[2,1]', attempt = 9");
    CHECK_THAT(bench::errors_of(b.after(900s)), ContainsSubstring("column attempt holds \"9\"; write 1"));
    CHECK(b.history().checkpoints.size() == 2);
    b.ask("UPDATE agent_progress SET status = 'failed', attempt = 1");
    CHECK(b.after(900s).errors == 0);
    CHECK(b.history().row->state == RunState::failed);
}

TEST_CASE("a run whose continuations are used up is over for its agents [M-100]") {
    SqlBench b;
    for (int i = 0; i < 8 && b.history().row->state == RunState::running; ++i) {
        b.age(1300);
        (void)b.after(1300s);
    }
    CHECK(b.acts == "spawn done; spawn done; escalate done, mark_failed done");
    CHECK(b.history().row->state == RunState::failed);
    CHECK(b.ask("SELECT status, attempt FROM agent_progress") == "failed 3 ");
    CHECK_FALSE(b.checkpoints(b.ticket(), 1));
}

TEST_CASE("a row that anybody inserts is watched from the next cycle on, to its end [M-098]") {
    const bool restarts = GENERATE(false, true);
    ListedBench b;
    b.ask("INSERT INTO agent_progress(run) VALUES ('r')");
    CHECK(bench::errors_of(b.after(900s)).empty());
    REQUIRE(b.history().row);
    const AgentTicket first = b.ticket();
    CHECK(b.checkpoints(first, 1));
    (void)b.after(900s);
    CHECK(b.history().checkpoints.size() == 1);
    if (restarts) b.connect();
    b.age(1201);
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");
    CHECK_FALSE(b.checkpoints(first, 2));
    CHECK(b.checkpoints(b.ticket(), 2));
    (void)b.after(900s);
    b.ask(b.table->prompted(b.ticket(), {}, "").complete);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().row->incarnation == 2);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK_FALSE(b.history("r#2").row);
}

TEST_CASE("a row that is deleted ends its run, and one that comes back is continued like any other [M-098]") {
    ListedBench b;
    b.ask("INSERT INTO agent_progress(run) VALUES ('r'), ('other')");
    (void)b.after(900s);
    b.ask("DELETE FROM agent_progress WHERE run = 'r'");
    (void)b.after(900s);
    CHECK(b.history().row->state == RunState::cancelled);
    b.ask("INSERT INTO agent_progress(run) VALUES ('r')");
    (void)b.after(900s);
    REQUIRE(b.history("r#2").row);
    b.age(1201);
    b.ask("UPDATE agent_progress SET last_checkpoint = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE run = 'other'");
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");
    CHECK(b.ticket().attempt == 2);
    for (int i = 0; i < 8 && b.history("r#2").row->state == RunState::running; ++i) {
        b.age(1300);
        b.ask("UPDATE agent_progress SET last_checkpoint = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE run = 'other'");
        (void)b.after(1300s);
    }
    CHECK(b.history("r#2").row->state == RunState::failed);
    CHECK(b.ask("SELECT status, attempt FROM agent_progress WHERE run = 'r'") == "failed 3 ");
    CHECK(b.history("other").row->state == RunState::running);
}

TEST_CASE("rows whose names cannot be runs are said once, the others are watched [M-008]") {
    ListedBench b;
    b.ask(
        "INSERT INTO agent_progress(run) VALUES ('r'), (''), ('two' || char(9) || 'words'), "
        "(replace(hex(zeroblob(500)), '00', 'x'))");
    const std::string said = bench::errors_of(b.after(900s));
    CHECK(std::count(said.begin(), said.end(), '\n') == 3);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.history().row->state == RunState::running);
}

TEST_CASE("a queue's row, whose agents write to their queue item alone, is watched and continued [M-098] [M-099]") {
    ListedBench b;
    RunClass rules = presets::checkpoint_continuation();
    rules.stop_proof = StopProofNeeded::presumed;
    REQUIRE(b.dog->define(rules));
    const std::string item = "Diagnosis\n" + std::string(200'000, 'w') + "\nQA requirements, to the last line";
    b.ask(
        "INSERT INTO agent_progress(queue_item_id, agent_task_name, status, work_item, plan) VALUES "
        "(123, 'implement-123', 'in_progress', '" +
        item + "', '[1,2,3]')");
    const auto writes = [&](const std::string& assignments) {
        b.ask("UPDATE agent_progress SET " + assignments + " WHERE queue_item_id = 123");
    };
    const auto checkpoints = [&](int step) {
        const std::string number = std::to_string(step);
        writes("last_checkpoint = CURRENT_TIMESTAMP, last_step = 'Completed step " + number +
               "', completed_steps = json_insert(completed_steps, '$[#]', " + number + ")");
    };
    CHECK(bench::errors_of(b.after(900s)).empty());
    REQUIRE(b.history("implement-123").row);
    checkpoints(1);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.history("implement-123").checkpoints.size() == 1);
    b.age(2100);
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");
    REQUIRE(b.control.requests().size() == 1);
    const std::string brief = b.control.requests()[0].text;
    CHECK_THAT(brief,
               ContainsSubstring("| Diagnosis\n") && ContainsSubstring("\n| QA requirements, to the last line\n"));
    CHECK(std::count(brief.begin(), brief.end(), 'w') > 200'000);
    CHECK_THAT(brief, ContainsSubstring("Completed steps: [1]\nRemaining steps: [2,3]\n"));
    (void)b.after(900s);  // it has only just begun
    CHECK(b.acts == "spawn done");
    checkpoints(2);
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.history("implement-123").checkpoints.back().step == 2);
    CHECK(b.history("implement-123").checkpoints.back().incarnation == 2);
    checkpoints(3);
    writes("status = 'completed'");
    CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.history("implement-123").row->state == RunState::completed);
    CHECK(b.acts == "spawn done");
}

TEST_CASE("an item that waits for its first agent is not continued, nor one whose agent asks a person [M-098]") {
    ListedBench b;
    b.ask("INSERT INTO agent_progress(agent_task_name, status) VALUES ('r', 'queued')");
    b.age(7200);
    for (int i = 0; i < 4; ++i) CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.acts.empty());
    const AgentTicket first = b.ticket();
    CHECK(b.checkpoints(first, 1));
    (void)b.after(900s);
    CHECK(b.acts.empty());
    CHECK(!b.ask(b.table->statements(first, {}, "Which dialect?").question).empty());
    b.ask("UPDATE agent_progress SET attempt_started_at = '2020-01-01', created_at = '2020-01-01'");
    for (int i = 0; i < 4; ++i) CHECK(bench::errors_of(b.after(900s)).empty());
    CHECK(b.acts.empty());
    const auto asked = b.history("r").alerts;
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].alert.is(AlertKind::worker_needs_input));
    CHECK(b.checkpoints(first, 2));
    (void)b.after(900s);
    CHECK(b.acts.empty());
    b.age(3600);
    b.ask("UPDATE agent_progress SET resumed_at = NULL");
    (void)b.after(900s);
    CHECK(b.acts.empty());
    (void)b.after(900s);
    CHECK(b.acts == "spawn done");  // but one that stands still is
}
