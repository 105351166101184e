// Notes an operator's decision in the store, for the next cycle of whichever watchdog works on it.
#pragma once

#include <string>

#include <heeler/core/time.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "store.hpp"

namespace ctl {

/// What was noted, in words; or why nothing was, or what else there is to say.
struct Noted {
    std::string answer;  // empty: nothing was
    Quit quit;
};

/// Nothing is noted about a run that is not known, or that has ended.
[[nodiscard]] Noted note_decision(const Options& options, Store& store, heeler::Instant now);

/// Notes it, and says so on standard output.
[[nodiscard]] Quit decide(const Options& options, Store& store, heeler::Instant now);

}  // namespace ctl
