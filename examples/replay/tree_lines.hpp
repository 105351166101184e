// Lines about task trees: what the tree looks like, how it is watched, what reviewers ask for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <heeler/core/time.hpp>
#include <heeler/testing/scripted_tree.hpp>
#include <heeler/tree/recovery_batch.hpp>
#include <heeler/tree/scope_guard.hpp>

#include "../common/json_object.hpp"

namespace replay {

/// The nodes of a `snapshot` line, with their runs, wakes, blockers, interactions and approvals; and of `reviews` those
/// of which none is listed, with what the line says is on them.
[[nodiscard]] std::vector<heeler::TreeNode> nodes_of(const common::JsonObject& line, heeler::WallTime epoch,
                                                     const std::vector<heeler::TreeNode>& reviews);

/// Its `agents`; none: everybody can be given work.
[[nodiscard]] std::map<heeler::NodeRef, heeler::AgentStanding> agents_of(const common::JsonObject& line);

/// A `mutate` line, or one operation of a batch.
[[nodiscard]] heeler::Mutation mutation_of(const common::JsonObject& line);

/// A `batch` line.
[[nodiscard]] heeler::BatchRequest batch_of(const common::JsonObject& line);

/// A `review` line: what has become of the review task of a node.
void script_review(const common::JsonObject& line, const heeler::NodeRef& watched, heeler::ScriptedTree& tree);

}  // namespace replay
