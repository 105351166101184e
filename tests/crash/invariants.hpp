// What must hold however often and wherever watchdogs died, checked on what is stored and on what happened outside.
//
//   I1   nothing destructive that the class does not enable, and only after a nudge that got through, its wait, and a
//        snapshot
//   I2   each step of an episode is intended once
//   I3   one continuation is recorded and started per stop
//   I4   the original is fenced off in the store before a continuation starts (seen by `Witness`)
//   I5   an intent is stored before its effect (`Witness`); afterwards it is settled: done, or unknown and escalated
//   I6   a stored alert is delivered, or given up when its class says so; none is delivered that is not stored, and the
//        watchdog's own context is not cleared before (`Witness`)
//   I7   an alert is delivered twice only if the process died between the delivery and its record, under the same key
//   I8   cooldowns hold across restarts
//   I9   a run that is over stays as it is, and nothing is done to it
//   I10  who was replaced, agent or watchdog, changes nothing any more
//
// The other invariants of the design are about one process's judgement (pauses, clocks, metrics, texts, threads,
// queues) and not about what a crash leaves behind; their tests stand beside the code that they are about.
#pragma once

#include <string>
#include <vector>

#include "crash/worker.hpp"

namespace crash {

/// One text for each thing that is wrong.
using Problems = std::vector<std::string>;

[[nodiscard]] Problems problems_of(const Scene& scene, const std::vector<Line>& lines, const List<History>& stored);

/// What the store says of a run in the end, in short.
[[nodiscard]] std::string summary_of(const History& history);

}  // namespace crash
