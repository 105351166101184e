// Ready-made run classes. A preset is a function that returns a value: change what you like before you use it.
#pragma once

#include <string>
#include <vector>

#include <heeler/core/settings.hpp>
#include <heeler/deliver/session_alert.hpp>
#include <heeler/detect/burn_rate_tracker.hpp>
#include <heeler/detect/error_cascade.hpp>
#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/output_access_rule.hpp>
#include <heeler/detect/relay_plan.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/detect/tail_loop.hpp>
#include <heeler/detect/token_budget.hpp>
#include <heeler/recover/continuation.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/session_words.hpp>
#include <heeler/recover/watch_ladder.hpp>

namespace heeler::inline v0::presets {

/// What a chat shows of an alert besides its issues (S004): which session, for how long, how many calls, and all of it
/// as one message.
inline void session_details(Alert& alert, const Run& run, Duration worked) {
    alert.details.push_back({"session", std::string{short_id(alert.run.id)}});
    alert.details.push_back({"duration", hours_and_minutes(worked)});
    alert.details.push_back({"tool_calls", std::to_string(run.calls)});
    alert.details.push_back({"icon", std::string{icon_of(alert.severity)}});
    alert.details.push_back({"text", format_session_alert(alert)});
}

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
    RecoveryLadder ladder;
    ladder.responses = {
        {Condition::stalled, {{{ActionKind::nudge, {}, {}}}}, false, false},
        {Condition::loop_detected, {{{ActionKind::break_pattern, {}, {}}}}, false, false},
        {Condition::runaway,
         {{{ActionKind::pause, {}, {}}, {ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}}},
         true,
         false},
        {Condition::no_output_access, {{{ActionKind::escalate, {}, {}}}}, true, false},
    };
    ladder.final_rung = {{ActionKind::snapshot, {}, {}},
                         {ActionKind::escalate, {}, {}},
                         {ActionKind::terminate, ActionKind::snapshot, {}}};
    ladder.on_failure = OnFailure::final_rung;
    rules.ladder = std::move(ladder);
    rules.stop_proof = StopProofNeeded::fenced;  // for retries: nobody is started unless they are set
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
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    ladder.final_rung = {{ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}};
    ladder.on_failure = OnFailure::escalate;
    rules.verify_after = 120s;
    rules.stop_proof = StopProofNeeded::proved;
    return rules;
}

/// The progress-checkpoint watchdog, exactly (S000): for agents that can neither be seen nor signalled. At every
/// quarter of an hour a run whose last checkpoint is older than 20 min is taken up by a fresh agent, at most twice;
/// then it is marked failed and a person is told. Who is replaced is fenced off by its incarnation.
[[nodiscard]] inline RunClass checkpoint_continuation() {
    RunClass rules;
    rules.name = "checkpoint_continuation";
    rules.schedule = {900s, true, false};
    rules.interval.fixed = 900s;
    rules.applicability.shortest = Duration{};
    rules.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 1200s});
    RecoveryLadder ladder;
    ladder.responses = {{Condition::stalled, {{{ActionKind::spawn, {}, {}}}}, false, true}};
    ladder.final_rung = {{ActionKind::escalate, {}, {}}, {ActionKind::mark_failed, {}, {}}};
    ladder.max_attempts = 100;  // continuations are counted instead, over the run's whole life
    ladder.max_continuations = 2;
    rules.ladder = std::move(ladder);
    rules.stop_proof = StopProofNeeded::fenced;
    rules.tell_people = false;
    return rules;
}

/// The relay, exactly (S000 V2): a run that leaves breadcrumbs (checkpoints) is over time after 60 min, which is only
/// shown. After 65 min the age of its last breadcrumb decides, once: below 10 min it works and is left alone, above 30
/// min a fresh agent takes it up, in between it is looked at again after 5 min; a run that left none is begun anew.
/// After 130 min it is marked failed, and a person is told. Each minute counts on the run's working clock: while it
/// waits for a person nobody takes it up and nothing runs out.
[[nodiscard]] inline RunClass checkpoint_relay() {
    const RelayPlan plan;
    RunClass rules = checkpoint_continuation();
    rules.name = "checkpoint_relay";
    rules.schedule = {60s, false, false};
    rules.interval.fixed = plan.look_again;
    rules.detectors.turn_off<HeartbeatContract<CheckpointAge>>().turn_on<RelayTimeout>(plan).turn_on<RelayCheck>(plan);
    rules.ladder.as<RecoveryLadder>()->max_continuations = 1;
    rules.prompts.brief = continuation::relay_brief;
    return rules;
}

/// The steers of a class that sends its findings to the run (S004): repetition and errors at most every 15 min, tokens
/// every hour.
[[nodiscard]] inline std::vector<SteerRule> session_steers() {
    return {{Condition::loop_detected, 900s}, {Condition::error_cascade, 900s}, {Condition::token_budget, 3600s}};
}

/// The session watchdog, exactly (S004): every five minutes it looks for silence of more than 10 min, more than two
/// hours of work, five equal tool calls in a row, five errors in the last 20 results. It alerts where the run came
/// from, at most every 30 min while it lasts; it gives a run up (abandons it) when two of these hold at once, with an
/// issue, or when it is silent for more than 30 min. Nothing is sent to the run unless the ladder's
/// `steers` are `session_steers()`.
[[nodiscard]] inline RunClass session_monitor() {
    RunClass rules;
    rules.name = "session_monitor";
    rules.schedule = {300s, false, true};
    rules.interval.fixed = 300s;
    rules.applicability.shortest = Duration{};
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>({.act_after = 600s, .veto_within = 900s})
        .turn_on<RunTimeout>({7200s})
        .turn_on<LoopDetector<Call, TailRule>>()
        .turn_on<ErrorCascade>({5, 20, true});
    rules.stop_proof = StopProofNeeded::fenced;  // for retries: nobody is started unless they are set
    WatchLadder ladder;
    ladder.endings = {
        {Severity::critical, {}, {{ActionKind::abandon, {}, {}}, {ActionKind::file_issue, {}, {}}}},
        {Severity::none, 1800s, {{ActionKind::abandon, {}, {}}}},
    };
    rules.ladder = std::move(ladder);
    rules.outbox.first_retry = 300s;
    rules.alert_cooldown = 1800s;
    rules.renotify_every = 1s;  // at every look; the cooldown holds it back
    rules.conflict_fails_run = true;
    rules.prompts.steer = session_steer;
    rules.prompts.detectors_words = true;
    rules.prompts.alert = session_details;
    return rules;
}

}  // namespace heeler::inline v0::presets
