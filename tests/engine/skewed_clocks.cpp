// Two watchdogs without leases on one store, on hosts whose clocks differ by five minutes: nobody is continued twice,
// and what one host recorded is judged by the other one as late or as early as the clocks differ, never more.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <heeler/store/sqlite_store.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/scratch_log.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct MemoryPlace {
    MemoryStore memory;
    [[nodiscard]] MemoryStore open() const { return memory; }
};

struct FilePlace {
    ScratchLog folder;
    [[nodiscard]] SqliteStore open() const { return SqliteStore{folder.path("store.db")}; }
};

/// The first host registers the run and hears its agent; the second one shares the store and hears nobody.
template <class Place>
struct Hosts {
    using Dog = Watchdog<ManualClock, decltype(std::declval<Place>().open()), RecordingNotifier>;
    struct Host {
        ManualClock clock;
        std::unique_ptr<Dog> dog;
    };

    Place place;
    ScriptedControl control;
    RecordingNotifier notifier;
    std::vector<Host> hosts;
    RunHandle run{};
    Duration since_sign{};  ///< what a clock on the wall says of the agent's last sign
    std::vector<Duration> spawned_after;

    explicit Hosts(Duration skew) {
        for (const Duration off : {Duration{}, skew}) {
            hosts.push_back({ManualClock{{bench::start.elapsed, bench::start.wall + off}}, nullptr});
            Host& host = hosts.back();
            host.dog = std::make_unique<Dog>(host.clock, place.open(), notifier);
            host.dog->attach(control);
            REQUIRE(host.dog->define(presets::checkpoint_continuation()));
            if (hosts.size() == 1) {
                const auto started = host.dog->start(bench::spec_of("r"), "checkpoint_continuation");
                REQUIRE(started);
                run = *started;
            }
        }
    }
    void checkpoint(std::int64_t step) {
        // After a conflict it is kept, and stored with the next commit.
        const auto stored = hosts[0].dog->checkpoint(run, {step, "step"});
        REQUIRE((stored || stored.error().code == ErrorCode::conflict));
        since_sign = {};
    }
    /// A minute, after which both judge: the second host first, every other time.
    void minute(bool second_first) {
        since_sign += 60s;
        for (Host& host : hosts) host.clock.advance(60s);
        for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
            (void)hosts[second_first ? 1 - i : i].dog->cycle(TickCause::on_demand);
            if (control.requests().size() <= spawned_after.size()) continue;
            spawned_after.push_back(std::exchange(since_sign, Duration{}));  // a fresh agent is a sign
        }
        REQUIRE(control.requests().size() == spawned_after.size());
    }
    [[nodiscard]] History known() { return *hosts[0].dog->store().history("r"); }
};

}  // namespace

TEMPLATE_TEST_CASE("hosts whose clocks differ by five minutes continue nobody early who keeps the rules [M-101]", "",
                   MemoryPlace, FilePlace) {
    Hosts<TestType> hosts{GENERATE(300s, -300s)};
    for (int minute = 1; minute <= 150; ++minute) {
        hosts.minute(minute % 2 == 0);
        if (minute % 10 == 0) hosts.checkpoint(minute / 10);
    }
    CHECK(hosts.spawned_after.empty());
    CHECK(hosts.notifier.sent().empty());
    CHECK(hosts.known().checkpoints.size() == 15);
}

TEMPLATE_TEST_CASE("hosts whose clocks differ by five minutes continue nobody twice [M-101]", "", MemoryPlace,
                   FilePlace) {
    const Duration skew = GENERATE(300s, -300s);
    Hosts<TestType> hosts{skew};
    for (int minute = 1; minute <= 120; ++minute) {
        hosts.minute(minute % 2 == 0);
        if (minute == 10 || minute == 20) hosts.checkpoint(minute / 10);
    }
    REQUIRE(hosts.spawned_after.size() == 2);
    for (const Duration waited : hosts.spawned_after) {
        CHECK(waited > 1200s - 300s);
        CHECK(waited <= 1200s + 300s + 2 * 60s);  // a cycle may be lost to the other host
    }
    const History known = hosts.known();
    CHECK(known.row->state == RunState::failed);
    CHECK(known.row->attempt == 3);
    CHECK(known.checkpoints.size() == 2);
    CHECK(hosts.notifier.sent().size() == 1);
}
