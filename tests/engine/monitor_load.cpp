// A monitor of very many workers, for very long, while people and its own context do not answer.
#include <map>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "engine/monitors.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using namespace monitors;

namespace {

/// Bytes that this program has from the heap; 0 where that cannot be asked.
std::size_t heap_in_use() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const auto heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;  // large pieces stand apart
#else
    return 0;
#endif
}

std::size_t grown_since(std::size_t before) { return std::max(heap_in_use(), before) - before; }

/// Each takes its minute.
struct MinuteNotifier {
    static constexpr std::string_view name = "minute";
    ManualClock clock;
    RecordingNotifier record;

    Result<Receipt> send(const Alert& alert) {
        clock.advance(60s);
        return record.send(alert);
    }
};

}  // namespace

TEST_CASE("ten thousand workers ask at once: one alert each, and the cycles go on in bounded memory [M-130] [M-131]") {
    constexpr int count = heeler_test::is_slowed ? 1000 : 10'000;
    Told t;
    const auto workers = t.workers(count);
    (void)t.after(poll_every);
    const std::size_t before = heap_in_use();
    for (const RunHandle worker : workers) (void)t.dog->observe(worker, asking);
    const auto at_once = [&](Delivery answer, std::size_t attempts) {
        t.notifier.answer_with({answer});
        CHECK(t.after(poll_every).checked == count);
        CHECK(t.notifier.sent().size() == attempts * count);
        CHECK(t.keys() == count);
        CHECK(t.context.clears == 2);
        t.notifier.clear();
        CHECK(grown_since(before) < std::size_t{8192} * count);
        if (answer != Delivery::ok) {  // what nobody received is told anew, an interval later
            t.notifier.answer_with({Delivery::ok});
            (void)t.after(poll_every);
            CHECK(t.notifier.sent().size() == count);
            CHECK(t.keys() == count);
            t.notifier.clear();
            --t.context.clears;
        }
        const std::size_t told = heap_in_use();
        for (int i = 0; i < 3; ++i) CHECK(t.after(poll_every).errors == 0);
        CHECK(t.notifier.sent().empty());
        CHECK(t.context.clears == 5);
        CHECK(grown_since(told) < 65'536);
    };
    SECTION("people hear it") { at_once(Delivery::ok, 1); }
    SECTION("nobody does, and it is given up") { at_once(Delivery::raise, 4); }
}

TEST_CASE("people who take a minute each to be told hold up no cycle, and the clear comes last [M-131]") {
    ManualClock clock{bench::start};
    MemoryStore store;
    MinuteNotifier people{clock, {}};
    Counter context;
    Watchdog<ManualClock, MemoryStore, MinuteNotifier> dog{clock, store, people};
    dog.attach(context);
    REQUIRE(dog.define(bench::all_workers()));
    for (int i = 0; i < 20; ++i) {
        const auto worker = dog.start(bench::spec_of("w" + std::to_string(i)), "worker_monitor");
        REQUIRE(worker);
        (void)dog.observe(*worker, asking);
    }
    people.record.answer_with({Delivery::fail});
    clock.advance(poll_every);
    const CycleReport long_one = dog.cycle();
    CHECK(clock.now().elapsed == bench::start.elapsed + poll_every + 80min);
    CHECK(people.record.sent().size() == 80);
    CHECK(context.clears == 1);
    CHECK(bench::all_of<ActionEvent>(long_one).size() == 1);
    CHECK(std::holds_alternative<ActionEvent>(long_one.events.back()));
    CHECK(dog.cycle().checked == 20);
    CHECK(people.record.sent().size() == 160);  // told anew, an interval later
    CHECK(context.clears == 2);
}

TEST_CASE("a context that can never be cleared costs nothing but its errors [M-134]") {
    Told t;
    t.context.fails = true;
    const auto workers = t.workers(3);
    for (int i = 0; i < 50; ++i) (void)t.after(poll_every);
    const std::size_t before = heap_in_use();
    for (int i = 0; i < 500; ++i) {
        const CycleReport report = t.after(poll_every);
        REQUIRE(bench::all_of<ErrorEvent>(report).size() == 2);  // first thing, and at the end
    }
    CHECK(grown_since(before) < 65'536);
    CHECK(t.dog->context_clears().done == 0);
    CHECK(t.dog->context_clears().failed == t.context.clears);
    (void)t.dog->observe(workers[0], asking);
    (void)t.after(poll_every);
    CHECK(t.sent_kinds().back() == "worker.needs_input");
    t.context.fails = false;
    (void)t.after(poll_every);
    (void)t.after(poll_every);
    CHECK(t.dog->context_clears().done == 3);
}

TEST_CASE("workers that come and go with each cycle are told of once each [M-131]") {
    Told t;
    for (int i = 0; i < 200; ++i) {
        const RunHandle worker = t.run("w" + std::to_string(i));
        (void)t.dog->observe(worker, asking);
        (void)t.after(poll_every);
        REQUIRE(t.dog->finish(worker, RunEnd::cancelled));
    }
    (void)t.after(poll_every);
    CHECK(t.sent_kinds() == std::vector<std::string>(200, "worker.needs_input"));
    CHECK(t.keys() == 200);
    CHECK(t.context.clears == 201);
    CHECK_FALSE(t.dog->find("w0"));
}

TEST_CASE("after a million cycles no memory has grown, and detectors know what they knew [M-136]") {
#ifdef NDEBUG
    const int cycles = 1'000'000;
#else  // a quarter of an hour of a processor for so many
    const int cycles = heeler_test::is_slowed ? 2'000 : 20'000;
#endif
    Told t;
    const auto workers = t.workers(3);
    const auto work = [&](int number) {
        const std::string line = "file " + std::to_string(number) + "\n";
        for (std::size_t i = 0; i < 2; ++i) (void)t.dog->observe(workers[i], Output{line, true});
        (void)t.after(poll_every);
        t.acts.clear();  // else it grows with each clear
    };
    for (int i = 0; i < 300; ++i) work(i);
    CHECK(t.sent_kinds() == std::vector<std::string>{"worker.stuck"});  // the third one
    const std::size_t before = heap_in_use();
    for (int i = 0; i < cycles; ++i) work(300 + i);
    CHECK(grown_since(before) < 16'384);
    CHECK(t.sent_kinds().size() == 1);
    CHECK(t.context.clears == 300U + static_cast<unsigned>(cycles));
    for (int i = 0; i < 2; ++i) (void)t.after(poll_every);
    CHECK(t.sent_kinds().size() == 1);
    (void)t.after(poll_every);  // the third poll without a change
    CHECK(t.sent_kinds() == std::vector<std::string>(3, "worker.stuck"));
    (void)t.dog->observe(workers[2], Output{"goes on\n", true});
    for (int i = 0; i < 4; ++i) (void)t.after(poll_every);
    CHECK(t.sent_kinds().size() == 4);
}
