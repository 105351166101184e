// Delivers what a watchdog could not deliver before it ended.
#pragma once

#include <heeler/core/time.hpp>

#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Sends the alerts that wait, once each, to every channel that does not have them yet. Those of a watchdog that works
/// on the store are left to it, and so are those of runs that another named one takes up.
[[nodiscard]] Quit deliver_alerts(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
