// The statements with which the PostgreSQL store forgets what is over.
#pragma once

#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct PostgresPruneSql {
    /// A run that somebody else is just writing is left for the next time.
    static constexpr auto runs = sql_text(
        "SELECT id FROM runs r WHERE state IN (", ended_states.text,
        ") AND ended_at < $1::bigint AND NOT EXISTS (SELECT FROM actions WHERE run = r.id AND (outcome IN (",
        settled_outcomes.text, ")) IS NOT TRUE) AND NOT EXISTS (SELECT FROM alerts WHERE run = r.id AND (state IN (",
        settled_alert_states.text,
        ")) IS NOT TRUE) AND NOT EXISTS (SELECT FROM decisions WHERE run = r.id AND NOT applied) "
        "ORDER BY ordinal LIMIT $2::bigint FOR UPDATE OF r SKIP LOCKED");
    static constexpr char parts[] = "DELETE FROM run_parts WHERE run = ANY ($1::text[])";
    static constexpr char checkpoints[] = "DELETE FROM checkpoints WHERE run = ANY ($1::text[])";
    static constexpr char interventions[] = "DELETE FROM interventions WHERE run = ANY ($1::text[])";
    static constexpr char actions[] = "DELETE FROM actions WHERE run = ANY ($1::text[])";
    static constexpr char gone_runs[] = "DELETE FROM runs WHERE id = ANY ($1::text[])";
    static constexpr auto alerts = sql_text(
        "DELETE FROM alerts WHERE ordinal IN (SELECT ordinal FROM alerts a WHERE created_at < $1::bigint AND state IN "
        "(",
        settled_alert_states.text,
        ") AND NOT EXISTS (SELECT FROM runs WHERE id = a.run) ORDER BY ordinal LIMIT $2::bigint) RETURNING ordinal");
    static constexpr char audit[] =
        "DELETE FROM audit WHERE ordinal IN (SELECT ordinal FROM audit a WHERE at < $1::bigint AND NOT EXISTS (SELECT "
        "FROM runs WHERE id = a.run) ORDER BY ordinal LIMIT $2::bigint) RETURNING ordinal";
    static constexpr char spend[] =
        "DELETE FROM spend WHERE (run, day) IN (SELECT run, day FROM spend p WHERE (day + 1) * 86400000000 < "
        "$1::bigint "
        "AND NOT EXISTS (SELECT FROM spend s JOIN runs r ON r.id = s.run WHERE s.lineage = p.lineage) "
        "ORDER BY day, run LIMIT $2::bigint) RETURNING day";
};

/// Every statement of it, for the test that nothing else reaches the server.
inline constexpr const char* postgres_prune_statements[] = {
    PostgresPruneSql::runs,          PostgresPruneSql::parts,   PostgresPruneSql::checkpoints,
    PostgresPruneSql::interventions, PostgresPruneSql::actions, PostgresPruneSql::gone_runs,
    PostgresPruneSql::alerts,        PostgresPruneSql::audit,   PostgresPruneSql::spend};

}  // namespace heeler::inline HEELER_ABI::detail
