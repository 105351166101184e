// What happened: why a run was judged as it was, what became of it, and what could not be said to anybody.
#pragma once

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

[[nodiscard]] Quit show_explanation(const Options& options, Store& store, heeler::Instant now);

[[nodiscard]] Quit show_report(const Options& options, Store& store, heeler::Instant now);

/// Alerts that wait, or were given up.
[[nodiscard]] Quit show_outbox(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
