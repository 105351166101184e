// A monitor whose cycles and deliveries run on threads of their own, while people take longer to be told than a cycle.
#include <atomic>
#include <thread>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>

#include "engine/monitors.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using namespace monitors;

namespace {

struct SlowPeople {
    static constexpr std::string_view name = "slow";
    RecordingNotifier record;
    Duration takes = 300us;

    Result<Receipt> send(const Alert& alert) {
        std::this_thread::sleep_for(takes);
        return record.send(alert);
    }
};

/// Looks, whenever it is cleared, for somebody who was not told of a cycle that was over before that was decided.
struct Witness {
    MemoryStore store;
    std::vector<std::string> workers;
    const std::atomic<int>& ended;  ///< cycles
    std::optional<int> over{};      ///< of these, when it was last asked for its size before a clear
    int clears = 0;
    int too_early = 0;

    std::uint64_t size() {
        if (!over) over = ended.load();
        return 1;
    }
    Result<void> clear() {
        ++clears;
        for (const std::string& worker : workers) {
            const History known = *store.history(worker);
            for (const AlertRow& row : known.alerts) {
                const auto cycle = (row.created_at - bench::start.wall) / poll_every;
                if (row.state == AlertRow::State::pending && cycle <= over.value_or(0)) ++too_early;
            }
        }
        over.reset();
        if (clears % 5 == 0) return fail(ErrorCode::failed, "not now");
        return {};
    }
};

/// In turn it asks, works, reports an error and works.
StateChange what_it_does(std::size_t worker, int cycle) {
    switch ((cycle + static_cast<int>(worker)) % 4) {
        case 0:
            return asking;
        case 2:
            return {RunState::running, "failed"};
        default:
            return working;
    }
}

}  // namespace

TEST_CASE("with a thread that judges and one that delivers no clear comes before what its cycle owes [M-131]") {
    constexpr int cycles = 400;
    ManualClock clock{bench::start};
    MemoryStore store;
    SlowPeople people;
    people.record.answer_with({Delivery::ok, Delivery::fail, Delivery::ok});
    std::atomic<int> ended{0};
    std::atomic<bool> stop{false};
    Witness witness{store, {}, ended};
    Watchdog<ManualClock, MemoryStore, SlowPeople> dog{clock, store, people};
    dog.attach(witness);
    REQUIRE(dog.define(bench::all_workers()));
    std::vector<RunHandle> workers;
    for (int i = 0; i < 4; ++i) {
        witness.workers.push_back("w" + std::to_string(i));
        workers.push_back(*dog.start(bench::spec_of(witness.workers.back()), "worker_monitor"));
    }
    const auto clears = [&] { return dog.context_clears().done + dog.context_clears().failed; };
    std::thread judge{[&] {
        for (int cycle = 1; cycle <= cycles; ++cycle) {
            for (std::size_t i = 0; i < workers.size(); ++i) (void)dog.observe(workers[i], what_it_does(i, cycle));
            clock.advance(poll_every);
            const std::uint64_t before = clears();
            (void)dog.tick();
            ended = cycle;
            // People get a rest now and then: as long as somebody is to be told, nothing is cleared.
            while (cycle % 10 == 0 && clears() == before) std::this_thread::sleep_for(1ms);
        }
        stop = true;
    }};
    std::thread hands{[&] {
        while (!stop) {
            witness.over.reset();
            (void)dog.deliver();
        }
    }};
    judge.join();
    hands.join();
    (void)dog.deliver();
    CHECK(witness.too_early == 0);
    CHECK(witness.clears >= cycles / 10);
    CHECK(people.record.delivered().size() == 2 * cycles);  // one worker asks and one fails in each
    for (const std::string& worker : witness.workers) {
        const History known = *store.history(worker);
        for (const AlertRow& row : known.alerts) CHECK(row.state == AlertRow::State::delivered);
    }
}

TEST_CASE("a runner clears after its cycles, also without a worker, and while people are slow to be told [M-130]") {
    using LiveDog = Watchdog<SystemClock, MemoryStore, SlowPeople>;
    SlowPeople people{{}, 1200ms};  // longer than a cycle
    Counter context;
    LiveDog dog{SystemClock{}, MemoryStore{}, people};
    dog.attach(context);
    RunClass rules = bench::all_workers();
    rules.schedule.period = rules.interval.fixed.emplace(1s);
    REQUIRE(dog.define(rules));
    Runner runner{dog, 50ms, [](const CycleReport&) {}};
    const auto comes_true = [](auto&& test) {
        for (int i = 0; i < 6000 && !test(); ++i) std::this_thread::sleep_for(10ms);
        return test();
    };
    CHECK(comes_true([&] { return dog.context_clears().done >= 1; }));
    for (const char* id : {"a", "b"}) {
        const auto worker = dog.start(bench::spec_of(id), "worker_monitor");
        REQUIRE(worker);
        (void)dog.observe(*worker, asking);
    }
    CHECK(comes_true([&] { return people.record.sent().size() == 2; }));
    const std::uint64_t before = dog.context_clears().done;
    CHECK(comes_true([&] { return dog.context_clears().done > before; }));
    runner.stop();
    CHECK(people.record.sent().size() == 2);
    CHECK(context.clears == dog.context_clears().done);
}
