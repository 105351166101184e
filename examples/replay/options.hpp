// The command line of heeler-replay.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "../common/store_place.hpp"
#include "event_name.hpp"

namespace replay {

using common::StorePlace;  // empty texts: in memory

struct Options {
    std::string preset = "recommended";
    std::string config_file;   // empty: none
    bool environment = false;  // settings from the environment, over those of the file
    StorePlace store;
    std::string format = "auto";   // or "heeler": it is a scenario, whatever it looks like
    std::string input_file = "-";  // "-": standard input; the first of `files`
    std::vector<std::string> files;
    bool loops = false;                // one line for each loop, of all files; nothing is judged or done
    bool limits = false;               // which limits would fit, of all files; nothing is done
    std::optional<EventName> explain;  // why this event had its verdict, or none
    std::string html_file;             // what happened, as a page; empty: none
};

/// How the program goes on after its arguments: with options, or ending at once with a status.
struct Parsed {
    std::optional<Options> options;
    int exit_status = 0;
};

/// Prints help and errors itself; the status of bad arguments is 2.
[[nodiscard]] Parsed parse_options(int argc, char** argv);

}  // namespace replay
