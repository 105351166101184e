// What goes on, in a browser on this machine.
#pragma once

#include <span>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// Until it is interrupted. Only a request that names this machine is answered, so that no page of somebody else's can
/// ask through a browser. Nobody may decide anything unless `--operate` says so, and then with the token alone.
[[nodiscard]] Quit serve(const Options& options, std::span<Store> stores);

}  // namespace ctl
