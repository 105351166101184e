// What every agent does, from a seed: most work until they are done, some stop somewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace fleet {

enum class End : std::uint8_t {
    completes,
    stops,  ///< without a word
    waits,  ///< for an input that nobody gives; its heartbeats go on
    wakes,  ///< as `stops`, but writes again after it was replaced
};

[[nodiscard]] constexpr std::string_view name_of(End end) noexcept {
    constexpr std::string_view names[] = {"completes", "stops", "waits", "wakes"};
    return names[static_cast<std::size_t>(end)];
}

/// Of one agent.
struct Life {
    double first = 0;     ///< its first checkpoint, as a part of the time between two
    int checkpoints = 1;  ///< so many, and then:
    End end = End::completes;
};

/// Of one run: its first agent, and those that take it up.
struct Lives {
    Life agent;
    bool again = false;  ///< the second agent stalls, too
};

/// Stalls come from the second to the tenth interval, so that some come at every moment.
[[nodiscard]] inline std::vector<Lives> all_lives(int runs, int stalls, std::uint64_t seed) {
    std::mt19937_64 dice{seed};
    const auto number = [&](int least, int most) {
        return least + static_cast<int>(dice() % static_cast<std::uint64_t>(most - least + 1));
    };
    std::vector<Lives> all(static_cast<std::size_t>(runs));
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[static_cast<std::size_t>(number(0, static_cast<int>(i) - 1))]);
    for (std::size_t i = 0; i < all.size(); ++i) {
        Lives& lives = all[order[i]];
        lives.agent.first = number(0, 999) / 1000.0;
        lives.agent.checkpoints = number(0, 2) == 0 ? number(3, 9) : number(9, 13);
        if (static_cast<int>(i) >= stalls) continue;
        constexpr End ends[] = {End::stops, End::waits, End::stops, End::wakes, End::waits};
        lives.agent.end = ends[i % 5];
        lives.agent.checkpoints = number(2, 10);
        lives.again = i % 20 == 7;
        if (lives.again) lives.agent.checkpoints = number(2, 5);
    }
    return all;
}

/// The agent of attempt `attempt`.
[[nodiscard]] inline Life life_of(const Lives& lives, std::uint64_t attempt) {
    if (attempt == 1) return lives.agent;
    if (attempt == 2 && lives.again) return {lives.agent.first, 1, End::wakes};
    return {lives.agent.first / 2, 2, End::completes};
}

}  // namespace fleet
