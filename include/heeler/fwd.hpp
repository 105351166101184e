// Declarations and default arguments: enough to name a `Watchdog` in a header without compiling it.
#pragma once

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

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
struct ExpectedDuration;
struct FailureStreak;
struct Intervals;
struct Line;
struct LivenessCounter;
struct NeverStarted;
struct OutputAccessRule;
struct ProgressAge;
struct RelayCheck;
struct RelayTimeout;
struct ResourceLimit;
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
template <class Clock, class Store, class Notifier>
class Watchdog;
class AnyWatchdog;
class Runner;

namespace detail {
template <class Self>
class WatchdogVerbs;
}  // namespace detail

}  // namespace heeler::inline HEELER_ABI
