// Changes as JSON: those of a batch, and new issues.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/tree/scope_guard.hpp>

#include "change.hpp"
#include "request.hpp"

namespace tracker {

/// `{"title", "id"?, "parentId"? or "tenant", "assigneeAgentId"?, "assigneeUserId"?}`; without an id it gets a new one.
[[nodiscard]] Change creation(const JsonObject& body, const std::function<std::string()>& new_id);

/// One of `ops`: `op` is its name, `target` the issue that it is about.
[[nodiscard]] Change batched(const JsonObject& op, const std::function<std::string(std::string_view)>& new_id);

/// What the client of a batch is answered.
[[nodiscard]] std::string receipt(const heeler::ScopeAnswer& answer, const std::vector<std::string>& ids);

}  // namespace tracker
