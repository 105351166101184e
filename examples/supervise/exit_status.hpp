// What heeler-supervise ends with. Any other status is the command's own; 128 + n means that signal n ended it.
#pragma once

#include <string>

namespace supervise {

enum ExitStatus : int {
    exit_ok = 0,
    exit_usage = 64,            ///< the options make no sense, or there is nothing to adopt
    exit_watched = 69,          ///< another heeler-supervise watches this run name
    exit_store = 74,            ///< the database in the state directory cannot be used
    exit_state = 73,            ///< the state directory cannot be written
    exit_internal = 70,         ///< a mistake in heeler-supervise itself, or no memory
    exit_previous = 75,         ///< a command of an earlier heeler-supervise is still alive
    exit_terminated = 124,      ///< the watchdog ended the command
    exit_not_executable = 126,  ///< the command was found and cannot be started
    exit_not_found = 127,       ///< the command was not found
    exit_interrupted = 130,     ///< Ctrl-C
};

/// Ends the program with a message for the person who started it.
struct Quit {
    int status = exit_ok;
    std::string message;
};

}  // namespace supervise
