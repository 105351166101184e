// One of the watchdogs: it shares the store with the others, and reads and starts agents through their table.
#pragma once

#include "options.hpp"

namespace fleet {

/// Until standard input is closed; then it leaves in order.
void watch(const Options& options);

}  // namespace fleet
