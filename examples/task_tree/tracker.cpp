#include "tracker.hpp"

#include <chrono>

#include "rules.hpp"
#include "schema.hpp"
#include "verbs.hpp"

namespace tracker {

Tracker::Tracker(const std::string& path) : database_{path} {
    database_.run_script(schema);
    if (!database_.query("SELECT 1 FROM pragma_table_info('interactions') WHERE name = 'about'").next())
        database_.run_script("ALTER TABLE interactions ADD COLUMN about TEXT NOT NULL DEFAULT ''");  // an older file
    forget_hidden(database_);
}

std::vector<std::string> Tracker::carry_out(const std::vector<Change>& changes, const Actor& actor) {
    const std::lock_guard guard{lock_};
    Transaction transaction{database_};
    std::vector<std::string> ids;
    for (const Change& change : changes) {
        check_actor(database_, change, actor);
        ids.push_back(make(database_, change, actor));
    }
    transaction.commit();
    return ids;
}

void Tracker::check(const Change& change, const Actor& actor) {
    with([&](Database& database) { check_actor(database, change, actor); });
}

std::string Tracker::new_id(std::string_view prefix) {
    return with([&](Database& database) { return next_id(database, prefix); });
}

std::string Tracker::tenant_of(const std::string& issue) {
    return with([&](Database& database) {
        Rows rows = database.query("SELECT tenant FROM issues WHERE id = ?1 AND hidden = 0", issue);
        return rows.next() ? rows.text(0) : std::string{};
    });
}

std::vector<AgentRef> Tracker::agents() {
    return with([](Database& database) {
        std::vector<AgentRef> known;
        for (Rows rows = database.query("SELECT tenant, id FROM agents"); rows.next();)
            known.push_back({rows.text(0), rows.text(1)});
        return known;
    });
}

std::string Tracker::issue_of_run(const std::string& run) {
    return with([&](Database& database) {
        Rows rows = database.query("SELECT issue FROM runs WHERE id = ?1", run);
        return rows.next() ? rows.text(0) : std::string{};
    });
}

std::int64_t now_us() {
    using std::chrono::microseconds;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<microseconds>(now).count();
}

void record(Database& database, std::string_view kind, std::string_view actor, std::string_view issue,
            std::string_view body) {
    database.run("INSERT INTO audit(at, kind, actor, issue, body, from_watch) VALUES (?1, ?2, ?3, ?4, ?5, 0)", now_us(),
                 kind, actor, issue, body);
}

}  // namespace tracker
