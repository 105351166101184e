// What an agent is to do when it asks: by its time, by what it may spend, by what operators and rungs decided.
#include <optional>
#include <string>
#include <utility>

#include <heeler/engine/advice.hpp>
#include <heeler/engine/any_watchdog.hpp>
#include <heeler/spend.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

struct Asking : Bench {
    explicit Asking(RunClass rules) {
        classes = {std::move(rules)};
        start_again();
    }
    void start_again() {
        boot();
        ledger.emplace(store, 10s);
        REQUIRE(dog->attach(*ledger));
    }
    RunHandle limited(std::optional<Duration> timeout) {
        RunSpec spec = bench::spec_of("r");
        spec.timeout = timeout;
        return run(std::move(spec));
    }
    [[nodiscard]] Advice advice(RunHandle run) { return advice_for(*dog, run, clock.now()); }
    /// "continue", or "wind_down: timeout".
    [[nodiscard]] std::string said(RunHandle run) {
        const Advice now = advice(run);
        return std::string{name_of(now.course)} + (now.because.empty() ? "" : ": ") + std::string{now.because};
    }
    void decide(Verb verb) {
        DecisionRow row;
        row.run = "r";
        row.verb = verb;
        row.by = "ada";
        REQUIRE(dog->decide(row));
        (void)after(1s);
        (void)after(1s);
    }

    std::optional<SpendLedger> ledger;
};

RunClass with_time() {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<RunTimeout>();
    return rules;
}

RunClass with_cap() {
    RunClass rules = bench::minute_class();
    rules.ladder = WatchLadder{};
    rules.detectors.turn_on<SpendCap>({.lineage_usd = 10});
    return rules;
}

}  // namespace

TEST_CASE("an agent whose run has no limit goes on") {
    Asking b{bench::minute_class()};
    const Advice advice = b.advice(b.limited(std::nullopt));
    CHECK(name_of(advice.course) == "continue");
    CHECK(advice.because.empty());
    CHECK_FALSE(advice.tokens_left);
    CHECK_FALSE(advice.usd_left);
    CHECK_FALSE(advice.time_left);
}

TEST_CASE("an agent comes to an end in the last fifth of its time, and stops beyond it") {
    Asking b{with_time()};
    const RunHandle run = b.limited(100min);
    b.clock.advance(79min);
    CHECK(b.said(run) == "continue");
    CHECK(b.advice(run).time_left == 21min);
    b.clock.advance(1min);
    CHECK(b.said(run) == "wind_down: timeout");
    b.clock.advance(20min);
    CHECK(b.said(run) == "stop: timeout");
    CHECK(b.advice(run).time_left == 0s);
}

TEST_CASE("the time of the piece of work that a run goes on with is the run's as well") {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<RunTimeout>({.limit = {}, .lineage_limit = 100min});
    Asking b{std::move(rules)};
    RunSpec first = bench::spec_of("first");
    REQUIRE(b.dog->finish(b.run(first), RunEnd::failed));
    b.clock.advance(79min);
    RunSpec spec = bench::spec_of("r");
    spec.continues = "first";
    spec.timeout = 200min;
    const RunHandle run = b.run(std::move(spec));
    CHECK(b.said(run) == "continue");
    CHECK(b.advice(run).time_left == 21min);
    b.clock.advance(1min);
    CHECK(b.said(run) == "wind_down: lineage_timeout");
    b.clock.advance(20min);
    CHECK(b.said(run) == "stop: lineage_timeout");
}

TEST_CASE("an agent comes to an end near a cap, and stops at it, as the last cycle has counted") {
    Asking b{with_cap()};
    RunHandle run = b.limited(std::nullopt);
    const auto spend = [&](double usd) {
        REQUIRE(b.dog->observe(run, Usage{0, 0, 1, 0, usd}) == Observed::ok);
        (void)b.after(60s);
        (void)b.after(1s);  // after a restart the first one only asks the store
    };
    spend(7.5);
    CHECK(b.said(run) == "continue");
    CHECK(b.advice(run).usd_left == 2.5);
    CHECK_FALSE(b.advice(run).tokens_left);
    spend(0.5);
    CHECK(b.said(run) == "wind_down: lineage_usd");
    if (GENERATE(false, true)) {
        b.start_again();
        run = *b.dog->find("r");
        CHECK(b.said(run) == "wind_down: lineage_usd");
    }
    spend(3);
    CHECK(b.said(run) == "stop: lineage_usd");
    CHECK(b.advice(run).usd_left == 0.0);
}

TEST_CASE("an agent comes to an end when four fifths of its tokens are used, also of those that an operator gave") {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_on<TokenBudget>({.soft = 1000});
    Asking b{std::move(rules)};
    const RunHandle run = b.limited(std::nullopt);
    REQUIRE(b.dog->observe(run, Usage{300, 400}) == Observed::ok);
    CHECK(b.said(run) == "continue");
    CHECK(b.advice(run).tokens_left == 300);
    REQUIRE(b.dog->observe(run, Usage{100, 0}) == Observed::ok);
    CHECK(b.said(run) == "wind_down: token_budget");
    DecisionRow row;
    row.run = "r";
    row.verb = Verb::limit;
    row.tokens = 5000;
    REQUIRE(b.dog->decide(row));
    (void)b.after(1s);
    CHECK(b.said(run) == "continue");
    CHECK(b.advice(run).tokens_left == 4200);
}

TEST_CASE("an agent that was paused waits until it is resumed, and one whose run is over stops") {
    Asking b{with_time()};
    const RunHandle run = b.limited(10h);
    (void)b.after(60s);
    b.decide(Verb::pause);
    CHECK(b.said(run) == "pause: paused");
    b.decide(Verb::resume);
    REQUIRE(b.dog->observe(run, StateChange{RunState::running}) == Observed::ok);
    CHECK(b.said(run) == "continue");
    b.decide(Verb::mark_stopped);
    CHECK(b.said(run) == "stop: ended");
    CHECK(b.said(RunHandle{}) == "stop: ended");
}

TEST_CASE("a watchdog without types gives advice as well") {
    ManualClock clock;
    AnyWatchdog dog{clock, MemoryStore{}, RecordingNotifier{}};
    const auto run = dog.start(bench::spec_of("r"), with_time());
    REQUIRE(run);
    CHECK(advice_for(dog, *run, clock.now()).course == Course::go_on);
}
