// What goes on: runs, decisions that wait to be applied, and how often the watchdog was wrong.
#pragma once

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// All runs, or the one that `options` names.
[[nodiscard]] Quit show_status(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
