// A small process between heeler-supervise and a detached command, which outlives heeler-supervise and writes down how
// the command ended: only a parent can know.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <heeler/posix/regular_file.hpp>

namespace supervise {

/// Of the run's directory; a waiter writes it.
inline constexpr const char* status_file = "status";

/// How to start `command` with a waiter, which leaves its status in `place` for `run`.
[[nodiscard]] std::vector<std::string> with_waiter(const std::vector<std::string>& command,
                                                   const heeler::FilePlace& place, const std::string& run);

/// Whether this process was started by such words: then it becomes the waiter. Call it before anything else.
[[nodiscard]] bool is_waiter(int argc, const char* const* argv);

/// Starts the command, waits for its end, writes that down, and ends in the same way. It is told to end with the
/// command, and heeds only what cannot be ignored: who ends the command's group ends it last.
[[noreturn]] void wait_for_command(int argc, char** argv);

/// The command of that run has ended so, as a shell says it.
struct WaitedEnd {
    std::string run;
    int status = 0;
};

/// What a waiter left last, if there is anything that makes sense.
[[nodiscard]] std::optional<WaitedEnd> waited_end(const heeler::FilePlace& place);

}  // namespace supervise
