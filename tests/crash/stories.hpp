// What happens to the runs while watchdogs come and go: each story step by step, so that it can go on after any crash.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/engine/watchdog.hpp>

#include "crash/crashing.hpp"

namespace crash {

/// Shows the time of the step that the story has come to, whoever plays it: time passes for who stands still too. Every
/// process has a monotonic line of its own, as after a restart of the machine.
class StoryClock {
public:
    StoryClock(const Outside& outside, std::int64_t seconds, Elapsed began)
        : outside_{&outside}, seconds_{seconds}, began_{began}, first_{outside.step()} {}

    [[nodiscard]] Instant now() const {
        const int step = outside_->step();
        const auto length = [this](int steps) { return std::chrono::seconds{steps * seconds_}; };
        return {began_ + length(step - first_), WallTime{std::chrono::seconds{1'800'000'000} + length(step)}};
    }

private:
    const Outside* outside_;
    std::int64_t seconds_;
    Elapsed began_;
    int first_;
};

using Dog = Watchdog<StoryClock, CrashingStore, CrashingNotifier>;

/// Where a story is played: one process, at one step.
struct Stage {
    Dog& dog;
    Surroundings around;
    std::vector<std::string> runs;
    int step = 0;
    bool alone = true;   ///< no other process plays at the same time
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

/// Of two workers, one asks a person and finishes its task, the other fails, goes on and gets stuck, while people hear
/// badly and the watchdog's own context cannot always be cleared. `worker_monitor`.
[[nodiscard]] const Story& monitor_story();

}  // namespace crash
