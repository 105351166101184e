#include <heeler/engine/any_watchdog.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <heeler/clock/system_clock.hpp>
#include <heeler/engine/runner.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

static_assert(std::is_nothrow_move_constructible_v<AnyWatchdog>);
static_assert(std::is_nothrow_move_assignable_v<AnyWatchdog>);
static_assert(!std::is_copy_constructible_v<AnyWatchdog>);

/// As hosts have it: a member, chosen at run time, moved with its owner.
struct Orchestrator {
    AnyWatchdog dog;
    ScriptedControl* agents;
};

Orchestrator made(const ManualClock& clock, const RecordingNotifier& notifier, ScriptedControl& agents) {
    Orchestrator host{AnyWatchdog{clock, MemoryStore{}, notifier}, &agents};
    REQUIRE(host.dog.attach(agents));
    REQUIRE(host.dog.define(bench::minute_class()));
    return host;
}

}  // namespace

TEST_CASE("a watchdog of any clock, store and notifier is a member and is moved [M-001]") {
    ManualClock clock{bench::start};
    RecordingNotifier notifier;
    ScriptedControl agents;
    std::vector<Orchestrator> hosts;
    hosts.push_back(made(clock, notifier, agents));
    const auto run = hosts[0].dog.start(bench::spec_of("r"), bench::minute_class().name);
    REQUIRE(run);
    REQUIRE(hosts[0].dog.observe(*run, Progress{1}) == Observed::ok);
    hosts.reserve(8);
    Orchestrator moved = std::move(hosts[0]);
    std::string acts;
    for (int i = 0; i < 2; ++i) {
        clock.advance(60s);
        acts += bench::acts_of(moved.dog.cycle());
    }
    CHECK(acts == "inject:nudge done");
    CHECK(*std::as_const(moved.dog).status(*run) == Status::stalled);
    CHECK(notifier.delivered().size() == 1);
    CHECK(moved.dog.observe("r", Heartbeat{}) == Observed::ok);
    CHECK(moved.dog.observe(*run, Heartbeat{1}, clock.now()) == Observed::ok);
    CHECK(moved.dog.finish(*run));
}

TEST_CASE("scopes and runners of a watchdog stay good when it is moved [M-001]") {
    AnyWatchdog first{SystemClock{}, MemoryStore{}, RecordingNotifier{}};
    {
        auto scope = first.scoped(bench::spec_of("scoped"), bench::minute_class());
        REQUIRE(scope);
        Runner runner{first, 1s, [](const CycleReport&) {}};
        AnyWatchdog second{std::move(first)};
        runner.stop();
        CHECK(scope->finish(RunEnd::completed));
        first = std::move(second);
    }
    CHECK(first.report("scoped")->final_status == "completed");
}
