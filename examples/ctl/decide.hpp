// Notes an operator's decision in the store, for the next cycle of whichever watchdog works on it.
#pragma once

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Nothing is noted about a run that is not known, or that has ended.
[[nodiscard]] Quit decide(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
