// Several watchdogs on one store: who holds which runs, who takes over, and that who was paused does no harm.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <thread>

#include <heeler/clock/system_clock.hpp>
#include <heeler/store/sqlite_store.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;

namespace {

/// A board on which agents leave checkpoints, as a table is.
struct Board {
    struct Line {
        std::int64_t step = 0;
        WallTime at{};
        std::uint32_t incarnation = 1;
        std::string text = {};
    };
    std::map<std::string, Line, std::less<>> lines;
    ManualClock clock;
    bool gone = false;
    bool knows_age = false;  ///< it says each time how old the last checkpoint is
    int polls = 0;

    Result<std::vector<PolledRun>> poll(std::span<const RunCursor> runs) {
        ++polls;
        if (gone) return fail(ErrorCode::lost, "the board is gone");
        std::vector<PolledRun> found;
        for (const RunCursor& run : runs) {
            const auto line = lines.find(run.run);
            if (line == lines.end()) {
                found.push_back({run.run, fail(ErrorCode::unknown_run, "no line on the board")});
                continue;
            }
            const std::string cursor = std::to_string(line->second.step);
            if (line->second.step == 0) continue;
            Polled polled;
            polled.cursor = cursor;
            if (knows_age) {
                polled.checkpoint_age = clock.now().wall - line->second.at;
                polled.incarnation = line->second.incarnation;
            }
            if (cursor == run.cursor) {
                found.push_back({run.run, std::move(polled)});
                continue;
            }
            SourceEvent event;
            event.what = CheckpointNote{line->second.step, line->second.text};
            event.age = clock.now().wall - line->second.at;
            event.incarnation = line->second.incarnation;
            polled.events.push_back(event);
            found.push_back({run.run, std::move(polled)});
        }
        return found;
    }
    void write(const std::string& run, std::int64_t step, std::uint32_t incarnation = 1) {
        lines[run] = {step, clock.now().wall, incarnation, "step " + std::to_string(step)};
    }
};

using FleetDog = Watchdog<ManualClock, MemoryStore, RecordingNotifier>;

/// Watchdogs of one fleet. Each has its own clock, so that one can be paused.
struct Fleet {
    static constexpr Instant start{Elapsed{1000s}, WallTime{1'800'000'000s}};

    MemoryStore store;
    Board board;
    ManualClock truth{start};
    ScriptedControl control;
    RecordingNotifier notifier;
    RunClass rules = presets::checkpoint_continuation();
    bool polled = true;
    std::map<std::string, ManualClock> clocks;
    std::map<std::string, std::unique_ptr<FleetDog>> dogs;

    Fleet() {
        board.clock = truth;
        control.set_idempotent(true);
        rules.schedule = {60s, false, false};
    }
    /// `skew`: how far its wall clock is off.
    FleetDog& boot(const std::string& name, Duration skew = {}) {
        EngineSettings settings;
        settings.holder = name;
        Instant now = truth.now();
        now.wall += skew;
        clocks.insert_or_assign(name, ManualClock{now});
        auto& dog = dogs[name] = std::make_unique<FleetDog>(clocks.at(name), store, notifier, settings);
        dog->attach(control);
        REQUIRE(dog->define(rules));
        if (polled) dog->attach(rules.name, board);
        return *dog;
    }
    RunHandle run(FleetDog& dog, const std::string& id) {
        board.lines[id] = {};
        const auto started = dog.start(bench::spec_of(id), std::string_view{rules.name});
        REQUIRE(started);
        REQUIRE(!started->not_stored);
        return *started;
    }
    /// Time passes for all but those who are paused.
    void pass(Duration length, const std::set<std::string>& paused = {}) {
        truth.advance(length);
        store.let_pass(length);
        for (auto& [name, clock] : clocks)
            if (paused.count(name) == 0) clock.advance(length);
    }
    /// As long as it takes, with a cycle of each every 5 s.
    CycleReport live(Duration length, const std::set<std::string>& paused = {}) {
        CycleReport all;
        for (Duration done{}; done < length; done += 5s) {
            pass(5s, paused);
            for (auto& [name, dog] : dogs)
                if (paused.count(name) == 0) all.absorb(dog->cycle());
        }
        return all;
    }
    [[nodiscard]] std::string holder_of(const std::string& run) { return store.history(run)->row->holder; }
    [[nodiscard]] std::vector<Alert> alerts(std::string_view kind) {
        std::vector<Alert> found;
        for (const auto& sent : notifier.sent())
            if (sent.alert.kind == kind) found.push_back(sent.alert);
        return found;
    }
};

/// Says what happens while it sends.
struct SlowNotifier {
    static constexpr std::string_view name = "slow";
    struct Told {
        std::vector<std::string> keys;
        std::function<void()> meanwhile;
    };
    std::shared_ptr<Told> told = std::make_shared<Told>();

    Result<Receipt> send(const Alert& alert) {
        told->keys.push_back(alert.key);
        told->meanwhile();
        return Receipt{};
    }
};

}  // namespace

TEST_CASE("a watchdog among several holds what it registered") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    FleetDog& b = fleet.boot("b");
    fleet.run(a, "r1");
    fleet.run(b, "r2");
    const CycleReport all = fleet.live(60s);
    CHECK(all.errors == 0);
    CHECK(fleet.holder_of("r1") == "a");
    CHECK(fleet.holder_of("r2") == "b");
    CHECK(!b.find("r1"));
    CHECK(a.find("r1"));
}

TEST_CASE("runs that nobody held are shared, and none is held twice") {
    Fleet fleet;
    {
        FleetDog alone{fleet.truth, fleet.store, fleet.notifier};
        REQUIRE(alone.define(fleet.rules));
        for (int i = 0; i < 1200; ++i) fleet.run(alone, "r" + std::to_string(i));
    }
    fleet.boot("a");
    fleet.boot("b");
    (void)fleet.live(15s);
    std::map<std::string, int> held;
    for (int i = 0; i < 1200; ++i) ++held[fleet.holder_of("r" + std::to_string(i))];
    CHECK(held.size() == 2);
    CHECK(held["a"] + held["b"] == 1200);
    CHECK(held["b"] >= 500);
}

TEST_CASE("what stalls after its holder was killed is continued by another, once [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.boot("b");
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(60s);
    fleet.dogs.erase("a");
    (void)fleet.live(10s);
    CHECK(fleet.holder_of("r") == "a");
    (void)fleet.live(15s);
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().empty());
    (void)fleet.live(1200s);
    REQUIRE(fleet.control.requests().size() == 1);
    CHECK(fleet.control.requests()[0].verb == ControlVerb::spawn);
    REQUIRE(fleet.alerts("orchestrator.lost").size() == 1);
    CHECK(fleet.alerts("orchestrator.lost")[0].summary.find("`a`") != std::string::npos);
    CHECK(fleet.alerts("orchestrator.lost")[0].summary.find("1 runs") != std::string::npos);
    const auto audit = fleet.store.history("")->audit;
    CHECK(std::count_if(audit.begin(), audit.end(), [](auto& row) { return row.kind == "orchestrator.lost"; }) == 1);
}

TEST_CASE("a takeover resets no age of a checkpoint") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1100s);
    fleet.dogs.erase("a");
    fleet.boot("b");
    (void)fleet.live(40s);
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().empty());
    (void)fleet.live(180s);
    CHECK(fleet.control.requests().size() == 1);
}

TEST_CASE("who was just taken over is neither ended nor replaced before its last holder must have stopped [M-101]") {
    Fleet fleet;
    fleet.rules.schedule = {5s, false, false};
    fleet.rules.interval.fixed = 5s;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1190s);
    fleet.dogs.erase("a");
    FleetDog& b = fleet.boot("b");
    const RunHandle own = fleet.run(b, "own");
    Duration taken{}, replaced{};
    for (Duration passed{}; passed < 90s; passed += 5s) {
        (void)fleet.live(5s);
        if (taken == Duration{} && fleet.holder_of("r") == "b") taken = passed + 5s;
        if (replaced == Duration{} && !fleet.control.requests().empty()) replaced = passed + 5s;
    }
    REQUIRE(taken > Duration{});
    CHECK(fleet.control.requests().size() == 1);
    CHECK(replaced - taken >= 20s);  // a lease and the time to its next renewal
    CHECK(replaced - taken <= 30s);
    // One that nobody held before waits for nothing.
    (void)own;
    (void)fleet.live(1130s);
    CHECK(fleet.control.requests().size() == 2);
}

TEST_CASE("who was paused longer than its lease does nothing more to what others took [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.boot("b");
    const RunHandle handle = fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1140s);
    fleet.pass(65s);
    SECTION("between the commit and the action") {
        const CycleReport cycle = a.tick();
        REQUIRE(cycle.acted == 1);
        REQUIRE(fleet.store.history("r")->actions.size() == 1);
    }
    SECTION("before the cycle"){}(void)fleet.live(120s, {"a"});
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().size() == 1);
    const std::size_t actions = fleet.store.history("r")->actions.size();
    CHECK(actions == 1);
    // It wakes up where it stood, and only then notices how late it is.
    fleet.clocks.at("a").set(fleet.truth.now());
    (void)a.deliver();
    CHECK(fleet.control.requests().size() == 1);
    const CycleReport awake = a.cycle();
    CHECK(awake.errors == 1);
    const auto errors = all_of<ErrorEvent>(awake);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].error.code == ErrorCode::fenced);
    CHECK(a.observe(handle, Heartbeat{}) == Observed::elsewhere);
    CHECK(!a.checkpoint(handle, {2, "late"}));
    (void)fleet.live(60s);
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().size() == 1);
    CHECK(fleet.store.history("r")->actions.size() == actions);
    CHECK(fleet.store.history("r")->checkpoints.size() == 1);
}

TEST_CASE("a write under a lease that was lost is refused, whatever this process believes [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.boot("b");
    fleet.run(a, "r");
    (void)fleet.live(30s);
    // Its own clock stands still: it still trusts its lease.
    (void)fleet.live(30s, {"a"});
    REQUIRE(fleet.holder_of("r") == "b");
    const std::uint64_t version = fleet.store.history("r")->row->version;
    const auto refused = a.start(bench::spec_of("new"), std::string_view{fleet.rules.name});
    REQUIRE(refused);
    REQUIRE(refused->not_stored);
    CHECK(refused->not_stored->code == ErrorCode::fenced);
    CHECK(fleet.store.history("r")->row->version == version);
    // What was never stored is still its own, and is stored under the next lease.
    fleet.clocks.at("a").set(fleet.truth.now());
    (void)fleet.live(10s);
    CHECK(fleet.holder_of("new") == "a");
}

TEST_CASE("runs that only the dead process could observe wait for a host that registers them [M-101]") {
    Fleet fleet;
    fleet.polled = false;
    FleetDog& a = fleet.boot("a");
    FleetDog& b = fleet.boot("b");
    fleet.run(a, "r");
    (void)fleet.live(30s);
    fleet.dogs.erase("a");
    (void)fleet.live(3000s);
    CHECK(fleet.holder_of("r") == "a");
    CHECK(fleet.control.requests().empty());
    REQUIRE(fleet.alerts("orchestrator.lost").size() == 1);
    CHECK(fleet.alerts("orchestrator.lost")[0].severity == Severity::critical);
    SECTION("the same one after a restart") {
        FleetDog& again = fleet.boot("a");
        (void)fleet.live(5s);
        CHECK(again.find("r"));
        CHECK(fleet.holder_of("r") == "a");
    }
    SECTION("another one that takes it up") {
        const auto handle = b.find("r");
        REQUIRE(handle);
        CHECK(b.observe(*handle, Heartbeat{}) == Observed::ok);
        CHECK(fleet.holder_of("r") == "b");
    }
    SECTION("another one that starts it again") {
        const auto handle = b.start(bench::spec_of("r"), std::string_view{fleet.rules.name});
        REQUIRE(handle);
        CHECK(!handle->not_stored);
        CHECK(fleet.holder_of("r") == "b");
    }
    (void)fleet.live(60s);
    CHECK(fleet.alerts("orchestrator.lost").size() == 1);
}

TEST_CASE("who dies before it told of a lost watchdog leaves that to one other [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    FleetDog& b = fleet.boot("b");
    fleet.run(a, "r");
    (void)fleet.live(10s);
    fleet.dogs.erase("a");
    for (int i = 0; i < 6; ++i) {
        fleet.pass(5s);
        (void)b.tick();
    }
    REQUIRE(fleet.holder_of("r") == "b");
    REQUIRE(fleet.alerts("orchestrator.lost").empty());
    const auto told_of = [&](const std::string& name) {
        int count = 0;
        for (const Alert& alert : fleet.alerts("orchestrator.lost"))
            count += alert.summary.find("`" + name + "`") != std::string::npos ? 1 : 0;
        return count;
    };
    SECTION("one of two who find it lost") {
        fleet.dogs.erase("b");
        fleet.boot("c");
        fleet.boot("d");
        (void)fleet.live(60s);
        CHECK(told_of("b") == 1);
        CHECK_THAT(fleet.alerts("orchestrator.lost")[0].summary, Catch::Contains("it held 1 runs"));
    }
    SECTION("itself, when it is started again") {
        fleet.boot("b");
        (void)fleet.live(60s);
        CHECK(told_of("b") == 0);
    }
    SECTION("one that it does not interrupt when it wakes up") {
        fleet.boot("c");
        (void)fleet.live(60s, {"b"});
        CHECK(told_of("b") == 1);
        fleet.clocks.at("b").set(fleet.truth.now());
        (void)b.deliver();
        (void)fleet.live(60s);
    }
    SECTION("nobody, if it dies after that") {
        (void)b.deliver();
        CHECK(told_of("a") == 1);
        fleet.dogs.erase("b");
        fleet.boot("c");
        (void)fleet.live(60s);
        CHECK(told_of("b") == 1);
    }
    CHECK(told_of("a") == 1);
}

TEST_CASE("a run whose holder lives is nobody else's to start or find") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    FleetDog& b = fleet.boot("b");
    fleet.run(a, "r");
    (void)fleet.live(10s);
    const auto second = b.start(bench::spec_of("r"), std::string_view{fleet.rules.name});
    REQUIRE(!second);
    CHECK(second.error().code == ErrorCode::duplicate);
    CHECK(!b.find("r"));
    CHECK(fleet.holder_of("r") == "a");
    CHECK(a.find("r"));
}

TEST_CASE("an alert that takes longer than a lease to send is sent once, where its holder goes on to tick [M-125]") {
    ManualClock clock{Fleet::start};
    MemoryStore store;
    ScriptedControl control;
    SlowNotifier notifier;
    using Dog = Watchdog<ManualClock, MemoryStore, SlowNotifier>;
    const auto boot = [&](const char* holder) {
        EngineSettings settings;
        settings.holder = holder;
        auto dog = std::make_unique<Dog>(clock, store, notifier, settings);
        dog->attach(control);
        REQUIRE(dog->define(bench::minute_class()));
        return dog;
    };
    const auto a = boot("a"), b = boot("b");
    const auto pass = [&] {
        clock.advance(4s);
        store.let_pass(4s);
    };
    const auto run = a->start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    (void)a->observe(*run, Progress{1});
    std::uint64_t errors = 0;
    notifier.told->meanwhile = [&] {
        for (Duration sending{}; sending < 40s; sending += 4s) {
            pass();
            errors += a->tick().errors + b->cycle().errors;
        }
    };
    for (int i = 0; i < 40; ++i) {
        pass();
        errors += a->cycle().errors + b->cycle().errors;
    }
    CHECK(errors == 0);
    CHECK(notifier.told->keys.size() == 1);
    const History history = *store.history("r");
    CHECK(history.row->holder == "a");
    REQUIRE(history.alerts.size() == 1);
    CHECK(history.alerts[0].state == AlertRow::State::delivered);
}

TEST_CASE("who leaves in order is not missed, and is replaced at once") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.boot("b");
    fleet.run(a, "r");
    (void)fleet.live(10s);
    REQUIRE(a.leave());
    fleet.dogs.erase("a");
    (void)fleet.live(10s);
    CHECK(fleet.holder_of("r") == "b");
    (void)fleet.live(60s);
    CHECK(fleet.alerts("orchestrator.lost").empty());
}

TEST_CASE("a second watchdog of the same name judges nothing") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    (void)fleet.live(10s);
    EngineSettings settings;
    settings.holder = "a";
    FleetDog twin{fleet.truth, fleet.store, fleet.notifier, settings};
    REQUIRE(twin.define(fleet.rules));
    const CycleReport report = twin.cycle();
    CHECK(report.checked == 0);
    const auto errors = all_of<ErrorEvent>(report);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].error.code == ErrorCode::busy);
    CHECK(errors[0].where == "lease");
}

TEST_CASE("an operator's decision is carried out by the holder") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    FleetDog& b = fleet.boot("b");
    fleet.run(b, "r");
    (void)fleet.live(10s);
    DecisionRow freeze;
    freeze.run = "r";
    freeze.verb = Verb::freeze;
    freeze.by = "eve";
    REQUIRE(a.decide(freeze));
    (void)a.cycle();
    REQUIRE(fleet.store.list()->size() == 1);
    (void)b.cycle();
    CHECK(fleet.store.list()->empty());
    (void)fleet.live(1300s);
    for (const auto& request : fleet.control.requests()) CHECK(request.run != "r");
}

TEST_CASE("a watchdog among several needs a store that knows leases, and settings that can work") {
    struct Plain {
        MemoryStore inner{};
        Result<Snapshot> load() { return inner.load(); }
        Result<List<DecisionRow>> list() { return inner.list(); }
        Result<Conflicts> commit(const Batch& batch) { return inner.commit(batch); }
        Result<History> history(std::string_view run) { return inner.history(run); }
    };
    EngineSettings settings;
    settings.holder = "a";
    Watchdog<ManualClock, Plain, RecordingNotifier> dog{ManualClock{Fleet::start}, Plain{}, RecordingNotifier{},
                                                        settings};
    auto errors = all_of<ErrorEvent>(dog.cycle());
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].error.code == ErrorCode::unsupported);

    settings.renew_every = 10s;
    FleetDog hasty{ManualClock{Fleet::start}, MemoryStore{}, RecordingNotifier{}, settings};
    errors = all_of<ErrorEvent>(hasty.cycle());
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].error.message.find("renew_every") != std::string::npos);
}

TEST_CASE("an outage of the store longer than the lease holds everything, and costs nobody a run [M-101]") {
    FaultStore<MemoryStore> store;
    ManualClock clock{Fleet::start};
    Board board;
    board.clock = clock;
    ScriptedControl control;
    EngineSettings settings;
    settings.holder = "a";
    RunClass rules = presets::checkpoint_continuation();
    rules.schedule = {60s, false, false};
    Watchdog<ManualClock, FaultStore<MemoryStore>, RecordingNotifier> dog{clock, store, RecordingNotifier{}, settings};
    dog.attach(control);
    REQUIRE(dog.define(rules));
    dog.attach(rules.name, board);
    board.lines["r"] = {};
    const auto handle = dog.start(bench::spec_of("r"), std::string_view{rules.name});
    REQUIRE(handle);
    (void)dog.cycle();
    store.crash();
    for (int i = 0; i < 400; ++i) {
        clock.advance(5s);
        store.inner().let_pass(5s);
        (void)dog.cycle();
    }
    CHECK(control.requests().empty());
    store.revive();
    for (int i = 0; i < 300; ++i) {
        clock.advance(5s);
        store.inner().let_pass(5s);
        (void)dog.cycle();
    }
    CHECK(dog.find("r"));
    CHECK(control.requests().size() == 1);
    CHECK(store.inner().history("r")->row->epoch == 1);
}

TEST_CASE("what an older incarnation leaves on the board is not heard [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1320s);
    REQUIRE(fleet.control.requests().size() == 1);
    fleet.board.write("r", 2, 1);
    (void)fleet.live(120s);
    CHECK(fleet.store.history("r")->checkpoints.size() == 1);
    const auto audit = fleet.store.history("r")->audit;
    CHECK(std::count_if(audit.begin(), audit.end(), [](auto& row) { return row.kind == "fenced"; }) == 1);
    fleet.board.write("r", 3, 2);
    (void)fleet.live(120s);
    CHECK(fleet.store.history("r")->checkpoints.size() == 2);
}

TEST_CASE("a class's source is polled once a cycle, and nothing is judged while it is gone") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    for (int i = 0; i < 50; ++i) fleet.run(a, "r" + std::to_string(i));
    (void)fleet.live(50s);
    const int before = fleet.board.polls;
    (void)fleet.live(10s);
    CHECK(fleet.board.polls == before + 1);
    fleet.board.gone = true;
    const CycleReport dark = fleet.live(3000s);
    CHECK(all_of<ErrorEvent>(dark).size() == 1);
    CHECK(fleet.control.requests().empty());
    fleet.board.gone = false;
    CHECK(all_of<ErrorEvent>(fleet.live(60s)).empty());
    CHECK(fleet.control.requests().empty());  // each has the whole limit to show itself
    (void)fleet.live(1320s);
    CHECK(fleet.control.requests().size() == 50);
    fleet.board.lines.erase("r7");
    const CycleReport light = fleet.live(120s);
    REQUIRE(all_of<ErrorEvent>(light).size() == 1);
    CHECK(all_of<ErrorEvent>(light)[0].run == "r7");
    // That one run is lost already does not hide that all of them are.
    fleet.board.gone = true;
    CHECK(all_of<ErrorEvent>(fleet.live(60s)).size() == 1);
}

TEST_CASE("watchdogs that stand still at any moment start nobody twice [M-101]") {
    Fleet fleet;
    fleet.rules.ladder.as<RecoveryLadder>()->max_continuations = 5;
    constexpr int runs = 60;
    {
        FleetDog alone{fleet.truth, fleet.store, fleet.notifier};
        REQUIRE(alone.define(fleet.rules));
        for (int i = 0; i < runs; ++i) fleet.run(alone, "r" + std::to_string(i));
    }
    // A board of its own for each: they are polled from different threads.
    std::map<std::string, Board> boards;
    for (const std::string name : {"a", "b", "c"}) {
        Board& board = boards[name] = fleet.board;
        fleet.boot(name).attach(fleet.rules.name, board);
    }
    std::atomic<bool> over{false};
    std::atomic<int> lost{0};
    std::atomic<int> cycles{0};
    std::vector<std::thread> threads;
    for (auto& [name, dog] : fleet.dogs)
        threads.emplace_back([&, dog = dog.get(), seed = static_cast<std::uint32_t>(name[0])]() mutable {
            while (!over) {
                const CycleReport report = dog->tick();
                ++cycles;
                for (const auto& error : all_of<ErrorEvent>(report)) lost += error.where == "lease" ? 1 : 0;
                seed = seed * 1'664'525u + 1'013'904'223u;
                // Longer than its lease, sometimes: what was decided before is carried out after.
                if (seed >> 29 == 0) std::this_thread::sleep_for(60ms);
                (void)dog->deliver();
            }
        });
    for (int second = 0; second < 4500; ++second) {
        // On a busy machine time must not be over before any of them was there.
        const int seen = cycles;
        fleet.pass(1s);
        if (second % 2 == 0) std::this_thread::sleep_for(1ms);
        while (second % 10 == 0 && cycles == seen) std::this_thread::sleep_for(1ms);
    }
    over = true;
    for (auto& thread : threads) thread.join();
    for (int i = 0; i < 10; ++i) (void)fleet.live(60s);

    CHECK(lost > 0);
    std::set<std::string> keys;
    std::map<std::pair<std::string, std::uint32_t>, std::set<std::string>> started;
    for (const auto& request : fleet.control.requests()) {
        if (request.verb != ControlVerb::spawn) continue;
        keys.insert(request.key);
        started[{request.run, request.attempt}].insert(request.key);
    }
    CHECK(keys.size() >= runs);
    for (const auto& [which, under] : started) {
        INFO(which.first << " attempt " << which.second);
        CHECK(under.size() == 1);
    }
    for (int i = 0; i < runs; ++i) {
        const History known = *fleet.store.history("r" + std::to_string(i));
        std::set<std::uint32_t> attempts;
        for (const Action& action : known.actions)
            if (action.kind == ActionKind::spawn) CHECK(attempts.insert(action.attempt).second);
        CHECK(known.row->attempt == attempts.size() + 1);
    }
}

TEST_CASE("in one SQLite file, with real time: who stands still is replaced, and its late write refused [M-101]") {
    const ScratchLog folder;
    const std::string path = folder.path("store.db");
    EngineSettings settings;
    settings.lease = 2s;
    settings.renew_every = 500ms;
    settings.lease_margin = 100ms;
    settings.flush_every = 20ms;
    RunClass rules = presets::checkpoint_continuation();
    Board board;
    const auto boot = [&](const std::string& name) {
        settings.holder = name;
        auto dog = std::make_unique<Watchdog<SystemClock, SqliteStore, RecordingNotifier>>(
            SystemClock{}, SqliteStore{path}, RecordingNotifier{}, settings);
        REQUIRE(dog->define(rules));
        dog->attach(rules.name, board);
        return dog;
    };
    auto a = boot("a");
    auto b = boot("b");
    const auto handle = a->start(bench::spec_of("r"), std::string_view{rules.name});
    REQUIRE(handle);
    REQUIRE(!handle->not_stored);
    CHECK(a->cycle().errors == 0);
    for (int i = 0; i < 3000 && !b->find("r"); ++i) {
        (void)b->cycle();
        std::this_thread::sleep_for(20ms);
    }
    REQUIRE(b->find("r"));
    CHECK(SqliteStore{path}.history("r")->row->holder == "b");
    const auto late = a->checkpoint(*handle, {1, "late"});
    CHECK(!late);
    const auto errors = all_of<ErrorEvent>(a->cycle());
    REQUIRE(!errors.empty());
    CHECK(errors[0].error.code == ErrorCode::fenced);
    CHECK(a->checkpoint(*handle, {1, "late"}).error().code == ErrorCode::ended);
    CHECK(SqliteStore{path}.history("r")->checkpoints.empty());
    (void)b->cycle();
    REQUIRE(b->notifier().sent().size() == 1);
    CHECK(b->notifier().sent()[0].alert.kind == "orchestrator.lost");
}

TEST_CASE("a takeover by a host whose clock is off by five minutes judges neither early nor late [M-101]") {
    const Duration skew = GENERATE(-300s, 0s, 300s);
    INFO("skew " << skew.count() / 1'000'000 << " s");
    Fleet fleet;
    fleet.board.knows_age = true;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    (void)fleet.live(60s);
    fleet.board.write("r", 1);
    (void)fleet.live(1000s);
    fleet.dogs.erase("a");
    fleet.boot("b", skew);
    (void)fleet.live(190s);
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().empty());
    (void)fleet.live(80s);
    CHECK(fleet.control.requests().size() == 1);
    // The new agent has an age of its own, and what the board says of the one before it is not taken for it.
    (void)fleet.live(1100s);
    CHECK(fleet.control.requests().size() == 1);
}

TEST_CASE("a takeover from a host whose clock is a day ahead finds who stands still all the same [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a", 24h);
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1000s);
    fleet.dogs.erase("a");
    fleet.boot("b");
    (void)fleet.live(190s);
    CHECK(fleet.holder_of("r") == "b");
    CHECK(fleet.control.requests().empty());
    (void)fleet.live(1200s);
    CHECK(fleet.control.requests().size() == 1);
}

TEST_CASE("a start while the store fails keeps nobody from the run that is stored already [M-101]") {
    MemoryStore shared;
    FaultStore<MemoryStore> store{shared};
    ManualClock clock{Fleet::start};
    ScriptedControl control;
    RunClass rules = presets::checkpoint_continuation();
    const auto boot = [&](auto& dog) {
        dog->attach(control);
        REQUIRE(dog->define(rules));
    };
    const auto named = [](std::string name) {
        EngineSettings settings;
        settings.holder = std::move(name);
        return settings;
    };
    auto a = std::make_unique<FleetDog>(clock, shared, RecordingNotifier{}, named("a"));
    auto b = std::make_unique<Watchdog<ManualClock, FaultStore<MemoryStore>, RecordingNotifier>>(
        clock, store, RecordingNotifier{}, named("b"));
    boot(a);
    boot(b);
    REQUIRE(a->start(bench::spec_of("r"), std::string_view{rules.name}));
    (void)b->cycle();
    const auto live = [&](bool with_a) {
        CycleReport all;
        for (int i = 0; i < 20; ++i) {
            clock.advance(5s);
            shared.let_pass(5s);
            if (with_a) (void)a->cycle();
            all.absorb(b->cycle());
        }
        return all;
    };
    clock.advance(1s);
    store.fail(StoreOperation::commit, ErrorCode::lost);
    const auto again = b->start(bench::spec_of("r"), std::string_view{rules.name});
    REQUIRE(again);
    REQUIRE(again->not_stored);
    store.heal();
    SECTION("its holder lives") {
        const auto said = all_of<ErrorEvent>(live(true));
        REQUIRE(said.size() == 1);
        CHECK(said[0].error.code == ErrorCode::duplicate);
        CHECK(shared.history("r")->row->holder == "a");
        CHECK(b->observe(*again, Heartbeat{}) == Observed::elsewhere);
        CHECK(a->find("r"));
    }
    SECTION("its holder is gone, and only the host can tell of the run") {
        a.reset();
        (void)live(false);
        REQUIRE(b->find("r"));
        CHECK(shared.history("r")->row->holder == "b");
    }
    SECTION("its holder is gone, and everybody can see the run") {
        a.reset();
        Board board;
        board.clock = clock;
        board.lines["r"] = {};
        b->attach(rules.name, board);
        (void)live(false);
        CHECK(shared.history("r")->row->holder == "b");
        CHECK(b->observe(*b->find("r"), Heartbeat{}) == Observed::ok);
        CHECK(all_of<ErrorEvent>(live(false)).empty());
    }
}

TEST_CASE("a claim whose answer got lost is made again under another epoch [M-101]") {
    FaultStore<MemoryStore> store;
    ManualClock clock{Fleet::start};
    RunClass rules = presets::checkpoint_continuation();
    {
        FleetDog alone{clock, store.inner(), RecordingNotifier{}};
        REQUIRE(alone.define(rules));
        for (int i = 0; i < 5; ++i) REQUIRE(alone.start(bench::spec_of("r" + std::to_string(i)), rules.name));
    }
    EngineSettings settings;
    settings.holder = "a";
    Watchdog<ManualClock, FaultStore<MemoryStore>, RecordingNotifier> dog{clock, store, RecordingNotifier{}, settings};
    (void)dog.cycle();  // no class is defined yet: it gets a lease and no run
    REQUIRE(dog.define(rules));
    clock.advance(2s);
    store.fail(StoreOperation::claim, ErrorCode::io, FaultEffect::executed);
    CHECK(all_of<ErrorEvent>(dog.cycle()).size() == 1);
    CHECK(store.inner().history("r0")->row->holder == "a");
    CHECK(!dog.find("r0"));
    store.heal();
    for (int i = 0; i < 20; ++i) {
        clock.advance(2s);
        store.inner().let_pass(2s);
        (void)dog.cycle();
    }
    for (int i = 0; i < 5; ++i) CHECK(dog.find("r" + std::to_string(i)));
    CHECK(store.inner().history("r0")->row->epoch == 2);
}

TEST_CASE("what an agent leaves while it is not yet replaced is not lost if it keeps its run [M-101]") {
    Fleet fleet;
    FleetDog& a = fleet.boot("a");
    fleet.run(a, "r");
    fleet.board.write("r", 1);
    (void)fleet.live(1195s);
    fleet.pass(65s);
    REQUIRE(a.tick().acted == 1);
    fleet.board.write("r", 2);
    fleet.pass(60s);
    (void)a.tick();
    CHECK(fleet.store.history("r")->checkpoints.size() == 1);
    fleet.control.answer(ControlVerb::spawn, ControlAnswer::reject);
    (void)a.deliver();
    (void)a.tick(TickCause::outcome);
    fleet.pass(60s);
    (void)a.cycle();
    CHECK(fleet.store.history("r")->checkpoints.size() == 2);
    CHECK(fleet.store.history("r")->row->attempt == 1);
}

TEST_CASE("where another watchdog may hold a child nobody says that all children are over [M-192]") {
    bench::Bench b;
    const std::string name = GENERATE("", "dog");
    b.settings.holder = name;
    b.settings.lease = 150s;
    b.settings.renew_every = 30s;
    b.settings.lease_margin = 10s;
    b.boot();
    const RunHandle parent = b.run("parent");
    RunSpec spec = bench::spec_of("child");
    spec.parent = "parent";
    const RunHandle child = b.run(spec);
    (void)b.dog->observe(parent, StateChange{RunState::waiting_child});
    (void)b.after(30s);
    REQUIRE(b.dog->finish(child));
    for (int i = 0; i < 30; ++i) (void)b.after(30s);
    int told = 0;
    for (const Alert& alert : b.notifier.delivered()) told += alert.kind == "worker.needs_input" ? 1 : 0;
    CHECK(told == (name.empty() ? 1 : 0));
}
