// More runs are due than one tick looks at.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include <heeler/engine/runner.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t part = heeler_test::is_slowed ? 500 : 5000;
constexpr std::uint32_t flood = part * 12 / 5;

/// Runs of which the first half is due a second earlier than the rest, by ids in no order.
struct Flooded : bench::Bench {
    explicit Flooded(RunClass rules = bench::minute_class()) {
        classes = {std::move(rules)};
        if (heeler_test::is_slowed) settings.due_per_tick = part;
        boot();
        for (std::uint32_t i = 0; i < flood; ++i) {
            if (i == flood / 2) clock.advance(1s);
            const std::string id = name(i);
            (i < flood / 2 ? old : young)[id] = 0;
            run(id);
        }
    }
    [[nodiscard]] static std::string name(std::uint32_t i) { return "r" + std::to_string(i * 7919 % flood); }

    /// Counts who was judged for the first time: each such verdict speaks.
    void count(const CycleReport& report) {
        for (const auto& event : bench::all_of<StatusEvent>(report))
            ++(old.contains(event.run) ? old : young)[event.run];
    }
    [[nodiscard]] static long judged(const std::map<std::string, int>& runs, int times) {
        return std::count_if(runs.begin(), runs.end(), [&](const auto& each) { return each.second == times; });
    }

    std::map<std::string, int> old, young;
};

}  // namespace

TEST_CASE("12,000 due runs are judged in three ticks, the longest overdue first, and the rest is due at once") {
    Flooded b;
    b.clock.advance(2min);
    CycleReport first = b.dog->tick();
    CHECK(first.checked == part);
    CHECK(first.left == flood - part);
    CHECK(bench::all_of<StatusEvent>(first).size() == part);  // nothing is decided of the others
    CHECK(b.dog->next_deadline() <= b.clock.now().elapsed);
    b.count(first);
    CHECK(Flooded::judged(b.old, 1) == part);
    CHECK(Flooded::judged(b.young, 1) == 0);
    const CycleReport second = b.dog->tick();
    CHECK(second.checked == part);
    CHECK(second.left == flood - 2 * part);
    b.count(second);
    CHECK(Flooded::judged(b.old, 1) == flood / 2);
    const CycleReport third = b.dog->tick();
    CHECK(third.checked == flood - 2 * part);
    CHECK(third.left == 0);
    b.count(third);
    CHECK(Flooded::judged(b.young, 1) == flood / 2);
    CHECK(b.dog->next_deadline() > b.clock.now().elapsed);
    CHECK(b.dog->tick().checked == 0);
}

TEST_CASE("who calls a whole cycle has all of a flood judged, and what was found first delivered between") {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_off<HeartbeatContract<Intervals>>().turn_on<RunTimeout>({90s});
    rules.ladder = WatchLadder{};
    Flooded b{rules};
    b.clock.advance(2min);
    const CycleReport all = b.cycle();
    CHECK(all.checked == flood);
    CHECK(all.ticks == 3);
    const auto first_sent = std::find_if(all.events.begin(), all.events.end(),
                                         [](const Event& event) { return std::holds_alternative<AlertEvent>(event); });
    const auto verdicts_before = std::count_if(
        all.events.begin(), first_sent, [](const Event& event) { return std::holds_alternative<StatusEvent>(event); });
    CHECK(verdicts_before == part);
    CHECK(b.notifier.sent().size() == flood);
}

TEST_CASE("a watchdog that begins with more runs than it looks at judges them in parts") {
    bench::Bench b;
    b.settings.due_per_tick = 50;
    b.boot();
    for (int i = 0; i < 120; ++i) b.run("r" + std::to_string(i));
    (void)b.cycle();
    b.boot();
    b.clock.advance(2min);
    std::map<std::string, int> judged;
    for (const std::uint64_t left : {70u, 20u, 0u}) {
        const CycleReport report = b.dog->tick(left == 70 ? TickCause::startup : TickCause::period);
        CHECK(report.left == left);
        for (const auto& event : bench::all_of<StatusEvent>(report)) ++judged[event.run];
    }
    CHECK(Flooded::judged(judged, 1) == 120);
}

TEST_CASE("who asks for every run has every run judged at once") {
    Flooded b;
    const CycleReport report = b.dog->tick(TickCause::on_demand);
    CHECK((report.checked == flood && report.left == 0));
}

TEST_CASE("a cycle of a whole class is not divided") {
    RunClass rules = bench::all_workers();
    bench::Bench b;
    b.classes = {rules};
    b.settings.due_per_tick = 2;
    b.boot();
    for (const char* id : {"a", "b", "c", "d", "e"}) b.run(id);
    CHECK(b.after(30s).checked == 5);
    CHECK(b.after(30s).checked == 5);
}

TEST_CASE("the rest of a flood that comes at once says nothing about how often a host calls") {
    bench::Bench b;
    b.settings.due_per_tick = 2;
    b.boot();
    for (const char* id : {"a", "b", "c", "d", "e"}) b.run(id);
    for (int i = 0; i < 8; ++i)
        for (const auto& event : bench::all_of<AuditEvent>(b.after(60s))) CHECK(event.row.kind != "away");
    CHECK(b.dog->vitals().called_every == 60s);
}

TEST_CASE("100,000 heartbeats within a second are one row, and the others are judged in time") {
    bench::Bench b;
    const RunHandle loud = b.run("loud");
    for (int i = 0; i < 100; ++i) b.progress(b.run("r" + std::to_string(i)), 1);
    b.minutes(1);
    b.progress(loud, 1);
    (void)b.after(58s);
    const std::uint64_t commits = b.store.calls(StoreOperation::commit);
    const History before = b.history("loud");
    for (std::uint64_t i = 1; i <= 100'000; ++i) {
        b.clock.advance(10us);
        if (b.dog->observe(loud, Heartbeat{i}) != Observed::ok) FAIL("heartbeat " << i);
    }
    CHECK(b.store.calls(StoreOperation::commit) == commits);
    const CycleReport flushed = b.cycle();
    CHECK(flushed.errors == 0);
    CHECK(b.store.calls(StoreOperation::commit) <= commits + 1);
    const History after = b.history("loud");
    CHECK(after.row->version <= before.row->version + 1);
    CHECK(after.audit.size() == before.audit.size());
    (void)b.after(1s);
    CHECK(b.asked(ControlVerb::inject) == 100);
}

TEST_CASE("a runner goes on with the rest of a flood at once [threads]") {
    ManualClock clock{bench::start};
    MemoryStore memory;
    EngineSettings settings;
    settings.due_per_tick = 1;
    Watchdog dog{clock, memory, RecordingNotifier{}, settings};
    REQUIRE(dog.define(bench::minute_class()));
    for (int i = 0; i < 200; ++i) REQUIRE(dog.start(bench::spec_of("r" + std::to_string(i)), "minute"));
    clock.advance(2min);
    std::mutex lock;
    std::uint64_t checked = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
        Runner runner{dog, 10s, [&](const CycleReport& cycle) {
                          const std::lock_guard guard{lock};
                          checked += cycle.checked;
                      }};
        for (;;) {
            std::this_thread::sleep_for(2ms);
            const std::lock_guard guard{lock};
            if (checked >= 200 || std::chrono::steady_clock::now() - begin > 60s) break;
        }
    }
    CHECK(checked >= 200);
    CHECK(std::chrono::steady_clock::now() - begin < 38s);  // two hundred ticks, 200 ms apart, would take forty
}
