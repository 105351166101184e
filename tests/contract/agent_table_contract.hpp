// What the table of agents must do in every database. A `Backend` begins without tables; `open()` gives a table on them
// (a second one stands for another process), `ask(sql)` is somebody else who executes SQL word for word and answers the
// values of all rows, each with a space behind it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/agent/sql/agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>
#include <heeler/core/source.hpp>
#include <heeler/testing/scripted_control.hpp>

#include "support/catch.hpp"

namespace agent_table_contract {

using namespace heeler;
using namespace std::chrono_literals;

/// A table with its one reader, who keeps the cursors as an engine does.
template <class Backend>
struct Bench {
    Backend backend;
    decltype(std::declval<Backend&>().open()) table = backend.open();
    std::vector<RunCursor> cursors;
    std::vector<PolledRun> found;

    AgentTicket enlist(const std::string& run = "r") {
        auto ticket = table->enlist(run);
        INFO((ticket ? "" : ticket.error().message));
        REQUIRE(ticket);
        if (std::none_of(cursors.begin(), cursors.end(), [&](const auto& known) { return known.run == run; }))
            cursors.push_back({run, {}});
        return *ticket;
    }

    void poll() {
        auto polled = table->poll(cursors);
        INFO((polled ? "" : polled.error().message));
        REQUIRE(polled);
        found = std::move(*polled);
        for (std::size_t i = 0; i < found.size(); ++i) {
            REQUIRE(found[i].run == cursors[i].run);
            if (found[i].found) cursors[i].cursor = found[i].found->cursor;
        }
        // A sign of life in the millisecond of the last one is no news.
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }

    /// What one poll finds of one run, in words: kind, incarnation and, behind @, age in whole seconds.
    std::string news(std::size_t at = 0) {
        poll();
        if (!found.at(at).found) return "error: " + found[at].found.error().message;
        std::string text;
        for (const SourceEvent& event : found[at].found->events) text += word(event) + " ";
        for (const Error& problem : found[at].found->problems) text += "problem: " + problem.message + " ";
        return text;
    }

    static std::string word(const SourceEvent& event) {
        std::string text = "other";
        if (const auto* note = std::get_if<CheckpointNote>(&event.what)) {
            CHECK(note->incarnation == event.incarnation);
            text =
                "checkpoint(" + (note->step ? std::to_string(*note->step) : "-") + "," + std::string{note->text} + ")";
        }
        if (std::holds_alternative<Heartbeat>(event.what)) text = "heartbeat";
        if (const auto* change = std::get_if<StateChange>(&event.what)) {
            text = name_of(change->state);
            if (!change->prompt.empty()) text += "(" + std::string{change->prompt} + ")";
        }
        text += "#" + std::to_string(event.incarnation);
        return event.age ? text + "@" + std::to_string(*event.age / 1s) : text;
    }

    std::string ask(const std::string& sql) { return backend.ask(sql); }
    /// Whether a statement of an agent counted.
    bool counts(const std::string& sql) {
        const std::string answer = ask(sql);
        CHECK((answer == "counted " || answer == "t " || answer == "f " || answer.empty()));
        return answer == "counted " || answer == "t ";
    }
    bool checkpoints(const AgentTicket& ticket, std::optional<std::int64_t> step, std::string_view text = "text") {
        return counts(table->statements(ticket, step, text).checkpoint);
    }
    /// Everything in the row is so old.
    void make_old(int seconds = 3600, const std::string& run = "r") {
        const std::string then = backend.ago(seconds);
        ask("UPDATE agent_progress SET created_at = " + then + ", attempt_started_at = " + then +
            ", last_checkpoint = CASE WHEN last_checkpoint IS NULL THEN NULL ELSE " + then + " END WHERE run = '" +
            run + "'");
    }
    void set(const std::string& assignments) { ask("UPDATE agent_progress SET " + assignments + " WHERE run = 'r'"); }
    std::string column(const std::string& expression) {
        return ask("SELECT " + expression + " FROM agent_progress WHERE run = 'r'");
    }
};

template <class Backend>
void enlists_once() {
    Bench<Backend> b;
    const AgentTicket first = b.enlist();
    CHECK(first.attempt == 1);
    CHECK(first.token.size() == 32);
    CHECK(b.column("status") == "in_progress ");
    CHECK(b.column("completed_steps") == "[] ");
    CHECK(b.enlist().token == first.token);
    CHECK(b.enlist("other").token != first.token);
    CHECK(b.backend.open()->enlist("r")->token == first.token);
    CHECK(b.news().empty());
    for (const char* const bad : {"", "a\nb", "\xff"}) {
        const auto refused = b.table->enlist(bad);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
    }
}

/// The statements as agents execute them; both forms, where there are two.
template <class Backend>
void reports_what_agents_write(bool direct) {
    Bench<Backend> b;
    const AgentTicket ticket = b.enlist();
    const auto statements = [&](std::optional<std::int64_t> step, std::string_view text) {
        return direct ? b.table->statements(ticket, step, text) : b.table->prompted(ticket, step, text);
    };
    CHECK(b.counts(statements({}, "Looking around").checkpoint));
    CHECK(b.news() == "checkpoint(-,Looking around)#1@0 ");
    CHECK(b.news().empty());
    CHECK(b.counts(statements(2, "Read the parser's tests").checkpoint));
    CHECK(b.counts(statements(1, "Wrote 'em").checkpoint));
    CHECK(b.counts(statements(2, "Again").checkpoint));
    CHECK((b.column("completed_steps") == "[1,2] " || b.column("completed_steps") == "[1, 2] "));
    CHECK(b.news() == "checkpoint(1,)#1@0 checkpoint(2,Again)#1@0 ");
    CHECK(b.counts(statements({}, "").heartbeat));
    CHECK(b.news() == "heartbeat#1@0 ");
    CHECK(b.counts(statements(10, "Ten").checkpoint));
    CHECK(b.news() == "checkpoint(10,Ten)#1@0 ");
    CHECK(b.counts(statements({}, "").complete));
    CHECK(b.news() == "completed#1@0 ");
    CHECK(b.column("completed_by") == "1 ");
    CHECK(b.news().empty());
    CHECK_FALSE(b.counts(statements(3, "too late").checkpoint));
    CHECK_FALSE(b.counts(statements({}, "").heartbeat));
    CHECK_FALSE(b.counts(statements({}, "").complete));
    CHECK(b.news().empty());
    b.cursors[0].cursor.clear();
    CHECK(b.news() == "checkpoint(1,)#1@0 checkpoint(2,)#1@0 checkpoint(10,Ten)#1@0 heartbeat#1@0 completed#1@0 ");
}

template <class Backend>
void computes_ages_by_its_own_clock() {
    Bench<Backend> b;
    b.enlist();
    b.set("last_checkpoint = " + b.backend.ago(1500) + ", last_heartbeat = " + b.backend.ago(30));
    CHECK(b.news() == "checkpoint(-,)#1@1500 heartbeat#1@30 ");
    b.set("status = 'completed', completed_by = 1, completed_at = " + b.backend.ago(7));
    CHECK(b.news() == "completed#1@7 ");
}

template <class Backend>
void reads_many_runs_at_once() {
    Bench<Backend> b;
    std::vector<AgentTicket> tickets;
    for (int i = 0; i < 300; ++i) tickets.push_back(b.enlist("run '" + std::to_string(i) + "' \\ $$ \"ü\""));
    CHECK(b.checkpoints(tickets[7], 3, "seven"));
    b.cursors.insert(b.cursors.begin() + 20, RunCursor{"nobody", ""});
    b.cursors.push_back({"broken\x01", ""});
    b.poll();
    REQUIRE(b.found.size() == 302);
    for (std::size_t i = 0; i < b.found.size(); ++i) {
        INFO(i);
        if (i == 20 || i == 301) {
            REQUIRE_FALSE(b.found[i].found);
            CHECK(b.found[i].found.error().code == (i == 20 ? ErrorCode::unknown_run : ErrorCode::invalid_argument));
            CHECK(b.found[i].found.error().message.find(i == 20 ? "\"nobody\": enlist it" : "control character") !=
                  std::string::npos);
        } else {
            REQUIRE(b.found[i].found);
            CHECK(b.found[i].found->events.size() == (i == 7 ? 1 : 0));
        }
    }
    b.cursors.clear();
    b.poll();
    CHECK(b.found.empty());
}

template <class Backend>
void lists_what_is_in_progress() {
    Bench<Backend> b;
    const auto listed = [&] {
        std::string names;
        const auto runs = b.table->in_progress();
        REQUIRE(runs);
        for (const std::string& run : *runs) names += run + ";";
        return names;
    };
    CHECK(listed().empty());
    b.enlist("b");
    b.enlist("it's \"one\"");
    for (const char* const status : {"completed", "failed", "stalled"}) {
        b.enlist(status);
        b.ask("UPDATE agent_progress SET status = '" + std::string{status} + "' WHERE run = '" + status + "'");
    }
    b.ask("INSERT INTO agent_progress(run) VALUES ('a')");
    CHECK(listed() == "a;b;it's \"one\";");
    b.ask("INSERT INTO agent_progress(run, status) VALUES ('c', 'queued'), ('d', 'waiting_human')");
    CHECK(listed() == "a;b;c;d;it's \"one\";");
    b.ask("DELETE FROM agent_progress WHERE run IN ('b', 'c', 'd')");
    CHECK(listed() == "a;it's \"one\";");
    b.ask("DROP TABLE agent_progress");
    CHECK_FALSE(b.table->in_progress());
}

/// Whoever queues work creates a row; its agent, who knows nothing but the queue item, writes to it.
template <class Backend>
void takes_rows_of_a_queue() {
    Bench<Backend> b;
    b.enlist("r");
    b.ask(
        "INSERT INTO agent_progress(queue_item_id, agent_task_name, last_checkpoint, last_step, completed_steps, "
        "status) "
        "VALUES (123, 'implement-123', NULL, NULL, NULL, 'in_progress')");
    b.ask("INSERT INTO agent_progress(queue_item_id) VALUES (124)");
    b.ask("INSERT INTO agent_progress(queue_item_id, agent_task_name) VALUES (125, " + b.backend.repeated("n", 250) +
          ")");
    CHECK(b.ask("SELECT run FROM agent_progress ORDER BY id") == "r implement-123 124 125 ");
    CHECK(b.ask("SELECT count(DISTINCT token) + count(DISTINCT id) FROM agent_progress") == "8 ");
    b.cursors.assign(1, RunCursor{"implement-123", {}});
    CHECK(b.news().empty());
    const auto of_item = [&](const std::string& what) {
        return b.ask("SELECT " + what + " FROM agent_progress WHERE queue_item_id = 123");
    };
    const std::string created = of_item("created_at");
    const std::string updated = of_item("updated_at");
    b.ask(b.backend.by_queue_item(123, 2, "Completed step 2: Created database schema"));
    CHECK(b.news() == "checkpoint(2,Completed step 2: Created database schema)#1@0 ");
    b.ask(b.backend.by_queue_item(123, 3, "Completed step 3: Added tRPC endpoint"));
    CHECK(b.news() == "checkpoint(3,Completed step 3: Added tRPC endpoint)#1@0 ");
    CHECK(of_item("updated_at") != updated);
    CHECK(of_item("created_at") == created);
    CHECK((of_item("completed_steps") == "[2,3] " || of_item("completed_steps") == "[2, 3] "));
    b.ask("UPDATE agent_progress SET completed_steps = NULL, last_step = NULL WHERE queue_item_id = 123");
    CHECK((of_item("completed_steps") == "[2,3] " || of_item("completed_steps") == "[2, 3] "));
    CHECK(of_item("last_step") == "Completed step 3: Added tRPC endpoint ");
    CHECK(b.news().empty());
    b.ask("UPDATE agent_progress SET status = 'completed' WHERE queue_item_id = 123");
    CHECK(b.news() == "completed#1 ");
    b.ask("INSERT INTO agent_progress(queue_item_id, agent_task_name) VALUES (123, 'implement-123')");
    CHECK(b.ask("SELECT run FROM agent_progress WHERE status = 'in_progress' AND queue_item_id = 123") ==
          "implement-123." + b.ask("SELECT max(id) FROM agent_progress"));
}

template <class Backend>
void describes_the_work() {
    Bench<Backend> b;
    CHECK(b.table->describe({})->empty());
    const std::string item = "Port it''s parser" + std::string(200'000, 'w') + "\nto the last line";
    b.ask("INSERT INTO agent_progress(queue_item_id, agent_task_name, work_item, plan) VALUES (1, 'a', '" + item +
          "', '[3,1,2]'), (2, 'b', " + b.backend.repeated("w", 262'145) + ", '{}'), (3, 'c', '', '[1.5]'), " +
          "(4, 'd', NULL, NULL)");
    b.ask("INSERT INTO agent_progress(run, agent_task_name) VALUES ('e\\''', 'of another name')");
    b.ask("UPDATE agent_progress SET work_item = " + b.backend.repeated("w", 262'145) + " WHERE run LIKE 'e%'");
    const auto told = b.table->describe({"a", "b", "c", "d", "e\\'", "nobody"});
    INFO((told ? "" : told.error().message));
    REQUIRE(told);
    REQUIRE(told->size() == 6);
    const auto& all = *told;
    CHECK(all[0].name == "a");
    CHECK(all[0].work_item.size() == item.size() - 1);
    CHECK(all[0].work_item.ends_with("to the last line"));
    CHECK(all[0].plan == std::vector<std::int64_t>{1, 2, 3});
    CHECK(all[0].task == "queue item 1");
    CHECK(all[1].work_item.find("262145 bytes") != std::string::npos);
    CHECK(all[1].plan.empty());
    CHECK((all[2].work_item.empty() && all[2].plan.empty()));
    CHECK((all[3].work_item.empty() && all[3].plan.empty()));
    CHECK(all[4].task == "of another name");
    CHECK(b.ask(all[4].work_item.substr(all[4].work_item.find("SELECT"))).size() == 262'146);
    CHECK((all[5].name == "nobody" && all[5].task.empty()));
    b.cursors = {{"a", {}}, {"d", {}}, {"b", {}}};
    CHECK(b.news(2).find("column plan holds \"{}\"; write a JSON list of whole numbers") != std::string::npos);
    CHECK((b.found[0].found->problems.empty() && b.found[1].found->problems.empty()));
    b.cursors = {{"c", {}}};
    CHECK(b.news().find("column plan holds \"[1.5]\"") != std::string::npos);
}

template <class Backend>
void takes_hand_written_rows_as_they_come() {
    Bench<Backend> b;
    b.backend.make_table_without_rules();
    b.cursors.push_back({"r", {}});
    b.ask("INSERT INTO agent_progress(run) VALUES ('r')");
    const auto says = [&](const std::string& assignments, std::string_view expected) {
        b.ask(
            "UPDATE agent_progress SET token = 't', attempt = 1, status = 'in_progress', last_checkpoint = NULL, "
            "last_heartbeat = NULL, last_step = '', completed_steps = '[]', completed_by = NULL, completed_at = NULL, "
            "plan = NULL");
        b.set(assignments);
        b.cursors[0].cursor.clear();
        const std::string news = b.news();
        INFO(assignments << ": " << news);
        CHECK(news.find(expected) != std::string::npos);
        CHECK(news.size() < 2500);
        const std::string again = b.news();  // said once, not in every cycle
        INFO(again);
        CHECK(again.empty());
    };
    const std::string where = "problem: agent_progress, run \"r\": column ";
    says("attempt = 0", where + "attempt holds \"0\"; write 1");
    says("attempt = 7", where + "attempt holds \"7\"; write 1");
    says("attempt = -9223372036854775807", where + "attempt holds");
    says("attempt = NULL", where + "attempt holds nothing");
    says("status = 'weird'", where + "status holds \"weird\"; write in_progress");
    says("status = NULL", where + "status holds nothing");
    says("status = ''", where + "status holds \"\"");
    says("plan = '{\"a\":1}'", where + "plan holds \"{");
    says("token = NULL", where + "token holds nothing");
    says("completed_steps = NULL", where + "completed_steps holds nothing");
    says("completed_steps = '{\"a\":1}'", where + "completed_steps holds");
    says("completed_steps = '[1,\"2\"]'", where + "completed_steps holds");
    says("completed_steps = '[1,[2]]'", where + "completed_steps holds");
    says("completed_steps = '[99999999999999999999]'", where + "completed_steps holds");
    says("completed_steps = '[3,1,2,2]'", "checkpoint(1,)#1@");
    says("completed_steps = " + b.backend.huge_steps(), " bytes; write a JSON list of at most 1024");
    says("completed_steps = " + b.backend.many_steps(), where + "completed_steps holds 2000 steps");
    says("last_step = " + b.backend.repeated("x", 10'000'000) + ", last_checkpoint = " + b.backend.ago(9),
         "bytes left out");
    says("last_step = NULL, last_checkpoint = " + b.backend.ago(9), "checkpoint(-,)#1@9");
    says("last_checkpoint = '2199-01-01T00:00:00Z'", "lies in the future and counts as now");
    says("last_checkpoint = '2199-01-01T00:00:00Z'", "checkpoint(-,)#1@0");
    says("last_heartbeat = '2199-01-01T00:00:00Z'", "last_heartbeat holds \"2199-01-01T00:00:00");
    says("last_checkpoint = '1066-01-01T00:00:00Z'", "checkpoint(-,)#1@");
    says("status = 'failed'", "failed#1");
    says("status = 'stalled'", "abandoned#1");
    says("status = 'completed'", "completed#1");
    says("status = 'completed', completed_by = 9", where + "completed_by holds \"9\"; it counts as 1");
    says("status = 'completed', completed_at = '2199-01-01T00:00:00Z'", "completed#1@0");
    for (const std::string& value : b.backend.odd_times())
        says("last_checkpoint = " + value, where + "last_checkpoint holds");
}

/// A checkpoint of the future must not hide a stall: it counts once, and the run can be taken over.
template <class Backend>
void is_not_fooled_by_the_future() {
    Bench<Backend> b;
    b.enlist();
    b.make_old();
    b.set("last_checkpoint = '2199-01-01T00:00:00Z'");
    CHECK(b.news().find("checkpoint(-,)#1@0 problem: ") == 0);
    CHECK(b.news().empty());
    CHECK(b.table->claim("r", 1, "key"));
}

template <class Backend>
void fences_off_who_is_replaced() {
    Bench<Backend> b;
    const AgentTicket first = b.enlist();
    CHECK(b.checkpoints(first, 1, "first's"));
    b.make_old();
    CHECK(b.news() == "checkpoint(1,first's)#1@3600 ");
    const auto second = b.table->claim("r", 1, "key-1");
    REQUIRE(second);
    CHECK(second->attempt == 2);
    CHECK(second->token != first.token);
    CHECK(b.news().empty());
    CHECK_FALSE(b.checkpoints(first, 2));
    CHECK_FALSE(b.counts(b.table->prompted(first, 2, "").checkpoint));
    CHECK_FALSE(b.counts(b.table->statements(first, {}, "").heartbeat));
    CHECK_FALSE(b.counts(b.table->statements(first, {}, "").complete));
    AgentTicket forged = first;  // a token alone, or an attempt alone, is not enough
    forged.attempt = 2;
    CHECK_FALSE(b.checkpoints(forged, 2));
    CHECK(b.news().empty());
    CHECK(b.checkpoints(*second, 2, "second's"));
    CHECK(b.news() == "checkpoint(2,second's)#2@0 ");
    CHECK(b.ask("SELECT attempt, status, last_step FROM agent_attempts") == "1 stalled first's ");
    CHECK(b.counts(b.table->prompted(*second, {}, "").complete));
    CHECK(b.news() == "completed#2@0 ");
    CHECK(b.column("completed_by") == "2 ");
}

/// The error of a claim that must not succeed.
template <class Bench>
Error refused(Bench& b, std::uint32_t attempt, std::string_view key = "key") {
    const auto answer = b.table->claim("r", attempt, key);
    REQUIRE_FALSE(answer);
    return answer.error();
}

/// Work that waits for its first agent, or an agent that waits for a person, is nobody's to take up, however old the
/// row is; its age begins anew with what ends the wait.
template <class Backend>
void stops_the_clock_while_it_waits(bool direct) {
    Bench<Backend> b;
    REQUIRE(b.table->in_progress());  // makes the table
    b.ask("INSERT INTO agent_progress(run, queue_item_id, status) VALUES ('r', 7, 'queued')");
    const AgentTicket ticket = b.enlist();
    const auto statements = [&](std::optional<std::int64_t> step, std::string_view text) {
        return direct ? b.table->statements(ticket, step, text) : b.table->prompted(ticket, step, text);
    };
    const auto age = [&] { return b.found.at(0).found->checkpoint_age.value_or(-1s) / 1s; };
    b.make_old();
    CHECK(b.news() == "queued#1 ");
    CHECK(b.news().empty());
    CHECK(refused(b, 1).message.find("its status is \"queued\"") != std::string::npos);
    CHECK(b.counts(statements({}, "").heartbeat));
    CHECK(b.news() == "running#1@0 heartbeat#1@0 ");
    CHECK(b.column("status") == "in_progress ");
    CHECK((age() >= 0 && age() < 60));
    CHECK(refused(b, 1).message.find("less than the 600 s") != std::string::npos);

    CHECK(b.counts(statements({}, "Which one?").question));
    CHECK(b.news() == "waiting_human(Which one?)#1@0 ");
    CHECK(b.counts(statements({}, "").heartbeat));  // it lives, and waits
    CHECK(b.news() == "heartbeat#1@0 ");
    CHECK(refused(b, 1).message.find("its status is \"waiting_human\"") != std::string::npos);
    CHECK(b.counts(statements({}, "And which?").question));
    CHECK(b.news() == "waiting_human(And which?)#1@0 ");
    CHECK(b.counts(statements(1, "one").checkpoint));
    CHECK(b.news() == "running#1@0 checkpoint(1,one)#1@0 ");
    CHECK(b.ask("SELECT count(*) FROM agent_progress WHERE question IS NULL") == "1 ");
    CHECK(b.counts(statements({}, "Same?").question));
    CHECK(b.news() == "waiting_human(Same?)#1@0 ");
    CHECK(b.counts(statements(2, "two").checkpoint));  // between two looks, and it asks the same again
    CHECK(b.counts(statements({}, "Same?").question));
    CHECK(b.news() == "running#1@0 checkpoint(2,two)#1@0 waiting_human(Same?)#1@0 ");
    b.ask(b.backend.by_queue_item(7, 3, "three"));
    CHECK(b.news() == "running#1@0 checkpoint(3,three)#1@0 ");

    b.make_old();  // somebody answers, and says so for the agent
    b.set("resumed_at = NULL");
    b.set("status = 'waiting_human'");
    CHECK(b.news().ends_with("waiting_human#1@0 "));
    CHECK(age() == 3600);
    b.set("status = 'in_progress'");
    CHECK(b.news() == "running#1@0 ");
    CHECK((age() >= 0 && age() < 60));
    CHECK(refused(b, 1).message.find("less than the 600 s") != std::string::npos);

    CHECK(b.counts(statements({}, "Done?").question));
    CHECK(b.counts(statements({}, "").complete));
    CHECK(b.news() == "completed#1@0 ");
    for (const char* const status : {"queued", "waiting_human"}) {
        b.ask("INSERT INTO agent_progress(run, status) VALUES ('" + std::string{status} + "', '" + status + "')");
        CHECK(b.table->retire(status, RunState::abandoned));
        CHECK(b.ask("SELECT status FROM agent_progress WHERE run = '" + std::string{status} + "'") == "stalled ");
    }
}

template <class Backend>
void claims_only_what_was_judged() {
    Bench<Backend> b;
    CHECK(refused(b, 1).code == ErrorCode::unknown_run);
    const AgentTicket first = b.enlist();
    CHECK(refused(b, 1).message.find("less than the 600 s") != std::string::npos);  // it has only just begun
    b.make_old();
    b.poll();
    CHECK(b.checkpoints(first, 1));
    b.make_old(3599);
    CHECK(refused(b, 1).message.find("a checkpoint came after the verdict") != std::string::npos);
    CHECK(refused(b, 1).code == ErrorCode::rejected);
    CHECK(b.checkpoints(first, 2));
    b.poll();
    CHECK(refused(b, 1).message.find("less than the 600 s between checkpoints") != std::string::npos);
    CHECK(b.backend.open()->claim("r", 1, "k").error().code == ErrorCode::rejected);  // a process that has not polled
    b.make_old();
    b.poll();
    CHECK(b.backend.open()->claim("r", 2, "k").error().message.find("its attempt is 1, not 2") != std::string::npos);
    CHECK(refused(b, 0).code == ErrorCode::rejected);
    const auto second = b.table->claim("r", 1, "key");
    REQUIRE(second);
    CHECK(b.table->claim("r", 1, "key")->token == second->token);  // after a crash
    CHECK(b.backend.open()->claim("r", 1, "key")->token == second->token);
    const Error other = refused(b, 1, "another");
    CHECK(other.message.find("its attempt is 2, not 1, claimed under the key key") != std::string::npos);
    CHECK(refused(b, 2, "next").message.find("beginning of its attempt is 0 s old") != std::string::npos);
    b.make_old();
    CHECK(b.table->claim("r", 2, "next")->attempt == 3);
    CHECK(b.ask("SELECT count(*) FROM agent_attempts") == "2 ");
}

/// The watchdog's store was lost, or the row was: the run is continued all the same, under a number nobody had.
template <class Backend>
void goes_on_where_counts_differ() {
    Bench<Backend> b;
    b.enlist();
    std::uint32_t expected = 2;
    for (const std::uint32_t known : {1u, 1u, 7u, 2u}) {
        b.make_old();
        b.poll();
        const std::string key = "key " + std::to_string(expected);
        expected = std::max(expected, known + 1);
        const auto ticket = b.table->claim("r", known, key);
        REQUIRE(ticket);
        CHECK(ticket->attempt == expected);
        CHECK(b.table->claim("r", known, key)->token == ticket->token);
        CHECK(refused(b, known, "other").code == ErrorCode::rejected);
        CHECK(b.checkpoints(*ticket, std::int64_t{expected}));
        CHECK(b.news() == "checkpoint(" + std::to_string(expected) + ",text)#" + std::to_string(expected) + "@0 ");
        ++expected;
    }
    CHECK(b.ask("SELECT attempt FROM agent_attempts ORDER BY attempt") == "1 2 7 8 ");
}

template <class Backend>
void drops_a_verdict_about_a_run_that_is_over() {
    Bench<Backend> b;
    const AgentTicket first = b.enlist();
    b.make_old();
    b.poll();
    REQUIRE(b.table->retire("r", RunState::failed));
    CHECK(refused(b, 1).code == ErrorCode::rejected);
    CHECK_FALSE(b.checkpoints(first, 1));
    CHECK(b.news() == "failed#1 ");
    b.set("status = 'in_progress'");
    CHECK(b.news().empty());
    CHECK(b.checkpoints(first, 1));
    CHECK(b.counts(b.table->prompted(first, {}, "").complete));
    CHECK(refused(b, 1).code == ErrorCode::ended);
    REQUIRE(b.table->retire("r", RunState::failed));
    CHECK(b.column("status") == "completed ");
    CHECK_FALSE(b.table->retire("r", RunState::paused));
}

template <class Backend>
void gives_back_what_nobody_took_up() {
    Bench<Backend> b;
    const AgentTicket first = b.enlist();
    CHECK(b.checkpoints(first, 1, "of the first"));
    b.make_old();
    CHECK_FALSE(b.news().empty());
    REQUIRE(b.table->claim("r", 1, "k1"));
    CHECK(b.news().empty());
    CHECK(b.table->release("r", "other") == true);  // nothing of that name is claimed
    CHECK(b.column("attempt") == "2 ");
    CHECK(b.table->release("r", "k1") == true);
    CHECK(b.table->release("r", "k1") == true);
    CHECK(b.column("attempt") == "1 ");
    CHECK(b.ask("SELECT count(*) FROM agent_attempts") == "0 ");
    CHECK(b.news().empty());
    CHECK(b.checkpoints(first, 2));
    CHECK(b.news() == "checkpoint(2,text)#1@0 ");
    b.make_old();
    b.poll();
    const auto second = b.table->claim("r", 1, "k2");
    REQUIRE(second);
    CHECK(b.checkpoints(*second, 3));
    CHECK(b.table->release("r", "k2") == false);  // somebody works
    CHECK(b.column("attempt") == "2 ");
}

template <class Backend>
void starts_nobody_without_a_claim() {
    Bench<Backend> b;
    ScriptedControl inner;
    TableFencedControl control{*b.table, inner};
    const AgentTicket first = b.enlist();
    const auto spawn = [&](std::string_view key, std::uint32_t attempt = 1) {
        return control.spawn({"r", key, "the brief", attempt});
    };
    CHECK(spawn("k0").error().code == ErrorCode::rejected);
    CHECK(inner.requests().empty());
    b.make_old();
    b.poll();
    inner.answer(ControlVerb::spawn, ControlAnswer::fail);
    CHECK(spawn("k1").error().code == ErrorCode::failed);
    CHECK(b.checkpoints(first, 1));  // the run was given back
    b.make_old();
    b.poll();
    inner.answer(ControlVerb::spawn, ControlAnswer::timeout_but_done);
    CHECK(spawn("k2").error().code == ErrorCode::timed_out);
    CHECK_FALSE(b.checkpoints(first, 2));
    CHECK(b.column("attempt") == "2 ");
    inner.answer(ControlVerb::spawn, ControlAnswer::ok);
    CHECK(spawn("k2"));  // found absent after a restart: once more under the same key
    const AgentTicket second = *b.table->enlist("r");
    CHECK(second.attempt == 2);
    const std::string brief = inner.requests().back().text;
    CHECK(brief.find("the brief\n") == 0);
    CHECK(brief.find(b.table->prompt(second)) != std::string::npos);
    CHECK(brief.find(first.token) == std::string::npos);
    CHECK(b.counts(b.table->prompted(second, {}, "").complete));
    CHECK(spawn("k3", 2).error().code == ErrorCode::ended);
    CHECK(inner.requests().size() == 3);
    b.enlist("s");
    CHECK(control.terminate({"s", "k", "why", 1}));
    CHECK(b.ask("SELECT status FROM agent_progress WHERE run = 's'") == "failed ");
}

template <class Backend>
void begins_with_its_last_request() {
    Bench<Backend> b;
    b.enlist();
    b.make_old();
    b.poll();
    const auto age = [&] {
        b.poll();
        REQUIRE(b.found.at(0).found);
        return b.found.at(0).found->checkpoint_age.value_or(-1s) / 1min;
    };
    const auto ticket = b.table->claim("r", 1, "k");
    REQUIRE(ticket);
    b.make_old();
    CHECK(age() == 60);
    CHECK(b.table->claim("r", 1, "k")->token == ticket->token);
    CHECK(age() == 0);
    CHECK(b.checkpoints(*ticket, 1));
    b.make_old();
    CHECK(b.table->claim("r", 1, "k")->token == ticket->token);
    CHECK(age() == 60);
}

/// An agent control whose start is up to the test.
struct Odd {
    static constexpr bool idempotent = true;
    std::function<Result<ActionDone>()> start;
    Result<ActionDone> spawn(const ActionRequest&) { return start(); }
};

/// The control throws, or its agent writes though it answered that it failed.
template <class Backend>
void knows_a_start_that_went_wrong() {
    Bench<Backend> b;
    b.enlist();
    b.make_old();
    Odd odd{[]() -> Result<ActionDone> { throw std::runtime_error{"no machine"}; }};
    TableFencedControl control{*b.table, odd};
    CHECK(control.idempotent());
    CHECK(control.spawn({"r", "k1", "", 1}).error().message.find("no machine") != std::string::npos);
    CHECK(b.column("attempt") == "2 ");  // who knows how far it came
    odd.start = [&]() -> Result<ActionDone> {
        CHECK(b.checkpoints(*b.table->enlist("r"), 1));
        return fail(ErrorCode::failed, "it seems not to run");
    };
    CHECK(control.spawn({"r", "k1", "", 1}).error().code == ErrorCode::timed_out);
    CHECK(b.column("attempt") == "2 ");
}

/// Two watchdogs, the second of which took the run over while the first stood still.
template <class Backend>
void refuses_who_was_replaced() {
    Bench<Backend> b;
    b.enlist();
    b.make_old();
    b.poll();
    auto theirs = b.backend.open();
    REQUIRE(theirs->poll(b.cursors));
    const auto asked = [](std::string_view key, bool newer) {
        return ActionRequest{"r", key, {}, 1, newer ? "w1.6" : "w2.5", newer ? 8U : 7U};
    };
    REQUIRE(b.table->claim(asked("k", true), false));
    CHECK(theirs->claim(asked("k", false), false).error().code == ErrorCode::fenced);
    CHECK(theirs->release("r", "k", "w2.5") == false);  // it is not theirs to give back
    CHECK(b.column("attempt") == "2 ");
    REQUIRE(b.table->release("r", "k", "w1.6") == true);
    CHECK(b.column("attempt") == "1 ");
    CHECK(theirs->claim(asked("k", false), false).error().code == ErrorCode::fenced);
    CHECK(b.table->claimer("k") == AgentClaimer::nobody);
    REQUIRE(theirs->retire("r", RunState::failed, 7));
    CHECK(b.column("status") == "in_progress ");
    b.poll();
    REQUIRE(b.table->claim(asked("k2", true), false));
}

/// Both claim under one key: the second of them learns that it was not the first, whoever of them holds the run.
template <class Backend>
void tells_claims_apart() {
    Bench<Backend> b;
    b.enlist();
    b.make_old();
    b.poll();
    REQUIRE(b.table->claim({"r", "k", {}, 1, "w2.5", 7}, false));
    auto theirs = b.backend.open();
    REQUIRE(theirs->poll(b.cursors));
    CHECK(theirs->claimer("k") == AgentClaimer::somebody);
    const auto ticket = b.table->enlist("r");
    CHECK(theirs->claim({"r", "k", {}, 1, "w1.6", 8}, false).error().code == ErrorCode::timed_out);
    CHECK(theirs->claim({"r", "k2", {}, 1, "w1.6", 8}, false).error().code == ErrorCode::rejected);
    CHECK(theirs->claim({"r", "k", {}, 1, "w1.6", 8}, true)->token == ticket->token);
    CHECK(b.table->claim({"r", "k", {}, 1, "w2.5", 7}, false)->token == ticket->token);
    CHECK(b.table->claim({"r", "k2", {}, 1, "w2.5", 7}, false)->token != ticket->token);
}

/// A claim and a checkpoint at the same moment, and claims by several watchdogs: exactly one wins.
template <class Backend>
void lets_one_win() {
    Bench<Backend> b;
    int checkpoints = 0;
    for (int round = 0; round < 24; ++round) {
        const std::string run = "race " + std::to_string(round);
        const AgentTicket first = b.enlist(run);
        b.make_old(3600, run);
        b.poll();
        auto rival = b.backend.open();
        REQUIRE(rival->poll(b.cursors));
        std::atomic<int> ready{0};
        const auto at_once = [&](auto act) {
            return [&ready, act] {
                ++ready;
                while (ready < 3) std::this_thread::yield();
                act();
            };
        };
        bool counted = false;
        std::optional<Result<AgentTicket>> mine;
        std::optional<Result<AgentTicket>> theirs;
        const std::string sql = b.table->statements(first, 1, "raced").checkpoint;
        std::thread agent{at_once([&] { counted = !b.backend.ask_now(sql).empty(); })};
        std::thread other{at_once([&] { theirs.emplace(rival->claim(run, 1, "theirs")); })};
        at_once([&] { mine.emplace(b.table->claim(run, 1, "mine")); })();
        agent.join();
        other.join();
        INFO("checkpoint " << counted << ", mine " << mine->has_value() << ", theirs " << theirs->has_value());
        CHECK(int{counted} + int{mine->has_value()} + int{theirs->has_value()} == 1);
        if (!mine->has_value()) CHECK(mine->error().code == ErrorCode::rejected);
        if (!theirs->has_value()) CHECK(theirs->error().code == ErrorCode::rejected);
        checkpoints += int{counted};
        CHECK(b.ask("SELECT attempt FROM agent_progress WHERE run = '" + run + "'") == (counted ? "1 " : "2 "));
    }
    INFO("won by the agent: " << checkpoints);
    SUCCEED();
}

template <class Backend>
void recovers_from_a_table_that_was_dropped() {
    Bench<Backend> b;
    b.enlist();
    b.poll();
    b.ask("ALTER TABLE agent_progress RENAME TO hidden");
    for (int i = 0; i < 2; ++i) {
        const auto lost = b.table->poll(b.cursors);
        REQUIRE_FALSE(lost);
        INFO(lost.error().message);
        CHECK(lost.error().message.find("agent_progress") != std::string::npos);
        CHECK_FALSE(b.table->enlist("r"));
        CHECK_FALSE(b.table->claim("r", 1, "k"));
    }
    b.ask("ALTER TABLE hidden RENAME TO agent_progress");
    b.backend.wait();
    CHECK(b.news().empty());
    b.ask("DELETE FROM agent_progress");
    CHECK(b.news().find("error: agent_progress has no row for the run \"r\"") == 0);
    b.enlist();
    CHECK(b.news().empty());
}

template <class Backend>
void refuses_a_table_of_another_shape() {
    for (const char* const sql : {"CREATE TABLE agent_progress(run text PRIMARY KEY, status text)",
                                  "CREATE TABLE agent_attempts(run text, attempt bigint)"}) {
        Backend backend;
        backend.ask(sql);
        const auto refused = backend.open()->enlist("r");
        REQUIRE_FALSE(refused);
        INFO(refused.error().message);
        CHECK(refused.error().code == ErrorCode::not_a_store);
        CHECK(refused.error().message.find("has no column \"token\"") != std::string::npos);
    }
    Backend backend;
    auto narrow = backend.open(500ms);
    CHECK(narrow->poll({}).error().code == ErrorCode::invalid_argument);
}

/// Whatever is written as a step's text comes back as text, and nothing else happens.
template <class Backend>
void carries_hostile_texts() {
    Bench<Backend> b;
    const std::vector<std::string> pieces{"'",
                                          "''",
                                          "\"",
                                          "\\",
                                          "\\'",
                                          "$$",
                                          "$1",
                                          "?1",
                                          ":step",
                                          ":text",
                                          ":token",
                                          ";",
                                          "--",
                                          "/*",
                                          "*/",
                                          "\n",
                                          "\r\n",
                                          "\t",
                                          "%s",
                                          "%",
                                          "`",
                                          "|",
                                          "ü",
                                          "\xff",
                                          "\x01",
                                          "'); DROP TABLE agent_progress; --",
                                          "E'\\''",
                                          "{}",
                                          "\xe2\x80\xae",
                                          "0"};
    std::uint32_t seed = 1;
    const auto next = [&] { return seed = seed * 1664525 + 1013904223; };
    for (int round = 0; round < 60; ++round) {
        std::string text;
        for (std::uint32_t i = next() % 8; i > 0; --i) text += pieces[(next() >> 8) % pieces.size()];
        std::string id = "r" + std::to_string(round);
        if (round % 3 == 0) id += "'; DROP TABLE agent_progress; -- $$ \\ \"";
        const AgentTicket ticket = b.enlist(id);
        INFO(text);
        CHECK(b.counts(b.table->statements(ticket, 1, text).checkpoint));
        CHECK(b.news(b.cursors.size() - 1).find("checkpoint(1," + text::sanitise(text, 2000) + ")#1@") == 0);
        CHECK(b.counts(b.table->prompted(ticket, 2, text).checkpoint));
        CHECK(b.news(b.cursors.size() - 1).find("checkpoint(2," + text::sanitise(text, 2000) + ")#1@") == 0);
        CHECK(b.counts(
            (round % 2 == 0 ? b.table->statements(ticket, 2, text) : b.table->prompted(ticket, 2, text)).question));
        CHECK(b.news(b.cursors.size() - 1)
                  .find(text.empty() ? "waiting_human#1@" : "waiting_human(" + text::sanitise(text, 2000) + ")#1@") ==
              0);
        CHECK(b.table->prompt(ticket).find("DROP") == std::string::npos);
    }
}

/// The prompt's own statements, word for word.
template <class Backend>
void prompts_what_works() {
    Bench<Backend> b;
    const AgentTicket ticket = b.enlist("it's \"$$\" \\ ;--");
    const std::string prompt = b.table->prompt(ticket);
    CHECK(prompt.find("10m 0s") != std::string::npos);
    CHECK(prompt.find("you were replaced, or the run is over") != std::string::npos);
    std::vector<std::string> statements;
    for (std::size_t at = 0; at < prompt.size();) {
        const std::size_t end = std::min(prompt.find("\n\n", at), prompt.size());
        const std::string paragraph = prompt.substr(at, end - at);
        if (paragraph.ends_with(";")) statements.push_back(paragraph);
        at = end + 2;
    }
    REQUIRE(statements.size() == 6);  // two checkpoints, one with parameters, heartbeat, question, completion
    CHECK(b.counts(statements[0]));
    CHECK(b.news() == "checkpoint(1,Read the parser's tests; all of them pass)#1@0 ");
    CHECK(b.counts(statements[1]));
    CHECK(b.news() == "checkpoint(-,Step 2: moved half of the callers, next is src/io)#1@0 ");
    CHECK(b.backend.ask_with(statements[2], 2, "it's a parameter"));
    CHECK(b.news() == "checkpoint(2,it's a parameter)#1@0 ");
    CHECK(b.counts(statements[3]));
    CHECK(b.news() == "heartbeat#1@0 ");
    CHECK(b.counts(statements[4]));
    CHECK(b.news() == "waiting_human(Which of the two parsers is to be kept?)#1@0 ");
    CHECK(b.counts(statements[0]));
    CHECK(b.news().starts_with("running#1@0 checkpoint("));
    CHECK(b.counts(statements[5]));
    CHECK(b.news() == "completed#1@0 ");
}

template <class Backend>
void check() {
    SECTION("a run is enlisted once") { enlists_once<Backend>(); }
    SECTION("what agents write is reported once") { reports_what_agents_write<Backend>(true); }
    SECTION("what agents write as prompted is reported once") { reports_what_agents_write<Backend>(false); }
    SECTION("ages are by the database's clock") { computes_ages_by_its_own_clock<Backend>(); }
    SECTION("many runs are read at once") { reads_many_runs_at_once<Backend>(); }
    SECTION("what is in progress is listed") { lists_what_is_in_progress<Backend>(); }
    SECTION("rows of a queue are named, and written to by queue item") { takes_rows_of_a_queue<Backend>(); }
    SECTION("a row tells the work of its run") { describes_the_work<Backend>(); }
    SECTION("hand-written rows are problems, once") { takes_hand_written_rows_as_they_come<Backend>(); }
    SECTION("a time in the future hides nothing") { is_not_fooled_by_the_future<Backend>(); }
    SECTION("who is replaced changes 0 rows") { fences_off_who_is_replaced<Backend>(); }
    SECTION("a wait stops the clock") { stops_the_clock_while_it_waits<Backend>(true); }
    SECTION("a wait as prompted stops the clock") { stops_the_clock_while_it_waits<Backend>(false); }
    SECTION("a claim names what was judged") { claims_only_what_was_judged<Backend>(); }
    SECTION("counts that differ keep no run from going on") { goes_on_where_counts_differ<Backend>(); }
    SECTION("a run that is over cannot be claimed") { drops_a_verdict_about_a_run_that_is_over<Backend>(); }
    SECTION("a claim can be given back") { gives_back_what_nobody_took_up<Backend>(); }
    SECTION("nobody is started without a claim") { starts_nobody_without_a_claim<Backend>(); }
    SECTION("an attempt begins with the last request to start it") { begins_with_its_last_request<Backend>(); }
    SECTION("a start that goes wrong is known") { knows_a_start_that_went_wrong<Backend>(); }
    SECTION("who was replaced claims nothing") { refuses_who_was_replaced<Backend>(); }
    SECTION("two claims under one key are told apart") { tells_claims_apart<Backend>(); }
    SECTION("of claims and checkpoints at once, one wins") { lets_one_win<Backend>(); }
    SECTION("a dropped table is an error until it is back") { recovers_from_a_table_that_was_dropped<Backend>(); }
    SECTION("a table of another shape is refused") { refuses_a_table_of_another_shape<Backend>(); }
    SECTION("hostile texts are texts") { carries_hostile_texts<Backend>(); }
    SECTION("the prompt's statements work as printed") { prompts_what_works<Backend>(); }
}

}  // namespace agent_table_contract
