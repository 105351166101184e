#include "views.hpp"

#include <optional>
#include <utility>
#include <vector>

#include <heeler/text/duration.hpp>
#include <heeler/text/one_line.hpp>

#include "host.hpp"

namespace tracker {
namespace {

using heeler::TreeNode;
using heeler::text::JsonLine;

std::string time_text(std::int64_t us) { return heeler::text::rfc3339(heeler::WallTime{heeler::Duration{us}}); }

void add_text_or_null(JsonLine& json, std::string_view key, const std::string& text) {
    json.key(key);
    text.empty() ? json.null() : json.string(text);
}

void add_texts(JsonLine& json, std::string_view key, const std::vector<std::string>& texts) {
    json.key(key).begin_array();
    for (const std::string& text : texts) json.string(text);
    json.end_array();
}

void add_waits(JsonLine& json, std::string_view key, const std::vector<heeler::TreeWait>& waits) {
    json.key(key).begin_array();
    for (const heeler::TreeWait& wait : waits)
        json.begin_object()
            .key("id")
            .string(wait.id)
            .key("kind")
            .string(wait.kind)
            .key("about")
            .string(wait.about)
            .key("status")
            .string(wait.status)
            .end_object();
    json.end_array();
}

void add_runs(JsonLine& json, const TreeNode& node) {
    json.key("runs").begin_array();
    for (const heeler::TreeRun& run : node.runs)
        json.begin_object()
            .key("id")
            .string(run.id)
            .key("agent")
            .string(run.agent)
            .key("status")
            .string(run.status)
            .end_object();
    json.end_array().key("queuedWakes").number(node.wakes.size());
}

/// An open object with what every view of an issue shows.
void add_issue(JsonLine& json, const TreeNode& node, const std::string& watch) {
    json.begin_object().key("id").string(node.id).key("tenant").string(node.tenant);
    add_text_or_null(json, "parentId", node.parent);
    json.key("title").string(node.title).key("status").string(node.status);
    json.key("live").boolean(heeler::is_live(node)).key("isReview").boolean(node.origin == heeler::review_origin);
    add_text_or_null(json, "origin", node.origin);
    add_text_or_null(json, "originId", node.origin_id);
    add_text_or_null(json, "originFingerprint", node.origin_fingerprint);
    add_text_or_null(json, "assigneeAgentId", node.assignee_agent);
    add_text_or_null(json, "assigneeUserId", node.assignee_user);
    add_texts(json, "blockers", node.blockers);
    add_waits(json, "interactions", node.interactions);
    add_waits(json, "approvals", node.approvals);
    json.key("hasMonitor").boolean(node.has_monitor);
    add_runs(json, node);
    json.key("watch").raw(watch);
}

/// Of one tenant, or of all of them.
std::vector<TreeNode> all_nodes(Database& database, const std::string& tenant) {
    std::vector<TreeNode> nodes;
    for (Rows rows =
             database.query("SELECT id FROM issues WHERE hidden = 0 AND ?1 IN ('', tenant) ORDER BY rowid", tenant);
         rows.next();)
        nodes.push_back(read_node(database, rows.text(0)));
    return nodes;
}

void add_agents(JsonLine& json, Database& database, const std::string& tenant) {
    json.key("agents").begin_array();
    for (Rows rows = database.query(
             "SELECT tenant, id, status FROM agents WHERE ?1 IN ('', tenant) ORDER BY tenant, id", tenant);
         rows.next();)
        json.begin_object()
            .key("tenant")
            .string(rows.text(0))
            .key("id")
            .string(rows.text(1))
            .key("status")
            .string(rows.text(2))
            .end_object();
    json.end_array();
}

/// A list of what people wrote about an issue: `columns` in the order of the names.
void add_written(JsonLine& json, std::string_view key, Rows rows, const std::vector<std::string_view>& names) {
    json.key(key).begin_array();
    while (rows.next()) {
        json.begin_object();
        for (std::size_t i = 0; i < names.size(); ++i) json.key(names[i]).string(rows.text(static_cast<int>(i)));
        json.end_object();
    }
    json.end_array();
}

/// A review that is over is no open one, whatever comes of it.
bool is_open(Tracker& tracker, const std::string& review) {
    return tracker.with([&](Database& database) {
        Rows rows = database.query("SELECT status FROM issues WHERE id = ?1", review);
        return rows.next() && !heeler::is_over(rows.text(0));
    });
}

void add_leaves(JsonLine& json, const heeler::TreeStatus& status) {
    json.key("leaves").begin_array();
    for (const heeler::LeafSummary& leaf : status.leaves)
        json.begin_object().key("id").string(leaf.id).key("status").string(leaf.status).end_object();
    json.end_array().key("leafCount").number(status.leaf_count);
    add_texts(json, "live", status.live);
}

}  // namespace

std::string watch_view(Tracker& tracker, const std::optional<heeler::TreeStatus>& status) {
    if (!status || !status->active) return "null";
    const std::string instructions = status->config.instructions.value_or("");
    const bool open = status->review_is_open && is_open(tracker, status->review);
    JsonLine json;
    json.begin_object().key("watchdogId").string(status->watch).key("agentId").string(status->config.agent);
    add_text_or_null(json, "instructions", instructions);
    json.key("preview")
        .string(heeler::text::one_line(instructions, 80))
        .key("verdict")
        .string(name_of(status->verdict));
    json.key("reason").string(status->reason).key("triggers").number(status->triggers);
    json.key("attempt").number(status->attempt).key("escalated").boolean(status->escalated);
    json.key("revision").number(status->revision);
    add_text_or_null(json, "stopFingerprint", status->fingerprint);
    add_text_or_null(json, "reviewedFingerprint", status->reviewed);
    add_text_or_null(json, "reviewId", status->review);
    add_text_or_null(json, "openReviewId", open ? status->review : "");
    add_leaves(json, *status);
    json.end_object();
    return std::move(json).text();
}

std::string tree_view(Tracker& tracker, const heeler::TreeWatch& trees, const std::string& tenant) {
    JsonLine json;
    json.begin_object();
    const auto nodes = tracker.with([&](Database& database) {
        add_agents(json, database, tenant);
        return all_nodes(database, tenant);
    });
    json.key("issues").begin_array();
    for (const TreeNode& node : nodes) {
        add_issue(json, node, watch_view(tracker, trees.status({node.tenant, node.id})));
        json.end_object();
    }
    json.end_array().end_object();
    return std::move(json).text();
}

std::string issue_view(Tracker& tracker, const heeler::TreeWatch& trees, const std::string& id) {
    JsonLine json;
    const auto node = tracker.with([&](Database& database) { return read_node(database, id); });
    if (node.tenant.empty() || node.hidden) throw Refused{404, "there is no such issue"};
    add_issue(json, node, watch_view(tracker, trees.status({node.tenant, node.id})));
    tracker.with([&](Database& database) {
        add_written(json, "comments",
                    database.query("SELECT author, text FROM comments WHERE issue = ?1 ORDER BY n", id),
                    {"author", "text"});
        add_written(json, "questions", database.query("SELECT id, text FROM interactions WHERE issue = ?1", id),
                    {"id", "text"});
        add_written(json, "requests", database.query("SELECT id, text FROM approvals WHERE issue = ?1", id),
                    {"id", "text"});
    });
    json.end_object();
    return std::move(json).text();
}

std::string audit_view(Tracker& tracker, std::size_t most) {
    JsonLine json;
    json.begin_object().key("rows").begin_array();
    tracker.with([&](Database& database) {
        Rows rows = database.query(
            "SELECT at, kind, actor, issue, body, from_watch FROM audit ORDER BY at DESC, n DESC LIMIT ?1", most);
        while (rows.next()) {
            json.begin_object().key("at").string(time_text(rows.number(0))).key("kind").string(rows.text(1));
            json.key("actor").string(rows.text(2)).key("issueId").string(rows.text(3));
            json.key("fromWatchdog").boolean(rows.number(5) != 0).key("labels").raw(rows.text(4)).end_object();
        }
    });
    json.end_array().end_object();
    return std::move(json).text();
}

std::string wakes_view(Tracker& tracker, const std::string& tenant, const std::string& agent) {
    JsonLine json;
    json.begin_object().key("wakes").begin_array();
    tracker.with([&](Database& database) {
        Rows rows = database.query(
            "SELECT w.key, w.issue, w.payload FROM wakes w JOIN issues i ON i.id = w.issue "
            "WHERE i.tenant = ?1 AND w.agent = ?2 AND w.status = 'queued' ORDER BY w.rowid",
            tenant, agent);
        while (rows.next())
            json.begin_object()
                .key("key")
                .string(rows.text(0))
                .key("issueId")
                .string(rows.text(1))
                .key("payload")
                .raw(rows.text(2))
                .end_object();
    });
    json.end_array().end_object();
    return std::move(json).text();
}

}  // namespace tracker
