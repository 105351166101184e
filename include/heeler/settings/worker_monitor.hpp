// The preset of one monitor of many workers: a part of its own, since most hosts have no workers to watch.
#pragma once

#include <string>

#include <heeler/core/alert.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/run_filter.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/worker_state.hpp>   // IWYU pragma: export
#include <heeler/recover/watch_ladder.hpp>  // IWYU pragma: export

namespace heeler::inline HEELER_ABI::presets {

/// The monitor of many workers, exactly: every 30 s all of them are polled together; people (the route
/// `orchestrator`) are told once when one is stuck (three polls without a change), reports or prints an error, waits
/// for input, or is done; nobody is told that all is well. A failed alert is tried again at once, three times, and
/// given up then. After each cycle the monitor's own context is cleared (`Watchdog::attach`). A worker that is done
/// may get another task: its run goes on until the host finishes it.
[[nodiscard]] inline RunClass worker_monitor() {
    RunClass rules;
    rules.name = "worker_monitor";
    rules.schedule = {.period = 30s, .together = true};
    rules.interval.fixed = 30s;
    rules.applicability = {
        .shortest = {}, .skip_interactive = false, .filter = RunFilter{}, .skip_single_prompt = false};
    rules.detectors.turn_on<WorkerState>();
    rules.ladder = WatchLadder{};
    rules.alerts.outbox.at_once = 3;
    const auto edge = [](const Condition& condition, AlertKind kind) {
        return ConditionAlert{.condition = condition, .kind = std::string{name_of(kind)}, .repeated = true};
    };
    rules.alerts.conditions = {edge(Condition::complete, AlertKind::worker_complete),
                               edge(Condition::needs_input, AlertKind::worker_needs_input),
                               edge(Condition::failed, AlertKind::worker_error),
                               edge(Condition::stalled, AlertKind::worker_stuck), silence_alert()};
    rules.alerts.to = "orchestrator";
    rules.context.auto_clear = true;
    rules.completion_ends = false;
    rules.alerts.tell_people = false;
    rules.prompts.detectors_words = true;
    return rules;
}

}  // namespace heeler::inline HEELER_ABI::presets
