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
    bool alone = true;            ///< never two processes at once
    bool first_rejected = false;  ///< there is no room for the first continuation, once
};

/// A store for trials.
struct Place {
    std::string name;
    OpenStore open;
    std::function<void()> clear;              ///< empties it for the next trial
    std::string log;                          ///< where the log of a trial goes
    OpenStore reach{};                        ///< how a watchdog gets there, if not by `open`
    OpenTable table{};                        ///< where runs are claimed before agents are started; may be empty
    bool lasts = false;                       ///< who is connected to it need not connect again when it was emptied
    std::function<void()> keep{}, restore{};  ///< what it holds while nobody has it open; may be empty
};

/// Plays in this process; returns when the story is over.
void play(const Scene& scene, const Place& place, Fate fate);

}  // namespace crash
