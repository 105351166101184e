// One process that watches: it plays a story from where the last one came to, and may die at a point of it.
#pragma once

#include <string>
#include <vector>

#include "crash/stories.hpp"

namespace crash {

/// Whose the runs are.
enum class Leases {
    none,       ///< there is one watchdog, and it needs no lease
    same_name,  ///< each process is the same watchdog, restarted
    own_names,  ///< each process is another watchdog
};

/// What is played, and with which kind of agents.
struct Scene {
    const Story* story = nullptr;
    Honesty honesty = Honesty::finds;
    std::vector<std::string> runs{"r"};
    Leases leases = Leases::none;
    bool alone = true;  ///< never two processes at once
};

/// Plays in this process; returns when the story is over.
void play(const Scene& scene, const OpenStore& open, const std::string& log, Fate fate);

}  // namespace crash
