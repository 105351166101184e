// Ready-made run classes. A preset is a function that returns a value: change what you like before you use it.
#pragma once

#include <heeler/core/settings.hpp>
#include <heeler/engine/default_detectors.hpp>

namespace heeler::inline v0::presets {

/// The long-run watchdog, exactly (S001): two intervals without progress, a five-line block three times in 200 lines,
/// three times the own burn without output, the run's timeout, twice its expected duration. It nudges or breaks the
/// pattern, verifies after one interval, and after two attempts takes a snapshot, escalates and terminates.
[[nodiscard]] inline RunClass long_run() {
    RunClass rules;
    rules.name = "long_run";
    rules.detectors.turn_on<RunTimeout>()
        .turn_on<BurnRateTracker<Tokens>>()
        .turn_on<BurnRateTracker<ApiCalls>>()
        .turn_on<BurnRateTracker<BytesWritten>>()
        .turn_on<OutputAccessRule>()
        .turn_on<LoopDetector<Line>>({five_line_block, {}})
        .turn_on<HeartbeatContract<Intervals>>();
    rules.ladder.responses = {
        {Condition::stalled, {{{ActionKind::nudge, {}}}}, false},
        {Condition::loop_detected, {{{ActionKind::break_pattern, {}}}}, false},
        {Condition::runaway, {{{ActionKind::pause, {}}, {ActionKind::snapshot, {}}, {ActionKind::escalate, {}}}}, true},
        {Condition::no_output_access, {{{ActionKind::escalate, {}}}}, true},
    };
    rules.ladder.final_rung = {
        {ActionKind::snapshot, {}}, {ActionKind::escalate, {}}, {ActionKind::terminate, ActionKind::snapshot}};
    rules.ladder.on_failure = OnFailure::final_rung;
    return rules;
}

/// The library's own answer, from everything that is built so far: it nudges, breaks patterns, pauses what runs away,
/// snapshots and tells people, and it never destroys anything. Ages of life and progress instead of a metric, since
/// most hosts report calls and results rather than numbers.
[[nodiscard]] inline RunClass recommended() {
    RunClass rules = long_run();
    rules.name = "recommended";
    rules.schedule.period = 1s;
    rules.interval.fixed = 60s;
    rules.grace = 60s;
    rules.detectors.turn_off<HeartbeatContract<Intervals>>()
        .turn_on<LoopDetector<Line>>()
        .turn_on<LoopDetector<Call>>({{1, 32, 3, 5, 200}, {}})
        .turn_on<HeartbeatContract<ProgressAge>>({300s, 600s, 2700s, 300s});
    rules.ladder.final_rung = {{ActionKind::snapshot, {}}, {ActionKind::escalate, {}}};
    rules.ladder.on_failure = OnFailure::escalate;
    rules.ladder.verify_after = 120s;
    return rules;
}

}  // namespace heeler::inline v0::presets
