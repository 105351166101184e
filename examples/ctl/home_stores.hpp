// The stores of the tools that keep what they know in a person's home: heeler-watch's, and one for each run name of
// heeler-supervise.
#pragma once

#include <string>
#include <vector>

#include "store.hpp"

namespace ctl {

struct HomeStores {
    std::string folder;
    std::vector<Store> stores;
    std::vector<std::string> broken;  ///< why others cannot be opened, one sentence each
};

[[nodiscard]] HomeStores open_home_stores();

}  // namespace ctl
