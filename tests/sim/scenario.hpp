// A world as a scenario that heeler-replay plays.
#pragma once

#include <string>
#include <vector>

#include "sim/story.hpp"

namespace sim {

/// What of a story a scenario can tell: one watchdog that nothing befalls but that it stands still between two cycles
/// or begins anew in order, whose store works.
struct Tellable {
    Story story{};                    ///< the same without the rest
    std::string settings{};           ///< what it changes about its preset, for `--config`
    std::vector<std::string> cannot;  ///< what is left out, by its name, each once
};

[[nodiscard]] Tellable tellable(const Story& story);

/// Writes a world into `directory`: DIRECTORY/NAME.jsonl and NAME.json. Answers the arguments of heeler-replay.
[[nodiscard]] std::string write_scenario(const Tellable& world, const std::vector<std::string>& lines,
                                         const std::string& directory);

}  // namespace sim
