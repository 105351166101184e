// Forgets what is long over.
#pragma once

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

[[nodiscard]] Quit prune(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
