// The SQL text of leases in PostgreSQL: who holds which runs, and which belong to nobody; for the PostgreSQL store.
#pragma once

#include <heeler/store/postgres/sql.hpp>
#include <heeler/store/sql_columns.hpp>
#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What `PostgresSql` is for the rest. Times are microseconds since 1970 UTC by the server's clock.
struct PostgresLeaseSql {
    /// No row while another owner has it. A lease that ran out stays the owner's as long as nobody took it.
    static constexpr char claim[] =
        "INSERT INTO leases AS l(name, owner, epoch, until) VALUES ($1::text, $2::text, 1, "
        "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint + $3::bigint) ON CONFLICT (name) DO UPDATE SET "
        "owner = excluded.owner, epoch = l.epoch + CASE WHEN l.owner = excluded.owner THEN 0 ELSE 1 END, "
        "until = excluded.until WHERE l.owner IN ('', excluded.owner) "
        "OR l.until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint RETURNING epoch";
    static constexpr char lease[] =
        "SELECT owner, until - (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FROM leases "
        "WHERE name = $1::text";
    static constexpr char release[] =
        "UPDATE leases SET owner = '', until = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint "
        "WHERE name = $1::text AND epoch = $2::bigint AND owner <> ''";
    /// Until the transaction ends nobody takes it away.
    static constexpr char hold[] =
        "SELECT epoch FROM leases WHERE name = $1::text AND epoch = $2::bigint AND owner <> '' FOR SHARE";
    /// Leaves out a lease under which somebody is just writing: it has not been slow after all.
    static constexpr auto take_away = sql_text(
        "WITH gone AS (SELECT name, epoch FROM leases WHERE owner <> '' AND name NOT IN ($1::text, "
        "'(unnamed)') AND until <= (extract(epoch FROM clock_timestamp()) * 1000000)::bigint FOR UPDATE SKIP "
        "LOCKED), taken AS (UPDATE leases l SET owner = '', epoch = l.epoch + 1 FROM gone g WHERE l.name = "
        "g.name RETURNING g.name, g.epoch) INSERT INTO lost_holders SELECT t.name, t.epoch, (SELECT count(*) FROM "
        "runs r WHERE r.holder = t.name AND r.epoch = t.epoch AND r.state NOT IN (",
        ended_states.text, ")), '', 0 FROM taken t ON CONFLICT DO NOTHING");
    /// Of whom nobody told yet, and nobody who lives is to. Counted: whoever waited for a row looks at it anew.
    static constexpr char untold[] =
        "WITH untold AS (UPDATE lost_holders h SET finder = $1::text, finder_epoch = $2::bigint WHERE (SELECT count(*) "
        "FROM leases l WHERE l.name = h.finder AND l.epoch = h.finder_epoch AND l.owner <> '') = 0 "
        "RETURNING h.name, h.runs, h.epoch) SELECT name, runs, epoch FROM untold ORDER BY name, epoch";
    static constexpr char told[] =
        "DELETE FROM lost_holders WHERE (name, epoch) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))";
    static constexpr auto holders = sql_text(
        "SELECT l.name, l.epoch, (l.owner <> '' AND l.until > (extract(epoch FROM clock_timestamp()) * "
        "1000000)::bigint)::int::bigint, l.until - (extract(epoch FROM clock_timestamp()) * "
        "1000000)::bigint, (SELECT count(*) FROM runs r WHERE r.holder = l.name AND r.state NOT IN (",
        ended_states.text, ")), l.owner FROM leases l ORDER BY l.name");

    /// Locks runs that somebody may take, in order of registration. It goes from one group of runs (holder, epoch,
    /// class) to the next: as many steps as there are groups, however many runs they have. Of each free group it looks
    /// at eight times the runs that it needs, so that as many claimers at once find some that are not locked.
    static constexpr auto lock_free_runs = sql_text(
        "WITH RECURSIVE groups AS ((SELECT holder, epoch, class FROM runs WHERE state NOT IN (", ended_states.text,
        ") ORDER BY holder, epoch, class LIMIT 1) UNION ALL SELECT n.holder, n.epoch, n.class FROM groups g "
        "CROSS JOIN LATERAL (SELECT r.holder, r.epoch, r.class FROM runs r WHERE r.state NOT IN (",
        ended_states.text,
        ") AND (r.holder, r.epoch, r.class) > (g.holder, g.epoch, g.class) ORDER BY r.holder, r.epoch, "
        "r.class LIMIT 1) n), free_groups AS MATERIALIZED (SELECT g.holder, g.epoch, g.class FROM groups g "
        "WHERE (g.class = ANY ($1::text[]) OR g.class = ANY ($2::text[]) AND g.holder IN ('', $3::text)) AND "
        "NOT EXISTS (SELECT FROM leases l WHERE l.name = g.holder AND l.epoch = g.epoch AND l.owner <> '')), "
        "free AS (SELECT f.ordinal FROM free_groups g CROSS JOIN LATERAL (SELECT r.ordinal FROM runs r WHERE "
        "r.state NOT IN (",
        ended_states.text,
        ") AND r.holder = g.holder AND r.epoch = g.epoch AND r.class = g.class ORDER BY r.ordinal LIMIT 8 * "
        "$4::bigint) f UNION ALL SELECT r.ordinal FROM (",
        unfinished_runs.text, ") w JOIN runs r ON r.id = w.run WHERE r.state IN (", ended_states.text,
        ") AND (r.class = ANY ($1::text[]) OR r.class = ANY ($2::text[]) AND r.holder IN ('', $3::text)) AND "
        "NOT EXISTS (SELECT FROM leases l WHERE l.name = r.holder AND l.epoch = r.epoch AND l.owner <> '')) "
        "SELECT r.ordinal FROM runs r WHERE r.ordinal = ANY (ARRAY(SELECT ordinal FROM free)) ORDER BY "
        "r.ordinal LIMIT $4::bigint FOR UPDATE OF r SKIP LOCKED");
    static constexpr char lock_run[] = "SELECT ordinal FROM runs WHERE id = $1::text FOR UPDATE";
    /// Of runs that were locked: somebody may have been faster before that, so everything is looked at anew.
    static constexpr auto free_runs = sql_text(
        "SELECT ", whole_runs.text,
        " WHERE r.ordinal = ANY ($1::bigint[]) AND NOT EXISTS (SELECT FROM leases l "
        "WHERE l.name = r.holder AND l.epoch = r.epoch AND l.owner <> '') AND ((r.state IN (",
        ended_states.text, ")) IS NOT TRUE OR EXISTS (SELECT FROM actions a WHERE a.run = r.id AND (a.outcome IN (",
        settled_outcomes.text, ")) IS NOT TRUE) OR EXISTS (SELECT FROM alerts a WHERE a.run = r.id AND (a.state IN (",
        settled_alert_states.text,
        ")) IS NOT TRUE)) AND r.state IS NOT NULL AND r.class IS NOT NULL AND r.holder IS NOT NULL AND "
        "r.epoch IS NOT NULL ORDER BY r.ordinal");
    /// Runs that no claim can be for.
    static constexpr auto unclaimable_runs = sql_text(
        "SELECT ", sql_list<run_columns>,
        ", NULL::bytea AS spec, NULL::bytea AS memory FROM runs r WHERE (state "
        "IS NULL OR class IS NULL OR holder IS NULL OR epoch IS NULL) AND $1::text IN ('', id) AND ((state "
        "IN (",
        ended_states.text, ")) IS NOT TRUE OR EXISTS (SELECT FROM actions a WHERE a.run = r.id AND (a.outcome IN (",
        settled_outcomes.text, ")) IS NOT TRUE) OR EXISTS (SELECT FROM alerts a WHERE a.run = r.id AND (a.state IN (",
        settled_alert_states.text, ")) IS NOT TRUE)) ORDER BY ordinal");
    static constexpr char hand_over[] =
        "UPDATE runs SET holder = $2::text, epoch = $3::bigint, version = version + 1 WHERE id = ANY ($1::text[])";
    /// Of runs that cannot be read.
    static constexpr char take[] = "UPDATE runs SET holder = $2::text, epoch = $3::bigint WHERE id = ANY ($1::text[])";
};

/// Every statement of it, for the test that nothing else reaches PostgreSQL.
inline constexpr const char* postgres_lease_statements[] = {
    PostgresLeaseSql::claim,          PostgresLeaseSql::lease,     PostgresLeaseSql::release,
    PostgresLeaseSql::hold,           PostgresLeaseSql::take_away, PostgresLeaseSql::holders,
    PostgresLeaseSql::lock_free_runs, PostgresLeaseSql::lock_run,  PostgresLeaseSql::free_runs,
    PostgresLeaseSql::hand_over,      PostgresLeaseSql::take,      PostgresLeaseSql::unclaimable_runs,
    PostgresLeaseSql::untold,         PostgresLeaseSql::told};

}  // namespace heeler::inline HEELER_ABI::detail
