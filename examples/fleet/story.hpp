// The course of events: the runs are shared, one watchdog dies, one is paused, all runs end.
#pragma once

#include "options.hpp"
#include "reckoning.hpp"

namespace fleet {

/// Throws if it cannot go on.
[[nodiscard]] Figures play(const Options& options);

}  // namespace fleet
