// All agents in one process: they have nothing but SQL, and each writes under its own attempt.
#pragma once

#include "options.hpp"

namespace fleet {

/// Until standard input is closed.
void play_agents(const Options& options);

}  // namespace fleet
