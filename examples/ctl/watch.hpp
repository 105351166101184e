// What goes on, drawn anew again and again.
#pragma once

#include <span>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Until it is interrupted, or nobody reads it any more. A store that cannot be read for a while is said in the place
/// of the table.
[[nodiscard]] Quit watch_status(const Options& options, std::span<Store> stores);

}  // namespace ctl
