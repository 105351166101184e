// A fresh agent goes on with a run: who is fenced off, what counts, and two watchdogs on one store.
#include <array>
#include <thread>

#include <heeler/store/sqlite_store.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

RunClass continued() { return presets::checkpoint_continuation(); }

RunSpec planned(std::string id = "r") {
    RunSpec spec = bench::spec_of(std::move(id));
    spec.plan = {1, 2, 3, 4};
    return spec;
}

/// A bench whose run is stalled at the next cycle.
struct Stalling : Bench {
    RunHandle handle;

    explicit Stalling(RunClass rules = continued()) {
        classes = {std::move(rules)};
        boot();
        handle = run(planned());
        clock.advance(1201s);
    }
};

/// Watchdogs of their own on one store, as two processes have them.
template <class Store>
struct Twins {
    using Dog = Watchdog<ManualClock, Store, RecordingNotifier>;

    ManualClock clock{Instant{Elapsed{1000s}, WallTime{1'800'000'000s}}};
    RecordingNotifier notifier;
    ScriptedControl control;
    std::array<std::unique_ptr<Dog>, 2> dogs;
    RunHandle handle;

    Twins(Store first, Store second, RunClass rules = continued())
        : dogs{std::make_unique<Dog>(clock, std::move(first), notifier),
               std::make_unique<Dog>(clock, std::move(second), notifier)} {
        for (auto& dog : dogs) {
            dog->attach(control);
            REQUIRE(dog->define(rules));
        }
        const auto started = dogs[0]->start(planned(), std::string_view{rules.name});
        REQUIRE(started);
        handle = *started;
        REQUIRE(dogs[1]->find("r"));
    }

    void checkpoint_after(Duration length, std::int64_t step) {
        clock.advance(length);
        REQUIRE(dogs[0]->checkpoint(handle, {step, "step"}));
    }
    /// Both tick at this moment, each in a thread of its own.
    std::array<CycleReport, 2> both_after(Duration length) {
        clock.advance(length);
        std::array<CycleReport, 2> reports;
        std::thread other{[&] { reports[1] = dogs[1]->cycle(TickCause::on_demand); }};
        reports[0] = dogs[0]->cycle(TickCause::on_demand);
        other.join();
        return reports;
    }
    [[nodiscard]] History known() { return *dogs[0]->store().history("r"); }
    [[nodiscard]] std::size_t spawned() const { return control.requests().size(); }
};

/// The acceptance scenario: 14:00, 14:05, 14:10, then silence; a cycle each quarter of an hour, by both.
template <class Store>
void both_watch(Twins<Store>& twins) {
    twins.checkpoint_after(300s, 1);
    twins.checkpoint_after(300s, 2);
    (void)twins.both_after(300s);
    (void)twins.both_after(900s);
    REQUIRE(twins.spawned() == 0);
    (void)twins.both_after(900s);
    CHECK(twins.spawned() == 1);
    History known = twins.known();
    REQUIRE(known.actions.size() == 1);
    CHECK(known.actions[0].attempt == 1);
    CHECK(known.row->attempt == 2);
    (void)twins.both_after(900s);
    CHECK(twins.spawned() == 1);
    (void)twins.both_after(900s);
    // Whoever meets what the other has written at this moment does nothing, and may be both: then it is done at once.
    if (twins.spawned() == 1) (void)twins.both_after(0s);
    CHECK(twins.spawned() == 2);
    for (int i = 0; i < 4; ++i) (void)twins.both_after(900s);
    known = twins.known();
    CHECK(twins.spawned() == 2);
    CHECK(known.row->state == RunState::failed);
    CHECK(known.row->attempt == 3);
    CHECK(known.checkpoints.size() == 2);
    CHECK(twins.notifier.sent().size() == 1);
}

}  // namespace

TEST_CASE("two watchdogs on one store continue a run once [M-101]") {
    for (int round = 0; round < 30; ++round) {
        MemoryStore memory;
        Twins<MemoryStore> twins{memory, memory};
        both_watch(twins);
    }
}

TEST_CASE("two watchdogs on one SQLite file continue a run once [M-101]") {
    const ScratchLog folder;
    const std::string file = folder.path("heeler.db");
    Twins<SqliteStore> twins{SqliteStore{file}, SqliteStore{file}};
    both_watch(twins);
}

TEST_CASE("who lost takes over what the other watchdog did [M-101]") {
    MemoryStore memory;
    Twins<MemoryStore> twins{memory, memory};
    twins.clock.advance(1201s);
    CHECK(bench::acts_of(twins.dogs[0]->cycle(TickCause::on_demand)) == "spawn done");
    const auto other = twins.dogs[1]->find("r");
    CHECK(twins.dogs[1]->observe_as(*other, 1, Heartbeat{}, twins.clock.now()) == Observed::ok);
    const CycleReport lost = twins.dogs[1]->cycle(TickCause::on_demand);
    CHECK(bench::acts_of(lost).empty());
    CHECK(lost.errors == 1);
    CHECK(twins.dogs[1]->observe_as(*other, 1, Heartbeat{}, twins.clock.now()) == Observed::fenced);
    twins.clock.advance(1199s);
    CHECK(twins.dogs[1]->cycle(TickCause::on_demand).errors == 0);
    twins.clock.advance(2s);
    CHECK(bench::acts_of(twins.dogs[1]->cycle(TickCause::on_demand)) == "spawn done");
    CHECK(twins.known().row->attempt == 3);
}

TEST_CASE("a checkpoint that met a conflict is stored with the next commit, under a number of its own [M-026]") {
    MemoryStore memory;
    RunClass rules = continued();
    rules.stop_proof = StopProofNeeded::presumed;
    Twins<MemoryStore> twins{memory, memory, rules};
    twins.checkpoint_after(300s, 1);
    const auto other = twins.dogs[1]->find("r");
    CHECK_FALSE(twins.dogs[1]->checkpoint(*other, {2, "of the other host"}));
    (void)twins.dogs[1]->observe(*other, StateChange{RunState::waiting_human, {}, {}, {}});
    (void)twins.dogs[1]->cycle(TickCause::on_demand);
    (void)twins.dogs[1]->flush();
    const History known = twins.known();
    REQUIRE(known.checkpoints.size() == 2);
    CHECK(known.checkpoints[0].step == 1);
    CHECK(known.checkpoints[1].step == 2);
    CHECK(known.row->state == RunState::waiting_human);
}

TEST_CASE("an end that met a conflict is not forgotten [M-049]") {
    MemoryStore memory;
    Twins<MemoryStore> twins{memory, memory};
    twins.checkpoint_after(300s, 1);
    CHECK_FALSE(twins.dogs[1]->finish(*twins.dogs[1]->find("r")));
    (void)twins.both_after(2401s);
    (void)twins.dogs[1]->cycle(TickCause::on_demand);
    for (int i = 0; i < 3; ++i) (void)twins.both_after(900s);
    CHECK(twins.spawned() <= 1);  // the other one may have been faster
    CHECK(twins.known().row->state == RunState::completed);
    CHECK(twins.known().row->ended_at);
}

TEST_CASE("an outcome that could not be stored at once counts one attempt [M-100]") {
    Stalling b;
    (void)b.dog->tick(TickCause::on_demand);
    (void)b.dog->deliver();
    b.store.fail(StoreOperation::commit, ErrorCode::busy);
    (void)b.cycle(TickCause::outcome);
    (void)b.cycle(TickCause::outcome);
    b.store.heal();
    (void)b.after(1s);
    CHECK(b.history().row->attempt == 2);
    CHECK(b.history().row->incarnation == 2);
    CHECK(b.asked(ControlVerb::spawn) == 1);
}

TEST_CASE("an intent that could not be stored fences nobody off and starts nobody [M-101]") {
    Stalling b;
    b.store.fail(StoreOperation::commit, ErrorCode::busy);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.asked(ControlVerb::spawn) == 0);
    CHECK(b.dog->observe_as(b.handle, 1, Heartbeat{}, b.clock.now()) == Observed::ok);
    b.store.heal();
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.asked(ControlVerb::spawn) == 1);
    CHECK(b.dog->observe_as(b.handle, 1, Heartbeat{}, b.clock.now()) == Observed::fenced);
    CHECK(b.dog->observe_as(b.handle, 2, Heartbeat{}, b.clock.now()) == Observed::ok);
}

TEST_CASE("only a continuation that may have been started fences anybody off [M-101]") {
    struct Case {
        ControlAnswer answer;
        Observed heard;
    };
    for (const Case& each : {Case{ControlAnswer::ok, Observed::fenced}, Case{ControlAnswer::fail, Observed::ok},
                             Case{ControlAnswer::reject, Observed::ok}, Case{ControlAnswer::unsupported, Observed::ok},
                             Case{ControlAnswer::timeout_but_done, Observed::fenced}}) {
        Stalling b;
        b.control.answer(ControlVerb::spawn, each.answer);
        (void)b.cycle(TickCause::on_demand);
        INFO(static_cast<int>(each.answer));
        CHECK(b.asked(ControlVerb::spawn) == 1);
        CHECK(b.dog->observe_as(b.handle, 1, Heartbeat{}, b.clock.now()) == each.heard);
    }
}

TEST_CASE("that a fresh agent may have been started is no sign of it [M-100]") {
    Stalling b;
    b.control.answer(ControlVerb::spawn, ControlAnswer::timeout_but_done);
    (void)b.dog->tick(TickCause::on_demand);
    b.clock.advance(90s);  // nobody answers for so long
    (void)b.dog->deliver();
    (void)b.cycle(TickCause::outcome);
    CHECK(b.history().row->attempt == 2);
    for (int i = 0; i < 10; ++i) {
        (void)b.after(60s);
        CHECK(b.history().row->status == Status::stalled);
    }
    REQUIRE(b.dog->checkpoint(b.handle, {1, "step", {}, 2}));
    b.clock.advance(60s);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.history().row->status == Status::recovered);
}

TEST_CASE("late reports of a replaced agent are put on record once each incarnation [M-101]") {
    Stalling b;
    (void)b.cycle(TickCause::on_demand);
    for (int i = 0; i < 3; ++i) CHECK_FALSE(b.dog->checkpoint(b.handle, {3, "late", {}, 1}));
    (void)b.after(2s);
    const History known = b.history();
    CHECK(known.checkpoints.empty());
    CHECK(std::count_if(known.audit.begin(), known.audit.end(),
                        [](const AuditRow& row) { return row.kind == "fenced"; }) == 1);
}

TEST_CASE("each checkpoint is kept with who wrote it: the first agent, or which continuation [M-102]") {
    Bench b;
    b.classes = {continued()};
    b.boot();
    const RunHandle run = b.run(planned());
    REQUIRE(b.dog->checkpoint(run, {1, "first"}));
    b.clock.advance(1201s);
    (void)b.cycle(TickCause::on_demand);
    REQUIRE(b.dog->checkpoint(run, {2, "second", {}, 2}));
    b.boot();
    REQUIRE(b.dog->checkpoint(*b.dog->find("r"), {3, "third"}));
    REQUIRE(b.dog->finish(*b.dog->find("r")));
    const History known = b.history();
    REQUIRE(known.checkpoints.size() == 3);
    CHECK(known.checkpoints[0].incarnation == 1);
    CHECK(known.checkpoints[1].incarnation == 2);
    CHECK(known.checkpoints[2].incarnation == 2);
    CHECK(known.row->incarnation == 2);
    CHECK(known.row->state == RunState::completed);
}

TEST_CASE("a stall after a continuation is acted on in the cycle that sees it [M-100]") {
    Stalling b;
    (void)b.cycle(TickCause::on_demand);
    b.clock.advance(1200s);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.asked(ControlVerb::spawn) == 1);
    b.clock.advance(1s);
    (void)b.cycle(TickCause::on_demand);
    CHECK(b.asked(ControlVerb::spawn) == 2);
}

TEST_CASE("in shadow mode the attempts of a run stay as they are [M-100]") {
    RunClass rules = continued();
    rules.mode = Mode::shadow;
    Stalling b{rules};
    for (int i = 0; i < 6; ++i) (void)b.after(1201s);
    CHECK(b.control.requests().empty());
    CHECK(b.notifier.sent().empty());
    CHECK(b.history().row->attempt == 1);
    CHECK(b.history().row->incarnation == 1);
    CHECK(b.acts == "spawn skipped; spawn skipped; escalate skipped, mark_failed skipped");
}
