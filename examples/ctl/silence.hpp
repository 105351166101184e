// Lists the silences of a store, and ends one.
#pragma once

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Those that stand, in order of their numbers.
[[nodiscard]] Quit show_silences(const Options& options, Store& store, heeler::Instant now);

/// Nothing is changed if there is no such silence.
[[nodiscard]] Quit unsilence(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
