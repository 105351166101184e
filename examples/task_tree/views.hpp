// What the tracker and its watches show, as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/text/json_writer.hpp>
#include <heeler/tree/watch/tree_watch.hpp>

#include "keeper.hpp"
#include "tracker.hpp"

namespace tracker {

/// All agents and issues of one tenant, or of all where it is empty, with how each is watched.
[[nodiscard]] std::string tree_view(Tracker& tracker, const heeler::TreeWatch& trees, const std::string& tenant);

/// One issue with its comments, waits and runs. Throws `Refused`.
[[nodiscard]] std::string issue_view(Tracker& tracker, const heeler::TreeWatch& trees, const std::string& id);

/// The watch of one node; `null`: it is not watched.
[[nodiscard]] std::string watch_view(Tracker& tracker, const std::optional<heeler::TreeStatus>& status);

/// The newest rows of the feed, the newest first.
[[nodiscard]] std::string audit_view(Tracker& tracker, std::size_t most);

/// For what an agent is woken, the oldest first.
[[nodiscard]] std::string wakes_view(Tracker& tracker, const std::string& tenant, const std::string& agent);

}  // namespace tracker
