// Rows that nobody can read, named for whoever looks: all else is shown.
#pragma once

#include <heeler/core/batch.hpp>

#include "exit_status.hpp"

namespace ctl {

/// What of a store cannot be read, run by run.
[[nodiscard]] heeler::List<heeler::DamagedRow> damage_of(const heeler::Snapshot& snapshot);

/// Moves decisions that cannot be read from `open` to `damaged`.
void sift(heeler::List<heeler::DecisionRow>& open, heeler::List<heeler::DamagedRow>& damaged);

/// Names each on stderr, and with `json` on stdout too; the exit status says whether there are any.
[[nodiscard]] Quit name_damage(const heeler::List<heeler::DamagedRow>& damaged, bool json);

}  // namespace ctl
