#include <array>

#include <heeler/text/json_writer.hpp>
#include <heeler/tree/tree_node.hpp>

#include "../common/parse_duration.hpp"
#include "rules.hpp"
#include "tracker.hpp"
#include "verbs.hpp"

namespace tracker {
namespace {

constexpr std::array<std::string_view, 7> issue_statuses{"backlog", "todo", "in_progress", "in_review",
                                                         "blocked", "done", "cancelled"};
constexpr std::array<std::string_view, 8> run_statuses{"queued",      "running", "scheduled_retry", "succeeded",
                                                       "interrupted", "failed",  "cancelled",       "timed_out"};
constexpr std::string_view confirmation = "request_confirmation";
constexpr std::array<std::string_view, 2> claims{"legitimate", "restored"};
constexpr std::array<std::string_view, 2> answers{"accepted", "rejected"};
constexpr std::array<std::string_view, 3> decisions{"approved", "rejected", "revision_requested"};
constexpr std::array<std::string_view, 5> standings{"active", "paused", "terminated", "pending_approval",
                                                    "budget_blocked"};

void record_change(Database& database, const char* kind, const Change& change, const std::string& issue,
                   const Actor& actor) {
    heeler::text::JsonLine body;
    body.begin_object().key("actorUser").string(actor.user).key("actorAgent").string(actor.agent);
    body.key("runId").string(actor.run).key("target").string(issue);
    if (!change.ref.empty()) body.key("ref").string(change.ref);
    if (!change.user.empty()) body.key("ref").string(change.user);
    if (!change.value.empty()) body.key("value").string(change.value);
    body.end_object();
    record(database, kind, actor.name(), issue, body.text());
}

// --- what somebody is woken for ---

bool has_live_run(Database& database, const std::string& issue) {
    return database
        .query("SELECT 1 FROM runs WHERE issue = ?1 AND status IN ('queued', 'running', 'scheduled_retry')", issue)
        .next();
}

void drop_wakes(Database& database, const std::string& issue) {
    database.run("UPDATE wakes SET status = 'dropped' WHERE issue = ?1 AND status = 'queued'", issue);
}

void wake(Database& database, const std::string& issue, const std::string& agent, const char* payload) {
    database.run("INSERT INTO wakes VALUES (?1, ?2, ?3, 'queued', '', ?4)", next_id(database, "dispatch"), issue, agent,
                 payload);
}

/// An issue that is to be done wakes its agent, which makes the tree move.
void dispatch(Database& database, const std::string& issue) {
    Rows rows = database.query("SELECT status, assignee_agent FROM issues WHERE id = ?1", issue);
    if (!rows.next() || rows.text(0) != "todo" || rows.text(1).empty() || has_live_run(database, issue)) return;
    wake(database, issue, rows.text(1), R"({"wakeReason":"assigned"})");
}

/// The time has come to look at an issue again.
void fire_monitor(Database& database, const std::string& issue) {
    database.run("DELETE FROM monitors WHERE issue = ?1", issue);
    add_comment(database, issue, "tracker", "The time has come that was set to look at this again.");
    Rows rows = database.query(
        "SELECT i.assignee_agent FROM issues i JOIN agents a ON a.tenant = i.tenant AND a.id = i.assignee_agent "
        "WHERE i.id = ?1 AND i.status NOT IN ('done', 'cancelled') AND a.status = 'active'",
        issue);
    if (rows.next() && !has_live_run(database, issue))
        wake(database, issue, rows.text(0), R"({"wakeReason":"monitor"})");
    record(database, "issue.monitor_due", "tracker", issue, "{}");
}

// --- one function for each verb ---

void insert_issue(Database& database, const Change& change, const std::string& tenant) {
    database.run("INSERT INTO issues VALUES (?1, ?2, ?3, ?4, 'todo', '', '', '', ?5, ?6, '', ?7, ?8)", change.target,
                 tenant, change.parent, change.text, change.ref, change.user, change.value == hidden ? 1 : 0, now_us());
}

void create(Database& database, const Change& change) {
    check_id("an id", change.target);
    check_text("the title", change.text, 500);
    std::string tenant = change.tenant;
    if (!change.parent.empty()) tenant = tenant_of(database, change.parent);
    check_id("a tenant", tenant);
    if (!change.ref.empty()) check_employable(database, tenant, change.ref);
    forget_hidden(database);
    if (database.query("SELECT 1 FROM issues WHERE id = ?1", change.target).next())
        throw Refused{409, "there is an issue " + in_quotes(change.target) + " already"};
    insert_issue(database, change, tenant);
    if (change.value != hidden) dispatch(database, change.target);
}

void set_status(Database& database, const Change& change) {
    check_one_of("a status", change.ref, issue_statuses);
    if (!change.value.empty()) check_one_of("a disposition", change.value, claims);
    database.run("UPDATE issues SET status = ?2, claim = ?3 WHERE id = ?1", change.target, change.ref, change.value);
    drop_wakes(database, change.target);
    dispatch(database, change.target);
}

void assign(Database& database, const Change& change) {
    if (!change.ref.empty() && !change.user.empty()) throw Refused{400, "an issue has one assignee"};
    if (!change.ref.empty()) check_employable(database, tenant_of(database, change.target), change.ref);
    database.run("UPDATE issues SET assignee_agent = ?2, assignee_user = ?3 WHERE id = ?1", change.target, change.ref,
                 change.user);
    drop_wakes(database, change.target);
    dispatch(database, change.target);
}

void comment(Database& database, const Change& change, const Actor& actor) {
    check_text("the comment", change.text, 20'000);
    add_comment(database, change.target, actor.name(), change.text);
}

void block(Database& database, const Change& change) {
    if (change.ref == change.target) throw Refused{400, "an issue cannot wait for itself"};
    if (tenant_of(database, change.ref) != tenant_of(database, change.target))
        throw Refused{403, "the blocker belongs to another tenant"};
    database.run("INSERT INTO blockers VALUES (?1, ?2) ON CONFLICT DO NOTHING", change.target, change.ref);
}

void unblock(Database& database, const Change& change) {
    if (database.run("DELETE FROM blockers WHERE issue = ?1 AND blocker = ?2", change.target, change.ref) == 0)
        missing("such blocker", change.ref);
}

void ask(Database& database, const Change& change) {
    check_text("the question", change.text, 20'000);
    check_id("the kind of an interaction", change.value);
    if (change.value == confirmation)
        check_id("what a confirmation is 'about' (\"plan\", \"spending\", ...)", change.about);
    database.run(
        "INSERT INTO interactions(id, issue, kind, status, text, about) VALUES (?1, ?2, ?3, 'pending', ?4, ?5)",
        change.ref, change.target, change.value, change.text, change.about);
}

void monitor(Database& database, const Change& change) {
    const auto after = common::parse_duration(change.value);
    if (!after) throw Refused{400, "'after': " + after.error().message};
    if (*after < std::chrono::seconds{1} || *after > std::chrono::days{366})
        throw Refused{400, "'after' must be 1s to 366d"};
    database.run("INSERT OR REPLACE INTO monitors VALUES (?1, ?2)", change.target, now_us() + after->count());
}

void resolve(Database& database, const Change& change, const Actor& actor) {
    check_one_of("an answer", change.value, answers);
    Rows rows = database.query("SELECT kind, status, about FROM interactions WHERE id = ?1 AND issue = ?2", change.ref,
                               change.target);
    if (!rows.next()) missing("interaction", change.ref);
    if (rows.text(1) != "pending") throw Refused{409, "the interaction is " + rows.text(1) + " already"};
    if (actor.user.empty() && (rows.text(0) != confirmation || rows.text(2) != "plan"))
        throw Refused{403, "only a person can answer what is no confirmation of a plan"};
    database.run("UPDATE interactions SET status = ?2 WHERE id = ?1", change.ref, change.value);
}

void request_approval(Database& database, const Change& change) {
    check_text("the request", change.text, 20'000);
    database.run("INSERT INTO approvals VALUES (?1, ?2, 'pending', ?3)", change.ref, change.target, change.text);
}

void decide(Database& database, const Change& change, const Actor& actor) {
    check_one_of("a decision", change.value, decisions);
    if (actor.user.empty()) throw Refused{403, "only a person can decide an approval"};
    Rows rows = database.query("SELECT status FROM approvals WHERE id = ?1 AND issue = ?2", change.ref, change.target);
    if (!rows.next()) missing("approval", change.ref);
    if (rows.text(0) != "pending" && rows.text(0) != "revision_requested")
        throw Refused{409, "the approval is " + rows.text(0) + " already"};
    database.run("UPDATE approvals SET status = ?2 WHERE id = ?1", change.ref, change.value);
}

/// The run takes the wake that the agent has for this issue, and what is told with it.
void start_run(Database& database, const Change& change) {
    check_employable(database, tenant_of(database, change.target), change.value);
    if (has_live_run(database, change.target)) throw Refused{409, "somebody is at work on this issue"};
    Rows wake = database.query(
        "SELECT key, fingerprint FROM wakes WHERE issue = ?1 AND agent = ?2 AND status = 'queued' ORDER BY rowid DESC",
        change.target, change.value);
    const bool woken = wake.next();
    database.run("INSERT INTO runs VALUES (?1, ?2, ?3, 'running', ?4)", change.ref, change.target, change.value,
                 woken ? wake.text(1) : "");
    if (woken)
        database.run("UPDATE wakes SET status = 'taken' WHERE issue = ?1 AND agent = ?2 AND status = 'queued'",
                     change.target, change.value);
    database.run("UPDATE issues SET status = 'in_progress' WHERE id = ?1 AND status = 'todo'", change.target);
}

void report_run(Database& database, const Change& change) {
    check_one_of("the status of a run", change.value, run_statuses);
    if (!heeler::is_live_run(run_row(database, change.ref).status)) throw Refused{409, "the run is over"};
    database.run("UPDATE runs SET status = ?2 WHERE id = ?1", change.ref, change.value);
}

void set_agent(Database& database, const Change& change) {
    check_id("an agent", change.target);
    check_id("a tenant", change.tenant);
    check_one_of("the status of an agent", change.value, standings);
    database.run(
        "INSERT INTO agents VALUES (?1, ?2, ?3) ON CONFLICT (tenant, id) DO UPDATE SET status = excluded.status",
        change.tenant, change.target, change.value);
}

void carry_out_verb(Database& database, const Change& change, const Actor& actor) {
    switch (change.verb) {
        case Verb::create:
            return create(database, change);
        case Verb::status:
            return set_status(database, change);
        case Verb::assign:
            return assign(database, change);
        case Verb::comment:
            return comment(database, change, actor);
        case Verb::block:
            return block(database, change);
        case Verb::unblock:
            return unblock(database, change);
        case Verb::ask:
            return ask(database, change);
        case Verb::resolve:
            return resolve(database, change, actor);
        case Verb::request_approval:
            return request_approval(database, change);
        case Verb::decide:
            return decide(database, change, actor);
        case Verb::start_run:
            return start_run(database, change);
        case Verb::report_run:
            return report_run(database, change);
        case Verb::set_agent:
            return set_agent(database, change);
        case Verb::monitor:
            return monitor(database, change);
        case Verb::arm:
        case Verb::disarm:
            return;  // the watch's own business
    }
}

constexpr const char* kind_of(Verb verb) {
    constexpr const char* kinds[] = {"issue.created",
                                     "issue.status",
                                     "issue.assigned",
                                     "issue.commented",
                                     "issue.blocker_added",
                                     "issue.blocker_cleared",
                                     "issue.interaction_asked",
                                     "issue.interaction_resolved",
                                     "issue.approval_requested",
                                     "issue.approval_decided",
                                     "run.started",
                                     "run.reported",
                                     "agent.set",
                                     "issue.watch_set",
                                     "issue.watch_removed",
                                     "issue.monitor_set"};
    return kinds[static_cast<std::size_t>(verb)];
}

}  // namespace

void forget_hidden(Database& database) { database.run("DELETE FROM issues WHERE hidden = 1"); }

void show_hidden(Database& database, const std::string& id) {
    database.run("UPDATE issues SET hidden = 0 WHERE id = ?1", id);
    dispatch(database, id);
}

std::vector<std::string> fire_monitors(Database& database) {
    std::vector<std::string> due;
    for (Rows rows = database.query("SELECT issue FROM monitors WHERE at <= ?1", now_us()); rows.next();)
        due.push_back(rows.text(0));
    if (due.empty()) return due;
    Transaction transaction{database};
    for (const std::string& issue : due) fire_monitor(database, issue);
    transaction.commit();
    return due;
}

std::string make(Database& database, const Change& change, const Actor& actor) {
    if (change.verb != Verb::create && change.verb != Verb::set_agent)
        static_cast<void>(tenant_of(database, change.target));
    carry_out_verb(database, change, actor);
    record_change(database, kind_of(change.verb), change, change.target, actor);
    const bool makes = change.verb == Verb::ask || change.verb == Verb::request_approval ||
                       change.verb == Verb::start_run || change.verb == Verb::report_run;
    return makes ? change.ref : change.target;
}

}  // namespace tracker
