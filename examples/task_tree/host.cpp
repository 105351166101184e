#include "host.hpp"

#include <charconv>
#include <utility>
#include <vector>

#include <heeler/text/append.hpp>

#include "rules.hpp"

namespace tracker {
namespace {

using heeler::ActionDone;
using heeler::ErrorCode;
using heeler::Result;

template <class Use>
void each_row(Rows rows, Use&& use) {
    while (rows.next()) use(rows);
}

std::int64_t newest_change(Database& database) {
    Rows rows = database.query("SELECT coalesce(max(n), 0) FROM changes");
    rows.next();
    return rows.number(0);
}

/// A cursor that is not one of this file's, or none: -1.
std::int64_t known_cursor(std::string_view cursor, std::int64_t newest) {
    std::int64_t known = -1;
    std::from_chars(cursor.data(), cursor.data() + cursor.size(), known);
    return known <= newest ? known : -1;
}

/// What was answered to an order of this key, if it was carried out.
bool was_done(Database& database, std::string_view key, ActionDone& done) {
    Rows rows = database.query("SELECT issue FROM orders WHERE key = ?1", key);
    if (!rows.next()) return false;
    done.note = rows.text(0);
    return true;
}

/// Carries out an order once: `act()` answers the id of the issue that it was about.
template <class Act>
Result<ActionDone> once(Database& database, std::string_view key, Act&& act) {
    Transaction transaction{database};
    ActionDone done;
    if (was_done(database, key, done)) return done;
    auto issue = act();
    if (!issue) return tl::unexpected<heeler::Error>(issue.error());
    database.run("INSERT INTO orders VALUES (?1, ?2)", key, *issue);
    transaction.commit();
    done.note = *std::move(issue);
    return done;
}

/// The review task of a watched issue; empty: there is none. There can be but one: the table says so.
std::string review_of(Database& database, const heeler::ReviewRequest& request) {
    Rows rows = database.query("SELECT id FROM issues WHERE tenant = ?1 AND origin_id = ?2 AND origin = ?3",
                               request.tenant, request.node, heeler::review_origin);
    return rows.next() ? rows.text(0) : std::string{};
}

/// A new one, unless somebody else made one meanwhile: then that is it.
std::string create_review(Database& database, const heeler::ReviewRequest& request) {
    database.run(
        "INSERT INTO issues VALUES (?1, ?2, ?3, ?4, 'todo', ?5, ?3, ?6, ?7, '', '', 0, ?8) "
        "ON CONFLICT (tenant, origin_id) WHERE origin = 'task_watchdog' DO NOTHING",
        next_id(database, "REVIEW"), request.tenant, request.node, request.title, heeler::review_origin,
        request.fingerprint, request.agent, now_us());
    return review_of(database, request);
}

void reopen_review(Database& database, const std::string& id, const heeler::ReviewRequest& request) {
    database.run(
        "UPDATE issues SET status = 'todo', claim = '', assignee_agent = ?2, assignee_user = '', "
        "origin_fingerprint = ?3 WHERE id = ?1",
        id, request.agent, request.fingerprint);
}

heeler::ReviewClaim claim_of(const std::string& name) {
    return name == "restored" ? heeler::ReviewClaim::restored : heeler::ReviewClaim::legitimate;
}

heeler::TreeNode read_issue(Database& database, const std::string& id) {
    Rows row = database.query(
        "SELECT tenant, parent, title, status, origin, origin_id, origin_fingerprint, assignee_agent, assignee_user, "
        "claim, hidden, created_at FROM issues WHERE id = ?1",
        id);
    heeler::TreeNode node;
    node.id = id;
    if (!row.next()) return node;
    int at = 0;
    for (std::string* const text :
         {&node.tenant, &node.parent, &node.title, &node.status, &node.origin, &node.origin_id,
          &node.origin_fingerprint, &node.assignee_agent, &node.assignee_user})
        *text = row.text(at++);
    node.claim = claim_of(row.text(9));
    node.hidden = row.number(10) != 0;
    node.created_at = heeler::WallTime{heeler::Duration{row.number(11)}};
    return node;
}

}  // namespace

heeler::TreeNode read_node(Database& database, const std::string& id) {
    heeler::TreeNode node = read_issue(database, id);
    each_row(database.query("SELECT blocker FROM blockers WHERE issue = ?1", id),
             [&](const Rows& row) { node.blockers.push_back(row.text(0)); });
    each_row(database.query("SELECT id, status, kind, about FROM interactions WHERE issue = ?1", id),
             [&](const Rows& row) {
                 node.interactions.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
             });
    each_row(database.query("SELECT id, status FROM approvals WHERE issue = ?1", id), [&](const Rows& row) {
        node.approvals.push_back({row.text(0), row.text(1), "approval", {}});
    });
    each_row(database.query("SELECT id, status, agent, fingerprint FROM runs WHERE issue = ?1", id),
             [&](const Rows& row) {
                 node.runs.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
             });
    each_row(database.query("SELECT status FROM wakes WHERE issue = ?1 AND status = 'queued'", id),
             [&](const Rows& row) { node.wakes.push_back(row.text(0)); });
    node.has_monitor = database.query("SELECT 1 FROM monitors WHERE issue = ?1", id).next();
    return node;
}

Result<heeler::TreeChanges> Host::changes(std::string_view cursor) {
    return tracker_.with([&](Database& database) -> Result<heeler::TreeChanges> {
        heeler::TreeChanges told;
        const std::int64_t newest = newest_change(database);
        const std::int64_t since = known_cursor(cursor, newest);
        told.whole = since < 0;
        told.cursor = std::to_string(newest);
        each_row(database.query("SELECT issue FROM changes WHERE n > ?1 ORDER BY n", since),
                 [&](const Rows& row) { told.nodes.push_back(read_node(database, row.text(0))); });
        std::erase_if(told.nodes, [](const heeler::TreeNode& node) { return node.tenant.empty(); });  // never shown
        return told;
    });
}

Result<ActionDone> Host::review(const heeler::ReviewRequest& request) {
    return tracker_.with([&](Database& database) {
        return once(database, request.key, [&]() -> Result<std::string> {
            std::string id = review_of(database, request);
            if (id.empty())
                id = create_review(database, request);
            else
                reopen_review(database, id, request);
            add_comment(database, id, "watchdog", request.comment);
            return id;
        });
    });
}

Result<ActionDone> Host::wake(const heeler::WakeRequest& request) {
    const auto standing = agent({std::string{request.tenant}, std::string{request.agent}});
    if (!standing) return heeler::fail(ErrorCode::rejected, standing.error().message);
    if (*standing != heeler::AgentStanding::active)
        return heeler::fail(ErrorCode::rejected, heeler::text::concat("the agent is ", name_of(*standing)));
    return tracker_.with([&](Database& database) {
        return once(database, request.key, [&]() -> Result<std::string> {
            database.run("INSERT INTO wakes VALUES (?1, ?2, ?3, 'queued', ?4, ?5)", request.key, request.task,
                         request.agent, request.fingerprint, request.payload);
            return std::string{request.task};
        });
    });
}

Result<ActionDone> Host::block(const heeler::BlockRequest& request) {
    return tracker_.with([&](Database& database) {
        return once(database, request.key, [&]() -> Result<std::string> {
            std::string id{request.node};
            database.run("UPDATE issues SET status = 'blocked' WHERE id = ?1", id);
            add_comment(database, id, "watchdog", request.note);
            return id;
        });
    });
}

Result<heeler::AgentStanding> Host::agent(const heeler::NodeRef& agent) {
    return tracker_.with([&](Database& database) -> Result<heeler::AgentStanding> {
        Rows rows = database.query("SELECT status FROM agents WHERE tenant = ?1 AND id = ?2", agent.tenant, agent.id);
        if (!rows.next())
            return heeler::fail(ErrorCode::unknown_run,
                                heeler::text::concat("the tenant has no agent `", agent.id, "`"));
        const std::string status = rows.text(0);
        using enum heeler::AgentStanding;
        for (const auto standing : {active, paused, terminated, pending_approval, budget_blocked})
            if (name_of(standing) == status) return standing;
        return heeler::fail(ErrorCode::failed, heeler::text::concat("an agent's status is `", status, "`"));
    });
}

Result<heeler::Found> Host::find(std::string_view key) {
    return tracker_.with([&](Database& database) -> Result<heeler::Found> {
        ActionDone done;
        return was_done(database, key, done) ? heeler::Found::found : heeler::Found::absent;
    });
}

}  // namespace tracker
