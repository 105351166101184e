// Finds a run by its id, or says which ids are like it.
#pragma once

#include <span>
#include <string>
#include <variant>

#include <heeler/core/batch.hpp>

#include "exit_status.hpp"
#include "store.hpp"

namespace ctl {

/// Of a name the run that has not ended, else the newest. What is no name, or that of several that have not ended,
/// stays as it is.
[[nodiscard]] std::string id_of(std::span<Store> stores, const std::string& id_or_name);

/// What is stored about the run. Its `row` is there.
[[nodiscard]] std::variant<heeler::History, Quit> find_run(Store& store, const std::string& id);

/// The one of these that holds the run, or how to end.
[[nodiscard]] std::variant<Store, Quit> store_of(std::span<Store> stores, const std::string& id);

}  // namespace ctl
