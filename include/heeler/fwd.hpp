// Declarations and default arguments: enough to name a `Watchdog` in a header without compiling it.
#pragma once

#include <cstdint>

namespace heeler::inline v0 {

struct Alert;
struct Batch;
struct CycleReport;
struct Finding;
struct Instant;
struct Observation;
struct Report;
struct Run;
struct RunClass;
struct RunHandle;
struct RunSpec;

struct AliveAge;
struct ActivityAge;
struct ApiCalls;
struct BlockRule;
struct BytesWritten;
struct Call;
struct CheckpointAge;
struct ErrorCascade;
struct FailureStreak;
struct Intervals;
struct Line;
struct OutputAccessRule;
struct ProgressAge;
struct RelayCheck;
struct RelayTimeout;
struct RunTimeout;
struct TailRule;
struct TokenBudget;
struct Tokens;

template <class Unit = Tokens>
struct BurnRateTracker;
template <class Cadence = Intervals>
struct HeartbeatContract;
template <class Item = Line, class Rule = BlockRule>
struct LoopDetector;
template <class... Detectors>
struct DetectorSet;

/// The detectors that a watchdog has unless it is given others. Which of them judge a run is said by its class.
using DefaultDetectors =
    DetectorSet<RunTimeout, BurnRateTracker<Tokens>, BurnRateTracker<ApiCalls>, BurnRateTracker<BytesWritten>,
                OutputAccessRule, LoopDetector<Line>, LoopDetector<Call>, LoopDetector<Call, TailRule>, ErrorCascade,
                FailureStreak, HeartbeatContract<Intervals>, HeartbeatContract<AliveAge>,
                HeartbeatContract<ActivityAge>, HeartbeatContract<ProgressAge>, HeartbeatContract<CheckpointAge>,
                TokenBudget, RelayTimeout, RelayCheck>;

template <class Clock, class Store, class Notifier, class Detectors = DefaultDetectors>
class Watchdog;

}  // namespace heeler::inline v0
