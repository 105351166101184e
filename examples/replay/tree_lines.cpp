#include "tree_lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <heeler/text/sanitise.hpp>

namespace replay {
namespace {

using heeler::NodeRef;
using heeler::TreeNode;

/// Calls `use` with each object of a list; what is no object is said.
template <class Use>
void each_object(const common::JsonObject& line, std::string_view key, Use&& use) {
    const auto list = line.array(key);
    if (!list) return;
    for (const simdjson::dom::element each : *list) {
        simdjson::dom::object object;
        if (each.get(object) != simdjson::SUCCESS) common::JsonObject::wrong_type(key, each, "a list of objects");
        use(common::JsonObject{object});
    }
}

std::string text_of(const common::JsonObject& line, std::string_view key) { return std::string{line.text_or(key, "")}; }

std::optional<heeler::WallTime> created_at(const common::JsonObject& node, heeler::WallTime epoch) {
    const auto time = node.time("created_t");
    if (!time) return std::nullopt;
    return time->date ? *time->date : epoch + *time->since_start;
}

heeler::ReviewClaim claim_named(std::string_view name) {
    if (name.empty() || name == "legitimate") return heeler::ReviewClaim::legitimate;
    if (name == "restored") return heeler::ReviewClaim::restored;
    throw common::BadLine{"the disposition '" + heeler::text::sanitise(name, 60) +
                          "' is not known; known are legitimate, restored"};
}

TreeNode node_of(const common::JsonObject& line, heeler::WallTime epoch) {
    TreeNode node;
    node.id = text_of(line, "id");
    if (node.id.empty()) throw common::BadLine{"a node has no 'id'"};
    node.tenant = text_of(line, "tenant");
    node.parent = text_of(line, "parent");
    node.status = text_of(line, "status");
    node.origin = text_of(line, "origin");
    node.origin_id = text_of(line, "origin_id");
    node.origin_fingerprint = text_of(line, "origin_fingerprint");
    node.assignee_agent = text_of(line, "assignee_agent");
    node.assignee_user = text_of(line, "assignee_user");
    node.title = text_of(line, "title");
    node.created_at = created_at(line, epoch);
    node.hidden = line.boolean_or("hidden", false);
    node.has_reviewer = !text_of(line, "reviewer").empty();
    node.has_monitor = line.boolean_or("monitor", false);
    node.claim = claim_named(line.text_or("disposition", ""));
    return node;
}

/// The node that something is said to be on; of what is said of no node nothing is kept.
class ByNode {
public:
    explicit ByNode(std::vector<TreeNode>& nodes) : nodes_{nodes} {}

    [[nodiscard]] TreeNode* find(std::string_view id) {
        const auto found =
            std::find_if(nodes_.begin(), nodes_.end(), [&](const TreeNode& node) { return node.id == id; });
        return found == nodes_.end() ? nullptr : &*found;
    }

private:
    std::vector<TreeNode>& nodes_;
};

/// A story that says no more of a confirmation means one of a plan; trackers have to say it.
heeler::TreeWait wait_of(const common::JsonObject& line) {
    const std::string kind = text_of(line, "kind");
    return {text_of(line, "id"), text_of(line, "status"), kind,
            std::string{line.text_or("about", kind == "request_confirmation" ? "plan" : "")}};
}

}  // namespace

std::vector<TreeNode> nodes_of(const common::JsonObject& line, heeler::WallTime epoch,
                               const std::vector<TreeNode>& reviews) {
    std::vector<TreeNode> nodes;
    each_object(line, "nodes", [&](const common::JsonObject& node) { nodes.push_back(node_of(node, epoch)); });
    // A review task that was made before can have runs and waits without being listed again.
    for (const TreeNode& review : reviews) {
        const auto is_it = [&](const TreeNode& node) {
            return (node.id == review.id && node.tenant == review.tenant) ||
                   (node.origin == heeler::review_origin && node.origin_id == review.origin_id &&
                    node.tenant == review.tenant);
        };
        if (std::any_of(nodes.begin(), nodes.end(), is_it)) continue;
        nodes.push_back(review);
        nodes.back().runs.clear();
        nodes.back().wakes.clear();
        nodes.back().interactions.clear();
        nodes.back().approvals.clear();
    }
    ByNode by{nodes};
    each_object(line, "runs", [&](const common::JsonObject& run) {
        if (TreeNode* node = by.find(run.text_or("node", "")))
            node->runs.push_back({text_of(run, "id"), std::string{run.text_or("status", "running")},
                                  std::string{run.text_or("agent", node->assignee_agent)},
                                  text_of(run, "fingerprint")});
    });
    each_object(line, "wakes", [&](const common::JsonObject& wake) {
        if (TreeNode* node = by.find(wake.text_or("node", "")))
            node->wakes.push_back(std::string{wake.text_or("status", "queued")});
    });
    each_object(line, "blockers", [&](const common::JsonObject& edge) {
        if (TreeNode* node = by.find(edge.text_or("blocked", ""))) node->blockers.push_back(text_of(edge, "blocker"));
    });
    each_object(line, "interactions", [&](const common::JsonObject& wait) {
        if (TreeNode* node = by.find(wait.text_or("node", ""))) node->interactions.push_back(wait_of(wait));
    });
    each_object(line, "approvals", [&](const common::JsonObject& wait) {
        if (TreeNode* node = by.find(wait.text_or("node", ""))) node->approvals.push_back(wait_of(wait));
    });
    return nodes;
}

std::map<NodeRef, heeler::AgentStanding> agents_of(const common::JsonObject& line) {
    std::map<NodeRef, heeler::AgentStanding> agents;
    each_object(line, "agents", [&](const common::JsonObject& agent) {
        constexpr std::array standings{heeler::AgentStanding::active, heeler::AgentStanding::paused,
                                       heeler::AgentStanding::terminated, heeler::AgentStanding::pending_approval,
                                       heeler::AgentStanding::budget_blocked};
        const auto name = agent.text_or("status", "active");
        const auto named = std::find_if(standings.begin(), standings.end(),
                                        [&](heeler::AgentStanding standing) { return name_of(standing) == name; });
        if (named == standings.end())
            throw common::BadLine{"the status '" + heeler::text::sanitise(name, 60) + "' of an agent is not known"};
        agents.insert_or_assign(NodeRef{text_of(agent, "tenant"), text_of(agent, "id")}, *named);
    });
    return agents;
}

heeler::Mutation mutation_of(const common::JsonObject& line) {
    heeler::Mutation mutation;
    mutation.actor_agent = text_of(line, "actor_agent");
    mutation.actor_run = text_of(line, "actor_run");
    mutation.op = text_of(line, "op");
    mutation.target = text_of(line, "target");
    mutation.parent = text_of(line, "parent");
    mutation.tenant = text_of(line, "tenant");
    mutation.ref = text_of(line, "ref");
    return mutation;
}

heeler::BatchRequest batch_of(const common::JsonObject& line) {
    heeler::BatchRequest request;
    request.actor_agent = text_of(line, "actor_agent");
    request.actor_run = text_of(line, "actor_run");
    request.request_id = text_of(line, "request_id");
    each_object(line, "ops", [&](const common::JsonObject& op) { request.ops.push_back(mutation_of(op)); });
    return request;
}

void script_review(const common::JsonObject& line, const NodeRef& watched, heeler::ScriptedTree& tree) {
    const auto claim = claim_named(line.text_or("disposition", ""));
    const auto assignee = line.text("assignee");
    const auto reviewer = line.text("reviewer");
    const auto status = line.text("status");
    const bool there = tree.edit_review(watched, [&](TreeNode& review) {
        if (status) review.status = *status;
        if (assignee) {
            const bool is_agent = review.assignee_agent == *assignee || assignee->empty();
            review.assignee_user = is_agent ? "" : std::string{*assignee};
        }
        if (reviewer) review.has_reviewer = !reviewer->empty();
        review.claim = claim;
    });
    if (!there) throw common::BadLine{"the node '" + heeler::text::sanitise(watched.id, 140) + "' has no review task"};
}

}  // namespace replay
