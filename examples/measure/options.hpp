// The command line of heeler-measure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "../common/store_place.hpp"

namespace measure {

struct Options {
    std::int64_t runs = 200;
    std::uint64_t seed = 1;
    double stalled = 0.4;
    double careless = 0.03;
    double recovers = 0.65;
    double spawn_fails = 0.05;
    common::StorePlace store;
    bool json = false;
};

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace measure
