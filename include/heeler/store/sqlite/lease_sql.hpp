// The SQL text of leases in SQLite: who holds which runs, and which belong to nobody; for the SQLite store.
#pragma once

#include <heeler/store/sql_columns.hpp>
#include <heeler/store/sql_text.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What `Sql` is for the rest. Times are microseconds since 1970 UTC by SQLite's clock, which knows milliseconds.
struct LeaseSql {
    /// No row changes while another owner has it. A lease that ran out stays the owner's as long as nobody took it.
    static constexpr char claim[] =
        "INSERT INTO leases(name, owner, epoch, until) VALUES (?1, ?2, 1, "
        "CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000 + ?3) "
        "ON CONFLICT(name) DO UPDATE SET owner = excluded.owner, epoch = epoch + (owner <> excluded.owner), "
        "until = excluded.until WHERE owner IN ('', excluded.owner) "
        "OR until <= CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000";
    static constexpr char lease[] =
        "SELECT epoch, owner, until - CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000 "
        "FROM leases WHERE name = ?1";
    static constexpr char release[] =
        "UPDATE leases SET owner = '', "
        "until = CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000 "
        "WHERE name = ?1 AND epoch = ?2 AND owner <> ''";
    static constexpr char is_held[] = "SELECT count(*) FROM leases WHERE name = ?1 AND epoch = ?2 AND owner <> ''";
    static constexpr char ran_out[] =
        "SELECT name, epoch FROM leases WHERE owner <> '' AND name NOT IN (?1, '(unnamed)') "
        "AND until <= CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000 ORDER BY name";
    static constexpr char take_away[] = "UPDATE leases SET owner = '', epoch = epoch + 1 WHERE name = ?1";
    static constexpr char add_lost[] = "INSERT OR REPLACE INTO lost_holders VALUES (?1, ?2, ?3, '', 0)";
    /// Of whom nobody told yet, and nobody who lives is to.
    static constexpr char untold[] =
        "SELECT name, runs, epoch FROM lost_holders WHERE NOT EXISTS (SELECT 1 FROM leases l WHERE l.name = finder "
        "AND l.epoch = finder_epoch AND l.owner <> '') ORDER BY name, epoch";
    static constexpr char is_to_tell[] =
        "UPDATE lost_holders SET finder = ?3, finder_epoch = ?4 WHERE name = ?1 AND epoch = ?2";
    static constexpr char told[] = "DELETE FROM lost_holders WHERE name = ?1 AND epoch = ?2";
    static constexpr char count_runs[] = "SELECT count(*) FROM held_runs WHERE holder = ?1 AND epoch = ?2";
    static constexpr char holders[] =
        "SELECT l.name, l.epoch, l.owner <> '' AND "
        "l.until > CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000, "
        "l.until - CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000, "
        "(SELECT count(*) FROM held_runs r WHERE r.holder = l.name), l.owner FROM leases l ORDER BY l.name";

    // From one group of runs to the next: as many steps as there are groups, however many runs they have. Without a
    // last run SQLite would begin with the first run of the group that it is to pass.
    static constexpr char next_group[] =
        "SELECT holder, epoch, class FROM held_runs "
        "WHERE (holder, epoch, class, run) > (?1, ?2, ?3, 9223372036854775807) AND typeof(holder) = 'text' "
        "AND typeof(epoch) = 'integer' AND typeof(class) = 'text' ORDER BY holder, epoch, class, run LIMIT 1";
    static constexpr char runs_of_group[] =
        "SELECT run FROM held_runs WHERE holder = ?1 AND epoch = ?2 AND class = ?3 ORDER BY run LIMIT ?4";
    static constexpr auto ended_but_open =
        sql_text("SELECT r.ordinal, r.holder, r.epoch, r.class FROM (", unfinished_runs.text,
                 ") w CROSS JOIN runs r ON r.id = w.run WHERE r.state IN (", ended_states.text,
                 ") AND typeof(r.holder) = 'text' AND typeof(r.epoch) = 'integer' AND typeof(r.class) = 'text'");
    /// Runs that no claim can be for.
    static constexpr auto unclaimable_runs = sql_text(
        "SELECT ", sql_list<run_columns>,
        " FROM runs WHERE (state IS NULL OR typeof(class) <> 'text' OR "
        "typeof(holder) <> 'text' OR typeof(epoch) <> 'integer') AND ?1 IN ('', id) AND ((state IN (",
        ended_states.text, ")) IS NOT TRUE OR EXISTS (SELECT 1 FROM actions WHERE run = id AND (outcome IN (",
        settled_outcomes.text, ")) IS NOT TRUE) OR EXISTS (SELECT 1 FROM alerts WHERE run = id AND (state IN (",
        settled_alert_states.text, ")) IS NOT TRUE)) ORDER BY id");
    static constexpr auto open_run = sql_text(
        "SELECT ordinal, holder, epoch, class FROM runs WHERE id = ?1 AND (state NOT IN (", ended_states.text,
        ") OR EXISTS (SELECT 1 FROM actions WHERE run = ?1 AND (outcome IN (", settled_outcomes.text,
        ")) IS NOT TRUE) OR EXISTS (SELECT 1 FROM alerts WHERE run = ?1 AND (state IN (", settled_alert_states.text,
        ")) IS NOT TRUE)) AND typeof(class) = 'text' AND typeof(holder) = 'text' AND typeof(epoch) = "
        "'integer'");

    /// Not one that no claim can be for.
    static constexpr auto run_at = sql_text("SELECT ", sql_list<run_columns>,
                                            " FROM runs WHERE ordinal = ?1 AND state IS NOT NULL AND typeof(class) = "
                                            "'text' AND typeof(holder) = 'text' AND typeof(epoch) = 'integer'");
    static constexpr char hand_over[] = "UPDATE runs SET holder = ?2, epoch = ?3, version = ?4 WHERE ordinal = ?1";
    static constexpr char take[] = "UPDATE runs SET holder = ?2, epoch = ?3 WHERE ordinal = ?1";
};

/// Every statement of it, for the test that nothing else reaches SQLite.
inline constexpr const char* sqlite_lease_statements[] = {
    LeaseSql::claim,      LeaseSql::lease,         LeaseSql::release,        LeaseSql::is_held,
    LeaseSql::ran_out,    LeaseSql::take_away,     LeaseSql::count_runs,     LeaseSql::holders,
    LeaseSql::next_group, LeaseSql::runs_of_group, LeaseSql::ended_but_open, LeaseSql::unclaimable_runs,
    LeaseSql::open_run,   LeaseSql::run_at,        LeaseSql::hand_over,      LeaseSql::take,
    LeaseSql::add_lost,   LeaseSql::untold,        LeaseSql::is_to_tell,     LeaseSql::told};

}  // namespace heeler::inline HEELER_ABI::detail
