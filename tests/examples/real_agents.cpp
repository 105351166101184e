// The checkpoint watchdog over real processes: one gets into an endless loop, one waits for input without saying so,
// one works, one asks. Two seconds stand for the 20 min of the preset.
#include <cstdio>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <poll.h>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>
#include <heeler/engine/watchdog.hpp>
#include <heeler/report/metrics_text.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/store/sqlite_store.hpp>
#include <heeler/testing/recording_notifier.hpp>
#include <heeler/text/line_splitter.hpp>

#include "common/truths.hpp"
#include "support/catch.hpp"
#include "support/real_process.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using heeler_test::ScratchDirectory;

namespace {

using Dog = Watchdog<SystemClock, SqliteStore, RecordingNotifier>;

/// The preset, some 600 times as fast.
RunClass fast_class() {
    RunClass rules = presets::checkpoint_continuation();
    rules.schedule.period = 1s;
    rules.interval.fixed = 1s;
    rules.detectors.turn_on<HeartbeatContract<CheckpointAge>>({.act_after = 2s});
    return rules;
}

/// Agents that work off steps 1 to 4, each with a line on its standard output when it is done.
constexpr std::string_view works = "for i in 1 2 3 4; do sleep 0.3; echo step $i; done; echo done";
/// Whoever loops leaves the processors to those that work: on a busy machine these would be taken for stalled.
constexpr std::string_view spins = "renice -n 19 $$ >/dev/null; sleep 0.3; echo step 1; while :; do :; done";
constexpr std::string_view waits = "sleep 0.3; echo step 1; read answer; echo step 2; sleep 60";
constexpr std::string_view asks =
    "sleep 0.3; echo step 1; echo ask; sleep 3.5; echo go; sleep 0.3; echo step 2; echo done";
/// It knows nothing but its brief.
constexpr std::string_view continues =
    "steps=$(sed -n 's/^Remaining steps: \\[\\(.*\\)\\]$/\\1/p' \"$BRIEF\" | tr , ' '); "
    "for i in $steps; do sleep 0.3; echo step $i; done; echo done";

struct Agent {
    std::string run;
    std::uint32_t incarnation = 1;
    ProcessControl process;
    text::LineSplitter lines{};
    int fenced = 0;
};

/// Starts agents and hears what they write; `spawn` is called from a thread of the watchdog's.
class Crew {
public:
    explicit Crew(const ScratchDirectory& scratch) : scratch_{scratch} {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        for (Agent& agent : agents_) static_cast<void>(agent.process.terminate({}));
    }

    void start(const std::string& run, std::uint32_t incarnation, std::string_view script, const std::string& brief) {
        ProcessSpec spec = heeler_test::shell(std::string{script});
        spec.environment = {{"BRIEF", brief}};
        auto process = ProcessControl::start(std::move(spec));
        if (!process) throw std::runtime_error{process.error().message};
        const std::lock_guard guard{lock_};
        agents_.push_back({run, incarnation, *std::move(process)});
    }

    /// The continuation of `looping` that comes first loops, too.
    [[nodiscard]] Result<ActionDone> spawn(const ActionRequest& asked) {
        const std::string brief = scratch_ / ("brief-" + std::string{asked.run} + std::to_string(asked.attempt));
        std::ofstream{brief} << asked.text;
        const bool again = asked.run == "looping" && asked.attempt == 1;
        start(std::string{asked.run}, asked.attempt + 1,
              again ? "renice -n 19 $$ >/dev/null; while :; do :; done" : continues, brief);
        return ActionDone{"started"};
    }

    /// Hands on what was written since.
    void listen(Dog& dog) {
        const std::lock_guard guard{lock_};
        for (Agent& agent : agents_)
            (void)agent.process.read_output([&](std::string_view chunk) {
                agent.lines.feed(chunk, true,
                                 [&](std::string_view line, text::Fingerprint) { hear(dog, agent, line); });
            });
    }

    /// Types a line to the first agent of a run; it may have been given up long ago.
    void answer(std::string_view run) {
        const std::lock_guard guard{lock_};
        for (Agent& agent : agents_)
            if (agent.run == run && agent.incarnation == 1) (void)agent.process.inject({run, "", "yes, go on", 1});
    }
    [[nodiscard]] int fenced(std::string_view run) {
        const std::lock_guard guard{lock_};
        int count = 0;
        for (const Agent& agent : agents_) count += agent.run == run ? agent.fenced : 0;
        return count;
    }
    [[nodiscard]] std::size_t agents_of(std::string_view run) {
        const std::lock_guard guard{lock_};
        std::size_t count = 0;
        for (const Agent& agent : agents_) count += agent.run == run ? 1 : 0;
        return count;
    }

private:
    void hear(Dog& dog, Agent& agent, std::string_view line) {
        const auto run = dog.find(agent.run);
        if (!run) return;
        if (line.starts_with("step ")) {
            const int step = std::atoi(std::string{line.substr(5)}.c_str());
            const auto kept = dog.checkpoint(*run, {step, line, CheckpointReason::scheduled, agent.incarnation});
            agent.fenced += !kept && kept.error().code == ErrorCode::fenced ? 1 : 0;
        }
        if (line == "ask") (void)dog.observe(*run, StateChange{RunState::waiting_human, {}, {}, "Which one?"});
        if (line == "go") (void)dog.observe(*run, StateChange{});
        if (line == "done") (void)dog.finish(*run);
    }

    const ScratchDirectory& scratch_;
    std::mutex lock_;
    std::list<Agent> agents_;
};

}  // namespace

TEST_CASE("real agents that loop or wait are continued by real ones [M-182]") {
    const ScratchDirectory scratch;
    RecordingNotifier notifier;
    Crew crew{scratch};
    Dog dog{SystemClock{}, SqliteStore{scratch / "store.db"}, notifier};
    dog.attach(crew);
    REQUIRE(dog.define(fast_class()));

    common::Truths truths;
    const Elapsed began = dog.clock().now().elapsed;
    const std::vector<std::pair<std::string, std::string_view>> all{
        {"asking", asks}, {"looping", spins}, {"waiting", waits}, {"working", works}};
    for (const auto& [id, script] : all) {
        RunSpec spec;
        spec.id = id;
        spec.work_item = "Work off what the item says.\nRemaining steps: [7,8,9]";  // no brief may be read like this
        spec.plan = {1, 2, 3, 4};
        REQUIRE(dog.start(std::move(spec), "checkpoint_continuation"));
        crew.start(id, 1, script, "");
        const bool stalls = id == "looping" || id == "waiting";
        truths.tell(id, stalls ? std::optional<Duration>{300ms} : std::nullopt);
    }

    std::mutex noting;
    std::string errors;
    const auto note = [&](const CycleReport& cycle) {
        const Duration t = dog.clock().now().elapsed - began;
        const std::lock_guard guard{noting};
        for (const Event& event : cycle.events) {
            truths.note(event, t);
            if (const auto* error = std::get_if<ErrorEvent>(&event)) errors += error->error.message + "\n";
        }
    };
    {
        Runner runner{dog, 100ms, note};
        bool answered = false;
        const auto over = [&] {
            crew.listen(dog);
            if (!answered && crew.agents_of("waiting") == 2) {
                crew.answer("waiting");
                answered = true;
            }
            for (const auto& each : all)
                if (const auto report = dog.report(each.first); !report || report->final_status != "completed")
                    return false;  // "recovered" is one that still works
            return crew.fenced("waiting") > 0;
        };
        const bool ended = heeler_test::wait_for(over);
        INFO(errors);
        CHECK(ended);
    }
    for (const auto& each : all) truths.note_end(each.first, dog.report(each.first)->final_status);
    const Metrics metrics = truths.measured();
    std::printf("%s\n", to_json(metrics).c_str());
    INFO(to_text(metrics));
    CHECK(errors.empty());
    CHECK(metrics.detection_rate.value == 1.0);
    CHECK(metrics.recovery_rate.value == 1.0);
    CHECK(metrics.false_alarm_rate.value == 0.0);
    REQUIRE(metrics.time_to_recovery_s.value);
    CHECK(*metrics.time_to_recovery_s.value > 2);
    CHECK(*metrics.time_to_recovery_s.value < 60);  // 3 on a machine that has nothing else to do
    CHECK(crew.agents_of("asking") == 1);
    CHECK(crew.agents_of("working") == 1);
    CHECK(crew.agents_of("waiting") == 2);
    CHECK(crew.agents_of("looping") == 3);
    CHECK(crew.fenced("waiting") == 1);  // it got its answer when somebody else had taken over
    REQUIRE(notifier.sent().size() == 1);
    CHECK(notifier.sent()[0].alert.kind == "worker.needs_input");  // it asked which one
    CHECK(notifier.sent()[0].alert.run.id == "asking");
    for (const std::string id : {"looping", "waiting"}) {
        const History known = *dog.store().history(id);
        std::string steps;
        for (const CheckpointRow& row : known.checkpoints) steps += std::to_string(row.step.value_or(0));
        CHECK(steps == "1234");
    }
}
