#include "rules.hpp"

#include <algorithm>

#include <heeler/text/one_line.hpp>
#include <heeler/tree/tree_node.hpp>

#include "tracker.hpp"

namespace tracker {
namespace {

/// To which tenant belongs what is changed.
std::string tenant_of_change(Database& database, const Change& change) {
    if (change.verb == Verb::set_agent) return change.tenant;
    if (change.verb == Verb::report_run) return run_row(database, change.ref).tenant;
    if (change.verb != Verb::create) return tenant_of(database, change.target);
    return change.parent.empty() ? change.tenant : tenant_of(database, change.parent);
}

/// People decide who is watched and who works here; from inside a tree nobody moves its limits.
bool is_for_people(const Change& change) {
    const bool roots = change.verb == Verb::create && change.parent.empty();
    return roots || change.verb == Verb::set_agent || change.verb == Verb::arm || change.verb == Verb::disarm;
}

/// The issue that a run is on and what is below it; of a review what it reviews. A review is its reviewer's alone.
bool reaches(Database& database, const RunRow& run, const std::string& issue) {
    return database
        .query(
            "WITH RECURSIVE up(id) AS (SELECT ?1 UNION SELECT i.parent FROM issues i JOIN up ON i.id = up.id "
            "WHERE i.origin <> 'task_watchdog') SELECT 1 FROM up WHERE id = ?2 OR id = "
            "(SELECT origin_id FROM issues WHERE id = ?2 AND origin = 'task_watchdog')",
            issue, run.issue)
        .next();
}

/// A run begins where the agent was woken or has the work; whoever reviews begins nothing else meanwhile.
void check_start(Database& database, const Change& change, const std::string& agent) {
    if (change.value != agent) throw Refused{403, "the run is another agent's"};
    Rows called = database.query(
        "SELECT i.origin FROM issues i WHERE i.id = ?1 AND (i.assignee_agent = ?2 OR EXISTS (SELECT 1 FROM wakes w "
        "WHERE w.issue = i.id AND w.agent = ?2 AND w.status = 'queued'))",
        change.target, agent);
    if (!called.next()) throw Refused{403, "the agent was not woken for this issue, and it is not given to it"};
    if (called.text(0) == heeler::review_origin) return;
    Rows reviews = database.query(
        "SELECT i.id FROM runs r JOIN issues i ON i.id = r.issue WHERE r.agent = ?1 AND i.tenant = ?2 AND "
        "i.origin = 'task_watchdog' AND r.status IN ('queued', 'running', 'scheduled_retry')",
        agent, tenant_of(database, change.target));
    if (reviews.next()) throw Refused{403, "the agent reviews in " + reviews.text(0) + ": that run ends first"};
}

bool is_review(Database& database, const std::string& issue) {
    return database.query("SELECT 1 FROM issues WHERE id = ?1 AND origin = 'task_watchdog'", issue).next();
}

/// An agent in a run that is its own and goes on.
void check_run(Database& database, const Change& change, const Actor& actor) {
    if (actor.run.empty()) throw Refused{403, "an agent changes something in a run only: say which (X-Actor-Run)"};
    const RunRow run = run_row(database, actor.run);
    if (actor.agent != run.agent || actor.tenant != run.tenant)
        throw Refused{403, "the run does not belong to this agent"};
    if (!heeler::is_live_run(run.status)) throw Refused{403, "the run is over"};
    if (!reaches(database, run, change.verb == Verb::create ? change.parent : change.target))
        throw Refused{403, "a run changes its own issue and what is below it"};
    const bool gives_work = change.verb == Verb::create || change.verb == Verb::assign;
    if (gives_work && change.ref == actor.agent && is_review(database, run.issue))
        throw Refused{403, "a reviewer gives no work to itself"};
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + heeler::text::one_line(text, 80) + "'"; }

void missing(const char* what, const std::string& id) {
    throw Refused{404, std::string{"there is no "} + what + " " + in_quotes(id)};
}

void check_one_of(std::string_view what, const std::string& value, std::span<const std::string_view> known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    std::string why = std::string{what} + " cannot be " + in_quotes(value) + ": it is one of";
    for (const std::string_view each : known) why.append(" ").append(each);
    throw Refused{400, why};
}

void check_id(const char* what, const std::string& id) {
    const auto bad = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\'; };
    if (id.empty() || id.size() > 64 || std::any_of(id.begin(), id.end(), bad) || id == "." || id == "..")
        throw Refused{400, std::string{what} + " must have 1 to 64 bytes, without slashes and control characters"};
}

void check_text(const char* what, const std::string& text, std::size_t most) {
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw Refused{400, std::string{what} + " is empty"};
    if (text.size() > most)
        throw Refused{413, std::string{what} + " is too long: at most " + std::to_string(most) + " bytes"};
}

std::string tenant_of(Database& database, const std::string& issue) {
    Rows rows = database.query("SELECT tenant FROM issues WHERE id = ?1 AND hidden = 0", issue);
    if (!rows.next()) missing("issue", issue);
    return rows.text(0);
}

RunRow run_row(Database& database, const std::string& id) {
    Rows rows = database.query(
        "SELECT r.issue, r.agent, r.status, i.tenant FROM runs r JOIN issues i ON i.id = r.issue WHERE r.id = ?1", id);
    if (!rows.next()) missing("run", id);
    return {rows.text(0), rows.text(1), rows.text(2), rows.text(3)};
}

void check_actor(Database& database, const Change& change, const Actor& actor) {
    const bool is_person = !actor.user.empty();
    if (!is_person && is_for_people(change)) throw Refused{403, "only a person does that"};
    const std::string tenant = tenant_of_change(database, change);
    if (is_person) return;
    if (tenant != actor.tenant) throw Refused{403, "the issue belongs to another tenant"};
    if (change.verb == Verb::start_run) return check_start(database, change, actor.agent);
    if (change.verb != Verb::report_run) return check_run(database, change, actor);
    if (run_row(database, change.ref).agent != actor.agent) throw Refused{403, "the run is another agent's"};
}

std::string next_id(Database& database, std::string_view prefix) {
    Rows rows = database.query("UPDATE counter SET n = n + 1 RETURNING n");
    rows.next();
    std::string id = std::string{prefix} + "-" + std::to_string(rows.number(0));
    while (rows.next()) {
    }
    return id;
}

void check_employable(Database& database, const std::string& tenant, const std::string& agent) {
    Rows rows = database.query("SELECT status FROM agents WHERE tenant = ?1 AND id = ?2", tenant, agent);
    if (!rows.next()) missing("agent", agent);
    if (rows.text(0) != "active") throw Refused{409, "the agent cannot be given work: it is " + rows.text(0)};
}

void add_comment(Database& database, const std::string& issue, std::string_view author, std::string_view text) {
    database.run("INSERT INTO comments(issue, author, at, text) VALUES (?1, ?2, ?3, ?4)", issue, author, now_us(),
                 text);
}

}  // namespace tracker
