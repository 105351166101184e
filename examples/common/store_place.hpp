// Where a store is, as people write it on a command line; for the tools.
#pragma once

#include <string>

#include <heeler/store/store_place.hpp>

namespace common {

using heeler::read_store;
using heeler::StorePlace;

/// How people call heeler-ctl on this store from anywhere: what alerts print in front of a verb.
[[nodiscard]] inline std::string ctl_command(const StorePlace& place) {
    return "heeler-ctl --store " + (place.postgres.empty()
                                        ? heeler::detail::sqlite_place(place.sqlite_file)
                                        : heeler::detail::postgres_place(place.postgres, place.schema));
}

}  // namespace common
