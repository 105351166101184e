// What the tables say in the end: every stall continued exactly once, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "database.hpp"
#include "holders.hpp"
#include "options.hpp"

namespace fleet {

struct Figures {
    long stalls = 0;
    long once = 0;   ///< stalls that were continued exactly once
    long twice = 0;  ///< more than once
    long never = 0;
    long needless = 0;  ///< continuations of attempts that had written in time
    long slow = 0;      ///< of attempts that did not stall, but had not
    double mean = 0;    ///< from an agent's last checkpoint to its continuation
    double worst = 0;
    double unwatched = 0;      ///< longest time that a run was without a live watchdog, from above
    double first_watched = 0;  ///< until all runs were watched at first
    long handed_over = 0;      ///< runs that changed their watchdog
    long under_way = 0;        ///< continuations that were intended, without an outcome, when a watchdog was struck
    long asked_again = 0;      ///< of these, so many were asked for by two watchdogs under one key
    long tried_again = 0;      ///< continuations that could not be started at first
    long lost = 0;             ///< losses of watchdogs that people were told of
    long completed = 0;
    long late_tried = 0;  ///< writes of agents that had been replaced
    long late_counted = 0;
    double agents_late = 0;  ///< how long the agents were held up by the machine
    double cycle_mean = 0;
    double cycle_worst = 0;
    long errors = 0;
    std::vector<std::string> faults{};  ///< the runs, and what happened to them
};

[[nodiscard]] Figures reckon(const Options& options, Database& database, const Holders& holders, long under_way);

[[nodiscard]] std::string to_text(const Options& options, const Figures& figures);
[[nodiscard]] std::string to_json(const Figures& figures);

}  // namespace fleet
