// Who shares the store: the watchdogs that ever had a lease, and the runs of each.
#pragma once

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

[[nodiscard]] Quit show_holders(const Options& options, Store& store);

}  // namespace ctl
