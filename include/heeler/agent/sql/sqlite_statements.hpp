// The SQL text of the table `agent_progress` that SQLite alone understands: the table, and how it is read.
#pragma once

#include <heeler/agent/sql/agent_statements.hpp>
#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr AgentDialect sqlite_agents{
    '?', "", "", "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')", "lower(hex(randomblob(16)))", "max"};

/// Written by whoever queues work: queue_item_id, agent_task_name, work_item, plan, and queued as the first status.
/// Written by agents: last_checkpoint, last_heartbeat, last_step, completed_steps; status to waiting_human, with
/// question, and to completed, with completed_by and completed_at. Everything else is written by the watchdog's side.
/// Times are UTC text.
struct SqliteAgentSql : AgentSql<sqlite_agents> {
    static constexpr char create[] = R"sql(
CREATE TABLE agent_progress(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue_item_id INTEGER,
    agent_task_name TEXT CHECK (length(agent_task_name) <= 255),
    last_checkpoint TEXT,
    last_step TEXT DEFAULT '',
    completed_steps TEXT DEFAULT '[]' CHECK (completed_steps IS NULL OR json_valid(completed_steps)),
    status TEXT NOT NULL DEFAULT 'in_progress'
        CHECK (status IN ('queued', 'in_progress', 'waiting_human', 'stalled', 'completed', 'failed')),
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    work_item TEXT,
    plan TEXT CHECK (plan IS NULL OR json_valid(plan)),
    run TEXT UNIQUE,
    token TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
    attempt INTEGER NOT NULL DEFAULT 1 CHECK (attempt > 0),
    last_heartbeat TEXT,
    completed_by INTEGER,
    completed_at TEXT,
    question TEXT,
    resumed_at TEXT,
    attempt_started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    claim_key TEXT,
    claimed_by TEXT NOT NULL DEFAULT '',
    claim_fence INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "a row needs a run, a queue_item_id or an agent_task_name"
        CHECK (coalesce(run, queue_item_id, agent_task_name) IS NOT NULL));
CREATE TRIGGER heeler_agent_inserted AFTER INSERT ON agent_progress
WHEN NEW.run IS NULL OR NEW.last_step IS NULL OR NEW.completed_steps IS NULL BEGIN
    UPDATE agent_progress SET last_step = coalesce(last_step, ''), completed_steps = coalesce(completed_steps, '[]'),
        run = coalesce(run, (SELECT iif(name IN (SELECT run FROM agent_progress), name || '.' || NEW.id, name) FROM
            (SELECT iif(length(CAST(NEW.agent_task_name AS BLOB)) BETWEEN 1 AND 100, NEW.agent_task_name,
                coalesce(NEW.queue_item_id, 'row ' || NEW.id)) || '' AS name)))
    WHERE id = NEW.id;
END;
CREATE TRIGGER heeler_agent_nulls AFTER UPDATE OF last_step, completed_steps ON agent_progress
WHEN NEW.last_step IS NULL OR NEW.completed_steps IS NULL BEGIN
    UPDATE agent_progress SET last_step = coalesce(last_step, OLD.last_step, ''),
        completed_steps = coalesce(completed_steps, OLD.completed_steps, '[]') WHERE id = NEW.id;
END;
CREATE TRIGGER heeler_agent_resumed AFTER UPDATE OF status, last_checkpoint, last_heartbeat ON agent_progress
WHEN OLD.status IN ('queued', 'waiting_human') AND (NEW.status = 'in_progress' OR NEW.status = OLD.status AND
    (NEW.last_checkpoint IS NOT OLD.last_checkpoint OR
        OLD.status = 'queued' AND NEW.last_heartbeat IS NOT OLD.last_heartbeat)) BEGIN
    UPDATE agent_progress SET status = 'in_progress', question = NULL,
        resumed_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
CREATE TRIGGER heeler_agent_updated AFTER UPDATE OF queue_item_id, agent_task_name, last_checkpoint, last_step,
    completed_steps, status, question, work_item, plan, token, attempt, last_heartbeat, completed_by, completed_at
    ON agent_progress
WHEN NEW.updated_at IS OLD.updated_at BEGIN
    UPDATE agent_progress SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
)sql";
    static constexpr char create_attempts[] = R"sql(
CREATE TABLE IF NOT EXISTS agent_attempts(
    run TEXT NOT NULL, attempt INTEGER NOT NULL, token TEXT NOT NULL, status TEXT NOT NULL,
    last_checkpoint TEXT, last_heartbeat TEXT, last_step TEXT NOT NULL, completed_steps TEXT NOT NULL,
    attempt_started_at TEXT NOT NULL, claim_key TEXT,
    archived_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    PRIMARY KEY (run, attempt));
)sql";

    /// Tables of any kind, and those that are ours by name.
    static constexpr char count_tables[] =
        "SELECT count(*), coalesce(sum(name IN ('agent_progress', 'agent_attempts')), 0) FROM sqlite_master "
        "WHERE type IN ('table', 'view')";
    static constexpr char has_table[] = "SELECT count(*) FROM sqlite_master WHERE name = 'agent_progress'";
    /// What is wrong with the tables, in words, and whether one is gone; no row: nothing. ?1: `agent_columns`.
    static constexpr char wrong[] =
        "SELECT iif(gone, 'the table ' || tab || ' is gone; put it back', 'the table ' || tab || ' has no column "
        "\"' || col || '\" and was left alone; add it, or use another file'), gone FROM (SELECT t.key AS tab, "
        "c.key AS col, t.key NOT IN (SELECT name FROM sqlite_master) AS gone FROM json_each(?1) t, "
        "json_each(t.value) c) WHERE col NOT IN (SELECT name FROM pragma_table_info(tab)) LIMIT 1";

    /// No longer than it takes to see that it is too long.
    static constexpr char in_progress[] =
        "SELECT substr(CAST(run AS TEXT), 1, 129) FROM agent_progress "
        "WHERE status IN ('queued', 'in_progress', 'waiting_human') AND run IS NOT NULL ORDER BY run";

    /// ?1: a JSON list of runs; ?2: the longest work item, in bytes.
    static constexpr char describe[] =
        "SELECT w.value, substr(CAST(p.queue_item_id AS TEXT), 1, 64), substr(CAST(p.agent_task_name AS TEXT), 1, "
        "255), "
        "CASE WHEN length(CAST(p.work_item AS BLOB)) <= ?2 THEN CAST(p.work_item AS TEXT) END, "
        "coalesce(length(CAST(p.work_item AS BLOB)), 0), "
        "CASE WHEN length(CAST(p.plan AS BLOB)) <= 65536 THEN CAST(p.plan AS TEXT) END "
        "FROM json_each(?1) w LEFT JOIN agent_progress p ON p.run = w.value ORDER BY w.key";

    /// ?1: a JSON list of runs. Ages in microseconds.
    static constexpr char poll[] =
        "SELECT w.value, p.run IS NOT NULL, p.token IS NOT NULL, "
        "coalesce((SELECT max(CAST(a.attempt AS INTEGER)) FROM agent_attempts a WHERE a.run = p.run), 0), "
        "substr(CAST(p.status AS TEXT), 1, 64), substr(CAST(p.attempt AS TEXT), 1, 64), "
        "substr(CAST(p.last_checkpoint AS TEXT), 1, 64), "
        "CAST(round((julianday('now') - julianday(p.last_checkpoint)) * 86400000.0) AS INTEGER) * 1000, "
        "substr(CAST(p.last_heartbeat AS TEXT), 1, 64), "
        "CAST(round((julianday('now') - julianday(p.last_heartbeat)) * 86400000.0) AS INTEGER) * 1000, "
        "substr(CAST(p.completed_by AS TEXT), 1, 64), "
        "CAST(round((julianday('now') - julianday(p.completed_at)) * 86400000.0) AS INTEGER) * 1000, "
        "CAST(round((julianday('now') - (SELECT coalesce(max(base, julianday(p.resumed_at)), base) FROM (SELECT "
        "coalesce(julianday(p.last_checkpoint), julianday(p.attempt_started_at), julianday(p.created_at)) AS base))) "
        "* 86400000.0) AS INTEGER) * 1000, "
        "substr(CAST(p.last_step AS TEXT), 1, 4096), "
        "CASE WHEN length(CAST(p.completed_steps AS BLOB)) <= 65536 THEN CAST(p.completed_steps AS TEXT) END, "
        "length(CAST(p.completed_steps AS BLOB)), "
        "CASE WHEN p.plan IS NULL THEN NULL WHEN length(CAST(p.plan AS BLOB)) > 65536 OR NOT json_valid(p.plan) "
        "THEN substr(CAST(p.plan AS TEXT), 1, 64) WHEN json_type(p.plan) <> 'array' OR EXISTS (SELECT 1 FROM "
        "json_each(iif(json_valid(p.plan), p.plan, '[]')) WHERE type <> 'integer') "
        "THEN substr(CAST(p.plan AS TEXT), 1, 64) END, substr(CAST(p.question AS TEXT), 1, 4096), "
        "CAST(round((julianday('now') - julianday(p.updated_at)) * 86400000.0) AS INTEGER) * 1000 "
        "FROM json_each(?1) w LEFT JOIN agent_progress p ON p.run = w.value ORDER BY w.key";

    static constexpr char look[] =
        "SELECT CAST(token AS TEXT), CASE WHEN typeof(attempt) = 'integer' AND attempt BETWEEN 1 AND 4294967294 "
        "THEN attempt ELSE 0 END, coalesce(CAST(status AS TEXT), ''), CAST(claim_key AS TEXT), "
        "coalesce(CAST(claimed_by AS TEXT), ''), CASE WHEN typeof(claim_fence) = 'integer' THEN max(claim_fence, 0) "
        "ELSE 0 END, "
        "substr(CAST(last_checkpoint AS TEXT), 1, 64), "
        "CAST(round((julianday('now') - (SELECT coalesce(max(base, julianday(resumed_at)), base) FROM (SELECT "
        "coalesce(julianday(last_checkpoint), julianday(attempt_started_at), julianday(created_at)) AS base))) "
        "* 86400000.0) AS INTEGER) * 1000, "
        "last_checkpoint IS NOT NULL OR last_heartbeat IS NOT NULL FROM agent_progress WHERE run = ?1";

    /// Of agents, behind "UPDATE " and the table.
    static constexpr char checkpoint[] = R"sql( SET
  last_checkpoint = strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), last_step = substr(coalesce(:text, last_step), 1, 2000),
  completed_steps = (SELECT json_group_array(step) FROM (
    SELECT value AS step FROM json_each(iif(json_valid(completed_steps), completed_steps, '[]'))
    UNION SELECT :step ORDER BY step) WHERE typeof(step) = 'integer')
WHERE token = :token AND attempt = :attempt AND status IN ('queued', 'in_progress', 'waiting_human')
RETURNING 'counted';)sql";
};

}  // namespace heeler::inline HEELER_ABI::detail
