// What is said of a world in which a promise is broken.
#pragma once

#include <string>

#include "sim/story.hpp"

namespace sim {

/// Leaves out what the fault does not need: what happens, then who is there.
[[nodiscard]] Story shrunk(Story story);

/// Its seed, the fault, the story, everything that happened outside of the watchdogs, and the scenario that shows it.
[[nodiscard]] std::string report_of(const Story& story);

}  // namespace sim
