// Trails of tests/model/continuation.pml, step by step, with two watchdogs and a table of agents in SQLite. All on one
// thread: while one is held, the other one's steps run inside its call.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <heeler/agent/sqlite_agent_table.hpp>
#include <heeler/agent/table_fenced_control.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// Has `find`, and is not harmless to repeat.
struct FindingControl {
    std::vector<std::string> started{};
    bool throws_next = false;  ///< although it has started the agent

    Result<ActionDone> spawn(const ActionRequest& asked) {
        started.emplace_back(asked.key);
        if (std::exchange(throws_next, false)) throw std::runtime_error{"no answer"};
        return ActionDone{};
    }
    Result<Found> find(std::string_view key) const {
        return std::find(started.begin(), started.end(), key) == started.end() ? Found::absent : Found::found;
    }
};

/// What is done to the next transaction: held before it begins, or cut before it takes effect.
struct Meddler {
    std::function<void()> held{};
    bool cut = false;
};

class MeddledLink : public detail::SqliteAgentLink {
public:
    MeddledLink(std::string path, Meddler& meddler) : SqliteAgentLink{std::move(path), 2s}, meddler_{&meddler} {}

    template <class Work>
    [[nodiscard]] auto locked(Work work) -> decltype(work()) {
        if (const auto others_steps = std::exchange(meddler_->held, {})) others_steps();
        if (std::exchange(meddler_->cut, false)) return fail(ErrorCode::lost, "the connection was lost");
        return SqliteAgentLink::locked(work);
    }

private:
    Meddler* meddler_;
};

/// What is seen of a run is in no source: it is stalled once it is old enough.
struct Silence {
    static Result<std::vector<PolledRun>> poll(std::span<const RunCursor>) { return std::vector<PolledRun>{}; }
};

using TrailDog = Watchdog<ManualClock, MemoryStore, RecordingNotifier>;

struct Shared {
    ScratchLog folder;
    MemoryStore store;
    RecordingNotifier notifier;
    FindingControl control;
    Silence silence;
    RunClass rules = presets::checkpoint_continuation();

    Shared() { rules.schedule = {60s, false, false}; }

    [[nodiscard]] std::ptrdiff_t spawns(ActionOutcome outcome) {
        const auto actions = store.history("r")->actions;
        return std::count_if(actions.begin(), actions.end(), [&](const Action& action) {
            return action.kind == ActionKind::spawn && action.outcome == outcome;
        });
    }
    [[nodiscard]] std::string holder() { return store.history("r")->row->holder; }
    [[nodiscard]] bool started_one_or_told() {
        return control.started.size() == 1 || spawns(ActionOutcome::unknown) > 0;
    }
};

/// A watchdog with a clock and a connection to the agents' table of its own.
struct Holder {
    Holder(Shared& shared, const std::string& name)
        : shared_{shared}, table{{shared.folder.path("agents.db"), meddler}, 1s} {
        EngineSettings settings;
        settings.holder = name;
        dog = std::make_unique<TrailDog>(clock, shared.store, shared.notifier, settings);
        dog->attach(control);
        REQUIRE(dog->define(shared.rules));
        dog->attach(shared.rules.name, shared.silence);
    }
    /// Time passes for this one and for the store; whoever stands still does not see it.
    template <class Done>
    void live_until(Done done) {
        for (int i = 0; i < 300 && !done(); ++i) {
            shared_.store.let_pass(5s);
            clock.advance(5s);
            (void)dog->cycle();
        }
    }

    Shared& shared_;
    Meddler meddler;
    ManualClock clock{Instant{Elapsed{1000s}, WallTime{1'800'000'000s}}};
    AgentTable<MeddledLink> table;
    TableFencedControl<AgentTable<MeddledLink>, FindingControl> control{table, shared_.control};
    std::unique_ptr<TrailDog> dog;
};

/// A run whose agent left its row older than `checkpoint_every`.
void start_run(Shared& shared, Holder& holder) {
    REQUIRE(holder.table.enlist("r"));
    std::this_thread::sleep_for(1100ms);
    REQUIRE(holder.dog->start(bench::spec_of("r"), std::string_view{shared.rules.name}));
}

}  // namespace

TEST_CASE("trail paused_before_its_claim: nobody is started twice unless a person is told") {
    Shared shared;
    Holder w1{shared, "w1"};
    Holder w2{shared, "w2"};
    start_run(shared, w2);
    w2.meddler.held = [&] {
        CHECK(shared.spawns(ActionOutcome::intended) == 1);
        w1.meddler.cut = true;
        w1.live_until([&] { return !w1.meddler.cut; });
        CHECK(shared.holder() == "w1");
        CHECK(shared.control.started.empty());
    };
    w2.live_until([&] { return !shared.control.started.empty(); });
    CHECK(!w2.meddler.held);
    CHECK(!w1.meddler.cut);
    w1.live_until([&] { return shared.control.started.size() > 1; });
    CHECK(shared.started_one_or_told());
}

TEST_CASE("trail spawn_that_throws: nobody is started twice unless a person is told") {
    Shared shared;
    Holder w1{shared, "w1"};
    Holder w2{shared, "w2"};
    start_run(shared, w1);
    shared.control.throws_next = true;
    w1.live_until([&] { return !shared.control.started.empty(); });
    REQUIRE(shared.control.started.size() == 1);
    w2.live_until([&] { return shared.control.started.size() > 1; });
    CHECK(shared.holder() == "w2");
    CHECK(shared.started_one_or_told());
}
