// A host says that something takes long: how that ends, what it is worth, and what it changes nothing about.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;
using Catch::Matchers::ContainsSubstring;

static_assert(std::is_nothrow_destructible_v<Expectation> && std::is_nothrow_move_constructible_v<Expectation> &&
              std::is_nothrow_move_assignable_v<Expectation> && !std::is_copy_constructible_v<Expectation>);

namespace {

/// A run of `recommended`, in a host that calls every ten seconds, that has just done something.
struct Building : Bench {
    RunHandle handle;
    int steps = 0;

    explicit Building(RunClass rules = presets::recommended()) {
        classes = {std::move(rules)};
        boot();
        handle = run();
        works();
    }
    void works() { progress(handle, ++steps); }
    void goes_on(Duration length) {
        for (Duration passed{}; passed < length; passed += 10s) (void)after(10s);
    }
    [[nodiscard]] Result<Expectation> build(Duration takes = 20min) {
        return dog->expect(handle, takes, "cargo build");
    }
    [[nodiscard]] Status status() const { return *dog->status(handle); }
};

}  // namespace

TEST_CASE("while something takes long silence is no stall, and after it the age begins anew [M-191]") {
    Building b;
    {
        const auto guard = b.build();
        REQUIRE(guard);
        b.goes_on(19min);
        CHECK(b.status() == Status::healthy);
    }
    b.goes_on(290s);
    CHECK(b.status() == Status::healthy);
    b.goes_on(20s);
    CHECK(b.status() == Status::stalled);  // shown
    CHECK(b.acts.empty());
    b.goes_on(5min);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("it ends where it was said to, and its name stands in what is found [M-191]") {
    Building b;
    const auto guard = b.build();
    b.goes_on(20min + 600s);
    CHECK(b.acts.empty());
    b.goes_on(10s);
    CHECK(b.acts == "inject:nudge done");
    const std::string why = *b.dog->explain("r");
    CHECK_THAT(why, ContainsSubstring("cargo build") && ContainsSubstring(R"("expected_s":1200)"));
    REQUIRE_FALSE(b.notifier.sent().empty());
    CHECK_THAT(b.notifier.sent()[0].alert.issues.at(0), ContainsSubstring("expected_s 1200 (cargo build)"));
}

TEST_CASE("guards nest, are moved, and end once [M-191]") {
    Building b;
    auto outer = b.build(30min);
    REQUIRE(outer);
    {
        auto inner = b.dog->expect(b.handle, 60min, "tests");
        REQUIRE(inner);
        b.goes_on(35min);
        CHECK(b.status() == Status::healthy);
        Expectation moved{std::move(*inner)};
        moved.end();
        moved.end();
    }  // the outer one is past its time
    b.goes_on(310s);
    CHECK(b.status() == Status::stalled);
    b.works();
    b.goes_on(10s);
    CHECK(b.status() == Status::healthy);
    *outer = std::move(*b.dog->expect(b.handle, 20min, "lint"));  // ends the first
    b.goes_on(19min);
    CHECK(b.status() == Status::healthy);
    const auto again = b.dog->expect(b.handle, Expect{.what = "cargo build", .over = true});
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::invalid_argument);
    CHECK(b.dog->expect(b.handle, Expect{.what = "lint", .over = true}));
}

TEST_CASE("more than the class gives is refused, and changes nothing [M-191]") {
    Building b;
    for (int i = 0; i < 3; ++i) {
        REQUIRE(b.build());
        b.goes_on(60s);
    }
    const auto fourth = b.build();
    REQUIRE_FALSE(fourth);
    CHECK(fourth.error().code == ErrorCode::invalid_argument);
    CHECK_THAT(fourth.error().message, ContainsSubstring("cargo build") && ContainsSubstring("expect.most is 3"));
    b.goes_on(11min);
    CHECK(b.acts == "inject:nudge done");
    b.works();
    CHECK(b.build());
}

TEST_CASE("a class may give no time at all, or more [M-191]") {
    RunClass rules = presets::recommended();
    rules.expect = {0, 2h};
    CHECK_FALSE(Building{rules}.build());
    rules.expect = {1, 0s};
    CHECK_FALSE(Building{rules}.build());
    rules.expect = {1, 24h};
    CHECK(Building{rules}.build(24h));
    rules.expect.total = -1s;
    Bench b;
    const auto refused = b.dog->define(rules);
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("expect.total_s is -1"));
}

TEST_CASE("limits of time, loops and signs of life are judged as ever [M-191]") {
    RunClass rules = presets::recommended();
    rules.detectors.turn_on<HeartbeatContract<AliveAge>>({.act_after = 5min});
    rules.detectors.turn_on<RunTimeout>({.limit = 30min});
    Building b{rules};
    const auto guard = b.build(60min);
    SECTION("life") {
        b.goes_on(310s);
        CHECK(b.status() == Status::stalled);
    }
    SECTION("loops") {
        for (int i = 0; i < 6; ++i) {
            b.dog->observe(b.handle, ToolCall{"bash", "make", {}});
            b.dog->observe(b.handle, ToolResult{false, "2 tests failed", {}, {}});
            b.goes_on(10s);
        }
        CHECK(b.status() == Status::loop_detected);
    }
    SECTION("time") {
        for (int i = 0; i < 31; ++i) {
            b.dog->observe(b.handle, Heartbeat{});
            b.goes_on(60s);
        }
        CHECK(b.status() == Status::timeout);
    }
}

TEST_CASE("an incident that is open waits until what takes long is over [M-191]") {
    Building b;
    b.goes_on(610s);
    REQUIRE(b.acts == "inject:nudge done");
    const auto guard = b.build();
    b.goes_on(19min);
    CHECK(b.acts == "inject:nudge done");
    SECTION("it goes on where nothing came of it") {
        b.goes_on(11min);
        CHECK(b.acts != "inject:nudge done");
    }
    SECTION("progress ends it, also meanwhile") {
        b.works();
        b.goes_on(10s);
        CHECK(b.status() == Status::recovered);
        CHECK(b.acts == "inject:nudge done");
    }
}

TEST_CASE("intervals in which something took long are no evidence [M-191]") {
    Bench b;  // two intervals without a change are a stall
    const RunHandle handle = b.run();
    b.progress(handle, 1);
    b.minutes(1);
    {
        const auto guard = b.dog->expect(handle, 20min, "cargo build");
        b.minutes(10);
        CHECK(b.acts.empty());
    }
    b.minutes(1);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("waits stop its time [M-191]") {
    Building b;
    const auto guard = b.build();
    b.dog->observe(b.handle, StateChange{RunState::waiting_human});
    (void)b.after(12h);
    b.dog->observe(b.handle, StateChange{RunState::running});
    b.goes_on(19min);
    CHECK(b.acts.empty());
}

TEST_CASE("what the run's next process finds is what was said [M-191]") {
    Building b;
    REQUIRE(b.dog->expect(b.handle, Expect{.takes = 20min, .what = "cargo build"}));
    b.goes_on(60s);
    REQUIRE(b.dog->flush());
    b.boot();
    b.handle = *b.dog->find("r");
    b.goes_on(18min);
    CHECK(b.status() == Status::healthy);
    CHECK(b.dog->expect(b.handle, Expect{.what = "cargo build", .over = true}));
    b.goes_on(310s);
    CHECK(b.status() == Status::stalled);
}

TEST_CASE("a run that is over, and an agent that was replaced, expect nothing more [M-191]") {
    Building b;
    auto guard = b.build();
    REQUIRE(b.dog->finish(b.handle));
    CHECK(b.build().error().code == ErrorCode::ended);
    guard->end();
    auto scope = b.dog->scoped(bench::spec_of("other"), "recommended");
    REQUIRE(scope);
    CHECK(scope->expect(20min, "cargo build"));
    {
        const auto late = scope->expect(20min, "cargo build");
        REQUIRE(scope->finish());
    }
    CHECK(scope->expect(20min, "cargo build").error().code == ErrorCode::ended);
}
