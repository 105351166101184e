// What runs have spent, as the ledger of the store has it.
#pragma once

#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/time.hpp>

#include "run_view.hpp"
#include "store.hpp"

namespace ctl {

/// On the day of `now`, by owner; empty: nothing.
[[nodiscard]] std::string spend_text(const heeler::List<heeler::SpendRow>& today);
/// A line for each owner.
void print_spend(const heeler::List<heeler::SpendRow>& today);

/// By a run, and by those that it goes on with; empty: nothing is known of it.
[[nodiscard]] std::string spend_of(const RunView& view, Store& store);

}  // namespace ctl
