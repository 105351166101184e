// The command line of heeler-fleet, and how long everything takes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/time.hpp>

#include "../common/store_place.hpp"

namespace fleet {

struct Options {
    common::StorePlace store;
    std::string store_text;
    int runs = 10000;
    int watchdogs = 4;
    int stalls = 1000;
    std::uint64_t seed = 1;
    double pace = 1;
    bool json = false;
    std::vector<std::string> notify;
    bool agents = false;   ///< this process is all agents
    std::string watchdog;  ///< this process is the watchdog of that name
};

/// Seconds that follow from the pace, as multiples of what they are in life.
struct Times {
    double every;   ///< between two checkpoints of an agent
    double stall;   ///< a checkpoint older than this is a stall
    double period;  ///< between two looks at a run; the library knows none below 1 s
    double tick;    ///< between two cycles of a watchdog: it looks at some of its runs, and for runs that nobody holds
    double lease;   ///< shorter ones would be about the machine's load
    double paused;  ///< how long one watchdog sleeps
    double scale;   ///< of everything else

    explicit Times(double pace)
        : every{5 * pace},
          stall{15 * pace},
          period{std::max(2 * pace, 1.0)},
          tick{period / 4},
          lease{std::max(5 * pace, 3.0)},
          paused{2 * lease},
          scale{pace} {}
};

[[nodiscard]] inline heeler::Duration in_seconds(double seconds) {
    return heeler::Duration{static_cast<std::int64_t>(std::llround(seconds * 1e6))};
}

/// The options, or the status with which the program ends at once, everything being said.
[[nodiscard]] std::optional<int> parse_options(int argc, const char* const* argv, Options& options);

}  // namespace fleet
