// When a cycle runs: by the next deadline, at once if a report shortens it, and until somebody asks to stop.
#include <atomic>
#include <thread>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

using LiveDog = Watchdog<SystemClock, MemoryStore, RecordingNotifier>;

/// Waits until it is true, at most a minute.
template <class Test>
bool comes_true(Test&& test) {
    for (int i = 0; i < 6000; ++i) {
        if (test()) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

EngineSettings quick() {
    EngineSettings settings;
    settings.flush_every = 50ms;
    return settings;
}

}  // namespace

TEST_CASE("who is told of a delivery and takes long holds up no cycle, and hears of all of them") {
    LiveDog dog{SystemClock{}, MemoryStore{}, RecordingNotifier{}, quick()};
    const auto cycles = [&] { return dog.vitals().store[static_cast<std::size_t>(StoreOp::list)].count; };
    std::atomic<std::uint64_t> heard{0};
    std::atomic<bool> went_on{false};
    bool first = true;
    {
        Runner runner{dog, 20ms, [&](const CycleReport& report) {
                          heard += report.ticks;
                          if (report.deliveries == 0 || !std::exchange(first, false)) return;
                          const std::uint64_t before = cycles();
                          went_on = comes_true([&] { return cycles() >= before + 3; });
                      }};
        CHECK(comes_true([&] { return went_on && heard >= 5; }));
    }
    CHECK(heard == cycles());
}

TEST_CASE("who sleeps until the next deadline is woken once for each time that it is shortened [M-001]") {
    bench::Bench b;
    int woken = 0;
    b.dog->wake_with([&] { ++woken; });
    const RunHandle one = b.run("one"), two = b.run("two");
    (void)b.cycle();
    CHECK(woken == 0);  // nobody sleeps: nobody asked for the deadline
    const auto next = b.dog->next_deadline();
    REQUIRE(next);
    CHECK(*next == bench::start.elapsed + 60s);
    CHECK(b.dog->observe(one, Heartbeat{}) == Observed::ok);
    CHECK(woken == 0);  // a heartbeat is looked at in its time
    b.progress(one, 1);
    CHECK(woken == 1);
    b.progress(one, 2);
    b.progress(two, 1);
    CHECK(woken == 1);  // who was woken asks again
    const auto sooner = b.dog->next_deadline();
    REQUIRE(sooner);
    CHECK(*sooner == bench::start.elapsed + 1s);
    b.progress(two, 2);
    CHECK(woken == 1);
    for (int i = 0; i < 2; ++i) (void)b.after(1s);  // stored, and nothing to do until the interval ends
    CHECK(b.dog->next_deadline() == bench::start.elapsed + 60s);
    b.progress(two, 3);
    CHECK(woken == 2);
    for (int i = 0; i < 2; ++i) (void)b.after(1s);
    (void)b.dog->next_deadline();
    REQUIRE(b.dog->decide({0, "one", Verb::ack, {}, "ana", {}}));
    CHECK(woken == 3);
    b.dog->wake_with({});
    for (int i = 0; i < 2; ++i) (void)b.after(1s);
    (void)b.dog->next_deadline();
    b.progress(one, 9);
    CHECK(woken == 3);
}

TEST_CASE("a run that is started shortens the sleep [M-001]") {
    bench::Bench b;
    int woken = 0;
    b.dog->wake_with([&] { ++woken; });
    CHECK_FALSE(b.dog->next_deadline());
    (void)b.run();
    CHECK(woken == 1);
}

TEST_CASE("a runner follows the next deadline, however long its period is [M-001]") {
    ScriptedControl control;
    LiveDog dog{SystemClock{}, MemoryStore{}, RecordingNotifier{}, quick()};
    dog.attach(control);
    RunClass rules = bench::minute_class();
    rules.interval.fixed = 1s;
    rules.verify_after = 1s;
    Runner runner{dog, 1h, [](const CycleReport&) {}};
    const auto run = dog.start(bench::spec_of("r"), rules);
    REQUIRE(run);
    CHECK(dog.observe(*run, Progress{1}) == Observed::ok);
    CHECK(comes_true([&] { return !control.requests().empty(); }));
}

TEST_CASE("a runner passes on cycles that had nothing to do: silence would look like death [M-001]") {
    LiveDog dog{SystemClock{}, MemoryStore{}, RecordingNotifier{}, quick()};
    std::atomic<int> ticks{0};
    std::atomic<int> deliveries{0};
    Runner runner{dog, 10ms, [&](const CycleReport& cycle) {
                      ticks += cycle.whole == cycle.ticks ? static_cast<int>(cycle.ticks) : 0;
                      deliveries += static_cast<int>(cycle.deliveries);
                  }};
    CHECK(comes_true([&] { return ticks > 2 && deliveries > 2; }));
}

TEST_CASE("a runner that sleeps is woken by a report, which is stored within a flush [M-001]") {
    MemoryStore store;
    LiveDog dog{SystemClock{}, store, RecordingNotifier{}, quick()};
    RunClass rules = rooms::bare_class();
    rules.interval.fixed = 3600s;
    const auto run = dog.start(bench::spec_of("r"), rules);
    REQUIRE(run);
    Runner runner{dog, 1h, [](const CycleReport&) {}};
    for (std::int64_t value = 1; value <= 3; ++value) {
        std::this_thread::sleep_for(100ms);  // it sleeps until the hour is over
        const std::uint64_t version = store.history("r")->row->version;
        CHECK(dog.observe(*run, Progress{value}) == Observed::ok);
        CHECK(comes_true([&] { return store.history("r")->row->version > version; }));
    }
}

#ifdef __cpp_lib_jthread
TEST_CASE("a runner ends when its token is asked to stop, and may be stopped again [M-001]") {
    LiveDog dog{SystemClock{}, MemoryStore{}, RecordingNotifier{}, quick()};
    std::atomic<int> cycles{0};
    std::stop_source source;
    {
        Runner runner{dog, source.get_token(), 10ms, [&](const CycleReport&) { ++cycles; }};
        RunClass rules = rooms::bare_class();
        rules.schedule.period = 1s;
        REQUIRE(dog.start(bench::spec_of("r"), rules));
        CHECK(comes_true([&] { return cycles > 0; }));
        CHECK(source.request_stop());
        runner.stop();
        const int before = cycles;
        CHECK(dog.observe("r", Progress{1}) == Observed::ok);
        std::this_thread::sleep_for(150ms);
        CHECK(cycles == before);
        runner.stop();
    }
    Runner late{dog, source.get_token(), 1h};  // was asked before it began
    late.stop();
    std::stop_source outlives;
    { const Runner brief{dog, outlives.get_token(), 1h}; }
    CHECK(outlives.request_stop());  // nobody is there any more
}
#endif
