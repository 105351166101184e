// The statements with which the SQLite store forgets what is over.
#pragma once

#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct PruneSql {
    static constexpr auto runs =
        sql_text("SELECT id FROM runs WHERE state IN (", ended_states.text,
                 ") AND ended_at < ?1 AND NOT EXISTS (SELECT 1 FROM actions WHERE run = runs.id AND (outcome IN (",
                 settled_outcomes.text,
                 ")) IS NOT TRUE) AND NOT EXISTS (SELECT 1 FROM alerts WHERE run = runs.id AND (state IN (",
                 settled_alert_states.text,
                 ")) IS NOT TRUE) AND NOT EXISTS (SELECT 1 FROM decisions WHERE run = runs.id AND applied = 0) "
                 "ORDER BY ordinal LIMIT ?2");
    static constexpr char parts[] = "DELETE FROM run_parts WHERE run = ?1";
    static constexpr char checkpoints[] = "DELETE FROM checkpoints WHERE run = ?1";
    static constexpr char interventions[] = "DELETE FROM interventions WHERE run = ?1";
    static constexpr char actions[] = "DELETE FROM actions WHERE run = ?1";
    static constexpr char run[] = "DELETE FROM runs WHERE id = ?1";
    static constexpr auto alerts =
        sql_text("DELETE FROM alerts WHERE ordinal IN (SELECT ordinal FROM alerts WHERE created_at < ?1 AND state IN (",
                 settled_alert_states.text,
                 ") AND NOT EXISTS (SELECT 1 FROM runs WHERE id = alerts.run) ORDER BY ordinal LIMIT ?2)");
    static constexpr char audit[] =
        "DELETE FROM audit WHERE ordinal IN (SELECT ordinal FROM audit WHERE at < ?1 AND NOT EXISTS (SELECT 1 FROM "
        "runs "
        "WHERE id = audit.run) ORDER BY ordinal LIMIT ?2)";
    static constexpr char spend[] =
        "DELETE FROM spend WHERE rowid IN (SELECT rowid FROM spend p WHERE (day + 1) * 86400000000 < ?1 AND NOT EXISTS "
        "(SELECT 1 FROM spend s JOIN runs r ON r.id = s.run WHERE s.lineage = p.lineage) ORDER BY rowid LIMIT ?2)";
    static constexpr char compact[] = "VACUUM";
};

/// Every statement of it, for the test that nothing else reaches SQLite.
inline constexpr const char* sqlite_prune_statements[] = {
    PruneSql::runs, PruneSql::parts,  PruneSql::checkpoints, PruneSql::interventions, PruneSql::actions,
    PruneSql::run,  PruneSql::alerts, PruneSql::audit,       PruneSql::spend,         PruneSql::compact};

}  // namespace heeler::inline HEELER_ABI::detail
