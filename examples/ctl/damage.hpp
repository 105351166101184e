// Rows that nobody can read, named for whoever looks: all else is shown.
#pragma once

#include <vector>

#include <heeler/core/batch.hpp>

#include "exit_status.hpp"

namespace ctl {

/// What of a store cannot be read, run by run.
[[nodiscard]] std::vector<heeler::DamagedRow> damage_of(const heeler::Snapshot& snapshot);

/// Moves decisions that cannot be read from `open` to `damaged`.
void sift(std::vector<heeler::DecisionRow>& open, std::vector<heeler::DamagedRow>& damaged);

/// Names each on stderr, and with `json` on stdout too; the exit status says whether there are any.
[[nodiscard]] Quit name_damage(const std::vector<heeler::DamagedRow>& damaged, bool json);

}  // namespace ctl
