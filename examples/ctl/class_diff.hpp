// Shows in what two classes of runs differ.
#pragma once

#include "exit_status.hpp"
#include "options.hpp"

namespace ctl {

/// Asks no store: a class is a preset, with the settings of a file over it where one is named.
[[nodiscard]] Quit show_class_diff(const Options& options);

}  // namespace ctl
