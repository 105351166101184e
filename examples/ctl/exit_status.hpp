// What heeler-ctl ends with, and the failure that ends it early.
#pragma once

#include <string>

#include <heeler/core/result.hpp>

namespace ctl {

enum ExitStatus : int {
    exit_ok = 0,
    exit_store = 1,  ///< the store, or a row of it, cannot be read or written
    exit_usage = 2,  ///< bad arguments
    exit_run = 3,    ///< no such run or silence, or it has ended
    exit_alert = 4,  ///< an alert did not arrive
};

/// Ends the program with a message for the person who started it; `exit_ok`: the message is what was asked for.
struct Quit {
    int status = exit_ok;
    std::string message;
};

[[nodiscard]] inline Quit store_failed(const heeler::Error& error) { return {exit_store, error.message}; }

}  // namespace ctl
