// The statements of the PostgreSQL store, all constant: rows travel as one array per column, many in one statement.
#pragma once

#include <array>

#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// By what they are for. Order and meaning of parameters and columns: stored_columns.hpp, behind the run where a row
/// belongs to one.
struct PostgresSql {
    // Several statements in one go; the transaction's number tells later what became of a commit.
    static constexpr char begin_durable[] =
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = on; SELECT txid_current()";
    static constexpr char begin_telemetry[] =
        "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off; SELECT txid_current()";
    static constexpr char begin_read[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    static constexpr char begin_schema[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
    static constexpr char commit[] = "COMMIT";
    static constexpr char rollback[] = "ROLLBACK";

    static constexpr char set_up[] =
        "SELECT set_config('heeler.schema', $1::text, false), "
        "set_config('search_path', quote_ident($1::text) || ', pg_temp', false), "
        "set_config('lock_timeout', $2::bigint::text, false), "
        "set_config('statement_timeout', $3::bigint::text, false), "
        "set_config('idle_in_transaction_session_timeout', $3::bigint::text, false), "
        "set_config('client_min_messages', 'error', false)";
    /// Names the history of this server: a standby that was promoted has another one, with other transactions.
    static constexpr char cluster[] =
        "SELECT system_identifier::text || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) "
        "FROM pg_control_system()";
    static constexpr char transaction_status[] = "SELECT coalesce(txid_status($1::bigint), '')";

    static constexpr char whose[] =
        "SELECT count(*), count(*) FILTER (WHERE relname = 'meta' "
        "AND obj_description(c.oid, 'pg_class') = 'store of heeler') "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = current_setting('heeler.schema') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')";
    static constexpr char meta[] =
        "SELECT coalesce(sum(value) FILTER (WHERE name = 'schema_version'), 0)::bigint, "
        "coalesce(sum(value) FILTER (WHERE name = 'min_reader'), 0)::bigint FROM meta";
    static constexpr char lock_schema[] =
        "SELECT pg_advisory_xact_lock(1751477362, hashtext(current_setting('heeler.schema')))";
    static constexpr char create_schema[] =
        "DO $do$ BEGIN EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', current_setting('heeler.schema')); END $do$";
    static constexpr char set_meta[] =
        "UPDATE meta SET value = CASE name WHEN 'schema_version' THEN $1::bigint ELSE $2::bigint END "
        "WHERE name IN ('schema_version', 'min_reader')";

    static constexpr char insert_runs[] =
        "INSERT INTO runs(id, version, name, class, state, status, attempt, incarnation, created_at, updated_at, "
        "ended_at, holder, epoch, facts) SELECT id, version + 1, name, class, state, status, attempt, incarnation, "
        "created_at, updated_at, ended_at, holder, epoch, facts FROM unnest($1::text[], $2::bigint[], $3::text[], "
        "$4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], "
        "$12::text[], $13::bigint[], $14::bytea[]) WITH ORDINALITY AS g(id, version, name, class, state, status, "
        "attempt, incarnation, created_at, updated_at, ended_at, holder, epoch, facts, place) ORDER BY place "
        "ON CONFLICT (id) DO NOTHING RETURNING id";
    static constexpr char update_runs[] =
        "UPDATE runs r SET version = g.version + 1, name = g.name, class = g.class, state = g.state, "
        "status = g.status, attempt = g.attempt, incarnation = g.incarnation, created_at = g.created_at, "
        "updated_at = g.updated_at, ended_at = g.ended_at, holder = g.holder, epoch = g.epoch, facts = g.facts "
        "FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], "
        "$8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::bigint[], $14::bytea[]) "
        "AS g(id, version, name, class, state, status, attempt, incarnation, created_at, updated_at, ended_at, "
        "holder, epoch, facts) WHERE r.id = g.id AND r.version = g.version RETURNING r.id";
    /// Of runs that were not written those that are as they were expected to be.
    static constexpr char unmoved_runs[] =
        "SELECT g.id FROM unnest($1::text[], $2::bigint[]) AS g(id, version) WHERE CASE g.version WHEN 0 "
        "THEN NOT EXISTS (SELECT FROM runs r WHERE r.id = g.id) "
        "ELSE EXISTS (SELECT FROM runs r WHERE r.id = g.id AND r.version = g.version) END";
    static constexpr char put_parts[] =
        "INSERT INTO run_parts(run, part, bytes) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) "
        "ON CONFLICT (run, part) DO UPDATE SET bytes = excluded.bytes";
    static constexpr char put_checkpoints[] =
        "INSERT INTO checkpoints(run, number, incarnation, at, step, text, reason) SELECT * FROM unnest($1::text[], "
        "$2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[]) ON CONFLICT (run, number) "
        "DO UPDATE SET incarnation = excluded.incarnation, at = excluded.at, step = excluded.step, "
        "text = excluded.text, reason = excluded.reason";
    static constexpr char put_interventions[] =
        "INSERT INTO interventions(run, number, incident, attempt, condition, action, outcome, at) "
        "SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], "
        "$7::text[], $8::bigint[]) ON CONFLICT (run, number) DO UPDATE SET incident = excluded.incident, "
        "attempt = excluded.attempt, condition = excluded.condition, action = excluded.action, "
        "outcome = excluded.outcome, at = excluded.at";
    static constexpr char put_actions[] =
        "INSERT INTO actions(run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, "
        "note) SELECT run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, note FROM "
        "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], "
        "$9::bigint[], $10::text[], $11::text[]) WITH ORDINALITY AS g(run, key, kind, needs, outcome, outcome_from, "
        "incident, intervention, attempt, text, note, place) ORDER BY place ON CONFLICT (run, key) DO UPDATE SET kind "
        "= excluded.kind, needs = excluded.needs, outcome = excluded.outcome, outcome_from = excluded.outcome_from, "
        "incident = excluded.incident, intervention = excluded.intervention, attempt = excluded.attempt, text = "
        "excluded.text, note = excluded.note";
    static constexpr char put_alerts[] =
        "INSERT INTO alerts(run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, "
        "note, action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, attempt, body, "
        "body_text) SELECT run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, "
        "note, action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, attempt, body, "
        "body_text FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], "
        "$7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], "
        "$15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[], "
        "$23::bytea[], $24::text[]) WITH ORDINALITY AS g(run, key, state, attempts, created_at, not_before, "
        "last_error, how, with_key, with_run, note, action_key, kind, route, run_id, run_name, work_item, project, "
        "severity, summary, at, attempt, body, body_text, place) ORDER BY place ON CONFLICT (run, key) DO UPDATE SET "
        "state = excluded.state, attempts = excluded.attempts, created_at = excluded.created_at, not_before = "
        "excluded.not_before, last_error = excluded.last_error, how = excluded.how, with_key = excluded.with_key, "
        "with_run = excluded.with_run, note = excluded.note, action_key = excluded.action_key, kind = excluded.kind, "
        "route = excluded.route, run_id = excluded.run_id, run_name = excluded.run_name, work_item = "
        "excluded.work_item, project = excluded.project, severity = excluded.severity, summary = excluded.summary, at "
        "= excluded.at, attempt = excluded.attempt, body = excluded.body, body_text = excluded.body_text";
    static constexpr char add_audit[] =
        "INSERT INTO audit(run, at, kind, body) SELECT run, at, kind, body FROM unnest($1::text[], $2::bigint[], "
        "$3::text[], $4::text[]) WITH ORDINALITY AS g(run, at, kind, body, place) ORDER BY place";
    static constexpr char add_decisions[] =
        "INSERT INTO decisions(run, verb, until_at, decided_by, at, because, about_run, about_class, about_tag, "
        "about_kind, at_most) SELECT run, verb, until_at, decided_by, at, because, about_run, about_class, about_tag, "
        "about_kind, at_most FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], "
        "$7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) WITH ORDINALITY AS g(run, verb, until_at, "
        "decided_by, at, because, about_run, about_class, about_tag, about_kind, at_most, place) ORDER BY place";
    static constexpr char close_decisions[] =
        "UPDATE decisions SET applied = true WHERE number = ANY ($1::bigint[]) AND run <> ALL ($2::text[])";
    static constexpr char add_mutes[] =
        "INSERT INTO mutes(class, condition, identity, muted_by, at) SELECT class, condition, identity, muted_by, at "
        "FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[]) WITH ORDINALITY "
        "AS g(class, condition, identity, muted_by, at, place) ORDER BY place "
        "ON CONFLICT (class, condition, identity) DO NOTHING";
    static constexpr char add_tallies[] =
        "INSERT INTO tallies(class, condition, incidents, wrong) SELECT class, condition, sum(incidents)::bigint, "
        "sum(wrong)::bigint FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY "
        "AS g(class, condition, incidents, wrong, place) GROUP BY class, condition ORDER BY min(place) "
        "ON CONFLICT (class, condition) DO UPDATE SET incidents = tallies.incidents + excluded.incidents, "
        "wrong = tallies.wrong + excluded.wrong";

    /// By the index of those that are open, so that those that are over, however many, cost nothing.
    static constexpr auto runs_to_load = sql_text(
        "SELECT r.id, r.version, r.name, r.class, r.state, r.status, r.attempt, r.incarnation, r.created_at, "
        "r.updated_at, r.ended_at, r.holder, r.epoch, r.facts, s.bytes AS spec, m.bytes AS memory FROM runs "
        "r LEFT JOIN run_parts s ON s.run = r.id AND s.part = 'spec' LEFT JOIN run_parts m ON m.run = r.id "
        "AND m.part = 'memory' WHERE r.ordinal IN (SELECT ordinal FROM runs WHERE state NOT IN (",
        ended_states.text,
        ") UNION SELECT ordinal FROM runs WHERE state IS NULL UNION SELECT w.ordinal FROM runs w WHERE w.id IN "
        "(SELECT run FROM actions WHERE outcome = 'intended' UNION SELECT run FROM alerts WHERE state = 'pending' "
        "UNION SELECT run FROM actions WHERE (outcome IN (",
        all_outcomes.text, ")) IS NOT TRUE UNION SELECT run FROM alerts WHERE (state IN (", all_alert_states.text,
        ")) IS NOT TRUE)) ORDER BY r.ordinal");
    static constexpr char run[] =
        "SELECT r.id, r.version, r.name, r.class, r.state, r.status, r.attempt, r.incarnation, r.created_at, "
        "r.updated_at, r.ended_at, r.holder, r.epoch, r.facts, s.bytes AS spec, m.bytes AS memory FROM runs r "
        "LEFT JOIN run_parts s ON s.run = r.id AND s.part = 'spec' "
        "LEFT JOIN run_parts m ON m.run = r.id AND m.part = 'memory' WHERE r.id = $1::text";
    static constexpr char all_runs[] =
        "SELECT id, version, name, class, state, status, attempt, incarnation, created_at, updated_at, ended_at, "
        "holder, epoch, facts, NULL::bytea AS spec, NULL::bytea AS memory FROM runs ORDER BY ordinal";
    static constexpr auto undelivered_alerts = sql_text(
        "SELECT run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, "
        "note, action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, "
        "attempt, body FROM alerts WHERE (state IN (",
        told_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr char count_checkpoints[] =
        "SELECT run, count(*) FROM checkpoints WHERE run = ANY ($1::text[]) GROUP BY run";
    static constexpr char checkpoints[] =
        "SELECT run, number, incarnation, at, step, text, reason FROM checkpoints WHERE run = $1::text "
        "ORDER BY number";
    static constexpr char interventions[] =
        "SELECT run, number, incident, attempt, condition, action, outcome, at FROM interventions "
        "WHERE run = ANY ($1::text[]) ORDER BY run, number";
    static constexpr char actions[] =
        "SELECT run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, note FROM actions "
        "WHERE run = $1::text ORDER BY ordinal";
    static constexpr auto open_actions = sql_text(
        "SELECT run, key, kind, needs, outcome, outcome_from, incident, intervention, attempt, text, note "
        "FROM (SELECT *, max(intervention) OVER (PARTITION BY run) AS newest FROM actions WHERE run = ANY "
        "($1::text[])) AS of_runs WHERE intervention = newest OR (outcome IN (",
        settled_outcomes.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr char alerts[] =
        "SELECT run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, note, "
        "action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, attempt, body FROM "
        "alerts WHERE run = $1::text ORDER BY ordinal";
    static constexpr char alert[] =
        "SELECT run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, note, "
        "action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, attempt, body FROM "
        "alerts WHERE run = $1::text AND key = $2::text";
    static constexpr auto pending_alerts = sql_text(
        "SELECT run, key, state, attempts, created_at, not_before, last_error, how, with_key, with_run, "
        "note, action_key, kind, route, run_id, run_name, work_item, project, severity, summary, at, "
        "attempt, body FROM alerts WHERE run = ANY ($1::text[]) AND (state IN (",
        settled_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr char audit[] = "SELECT run, at, kind, body FROM audit WHERE run = $1::text ORDER BY ordinal";
    static constexpr char open_decisions[] =
        "SELECT number, run, verb, until_at, decided_by, at, because, about_run, about_class, about_tag, about_kind, "
        "at_most FROM decisions WHERE NOT applied ORDER BY number";
    static constexpr char mutes[] = "SELECT class, condition, identity, muted_by, at FROM mutes ORDER BY ordinal";
    static constexpr char tallies[] = "SELECT class, condition, incidents, wrong FROM tallies ORDER BY ordinal";
};

/// Every statement beside the schema's steps, for the test that nothing else reaches PostgreSQL.
inline constexpr auto postgres_statements = std::to_array<const char*>({PostgresSql::begin_durable,
                                                                        PostgresSql::begin_telemetry,
                                                                        PostgresSql::begin_read,
                                                                        PostgresSql::begin_schema,
                                                                        PostgresSql::commit,
                                                                        PostgresSql::rollback,
                                                                        PostgresSql::set_up,
                                                                        PostgresSql::cluster,
                                                                        PostgresSql::transaction_status,
                                                                        PostgresSql::whose,
                                                                        PostgresSql::meta,
                                                                        PostgresSql::lock_schema,
                                                                        PostgresSql::create_schema,
                                                                        PostgresSql::set_meta,
                                                                        PostgresSql::insert_runs,
                                                                        PostgresSql::update_runs,
                                                                        PostgresSql::unmoved_runs,
                                                                        PostgresSql::put_parts,
                                                                        PostgresSql::put_checkpoints,
                                                                        PostgresSql::put_interventions,
                                                                        PostgresSql::put_actions,
                                                                        PostgresSql::put_alerts,
                                                                        PostgresSql::add_audit,
                                                                        PostgresSql::add_decisions,
                                                                        PostgresSql::close_decisions,
                                                                        PostgresSql::add_mutes,
                                                                        PostgresSql::add_tallies,
                                                                        PostgresSql::runs_to_load,
                                                                        PostgresSql::run,
                                                                        PostgresSql::all_runs,
                                                                        PostgresSql::undelivered_alerts,
                                                                        PostgresSql::checkpoints,
                                                                        PostgresSql::count_checkpoints,
                                                                        PostgresSql::interventions,
                                                                        PostgresSql::actions,
                                                                        PostgresSql::open_actions,
                                                                        PostgresSql::alerts,
                                                                        PostgresSql::alert,
                                                                        PostgresSql::pending_alerts,
                                                                        PostgresSql::audit,
                                                                        PostgresSql::open_decisions,
                                                                        PostgresSql::mutes,
                                                                        PostgresSql::tallies});

}  // namespace heeler::inline HEELER_ABI::detail
