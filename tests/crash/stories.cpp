#include "crash/stories.hpp"

#include <algorithm>

#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>

namespace crash {

using namespace std::chrono_literals;

namespace {

/// The run's handle, if it is watched. A run that was never stored is registered at the first step; later, if the store
/// may have failed.
[[nodiscard]] std::optional<RunHandle> run_of(Stage& stage, const std::string& id) {
    const auto found = stage.dog.find(id);
    if (found) return *found;
    if (found.error().code == ErrorCode::ended && !stage.around.outside.has("over", id))
        stage.around.outside.note("over " + id);
    if ((stage.step > 0 && stage.alone) || found.error().code != ErrorCode::unknown_run) return std::nullopt;
    RunSpec spec;
    spec.id = id;
    spec.task = "Port the parser";
    spec.plan = {1, 2, 3, 4};
    spec.metric = MetricKind::reported;
    spec.metric_name = "files";
    const auto started = stage.dog.start(std::move(spec), std::string_view{"crashing"});
    // Another watchdog may have been faster.
    if (!started && stage.alone && started.error().code != ErrorCode::duplicate)
        stage.around.witness.wrong("story", started.error().message);
    return started ? std::optional<RunHandle>{*started} : std::nullopt;
}

void cycle(Stage& stage) {
    for (const Event& event : stage.dog.cycle().events)
        if (const auto* failed = std::get_if<ErrorEvent>(&event);
            failed != nullptr && !(stage.around.deaf && (failed->where == "notifier" || failed->where == "context")))
            stage.around.outside.note("error " + failed->where + " " + std::string{name_of(failed->error.code)} + " " +
                                      failed->error.message);
}

/// Which agent works on the run as far as the world outside can tell: 1, or one more for each that was started.
[[nodiscard]] std::uint32_t agents_of(const Stage& stage, const std::string& id) {
    std::uint32_t agents = 1;
    for (const Line& line : stage.around.outside.lines()) agents += line.is("effect", "spawn") && line.word(3) == id;
    return agents;
}

void write_checkpoint(Stage& stage, RunHandle run, const std::string& id, std::int64_t number, std::uint32_t agent) {
    const Outside& outside = stage.around.outside;
    if (outside.has("wrote", id, std::to_string(number))) return;
    bool stored = false;
    // An agent whose call was cut short looks before it calls again.
    if (stage.again)
        for (const CheckpointRow& row : stage.around.witness.known(id).checkpoints) stored |= row.step == number;
    Result<void> written;
    if (!stored) written = stage.dog.checkpoint(run, {number, "a step", CheckpointReason::scheduled, agent});
    if (written)
        outside.note("wrote " + id + " " + std::to_string(number));
    else if (stage.alone)
        stage.around.witness.wrong("I10", "agent " + std::to_string(agent) + ": " + written.error().message);
}

/// Who was replaced still lives, and must not be heard.
void report_late(Stage& stage, RunHandle run, std::uint32_t agent) {
    const auto written = stage.dog.checkpoint(run, {90 + agent, "late", CheckpointReason::scheduled, agent});
    const bool refused =
        !written && (written.error().code == ErrorCode::fenced || written.error().code == ErrorCode::ended);
    // A watchdog that stood still learns only from the store that the agent was replaced, if the store answers.
    if (stage.alone ? !refused : written.has_value())
        stage.around.witness.wrong("I10", "a replaced agent's checkpoint was taken");
    const Observed heard = stage.dog.observe_as(run, agent, Progress{9}, stage.dog.clock().now());
    if (stage.alone && heard != Observed::fenced && heard != Observed::ended)
        stage.around.witness.wrong("I10", "a replaced agent was heard");
}

void play_continuation(Stage& stage) {
    for (const std::string& id : stage.runs) {
        const auto run = run_of(stage, id);
        if (!run) continue;
        const std::uint32_t agents = agents_of(stage, id);
        if (stage.step == 1 || stage.step == 2) write_checkpoint(stage, *run, id, stage.step, 1);
        if (stage.step % 3 == 1 && agents > 1) report_late(stage, *run, agents - 1);
        if (stage.step % 3 == 2 && agents == 2) write_checkpoint(stage, *run, id, 3, 2);
    }
    if (stage.step % 3 == 0) cycle(stage);
}

void play_ladder(Stage& stage) {
    for (const std::string& id : stage.runs)
        if (const auto run = run_of(stage, id); run && (stage.step == 0 || stage.step == 3))
            (void)stage.dog.observe(*run, Progress{stage.step + 1});
    cycle(stage);
}

RunClass minute_class() {
    RunClass rules = presets::long_run();
    rules.interval.fixed = 60s;
    return rules;
}

void play_alerts(Stage& stage) {
    constexpr int silent_from = 16;
    for (const std::string& id : stage.runs) {
        const auto run = run_of(stage, id);
        if (!run || stage.step >= silent_from) continue;
        const std::string arguments = "{\"path\":\"" + std::to_string(stage.step) + "\"}";
        (void)stage.dog.observe(*run, ToolCall{"read", arguments, {}});
        (void)stage.dog.observe(*run, ToolResult{true, arguments, {}, {}});
    }
    cycle(stage);
}

/// What a worker is doing, as whoever looks at it in this step sees it.
void show_worker(Stage& stage, RunHandle run, bool first) {
    StateChange seen{RunState::running};
    if (first && stage.step >= 3) seen = {RunState::waiting_human, "waiting", {}, "Approve?"};
    if (first && stage.step >= 6) seen = {RunState::running, "working"};
    if (first && stage.step >= 8) seen = {RunState::completed, "done", {}, {}, "merged"};
    if (!first && stage.step >= 2) seen.reported = stage.step < 5 ? "failed" : "compiling";
    (void)stage.dog.observe(run, seen);
    const std::string line = "step " + std::to_string(stage.step) + "\n";
    if (first || stage.step < 5) (void)stage.dog.observe(run, Output{line, true});
}

void play_monitor(Stage& stage) {
    const Outside& outside = stage.around.outside;
    const auto clears = [&] {
        return std::count_if(outside.lines().begin(), outside.lines().end(),
                             [](const Line& line) { return line.is("cleared"); });
    };
    const auto before = clears();
    for (const std::string& id : stage.runs)
        if (const auto run = run_of(stage, id)) show_worker(stage, *run, id == stage.runs.front());
    cycle(stage);
    // Whoever begins anew in the middle of a cycle waits for the next one.
    if (stage.step > 0 && !stage.again && clears() == before)
        stage.around.witness.wrong("story", "a cycle is over and the context was not cleared");
}

RunClass all_workers() {
    RunClass rules = presets::worker_monitor();
    rules.applicability.filter->untagged = true;
    return rules;
}

RunClass short_session() {
    RunClass rules = presets::session_monitor();
    rules.detectors.turn_on<RunTimeout>({1200s});
    return rules;
}

}  // namespace

const Story& continuation_story() {
    static const Story story{"continuation", presets::checkpoint_continuation, 300, 36, 6, play_continuation, true};
    return story;
}

const Story& ladder_story() {
    static const Story story{"ladder", minute_class, 60, 20, 3, play_ladder, false};
    return story;
}

const Story& alert_story() {
    static const Story story{"alerts", short_session, 300, 36, 7, play_alerts, false};
    return story;
}

const Story& monitor_story() {
    static const Story story{"monitor", all_workers, 30, 12, 0, play_monitor, true};
    return story;
}

}  // namespace crash
