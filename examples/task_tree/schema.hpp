// The tables of the tracker. Whatever changes about an issue, by whichever statement, is in `changes` once, with a
// number that only grows: that is how a watch learns what is new.
#pragma once

namespace tracker {

inline constexpr const char* schema = R"sql(
CREATE TABLE IF NOT EXISTS counter(n INTEGER NOT NULL);
INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM counter);

CREATE TABLE IF NOT EXISTS agents(
    tenant TEXT NOT NULL, id TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (tenant, id));

CREATE TABLE IF NOT EXISTS issues(
    id TEXT PRIMARY KEY, tenant TEXT NOT NULL, parent TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
    origin TEXT NOT NULL, origin_id TEXT NOT NULL, origin_fingerprint TEXT NOT NULL,
    assignee_agent TEXT NOT NULL, assignee_user TEXT NOT NULL, claim TEXT NOT NULL,
    hidden INTEGER NOT NULL, created_at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS children ON issues(parent);
CREATE UNIQUE INDEX IF NOT EXISTS one_review ON issues(tenant, origin_id) WHERE origin = 'task_watchdog';

CREATE TABLE IF NOT EXISTS blockers(
    issue TEXT NOT NULL REFERENCES issues(id), blocker TEXT NOT NULL REFERENCES issues(id),
    PRIMARY KEY (issue, blocker));
CREATE TABLE IF NOT EXISTS comments(
    n INTEGER PRIMARY KEY, issue TEXT NOT NULL REFERENCES issues(id), author TEXT NOT NULL, at INTEGER NOT NULL,
    text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS interactions(
    id TEXT PRIMARY KEY, issue TEXT NOT NULL REFERENCES issues(id), kind TEXT NOT NULL, status TEXT NOT NULL,
    text TEXT NOT NULL, about TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS approvals(
    id TEXT PRIMARY KEY, issue TEXT NOT NULL REFERENCES issues(id), status TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS monitors(issue TEXT PRIMARY KEY REFERENCES issues(id), at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS runs(
    id TEXT PRIMARY KEY, issue TEXT NOT NULL REFERENCES issues(id), agent TEXT NOT NULL, status TEXT NOT NULL,
    fingerprint TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS wakes(
    key TEXT PRIMARY KEY, issue TEXT NOT NULL REFERENCES issues(id), agent TEXT NOT NULL, status TEXT NOT NULL,
    fingerprint TEXT NOT NULL, payload TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS comments_of ON comments(issue);
CREATE INDEX IF NOT EXISTS interactions_of ON interactions(issue);
CREATE INDEX IF NOT EXISTS approvals_of ON approvals(issue);
CREATE INDEX IF NOT EXISTS runs_of ON runs(issue);
CREATE INDEX IF NOT EXISTS wakes_of ON wakes(issue);

-- What the watch asked for, by its key: asked again, it is answered again and not done again.
CREATE TABLE IF NOT EXISTS orders(key TEXT PRIMARY KEY, issue TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS audit(
    n INTEGER PRIMARY KEY, at INTEGER NOT NULL, kind TEXT NOT NULL, actor TEXT NOT NULL, issue TEXT NOT NULL,
    body TEXT NOT NULL, from_watch INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS audit_at ON audit(at);
CREATE INDEX IF NOT EXISTS audit_of ON audit(actor);

CREATE TABLE IF NOT EXISTS changes(n INTEGER PRIMARY KEY AUTOINCREMENT, issue TEXT NOT NULL UNIQUE);
CREATE TRIGGER IF NOT EXISTS issue_made AFTER INSERT ON issues
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.id); END;
CREATE TRIGGER IF NOT EXISTS issue_changed AFTER UPDATE ON issues
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.id); END;
CREATE TRIGGER IF NOT EXISTS blocker_set AFTER INSERT ON blockers
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS blocker_cleared AFTER DELETE ON blockers
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (old.issue); END;
CREATE TRIGGER IF NOT EXISTS interaction_made AFTER INSERT ON interactions
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS interaction_changed AFTER UPDATE ON interactions
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS approval_made AFTER INSERT ON approvals
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS approval_changed AFTER UPDATE ON approvals
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS monitor_set AFTER INSERT ON monitors
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS monitor_over AFTER DELETE ON monitors
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (old.issue); END;
CREATE TRIGGER IF NOT EXISTS run_made AFTER INSERT ON runs
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS run_changed AFTER UPDATE ON runs
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS wake_made AFTER INSERT ON wakes
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
CREATE TRIGGER IF NOT EXISTS wake_changed AFTER UPDATE ON wakes
    BEGIN INSERT OR REPLACE INTO changes(issue) VALUES (new.issue); END;
)sql";

}  // namespace tracker
