// What the presets hold.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/alert/session_alert.hpp>
#include <heeler/core/list.hpp>
#include <heeler/recover/continuation.hpp>
#include <heeler/recover/session_words.hpp>
#include <heeler/settings/presets.hpp>

namespace heeler::inline HEELER_ABI::presets {

HEELER_INLINE void session_details(Alert& alert, const Run& run, Duration worked) {
    alert.details.push_back({"session", std::string{short_id(alert.run.id)}});
    alert.details.push_back({"duration", hours_and_minutes(worked)});
    alert.details.push_back({"tool_calls", std::to_string(run.calls)});
    alert.details.push_back({"icon", std::string{icon_of(alert.severity)}});
    alert.details.push_back({"text", format_session_alert(alert)});
}

/// One entry of a rung.
[[nodiscard]] consteval Step step(ActionKind what, std::optional<ActionKind> needs = {}) { return {what, needs, {}}; }

HEELER_INLINE RunClass long_run() {
    RunClass rules;
    rules.name = "long_run";
    rules.interval.on_record = true;
    rules.detectors.turn_on<RunTimeout>()
        .turn_on<BurnRateTracker<Tokens>>()
        .turn_on<BurnRateTracker<ApiCalls>>()
        .turn_on<BurnRateTracker<BytesWritten>>()
        .turn_on<OutputAccessRule>({.sources = true})
        .turn_on<LoopDetector<Line>>({.rule = five_line_block})
        .turn_on<ResourceLimit>()
        .turn_on<HeartbeatContract<Intervals>>()
        .turn_on<NeedsInput>();
    RecoveryLadder ladder;
    ladder.responses = {
        {.condition = Condition::stalled, .rungs = {{step(ActionKind::nudge)}}},
        {.condition = Condition::loop_detected, .rungs = {{step(ActionKind::break_pattern)}}},
        {.condition = Condition::exhausted, .rungs = {{step(ActionKind::nudge)}}},
        {.condition = Condition::runaway,
         .rungs = {{step(ActionKind::pause), step(ActionKind::snapshot, ActionKind::pause),
                    step(ActionKind::escalate, ActionKind::pause)}},
         .hold = true},
        {.condition = Condition::no_output_access, .rungs = {{step(ActionKind::escalate)}}, .hold = true},
    };
    ladder.final_rung = {step(ActionKind::snapshot), step(ActionKind::escalate),
                         step(ActionKind::terminate, ActionKind::snapshot)};
    ladder.on_failure = OnFailure::final_rung;
    rules.ladder = std::move(ladder);
    rules.alerts.escalation.parent_first = true;
    rules.stop_proof = StopProofNeeded::fenced;  // for retries: nobody is started unless they are set
    return rules;
}

HEELER_INLINE RunClass recommended() {
    RunClass rules = long_run();
    rules.name = "recommended";
    rules.schedule.period = 1s;
    rules.interval.fixed = 60s;
    rules.grace = 60s;
    rules.detectors.turn_off<HeartbeatContract<Intervals>>()
        .turn_on<OutputAccessRule>()
        .turn_on<LoopDetector<Line>>()
        .turn_on<Loop>()
        .turn_on<ExpectedDuration>()
        .turn_on<NeedsInput>({6h, 4h, 24h})
        .turn_on<HeartbeatContract<AliveAge>>({.warn_after = 60s, .act_after = 180s, .beats_within = 90s})
        .turn_on<HeartbeatContract<ProgressAge>>(
            {.warn_after = 300s, .act_after = 600s, .in_tool = 2700s, .startup_grace = 300s, .warn_in_tool = 900s})
        // Agents burn in bursts: three minutes in a row against the half hour before.
        .turn_on<BurnRateTracker<Tokens>>({5.0, 30, 3})
        .turn_on<BurnRateTracker<ApiCalls>>({5.0, 30, 3})
        .turn_on<BurnRateTracker<BytesWritten>>({5.0, 30, 3});
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    const Plan nudge{{ActionKind::nudge, {}, {}}}, break_pattern{{ActionKind::break_pattern, {}, {}}};
    ladder.responses[0] = {Condition::stalled, {nudge, nudge, break_pattern}, false, false, {120s, 180s, 300s}, true};
    ladder.responses[1] = {Condition::loop_detected, {nudge, break_pattern}, false, false, {120s, 300s}, true, true};
    ladder.responses[2] = {Condition::exhausted, {nudge, nudge}, false, false, {120s, 180s}, true};
    ladder.max_attempts = 3;
    ladder.final_rung = ladder.responses[3].rungs[0];  // who is asked for is told whether it was paused
    ladder.on_failure = OnFailure::escalate;
    rules.alerts.escalation = {three_levels(), 4h, false};
    rules.alerts.unobservable_after = 1h;
    rules.alerts.flapping_every = 5min;  // how often Nagios looks
    rules.limits.mass_stall.runs = 5;
    rules.limits.nudges = {2, 5, 2min};
    rules.limits.per_minute = 10;
    rules.limits.endings_apart = 10s;
    rules.limits.restarts.most = 3;  // within a day; Sidekiq takes a job that kills its worker three times for poison
    rules.verify_after = 120s;
    rules.stop_proof = StopProofNeeded::proved;
    rules.alerts.outbox.jitter = true;
    rules.alerts.outbox.group_interval = 5min;
    rules.alerts.outbox.inhibit = true;
    return rules;
}

HEELER_INLINE RunClass checkpoint_continuation() {
    RunClass rules;
    rules.name = "checkpoint_continuation";
    rules.schedule = {.period = 900s, .aligned = true};
    rules.interval.fixed = 900s;
    rules.applicability.shortest = Duration{};
    rules.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 1200s}).turn_on<NeedsInput>();
    RecoveryLadder ladder;
    ladder.responses = {{.condition = Condition::stalled, .rungs = {{step(ActionKind::spawn)}}, .on_recurrence = true}};
    ladder.final_rung = {step(ActionKind::escalate), step(ActionKind::mark_failed)};
    ladder.max_attempts = 100;  // continuations are counted instead, over the run's whole life
    ladder.max_continuations = 2;
    rules.ladder = std::move(ladder);
    rules.stop_proof = StopProofNeeded::fenced;
    rules.alerts.tell_people = false;
    return rules;
}

HEELER_INLINE RunClass checkpoint_relay() {
    const RelayPlan plan;
    RunClass rules = checkpoint_continuation();
    rules.name = "checkpoint_relay";
    rules.schedule = {.period = 60s};
    rules.interval.fixed = plan.look_again;
    rules.detectors.turn_off<HeartbeatContract<CheckpointAge>>().turn_on<RelayTimeout>(plan).turn_on<RelayCheck>(plan);
    rules.ladder.as<RecoveryLadder>()->max_continuations = 1;
    rules.prompts.brief = continuation::relay_brief;
    return rules;
}

HEELER_INLINE List<SteerRule> session_steers() {
    return {{.condition = Condition::loop_detected, .cooldown = 900s},
            {.condition = Condition::error_cascade, .cooldown = 900s},
            {.condition = Condition::token_budget, .cooldown = 3600s}};
}

HEELER_INLINE RunClass session_monitor() {
    RunClass rules;
    rules.name = "session_monitor";
    rules.schedule = {.period = 300s, .immediate = true};
    rules.interval.fixed = 300s;
    rules.applicability.shortest = Duration{};
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>({.act_after = 600s, .veto_within = 900s})
        .turn_on<RunTimeout>({.limit = 7200s})
        .turn_on<LoopDetector<Call, TailRule>>()
        .turn_on<ErrorCascade>({.threshold = 5, .window = 20, .keywords_only = true})
        .turn_on<NeedsInput>();
    rules.stop_proof = StopProofNeeded::fenced;  // for retries: nobody is started unless they are set
    WatchLadder ladder;
    ladder.endings = {
        {.at_least = Severity::critical, .plan = {step(ActionKind::abandon), step(ActionKind::file_issue)}},
        {.silent_longer = 1800s, .plan = {step(ActionKind::abandon)}},
    };
    rules.ladder = std::move(ladder);
    rules.alerts.outbox.first_retry = 300s;
    rules.alerts.cooldown = 1800s;
    rules.alerts.renotify_every = 1s;  // at every look; the cooldown holds it back
    rules.conflict_fails_run = true;
    rules.prompts.steer = session_steer;
    rules.prompts.detectors_words = true;
    rules.prompts.alert = session_details;
    return rules;
}

}  // namespace heeler::inline HEELER_ABI::presets
