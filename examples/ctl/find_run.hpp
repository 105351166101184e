// Finds a run by its id, or says which ids are like it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <heeler/core/batch.hpp>

#include "exit_status.hpp"
#include "store.hpp"

namespace ctl {

/// At most three of `ids` that are nearest to `wanted`, the nearest first; none that has little to do with it.
[[nodiscard]] std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& ids);

/// What is stored about the run. Its `row` is there.
[[nodiscard]] std::variant<heeler::History, Quit> find_run(Store& store, const std::string& id);

}  // namespace ctl
