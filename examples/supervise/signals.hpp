// Ctrl-C and its like as something that poll() can wait for.
#pragma once

#include <heeler/core/result.hpp>

namespace supervise {

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the program.
[[nodiscard]] heeler::Result<void> note_signals();

/// Readable when a signal has been noted.
[[nodiscard]] int signal_fd() noexcept;

/// The next noted signal; 0 if there is none.
[[nodiscard]] int take_signal() noexcept;

}  // namespace supervise
