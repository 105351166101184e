// What each verb changes, and what follows from it.
#pragma once

#include <string>
#include <vector>

#include "change.hpp"
#include "database.hpp"

namespace tracker {

/// Carries out one change and puts it on record. The id of what was made, or else of what was changed. Throws
/// `Refused`.
std::string make(Database& database, const Change& change, const Actor& actor);

/// `value` of a `create`: nobody sees the issue, and nobody is woken for it, before it is shown.
inline constexpr const char* hidden = "hidden";
void show_hidden(Database& database, const std::string& id);

/// Wakes the agents of issues that were to be looked at by now. The ids of those issues.
std::vector<std::string> fire_monitors(Database& database);

/// Those that were made and never shown, because what was to come in between failed. One is made at a time.
void forget_hidden(Database& database);

}  // namespace tracker
