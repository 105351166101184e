// Finds a run by its id, or says which ids are like it.
#pragma once

#include <string>
#include <variant>

#include <heeler/core/batch.hpp>

#include "exit_status.hpp"
#include "store.hpp"

namespace ctl {

/// What is stored about the run. Its `row` is there.
[[nodiscard]] std::variant<heeler::History, Quit> find_run(Store& store, const std::string& id);

}  // namespace ctl
