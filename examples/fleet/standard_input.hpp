// Children of heeler-fleet work until their standard input is closed: by the parent, or with it.
#pragma once

#include <chrono>

#include <poll.h>
#include <unistd.h>

namespace fleet {

/// Waits for at most that long. Nothing is ever written there.
[[nodiscard]] inline bool input_closed(std::chrono::milliseconds at_most) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, static_cast<int>(at_most.count())) > 0;
}

}  // namespace fleet
