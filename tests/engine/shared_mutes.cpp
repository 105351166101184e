// Loops that an operator of another watchdog called wrong reach this one while its cycles read them.
#include <atomic>
#include <thread>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// One loop, from the first observation on.
struct OneLoop {
    static constexpr std::string_view kind = "one_loop";
    static constexpr std::uint64_t identity = 4242;
    struct Settings {};
    struct Memory {};
    void learn(Memory&, const Settings&, const Observation&) const {}
    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run&, Instant) const {
        return Finding{Condition::loop_detected, Level::watch, kind, {.rule = "loop"}, {}, identity};
    }
};

}  // namespace

TEST_CASE("mutes of another watchdog come in by starts and searches while cycles judge") {
    MemoryStore store;
    ManualClock clock{bench::start};
    EngineSettings settings;
    settings.holder = "dog";
    Watchdog<ManualClock, MemoryStore, RecordingNotifier> dog{clock, store, RecordingNotifier{}, settings};
    RunClass rules = rooms::bare_class();
    rules.schedule.period = 1s;
    rules.detectors.turn_on<OneLoop>();
    REQUIRE(dog.define(rules));
    (void)dog.cycle();
    const auto run = dog.start(bench::spec_of("r"), rules.name);
    REQUIRE(run);
    clock.advance(1s);
    (void)dog.cycle(TickCause::on_demand);
    CHECK(dog.status(*run) == Status::loop_detected);

    for (int i = 0; i < 40; ++i) REQUIRE(dog.start(bench::spec_of("r" + std::to_string(i)), rules.name));
    std::atomic<bool> stop{false};
    std::thread judge{[&] {
        while (!stop) (void)dog.tick(TickCause::on_demand);
    }};
    // Each brings a mute that the other watchdog has stored: time passes here, so that runs are looked for here.
    std::vector<std::thread> hosts;
    for (std::uint64_t t = 0; t < 2; ++t)
        hosts.emplace_back([&, t] {
            for (std::uint64_t i = 1; i <= 60; ++i) {
                Batch batch;
                const std::uint64_t identity = i == 50 ? OneLoop::identity : 1000 * t + i;
                batch.mutes = {{rules.name, Condition::loop_detected, identity, "ana", {}}};
                (void)store.commit(batch);
                clock.advance(1s);
                const std::string id = "s" + std::to_string(t) + "." + std::to_string(i);
                const auto started = dog.start(bench::spec_of(id), rules.name);
                (void)dog.find(id);
                if (started) (void)dog.finish(*started);
            }
        });
    for (std::thread& host : hosts) host.join();
    stop = true;
    judge.join();
    clock.advance(2s);
    (void)dog.find("nobody");  // any call that looks for runs brings the mutes along
    (void)dog.cycle(TickCause::on_demand);
    CHECK(dog.status(*run) == Status::healthy);
}
