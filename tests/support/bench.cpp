// The watchdog that most tests of the engine use, compiled once.
#include "support/bench.hpp"

template class heeler::Watchdog<heeler::ManualClock, heeler::FaultStore<heeler::MemoryStore>, heeler::RecordingNotifier,
                                heeler::DefaultDetectors>;
