// The tracker as a watch of task trees sees it, and what the watch has done through it.
#pragma once

#include <string>
#include <string_view>

#include <heeler/core/result.hpp>
#include <heeler/tree/tree_host.hpp>

#include "tracker.hpp"

namespace tracker {

/// One issue as the watch is told of it.
[[nodiscard]] heeler::TreeNode read_node(Database& database, const std::string& id);

/// `heeler::TreeHostLike`. Each order is carried out and remembered by its key in one transaction: asked again, also
/// after a crash, it is answered as before and not done again. What SQLite throws is an error of the verb.
class Host {
public:
    static constexpr bool idempotent = true;

    explicit Host(Tracker& tracker) : tracker_{tracker} {}

    heeler::Result<heeler::TreeChanges> changes(std::string_view cursor);
    heeler::Result<heeler::ActionDone> review(const heeler::ReviewRequest& request);
    heeler::Result<heeler::ActionDone> wake(const heeler::WakeRequest& request);
    heeler::Result<heeler::ActionDone> block(const heeler::BlockRequest& request);
    heeler::Result<heeler::AgentStanding> agent(const heeler::NodeRef& agent);
    heeler::Result<heeler::Found> find(std::string_view key);

private:
    Tracker& tracker_;
};

}  // namespace tracker
