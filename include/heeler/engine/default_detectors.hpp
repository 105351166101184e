// The detectors that a watchdog has unless it is given others.
#pragma once

#include <heeler/detect/burn_rate_tracker.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/output_access_rule.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/engine/detector_set.hpp>

namespace heeler::inline v0 {

/// Which of them judge a run is said by its class.
using DefaultDetectors =
    DetectorSet<RunTimeout, BurnRateTracker<Tokens>, BurnRateTracker<ApiCalls>, BurnRateTracker<BytesWritten>,
                OutputAccessRule, LoopDetector<Line>, LoopDetector<Call>, HeartbeatContract<Intervals>,
                HeartbeatContract<AliveAge>, HeartbeatContract<ActivityAge>, HeartbeatContract<ProgressAge>>;

}  // namespace heeler::inline v0
