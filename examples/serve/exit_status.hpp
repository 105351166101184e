// What heeler-serve ends with.
#pragma once

#include <string>

namespace serve {

enum ExitStatus : int {
    exit_ok = 0,
    exit_usage = 2,      ///< the options make no sense
    exit_socket = 69,    ///< nobody can be listened to: another one listens there, or the path cannot be used
    exit_internal = 70,  ///< a mistake in heeler-serve itself, or no memory
    exit_state = 73,     ///< the state directory cannot be written
    exit_store = 74,     ///< the store cannot be used, or is another's; or did not take what is known at the end
};

/// Ends the program with a message for the person who started it.
struct Quit {
    int status = exit_ok;
    std::string message{};
};

}  // namespace serve
