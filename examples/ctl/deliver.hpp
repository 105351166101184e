// Delivers what a watchdog could not deliver before it ended.
#pragma once

#include <heeler/core/time.hpp>

#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Sends the alerts that wait of runs that have ended, once each, to every channel that does not have them yet. What
/// belongs to a watchdog that works on the store is left to it.
[[nodiscard]] Quit deliver_alerts(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
