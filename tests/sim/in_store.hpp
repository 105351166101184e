// The same world in stores of several kinds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/world.hpp"
#include "support/slowed.hpp"

namespace sim {

inline constexpr std::uint64_t worlds_in_stores = heeler_test::is_slowed ? 2 : 25;

/// Of one watchdog: leases go by the clock of the store, which no test moves.
[[nodiscard]] inline Story of_one_watchdog(std::uint64_t seed) {
    Story story = story_of(seed, 16);
    story.dogs = 1;
    return story;
}

[[nodiscard]] inline std::vector<std::string> lived(World&& world) {
    world.live();
    std::vector<std::string> trace = world.trace();
    trace.push_back(world.fault());
    return trace;
}

template <class Store>
[[nodiscard]] std::vector<std::string> lived_in(const Story& story, std::unique_ptr<Store> store) {
    return lived(World{story, SharedStore{std::move(store)}});
}

}  // namespace sim
