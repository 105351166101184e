// heeler-watch hooks install|remove|status.
#pragma once

#include "options.hpp"

namespace watch {

/// Shows first, then writes if it may. The status with which the program ends; everything is said.
[[nodiscard]] int hooks_command(const Options& options);

}  // namespace watch
