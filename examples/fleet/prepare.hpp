// Before the watchdogs start: a schema, the runs, and a row for the agent of each.
#pragma once

#include "options.hpp"

namespace fleet {

/// Throws if the schema is there already.
void prepare(const Options& options);

}  // namespace fleet
