// How long a run may be silent, by its own time limit.
#pragma once

#include <algorithm>
#include <chrono>

#include <heeler/core/time.hpp>
#include <heeler/detect/heartbeat_contract.hpp>

namespace heeler::inline HEELER_ABI {

/// Levels of silence for runs that may take `timeout`, so that both are seen before it is over: `warn_after` is a third
/// of it, 5 to 10 min and never more than half of it; `act_after` is two thirds of it, at most 40 min. From 1 ms on
/// `warn_after < act_after < timeout`. Those of a timeout that is not positive are refused with the class.
[[nodiscard]] inline HeartbeatContract<ActivityAge>::Settings scaled_thresholds(Duration timeout) {
    using std::chrono::minutes;
    HeartbeatContract<ActivityAge>::Settings silence;
    silence.warn_after = std::min(std::clamp<Duration>(timeout / 3, minutes{5}, minutes{10}), timeout / 2);
    silence.act_after = std::min<Duration>(timeout / 3 * 2, minutes{40});
    return silence;
}

}  // namespace heeler::inline HEELER_ABI
