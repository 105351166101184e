// Kinds of healthy work that look like loops, and kinds of loops, fixed before anything was tuned on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "recording.hpp"
#include "story.hpp"

namespace detection {

/// Healthy: so many repetitions as honest work has, ending with what they were for.
struct Episode {
    std::string name{};
    std::function<void(Story&)> tell{};
};
[[nodiscard]] const std::vector<Episode>& healthy_episodes();
[[nodiscard]] const std::vector<Episode>& harder_episodes();

/// A loop: `tell(story, round)` tells one round of it.
struct Pathology {
    std::string name{};
    std::size_t known_in = 3;  ///< the round in which a competent person would know
    std::size_t due_in = 4;    ///< the round by whose end it is to be spoken of
    std::function<void(Story&, std::size_t round)> tell{};
    std::size_t rounds = 30;      ///< how long it goes on
    bool from_the_start = false;  ///< nothing comes before it
};
[[nodiscard]] const std::vector<Pathology>& pathologies();
[[nodiscard]] const std::vector<Pathology>& harder_pathologies();

/// A run of at least so many lines: ordinary work with healthy episodes of every kind in it.
[[nodiscard]] Story healthy_run(std::uint32_t seed, std::size_t lines);
/// Ordinary work, one episode, and ordinary work.
[[nodiscard]] Story healthy_case(const Episode& episode, std::uint32_t seed);
/// Ordinary work that ends in a loop; labelled. `ends` gets the line with which each round ends.
[[nodiscard]] Recording stuck_run(const Pathology& pathology, std::uint32_t seed, std::vector<std::size_t>& ends);

}  // namespace detection
