// An alert that says that alerts arrive.
#pragma once

#include "exit_status.hpp"
#include "options.hpp"

namespace ctl {

/// One to each of the channels, and a line about each: "telegram:CHAT: delivered", or why it was not.
[[nodiscard]] Quit send_test_alert(const Options& options);

}  // namespace ctl
