// All SQL text of the table `agent_progress` in PostgreSQL: the table, the functions for agents, the statements.
#pragma once

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Written by agents: last_checkpoint, last_heartbeat, last_step, completed_steps; status from in_progress to
/// completed, with completed_by and completed_at. Everything else is written by the watchdog's side.
struct PostgresAgentSql {
    static constexpr char create_schema[] =
        "DO $do$ BEGIN IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = current_setting('heeler.schema')) THEN "
        "EXECUTE format('CREATE SCHEMA %I', current_setting('heeler.schema')); END IF; END $do$";
    static constexpr char create_tables[] = R"sql(
CREATE TABLE IF NOT EXISTS agent_progress(
    run text COLLATE "C" PRIMARY KEY,
    token text COLLATE "C" NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', ''),
    attempt bigint NOT NULL DEFAULT 1 CHECK (attempt > 0),
    status text NOT NULL DEFAULT 'in_progress' CHECK (status IN ('in_progress', 'stalled', 'completed', 'failed')),
    last_checkpoint timestamptz,
    last_heartbeat timestamptz,
    last_step text NOT NULL DEFAULT '',
    completed_steps jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(completed_steps) = 'array'),
    completed_by bigint,
    completed_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    attempt_started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    claim_key text,
    claimed_by text NOT NULL DEFAULT '',
    claim_fence bigint NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS agent_attempts(
    run text COLLATE "C" NOT NULL, attempt bigint NOT NULL, token text NOT NULL, status text NOT NULL,
    last_checkpoint timestamptz, last_heartbeat timestamptz, last_step text NOT NULL, completed_steps jsonb NOT NULL,
    attempt_started_at timestamptz NOT NULL, claim_key text, archived_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run, attempt));
)sql";
    /// For roles that may do nothing else; each answers whether it counted.
    static constexpr char create_functions[] = R"sql(
DO $do$
DECLARE
    place text := quote_ident(current_setting('heeler.schema'));
    head text := 'CREATE OR REPLACE FUNCTION ' || place || '.%s RETURNS boolean LANGUAGE sql VOLATILE '
        || 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS %L';
    body text := 'WITH done AS (UPDATE ' || place || '.agent_progress SET %s '
        || 'WHERE token = $1 AND status = ''in_progress'' RETURNING 1) SELECT EXISTS (SELECT FROM done)';
    steps text := 'completed_steps = (SELECT coalesce(jsonb_agg(step ORDER BY step), ''[]'') FROM (SELECT value AS step '
        || 'FROM jsonb_array_elements(CASE WHEN jsonb_typeof(completed_steps) = ''array'' THEN completed_steps '
        || 'ELSE ''[]'' END) WHERE jsonb_typeof(value) = ''number'' UNION SELECT to_jsonb($2) WHERE $2 IS NOT NULL) '
        || 'AS steps)';
BEGIN
    EXECUTE format(head, 'heeler_checkpoint(token text, step bigint, step_text text)', format(body,
        'last_checkpoint = clock_timestamp(), last_step = left(coalesce($3, last_step), 2000), ' || steps));
    EXECUTE format(head, 'heeler_heartbeat(token text)', format(body, 'last_heartbeat = clock_timestamp()'));
    EXECUTE format(head, 'heeler_complete(token text)', format(body,
        'status = ''completed'', completed_by = attempt, completed_at = clock_timestamp()'));
    EXECUTE 'REVOKE ALL ON FUNCTION ' || place || '.heeler_checkpoint(text, bigint, text), '
        || place || '.heeler_heartbeat(text), ' || place || '.heeler_complete(text) FROM PUBLIC';
END $do$)sql";
    static constexpr char count_parts[] =
        "SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = current_setting('heeler.schema') AND c.relname IN ('agent_progress', 'agent_attempts')) + "
        "(SELECT count(*) FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace "
        "WHERE n.nspname = current_setting('heeler.schema') "
        "AND f.proname IN ('heeler_checkpoint', 'heeler_heartbeat', 'heeler_complete'))";
    /// What is wrong with the tables, in words; no row: nothing.
    static constexpr char wrong[] =
        "SELECT CASE WHEN to_regclass(w.tab) IS NULL THEN 'the table ' || w.tab || ' is gone' "
        "WHEN a.attname IS NULL THEN 'the table ' || w.tab || ' has no column \"' || w.col || '\"' "
        "ELSE 'the table ' || w.tab || ' has a column \"' || w.col || '\" of type ' || format_type(a.atttypid, NULL) "
        "|| ', not ' || w.typ END, (to_regclass(w.tab) IS NULL)::int::bigint FROM (VALUES "
        "('agent_progress', 'run', 'text'), ('agent_progress', 'token', 'text'), ('agent_progress', 'attempt', "
        "'bigint'), "
        "('agent_progress', 'status', 'text'), ('agent_progress', 'last_checkpoint', 'timestamp with time zone'), "
        "('agent_progress', 'last_heartbeat', 'timestamp with time zone'), ('agent_progress', 'last_step', 'text'), "
        "('agent_progress', 'completed_steps', 'jsonb'), ('agent_progress', 'completed_by', 'bigint'), "
        "('agent_progress', 'completed_at', 'timestamp with time zone'), "
        "('agent_progress', 'created_at', 'timestamp with time zone'), "
        "('agent_progress', 'attempt_started_at', 'timestamp with time zone'), ('agent_progress', 'claim_key', "
        "'text'), ('agent_progress', 'claimed_by', 'text'), ('agent_progress', 'claim_fence', 'bigint'), "
        "('agent_attempts', 'run', 'text'), ('agent_attempts', 'attempt', 'bigint'), ('agent_attempts', 'token', "
        "'text'), "
        "('agent_attempts', 'status', 'text'), ('agent_attempts', 'last_checkpoint', 'timestamp with time zone'), "
        "('agent_attempts', 'last_heartbeat', 'timestamp with time zone'), ('agent_attempts', 'last_step', 'text'), "
        "('agent_attempts', 'completed_steps', 'jsonb'), "
        "('agent_attempts', 'attempt_started_at', 'timestamp with time zone'), ('agent_attempts', 'claim_key', "
        "'text')) "
        "AS w(tab, col, typ) LEFT JOIN pg_attribute a ON a.attrelid = to_regclass(w.tab) AND a.attname = w.col "
        "AND NOT a.attisdropped WHERE a.attname IS NULL OR format_type(a.atttypid, NULL) <> w.typ LIMIT 1";

    static constexpr char insert[] = "INSERT INTO agent_progress(run) VALUES ($1::text) ON CONFLICT (run) DO NOTHING";

    /// No longer than it takes to see that it is too long.
    static constexpr char in_progress[] =
        "SELECT left(run, 129) FROM agent_progress WHERE status = 'in_progress' ORDER BY run";

    /// Ages in microseconds; times as text of one form, whatever the session's settings are.
    static constexpr char poll[] =
        "SELECT w.run, (p.run IS NOT NULL)::int::bigint, (p.token IS NOT NULL)::int::bigint, "
        "coalesce((SELECT max(a.attempt) FROM agent_attempts a WHERE a.run = p.run), 0), left(p.status, 64), "
        "p.attempt::text, "
        "coalesce(to_char(p.last_checkpoint AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
        "p.last_checkpoint::text), CASE WHEN isfinite(p.last_checkpoint) THEN (least(greatest(c.now - "
        "extract(epoch FROM p.last_checkpoint), -1e12), 1e12) * 1e6)::bigint END, "
        "coalesce(to_char(p.last_heartbeat AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
        "p.last_heartbeat::text), CASE WHEN isfinite(p.last_heartbeat) THEN (least(greatest(c.now - "
        "extract(epoch FROM p.last_heartbeat), -1e12), 1e12) * 1e6)::bigint END, "
        "p.completed_by::text, CASE WHEN isfinite(p.completed_at) THEN (least(greatest(c.now - "
        "extract(epoch FROM p.completed_at), -1e12), 1e12) * 1e6)::bigint END, "
        "CASE WHEN isfinite(b.base) THEN (least(greatest(c.now - extract(epoch FROM b.base), -1e12), 1e12) * "
        "1e6)::bigint END, left(p.last_step, 4096), "
        "CASE WHEN octet_length(p.completed_steps::text) <= 65536 THEN p.completed_steps::text END, "
        "octet_length(p.completed_steps::text)::bigint "
        "FROM unnest($1::text[]) WITH ORDINALITY AS w(run, place) LEFT JOIN agent_progress p ON p.run = w.run "
        "CROSS JOIN (SELECT extract(epoch FROM clock_timestamp()) AS now) AS c "
        "CROSS JOIN LATERAL (SELECT coalesce(p.last_checkpoint, p.attempt_started_at, p.created_at) AS base) AS b "
        "ORDER BY w.place";

    static constexpr char look[] =
        "SELECT coalesce(token, ''), CASE WHEN attempt BETWEEN 1 AND 4294967294 THEN attempt ELSE 0 END, "
        "coalesce(status, ''), claim_key, coalesce(claimed_by, ''), greatest(coalesce(claim_fence, 0), 0), "
        "coalesce(to_char(last_checkpoint AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
        "last_checkpoint::text), CASE WHEN isfinite(coalesce(last_checkpoint, attempt_started_at, created_at)) THEN "
        "(least(greatest(extract(epoch FROM clock_timestamp()) - extract(epoch FROM coalesce(last_checkpoint, "
        "attempt_started_at, created_at)), -1e12), 1e12) * 1e6)::bigint END, "
        "(last_checkpoint IS NOT NULL OR last_heartbeat IS NOT NULL)::int::bigint "
        "FROM agent_progress WHERE run = $1::text FOR UPDATE";
    static constexpr char archive[] =
        "INSERT INTO agent_attempts(run, attempt, token, status, last_checkpoint, last_heartbeat, last_step, "
        "completed_steps, attempt_started_at, claim_key) SELECT run, $2::bigint, token, 'stalled', "
        "last_checkpoint, last_heartbeat, last_step, completed_steps, attempt_started_at, claim_key "
        "FROM agent_progress WHERE run = $1::text";
    static constexpr char raise[] =
        "UPDATE agent_progress SET attempt = $2::bigint + 1, token = replace(gen_random_uuid()::text, '-', ''), "
        "status = 'in_progress', last_checkpoint = NULL, last_heartbeat = NULL, "
        "attempt_started_at = clock_timestamp(), claim_key = $3::text, claimed_by = $4::text, "
        "claim_fence = greatest(claim_fence, $5::bigint) WHERE run = $1::text AND attempt <= $2::bigint "
        "AND status = 'in_progress' AND ($5::bigint = 0 OR claim_fence <= $5::bigint) RETURNING attempt";
    static constexpr char renew[] =
        "UPDATE agent_progress SET token = replace(gen_random_uuid()::text, '-', ''), last_checkpoint = NULL, "
        "last_heartbeat = NULL, attempt_started_at = clock_timestamp(), claim_key = $2::text, "
        "claim_fence = greatest(claim_fence, $4::bigint) WHERE run = $1::text AND status = 'in_progress' "
        "AND claimed_by = $3::text AND ($4::bigint = 0 OR claim_fence <= $4::bigint) RETURNING attempt";
    static constexpr char begin_again[] =
        "UPDATE agent_progress SET attempt_started_at = clock_timestamp() WHERE run = $1::text RETURNING attempt";
    static constexpr char claimer[] =
        "SELECT claimed_by FROM agent_progress WHERE claim_key = $1::text UNION ALL "
        "SELECT '' FROM agent_attempts WHERE claim_key = $1::text LIMIT 1";
    static constexpr char restore[] =
        "UPDATE agent_progress p SET attempt = a.attempt, token = a.token, last_checkpoint = a.last_checkpoint, "
        "last_heartbeat = a.last_heartbeat, attempt_started_at = a.attempt_started_at, claim_key = a.claim_key, "
        "claimed_by = '' "
        "FROM agent_attempts a WHERE p.run = $1::text AND p.attempt = $2::bigint + 1 AND a.run = p.run "
        "AND a.attempt = $2::bigint RETURNING p.attempt";
    static constexpr char forget[] = "DELETE FROM agent_attempts WHERE run = $1::text AND attempt = $2::bigint";
    static constexpr char retire[] =
        "UPDATE agent_progress SET status = $2::text WHERE run = $1::text AND status = 'in_progress' "
        "AND ($3::bigint = 0 OR claim_fence <= $3::bigint)";

    /// Those of agents, behind the name of the schema.
    static constexpr char checkpoint[] = R"sql(.agent_progress SET
  last_checkpoint = clock_timestamp(), last_step = left(coalesce(:text, last_step), 2000),
  completed_steps = (SELECT coalesce(jsonb_agg(step ORDER BY step), '[]') FROM (
    SELECT value AS step FROM jsonb_array_elements(
      CASE WHEN jsonb_typeof(completed_steps) = 'array' THEN completed_steps ELSE '[]' END)
    WHERE jsonb_typeof(value) = 'number'
    UNION SELECT to_jsonb(CAST(:step AS bigint)) WHERE CAST(:step AS bigint) IS NOT NULL) AS steps)
WHERE token = :token AND attempt = :attempt AND status = 'in_progress' RETURNING 'counted';)sql";
    static constexpr char heartbeat[] =
        ".agent_progress SET last_heartbeat = clock_timestamp()\n"
        "WHERE token = :token AND attempt = :attempt AND status = 'in_progress' RETURNING 'counted';";
    static constexpr char complete[] =
        ".agent_progress SET status = 'completed', completed_by = attempt,\n"
        "  completed_at = clock_timestamp()\n"
        "WHERE token = :token AND attempt = :attempt AND status = 'in_progress' RETURNING 'counted';";
};

}  // namespace heeler::inline HEELER_ABI::detail
