// What happens to the runs while watchdogs come and go: each story step by step, so that it can go on after any crash.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <heeler/clock/manual_clock.hpp>
#include <heeler/engine/watchdog.hpp>

#include "crash/crashing.hpp"

namespace crash {

using Dog = Watchdog<ManualClock, CrashingStore, CrashingNotifier>;

/// Where a story is played: one process, at one step.
struct Stage {
    Dog& dog;
    Surroundings around;
    std::vector<std::string> runs;
    int step = 0;
    bool again = false;  ///< an earlier process may have played a part of this step
};

struct Story {
    std::string_view name;
    RunClass (*rules)();
    std::int64_t seconds;  ///< per step
    int most_steps;        ///< it is over then, or some steps after all runs are
    int steps_after;       ///< after the end, in which nothing may happen to them
    void (*play)(Stage&);
    /// Whether what is stored at the end must not depend on where the watchdog died.
    bool same_end;
};

/// A run writes checkpoints and falls silent; so does who goes on with it, and the next one. `checkpoint_continuation`.
[[nodiscard]] const Story& continuation_story();

/// A run falls silent, is nudged, recovers, falls silent again and for good. `long_run` with an interval of a minute.
[[nodiscard]] const Story& ladder_story();

/// A run works for too long, then falls silent. `session_monitor` with a limit of 20 min.
[[nodiscard]] const Story& alert_story();

}  // namespace crash
