// The table of runs, alerts and silences as a page.
#pragma once

#include <span>
#include <string>

#include <heeler/core/time.hpp>

#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// `said`: what came of the last decision; empty: there was none. An error stands in the place of the table.
[[nodiscard]] std::string served_page(const Options& options, std::span<Store> stores, const std::string& said,
                                      heeler::Instant now);

}  // namespace ctl
