// Ready-made run classes. A preset is a function that returns a value: change what you like before you use it.
#pragma once

#include <heeler/core/list.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/burn_rate_tracker.hpp>   // IWYU pragma: export
#include <heeler/detect/error_cascade.hpp>       // IWYU pragma: export
#include <heeler/detect/expected_duration.hpp>   // IWYU pragma: export
#include <heeler/detect/heartbeat_contract.hpp>  // IWYU pragma: export
#include <heeler/detect/loop.hpp>                // IWYU pragma: export
#include <heeler/detect/loop_detector.hpp>       // IWYU pragma: export
#include <heeler/detect/needs_input.hpp>         // IWYU pragma: export
#include <heeler/detect/output_access_rule.hpp>  // IWYU pragma: export
#include <heeler/detect/relay_plan.hpp>          // IWYU pragma: export
#include <heeler/detect/resource_limit.hpp>      // IWYU pragma: export
#include <heeler/detect/run_timeout.hpp>         // IWYU pragma: export
#include <heeler/detect/tail_loop.hpp>           // IWYU pragma: export
#include <heeler/detect/token_budget.hpp>        // IWYU pragma: export
#include <heeler/recover/recovery_ladder.hpp>    // IWYU pragma: export
#include <heeler/recover/watch_ladder.hpp>       // IWYU pragma: export

namespace heeler::inline HEELER_ABI::presets {

/// What a chat shows of an alert besides its issues (the session monitor): which session, for how long, how many calls,
/// and all of it as one message.
void session_details(Alert& alert, const Run& run, Duration worked);

/// The long-run watchdog, exactly: two intervals without progress, a five-line block three times in 200 lines,
/// three times the own burn without output, the run's timeout, twice its expected duration. It nudges or breaks the
/// pattern, verifies after one interval, and after two attempts takes a snapshot, escalates and terminates.
[[nodiscard]] RunClass long_run();

/// The library's own answer, from everything that is built so far: it nudges, breaks patterns, pauses what runs away,
/// snapshots and tells people, and it never destroys anything. Ages of life and progress instead of a metric, since
/// most hosts report calls and results rather than numbers.
[[nodiscard]] RunClass recommended();

/// The progress-checkpoint watchdog, exactly: for agents that can neither be seen nor signalled. At every
/// quarter of an hour a run whose last checkpoint is older than 20 min is taken up by a fresh agent, at most twice;
/// then it is marked failed and a person is told. Who is replaced is fenced off by its incarnation.
[[nodiscard]] RunClass checkpoint_continuation();

/// The relay, exactly: a run that leaves breadcrumbs (checkpoints) is over time after 60 min, which is only
/// shown. After 65 min the age of its last breadcrumb decides, once: below 10 min it works and is left alone, above 30
/// min a fresh agent takes it up, in between it is looked at again after 5 min; a run that left none is begun anew.
/// After 130 min it is marked failed, and a person is told. Each minute counts on the run's working clock: while it
/// waits for a person nobody takes it up and nothing runs out.
[[nodiscard]] RunClass checkpoint_relay();

/// The steers of a class that sends its findings to the run (the session monitor): repetition and errors at most every
/// 15 min, tokens every hour.
[[nodiscard]] List<SteerRule> session_steers();

/// The session watchdog, exactly: every five minutes it looks for silence of more than 10 min, more than two
/// hours of work, five equal tool calls in a row, five errors in the last 20 results. It alerts where the run came
/// from, at most every 30 min while it lasts; it gives a run up (abandons it) when two of these hold at once, with an
/// issue, or when it is silent for more than 30 min. Nothing is sent to the run unless the ladder's
/// `steers` are `session_steers()`.
[[nodiscard]] RunClass session_monitor();

}  // namespace heeler::inline HEELER_ABI::presets

#ifndef HEELER_COMPILED
#include <heeler/settings/presets-inl.hpp>
#endif
