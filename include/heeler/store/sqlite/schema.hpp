// All SQL text of the SQLite store: its tables, in additive steps, and its statements. Nothing else is ever prepared.
#pragma once

#include <array>
#include <cstdint>

#include <heeler/store/schema_step.hpp>
#include <heeler/store/sql_columns.hpp>
#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Marks a SQLite file as a store of heeler ("helr").
inline constexpr std::int64_t sqlite_application_id = 0x68656c72;

/// Times are microseconds since 1970 UTC; the views show them as text. `mutes` and `tallies` are what operators taught
/// the watchdog. `until` of a lease is by the clock of SQLite's machine. `held_runs` says of the runs that have not
/// ended whose they are. It is kept by triggers, not by an index on `runs`, which would be written again with every
/// row of every flush. `unclaimable_runs`, `unreadable_actions` and `unreadable_alerts` find what nobody can read
/// without looking at every row: runs of which it is not known whose they are, and what may be left to be done for runs
/// that have ended.
inline constexpr auto sqlite_step_1 = sql_text(R"sql(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta(name, value) VALUES ('schema_version', 0), ('min_reader', 0);
CREATE TABLE runs(
    ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, name TEXT NOT NULL,
    class TEXT NOT NULL, state TEXT NOT NULL, status TEXT NOT NULL, attempt INTEGER NOT NULL,
    incarnation INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER,
    facts BLOB NOT NULL, holder TEXT NOT NULL DEFAULT '', epoch INTEGER NOT NULL DEFAULT 0);
CREATE INDEX unclaimable_runs ON runs(id) WHERE state IS NULL OR typeof(class) <> 'text' OR typeof(holder) <> 'text'
    OR typeof(epoch) <> 'integer';
CREATE TABLE run_parts(run TEXT NOT NULL, part TEXT NOT NULL, bytes BLOB NOT NULL, UNIQUE(run, part));
CREATE TABLE checkpoints(
    run TEXT NOT NULL, number INTEGER NOT NULL, incarnation INTEGER NOT NULL, at INTEGER NOT NULL, step INTEGER,
    text TEXT NOT NULL, reason TEXT NOT NULL, UNIQUE(run, number));
CREATE TABLE interventions(
    run TEXT NOT NULL, number INTEGER NOT NULL, incident INTEGER NOT NULL, attempt INTEGER NOT NULL,
    condition TEXT NOT NULL, action TEXT NOT NULL, outcome TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(run, number));
CREATE TABLE actions(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, needs TEXT,
    outcome TEXT NOT NULL, outcome_from TEXT NOT NULL, incident INTEGER NOT NULL, intervention INTEGER NOT NULL,
    attempt INTEGER NOT NULL, text TEXT NOT NULL, note TEXT NOT NULL, UNIQUE(run, key));
CREATE INDEX unfinished_actions ON actions(run) WHERE outcome = )sql",
                                               word_of<ActionOutcome::intended>.text, R"sql(;
CREATE INDEX unreadable_actions ON actions(run) WHERE (outcome IN ()sql",
                                               all_outcomes.text, R"sql()) IS NOT TRUE;
CREATE TABLE alerts(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL, not_before INTEGER NOT NULL, last_error TEXT NOT NULL, how TEXT NOT NULL,
    with_key TEXT NOT NULL, with_run TEXT NOT NULL, note TEXT NOT NULL, action_key TEXT NOT NULL,
    kind TEXT NOT NULL, route TEXT NOT NULL, run_id TEXT NOT NULL, run_name TEXT NOT NULL, work_item TEXT NOT NULL,
    project TEXT NOT NULL, severity TEXT NOT NULL, summary TEXT NOT NULL, at INTEGER NOT NULL,
    attempt INTEGER NOT NULL, body BLOB NOT NULL, body_text TEXT NOT NULL, UNIQUE(run, key));
CREATE INDEX pending_alerts ON alerts(run) WHERE state = )sql",
                                               word_of<AlertRow::State::pending>.text, R"sql(;
CREATE INDEX unreadable_alerts ON alerts(run)
    WHERE (state IN ()sql",
                                               all_alert_states.text, R"sql()) IS NOT TRUE;
CREATE TABLE audit(
    ordinal INTEGER PRIMARY KEY, run TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX audit_of_run ON audit(run);
CREATE TABLE decisions(
    number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, verb TEXT NOT NULL, until_at INTEGER,
    decided_by TEXT NOT NULL, at INTEGER NOT NULL, applied INTEGER NOT NULL DEFAULT 0,
    because TEXT NOT NULL DEFAULT '', about_run TEXT NOT NULL DEFAULT '', about_class TEXT NOT NULL DEFAULT '',
    about_tag TEXT NOT NULL DEFAULT '', about_kind TEXT NOT NULL DEFAULT '', at_most TEXT,
    length INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0, micro_usd INTEGER NOT NULL DEFAULT 0);
CREATE INDEX open_decisions ON decisions(number) WHERE applied = 0;
CREATE VIEW checkpoints_readable AS SELECT run, number, strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at,
    step, reason, text FROM checkpoints;
CREATE VIEW interventions_readable AS SELECT run, number, incident, attempt, condition, action, outcome,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at FROM interventions;
CREATE VIEW alerts_readable AS SELECT run, state, attempts, kind, severity, summary, body_text,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at, last_error, how, with_key, with_run,
    note FROM alerts ORDER BY ordinal;
CREATE VIEW audit_readable AS SELECT strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at, kind, run, body
    FROM audit ORDER BY ordinal;
CREATE TABLE mutes(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, identity INTEGER NOT NULL,
    muted_by TEXT NOT NULL, at INTEGER NOT NULL, UNIQUE(class, condition, identity));
CREATE TABLE tallies(
    ordinal INTEGER PRIMARY KEY, class TEXT NOT NULL, condition TEXT NOT NULL, incidents INTEGER NOT NULL,
    wrong INTEGER NOT NULL, UNIQUE(class, condition));
CREATE TABLE spend(
    run TEXT NOT NULL, day INTEGER NOT NULL, lineage TEXT NOT NULL, owner TEXT NOT NULL, tokens INTEGER NOT NULL,
    micro_usd INTEGER NOT NULL, told TEXT NOT NULL, UNIQUE(run, day));
CREATE INDEX spend_of_day ON spend(day);
CREATE INDEX spend_of_lineage ON spend(lineage);
CREATE VIEW spend_readable AS SELECT date(day * 86400, 'unixepoch') AS day, owner, lineage, run, tokens,
    micro_usd / 1e6 AS usd FROM spend ORDER BY spend.day, owner, lineage, run;
CREATE VIEW mutes_readable AS SELECT class, condition, printf('%016x', identity) AS identity, muted_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at FROM mutes ORDER BY ordinal;
CREATE VIEW tallies_readable AS SELECT class, condition, incidents, wrong,
    round(100.0 * wrong / incidents, 1) AS percent_wrong FROM tallies ORDER BY ordinal;
CREATE VIEW decisions_readable AS SELECT number, run, verb,
    strftime('%Y-%m-%dT%H:%M:%fZ', until_at / 1e6, 'unixepoch') AS until_at, decided_by,
    strftime('%Y-%m-%dT%H:%M:%fZ', at / 1e6, 'unixepoch') AS at, applied FROM decisions ORDER BY number;
CREATE VIEW silences_readable AS SELECT number, about_run, about_class, about_tag, about_kind, at_most,
    strftime('%Y-%m-%dT%H:%M:%fZ', until_at / 1e6, 'unixepoch') AS until_at, decided_by, because, applied
    FROM decisions WHERE verb = )sql",
                                               word_of<Verb::silence>.text, R"sql( ORDER BY number;
CREATE TABLE held_runs(
    holder TEXT NOT NULL, epoch INTEGER NOT NULL, class TEXT NOT NULL, run INTEGER NOT NULL,
    PRIMARY KEY(holder, epoch, class, run)) WITHOUT ROWID;
CREATE TRIGGER run_was_added AFTER INSERT ON runs
    WHEN new.state NOT IN ()sql",
                                               ended_states.text, R"sql()
    BEGIN INSERT INTO held_runs VALUES (new.holder, new.epoch, new.class, new.ordinal); END;
CREATE TRIGGER run_was_handed_over AFTER UPDATE OF holder, epoch, class, state ON runs
    WHEN old.state <> new.state OR old.epoch <> new.epoch OR old.holder <> new.holder OR old.class <> new.class BEGIN
    DELETE FROM held_runs WHERE holder = old.holder AND epoch = old.epoch AND class = old.class AND run = old.ordinal;
    INSERT INTO held_runs SELECT new.holder, new.epoch, new.class, new.ordinal
        WHERE new.state NOT IN ()sql",
                                               ended_states.text, R"sql(); END;
CREATE TABLE leases(
    name TEXT PRIMARY KEY, owner TEXT NOT NULL, epoch INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE lost_holders(
    name TEXT NOT NULL, epoch INTEGER NOT NULL, runs INTEGER NOT NULL, finder TEXT NOT NULL,
    finder_epoch INTEGER NOT NULL, PRIMARY KEY(name, epoch)) WITHOUT ROWID;
CREATE VIEW runs_readable AS SELECT id, name, class, state, status, attempt, incarnation,
    strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1e6, 'unixepoch') AS created_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1e6, 'unixepoch') AS updated_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', ended_at / 1e6, 'unixepoch') AS ended_at, holder, epoch FROM runs ORDER BY ordinal;
CREATE VIEW leases_readable AS SELECT name, owner, epoch,
    strftime('%Y-%m-%dT%H:%M:%fZ', until / 1e6, 'unixepoch') AS until FROM leases ORDER BY name;
)sql");

inline constexpr std::array<SchemaStep, 1> sqlite_schema{{{1, 1, sqlite_step_1}}};

/// What follows the table that a row is put into.
template <const auto& columns>
inline constexpr auto row_of = sql_text("(", sql_list<columns>, ") VALUES (", sql_list<columns, "?#">, ")");

/// The statements, by what they are for. Order and meaning of parameters and columns: stored_columns.hpp.
struct Sql {
    static constexpr char begin_read[] = "BEGIN";
    static constexpr char begin_write[] = "BEGIN IMMEDIATE";
    static constexpr char commit[] = "COMMIT";
    static constexpr char rollback[] = "ROLLBACK";
    static constexpr char use_wal[] = "PRAGMA journal_mode=WAL";
    static constexpr char sync_always[] = "PRAGMA synchronous=FULL";
    static constexpr char sync_seldom[] = "PRAGMA synchronous=NORMAL";
    static constexpr char mark_as_ours[] = "PRAGMA application_id=1751477362";
    static constexpr char whose[] = "PRAGMA application_id";
    static constexpr char count_tables[] = "SELECT count(*) FROM sqlite_master";
    static constexpr char meta[] = "SELECT value FROM meta WHERE name = ?1";
    static constexpr char set_meta[] = "UPDATE meta SET value = ?2 WHERE name = ?1";

    static constexpr auto insert_run = sql_text("INSERT INTO runs(", sql_list<run_columns>, ") VALUES (?1, ?2 + 1, ",
                                                sql_list<run_columns, "?#", 2>, ") ON CONFLICT(id) DO NOTHING");
    /// Of a run that is still of the same class, state and holder: no trigger looks at it.
    static constexpr auto update_kept_run = sql_text(
        "UPDATE runs SET version = ?2 + 1, name = ?3, ", sql_list<run_columns, "% = ?#", 5, 11>,
        ", facts = ?14 WHERE id = ?1 AND version = ?2 AND class = ?4 AND state = ?5 AND holder = ?12 AND epoch = ?13");
    static constexpr auto update_run = sql_text("UPDATE runs SET version = ?2 + 1, ",
                                                sql_list<run_columns, "% = ?#", 2>, " WHERE id = ?1 AND version = ?2");
    /// Whether a run that was not written is as it was expected to be.
    static constexpr char is_unmoved[] =
        "SELECT CASE ?2 WHEN 0 THEN NOT EXISTS (SELECT 1 FROM runs WHERE id = ?1) "
        "ELSE EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND version = ?2) END";
    static constexpr char put_part[] =
        "INSERT INTO run_parts(run, part, bytes) VALUES (?1, ?2, ?3) "
        "ON CONFLICT(run, part) DO UPDATE SET bytes = excluded.bytes";
    static constexpr auto put_checkpoint =
        sql_text("INSERT OR REPLACE INTO checkpoints", row_of<checkpoint_columns>.text);
    static constexpr auto put_intervention =
        sql_text("INSERT OR REPLACE INTO interventions", row_of<intervention_columns>.text);
    static constexpr auto put_action = sql_text("INSERT INTO actions", row_of<action_columns>.text,
                                                " ON CONFLICT(run, key) DO UPDATE SET ", all_excluded<action_columns>);
    static constexpr auto put_alert = sql_text("INSERT INTO alerts", row_of<alert_columns>.text,
                                               " ON CONFLICT(run, key) DO UPDATE SET ", all_excluded<alert_columns>);
    static constexpr auto add_audit = sql_text("INSERT INTO audit", row_of<audit_columns>.text);
    static constexpr auto add_decision = sql_text("INSERT INTO decisions", row_of<decision_columns>.text);
    static constexpr auto add_mute =
        sql_text("INSERT INTO mutes", row_of<mute_columns>.text, " ON CONFLICT(class, condition, identity) DO NOTHING");
    static constexpr auto add_tally =
        sql_text("INSERT INTO tallies", row_of<tally_columns>.text, " ON CONFLICT(class, condition) DO UPDATE SET ",
                 sql_list<tally_columns, "% = % + excluded.%", 2>);
    static constexpr auto add_spend =
        sql_text("INSERT INTO spend", row_of<spend_columns>.text, " ON CONFLICT(run, day) DO UPDATE SET ",
                 sql_list<spend_columns, "% = % + excluded.%", 4, 6>, ", told = told || excluded.told");
    static constexpr char decision_run[] = "SELECT run FROM decisions WHERE number = ?1";
    static constexpr char close_decision[] = "UPDATE decisions SET applied = 1 WHERE number = ?1";

    /// By what is kept of those that are open, so that those that are over, however many, cost nothing.
    static constexpr auto runs_to_load =
        sql_text("SELECT ", sql_list<run_columns>,
                 " FROM runs WHERE ordinal IN (SELECT run FROM held_runs UNION SELECT ordinal FROM runs WHERE state IS "
                 "NULL UNION SELECT r.ordinal FROM (",
                 unfinished_runs.text, ") w CROSS JOIN runs r ON r.id = w.run) ORDER BY ordinal");
    static constexpr auto run = sql_text("SELECT ", sql_list<run_columns>, " FROM runs WHERE id = ?1");
    static constexpr auto all_runs = sql_text("SELECT ", sql_list<run_columns>, " FROM runs ORDER BY ordinal");
    static constexpr char part[] = "SELECT bytes FROM run_parts WHERE run = ?1 AND part = ?2";
    static constexpr char count_checkpoints[] = "SELECT count(*) FROM checkpoints WHERE run = ?1";
    static constexpr auto checkpoints =
        sql_text("SELECT ", sql_list<checkpoint_columns, "%", 1>, " FROM checkpoints WHERE run = ?1 ORDER BY number");
    static constexpr auto interventions = sql_text("SELECT ", sql_list<intervention_columns, "%", 1>,
                                                   " FROM interventions WHERE run = ?1 ORDER BY number");
    static constexpr auto actions =
        sql_text("SELECT ", sql_list<action_columns, "%", 1>, " FROM actions WHERE run = ?1 ORDER BY ordinal");
    static constexpr auto open_actions = sql_text("SELECT ", sql_list<action_columns, "%", 1>,
                                                  " FROM actions WHERE run = ?1 AND (intervention = (SELECT "
                                                  "max(intervention) FROM actions WHERE run = ?1) OR (outcome IN (",
                                                  settled_outcomes.text, ")) IS NOT TRUE) ORDER BY ordinal");
    static constexpr auto alerts =
        sql_text("SELECT ", alert_list<"%", 1>, " FROM alerts WHERE run = ?1 ORDER BY ordinal");
    static constexpr auto alert = sql_text("SELECT ", alert_list<"%", 1>, " FROM alerts WHERE run = ?1 AND key = ?2");
    static constexpr auto pending_alerts =
        sql_text("SELECT ", alert_list<"%", 1>, " FROM alerts WHERE run = ?1 AND (state IN (",
                 settled_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr auto undelivered_alerts = sql_text("SELECT ", alert_list<"%", 1>, " FROM alerts WHERE (state IN (",
                                                        told_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr auto audit =
        sql_text("SELECT ", sql_list<audit_columns>, " FROM audit WHERE run = ?1 ORDER BY ordinal");
    static constexpr auto open_decisions =
        sql_text("SELECT number, ", sql_list<decision_columns>, " FROM decisions WHERE applied = 0 ORDER BY number");
    static constexpr auto mutes = sql_text("SELECT ", sql_list<mute_columns>, " FROM mutes ORDER BY ordinal");
    static constexpr auto tallies = sql_text("SELECT ", sql_list<tally_columns>, " FROM tallies ORDER BY ordinal");
    /// Sums beyond what a number holds are cut.
    static constexpr char spent_on_day[] =
        "SELECT day, lineage, owner, CAST(min(total(tokens), 9e18) AS INTEGER) AS tokens, CAST(min(total(micro_usd), "
        "9e18) AS INTEGER) AS micro_usd, group_concat(told, '') AS told FROM spend WHERE day = ?1 "
        "GROUP BY lineage, owner ORDER BY lineage, owner";
    static constexpr char spent_besides[] =
        "SELECT -1 AS day, lineage, owner, CAST(min(total(tokens), 9e18) AS INTEGER) AS tokens, "
        "CAST(min(total(micro_usd), 9e18) AS INTEGER) AS micro_usd, group_concat(told, '') AS told FROM spend "
        "WHERE lineage = ?1 AND day <> ?2 GROUP BY owner ORDER BY owner";
};

/// Every statement beside the schema's steps, for the test that nothing else reaches SQLite.
// clang-format off
inline constexpr const char* sqlite_statements[] = {
    Sql::begin_read, Sql::begin_write, Sql::commit, Sql::rollback, Sql::use_wal, Sql::sync_always, Sql::sync_seldom,
    Sql::mark_as_ours, Sql::whose, Sql::count_tables, Sql::meta, Sql::set_meta, Sql::insert_run, Sql::update_kept_run,
    Sql::update_run, Sql::is_unmoved, Sql::put_part, Sql::put_checkpoint, Sql::put_intervention, Sql::put_action,
    Sql::put_alert, Sql::add_audit, Sql::add_decision, Sql::add_mute, Sql::add_tally, Sql::add_spend, Sql::decision_run,
    Sql::close_decision, Sql::runs_to_load, Sql::run, Sql::all_runs, Sql::part, Sql::count_checkpoints,
    Sql::checkpoints, Sql::interventions, Sql::actions, Sql::open_actions, Sql::alerts, Sql::alert,
    Sql::pending_alerts, Sql::undelivered_alerts, Sql::audit, Sql::open_decisions, Sql::mutes, Sql::tallies,
    Sql::spent_on_day, Sql::spent_besides};
// clang-format on

}  // namespace heeler::inline HEELER_ABI::detail
