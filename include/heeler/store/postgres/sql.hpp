// The statements of the PostgreSQL store, all constant: rows travel as one array per column, many in one statement.
#pragma once

#include <heeler/store/sql_columns.hpp>
#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The rows that travel as arrays, in their order.
template <const auto& columns>
inline constexpr auto rows_of = sql_text(" FROM unnest(", sql_list<columns, "$#::@[]">, ") WITH ORDINALITY AS g(",
                                         sql_list<columns>, ", place) ORDER BY place");

/// What follows the table that they are put into.
template <const auto& columns>
inline constexpr auto all_of = sql_text("(", sql_list<columns>, ") SELECT ", sql_list<columns>, rows_of<columns>.text);

/// Runs with their parts.
inline constexpr auto whole_runs = sql_text(sql_list<run_columns, "r.%">,
                                            ", s.bytes AS spec, m.bytes AS memory FROM runs r "
                                            "LEFT JOIN run_parts s ON s.run = r.id AND s.part = 'spec' "
                                            "LEFT JOIN run_parts m ON m.run = r.id AND m.part = 'memory'");

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

    static constexpr auto insert_runs =
        sql_text("INSERT INTO runs(", sql_list<run_columns>, ") SELECT id, version + 1, ",
                 sql_list<run_columns, "%", 2>, rows_of<run_columns>.text, " ON CONFLICT (id) DO NOTHING RETURNING id");
    static constexpr auto update_runs =
        sql_text("UPDATE runs r SET version = g.version + 1, ", sql_list<run_columns, "% = g.%", 2>, " FROM unnest(",
                 sql_list<run_columns, "$#::@[]">, ") AS g(", sql_list<run_columns>,
                 ") WHERE r.id = g.id AND r.version = g.version RETURNING r.id");
    /// Of runs that were not written those that are as they were expected to be.
    static constexpr char unmoved_runs[] =
        "SELECT g.id FROM unnest($1::text[], $2::bigint[]) AS g(id, version) WHERE CASE g.version WHEN 0 "
        "THEN NOT EXISTS (SELECT FROM runs r WHERE r.id = g.id) "
        "ELSE EXISTS (SELECT FROM runs r WHERE r.id = g.id AND r.version = g.version) END";
    static constexpr char put_parts[] =
        "INSERT INTO run_parts(run, part, bytes) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[]) "
        "ON CONFLICT (run, part) DO UPDATE SET bytes = excluded.bytes";
    static constexpr auto put_checkpoints =
        sql_text("INSERT INTO checkpoints(", sql_list<checkpoint_columns>, ") SELECT * FROM unnest(",
                 sql_list<checkpoint_columns, "$#::@[]">, ") ON CONFLICT (run, number) DO UPDATE SET ",
                 all_excluded<checkpoint_columns>);
    static constexpr auto put_interventions =
        sql_text("INSERT INTO interventions(", sql_list<intervention_columns>, ") SELECT * FROM unnest(",
                 sql_list<intervention_columns, "$#::@[]">, ") ON CONFLICT (run, number) DO UPDATE SET ",
                 all_excluded<intervention_columns>);
    static constexpr auto put_actions =
        sql_text("INSERT INTO actions", all_of<action_columns>.text, " ON CONFLICT (run, key) DO UPDATE SET ",
                 all_excluded<action_columns>);
    static constexpr auto put_alerts = sql_text("INSERT INTO alerts", all_of<alert_columns>.text,
                                                " ON CONFLICT (run, key) DO UPDATE SET ", all_excluded<alert_columns>);
    static constexpr auto add_audit = sql_text("INSERT INTO audit", all_of<audit_columns>.text);
    static constexpr auto add_decisions = sql_text("INSERT INTO decisions", all_of<decision_columns>.text);
    static constexpr char close_decisions[] =
        "UPDATE decisions SET applied = true WHERE number = ANY ($1::bigint[]) AND run <> ALL ($2::text[])";
    static constexpr auto add_mutes = sql_text("INSERT INTO mutes", all_of<mute_columns>.text,
                                               " ON CONFLICT (class, condition, identity) DO NOTHING");
    static constexpr auto add_tallies =
        sql_text("INSERT INTO tallies(", sql_list<tally_columns>, ") SELECT class, condition, ",
                 sql_list<tally_columns, "sum(%)::@", 2>, " FROM unnest(", sql_list<tally_columns, "$#::@[]">,
                 ") WITH ORDINALITY AS g(", sql_list<tally_columns>,
                 ", place) GROUP BY class, condition ORDER BY min(place) ON CONFLICT (class, condition) DO UPDATE SET ",
                 sql_list<tally_columns, "% = tallies.% + excluded.%", 2>);

    static constexpr auto add_spend =
        sql_text("INSERT INTO spend(", sql_list<spend_columns>, ") SELECT * FROM unnest(",
                 sql_list<spend_columns, "$#::@[]">, ") ON CONFLICT (run, day) DO UPDATE SET ",
                 sql_list<spend_columns, "% = spend.% + excluded.%", 4, 6>, ", told = spend.told || excluded.told");

    /// By the index of those that are open, so that those that are over, however many, cost nothing.
    static constexpr auto runs_to_load = sql_text(
        "SELECT ", whole_runs.text, " WHERE r.ordinal IN (SELECT ordinal FROM runs WHERE state NOT IN (",
        ended_states.text,
        ") UNION SELECT ordinal FROM runs WHERE state IS NULL UNION SELECT w.ordinal FROM runs w WHERE w.id IN (",
        unfinished_runs.text, ")) ORDER BY r.ordinal");
    static constexpr auto run = sql_text("SELECT ", whole_runs.text, " WHERE r.id = $1::text");
    static constexpr auto all_runs = sql_text(
        "SELECT ", sql_list<run_columns>, ", NULL::bytea AS spec, NULL::bytea AS memory FROM runs ORDER BY ordinal");
    static constexpr auto undelivered_alerts = sql_text("SELECT ", alert_list<>, " FROM alerts WHERE (state IN (",
                                                        told_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr char count_checkpoints[] =
        "SELECT run, count(*) FROM checkpoints WHERE run = ANY ($1::text[]) GROUP BY run";
    static constexpr auto checkpoints =
        sql_text("SELECT ", sql_list<checkpoint_columns>, " FROM checkpoints WHERE run = $1::text ORDER BY number");
    static constexpr auto interventions =
        sql_text("SELECT ", sql_list<intervention_columns>,
                 " FROM interventions WHERE run = ANY ($1::text[]) ORDER BY run, number");
    static constexpr auto actions =
        sql_text("SELECT ", sql_list<action_columns>, " FROM actions WHERE run = $1::text ORDER BY ordinal");
    static constexpr auto open_actions =
        sql_text("SELECT ", sql_list<action_columns>,
                 " FROM (SELECT *, max(intervention) OVER (PARTITION BY run) AS newest FROM actions WHERE run = ANY "
                 "($1::text[])) AS of_runs WHERE intervention = newest OR (outcome IN (",
                 settled_outcomes.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr auto alerts =
        sql_text("SELECT ", alert_list<>, " FROM alerts WHERE run = $1::text ORDER BY ordinal");
    static constexpr auto alert =
        sql_text("SELECT ", alert_list<>, " FROM alerts WHERE run = $1::text AND key = $2::text");
    static constexpr auto pending_alerts =
        sql_text("SELECT ", alert_list<>, " FROM alerts WHERE run = ANY ($1::text[]) AND (state IN (",
                 settled_alert_states.text, ")) IS NOT TRUE ORDER BY ordinal");
    static constexpr auto audit =
        sql_text("SELECT ", sql_list<audit_columns>, " FROM audit WHERE run = $1::text ORDER BY ordinal");
    static constexpr auto open_decisions =
        sql_text("SELECT number, ", sql_list<decision_columns>, " FROM decisions WHERE NOT applied ORDER BY number");
    static constexpr auto mutes = sql_text("SELECT ", sql_list<mute_columns>, " FROM mutes ORDER BY ordinal");
    static constexpr auto tallies = sql_text("SELECT ", sql_list<tally_columns>, " FROM tallies ORDER BY ordinal");
    /// Sums beyond what a number holds are cut.
    static constexpr char spent[] =
        "SELECT CASE day WHEN $1::bigint THEN day ELSE -1 END AS day, lineage, owner, "
        "least(sum(tokens), 9e18)::bigint AS tokens, least(sum(micro_usd), 9e18)::bigint AS micro_usd, "
        "string_agg(told, '') AS told FROM spend WHERE day = $1::bigint OR lineage = ANY ($2::text[]) "
        "GROUP BY 1, 2, 3 ORDER BY 2, 3, 1";
};

/// Every statement beside the schema's steps, for the test that nothing else reaches PostgreSQL.
// clang-format off
inline constexpr const char* postgres_statements[] = {
    PostgresSql::begin_durable, PostgresSql::begin_telemetry, PostgresSql::begin_read, PostgresSql::begin_schema,
    PostgresSql::commit, PostgresSql::rollback, PostgresSql::set_up, PostgresSql::cluster,
    PostgresSql::transaction_status, PostgresSql::whose, PostgresSql::meta, PostgresSql::lock_schema,
    PostgresSql::create_schema, PostgresSql::set_meta, PostgresSql::insert_runs, PostgresSql::update_runs,
    PostgresSql::unmoved_runs, PostgresSql::put_parts, PostgresSql::put_checkpoints, PostgresSql::put_interventions,
    PostgresSql::put_actions, PostgresSql::put_alerts, PostgresSql::add_audit, PostgresSql::add_decisions,
    PostgresSql::close_decisions, PostgresSql::add_mutes, PostgresSql::add_tallies, PostgresSql::add_spend, PostgresSql::spent, PostgresSql::runs_to_load,
    PostgresSql::run, PostgresSql::all_runs, PostgresSql::undelivered_alerts, PostgresSql::checkpoints,
    PostgresSql::count_checkpoints, PostgresSql::interventions, PostgresSql::actions, PostgresSql::open_actions,
    PostgresSql::alerts, PostgresSql::alert, PostgresSql::pending_alerts, PostgresSql::audit,
    PostgresSql::open_decisions, PostgresSql::mutes, PostgresSql::tallies};
// clang-format on

}  // namespace heeler::inline HEELER_ABI::detail
