// A cycle whose commit failed never happened: what hosts reported meanwhile stays, and the next one decides again.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// What stalls is paused until a person decides.
struct Pausing : bench::Bench {
    RunHandle of;

    Pausing() {
        auto& ladder = *classes[0].ladder.as<RecoveryLadder>();
        const Plan plan{{ActionKind::pause, {}, {}}, {ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}};
        ladder.responses = {{Condition::stalled, {plan}, true, false}};
        boot();
        of = run();
        progress(of, 1);
        clock.advance(60s);
        (void)cycle();
        clock.advance(60s);
        (void)dog->tick();
        (void)dog->deliver();
    }
};

}  // namespace

TEST_CASE("a pause that could not be settled is settled later, and done once [M-009]") {
    Pausing b;
    CHECK(b.asked(ControlVerb::pause) == 1);
    b.store.fail(StoreOperation::commit, ErrorCode::busy);
    for (int i = 0; i < 3; ++i) CHECK(b.dog->tick(TickCause::outcome).errors == 1);
    CHECK(b.history().row->state == RunState::running);
    b.store.heal();
    (void)b.dog->tick(TickCause::outcome);
    CHECK(b.history().row->state == RunState::paused);
    CHECK(b.asked(ControlVerb::pause) == 1);
    b.minutes(5);
    CHECK(b.asked(ControlVerb::pause) == 1);
}

TEST_CASE("what a host reports while a pause cannot be stored stays, and the wait began with it [M-009]") {
    Pausing b;
    b.store.fail(StoreOperation::commit, ErrorCode::busy);
    (void)b.dog->tick(TickCause::outcome);
    REQUIRE(b.dog->observe(b.of, StateChange{RunState::waiting_human, {}, {}, {}}) == Observed::ok);
    b.progress(b.of, 9);
    (void)b.dog->tick(TickCause::outcome);
    b.store.heal();
    REQUIRE(b.dog->observe(b.of, StateChange{RunState::completed, {}, {}, {}}) == Observed::ok);
    (void)b.dog->tick(TickCause::outcome);
    (void)b.cycle();
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().row->ended_at);
    for (const Action& action : b.history().actions) CHECK(action.outcome == ActionOutcome::done);
}

TEST_CASE("an operator's end that could not be stored leaves the run waiting as it did") {
    bench::Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    REQUIRE(b.dog->observe(run, StateChange{RunState::rate_limited, {}, b.clock.now().wall + 90s, {}}) == Observed::ok);
    (void)b.after(10s);
    REQUIRE(b.dog->decide({0, "r", Verb::mark_stopped, {}, "ana", {}}));
    b.store.fail(StoreOperation::commit, ErrorCode::full);
    CHECK(b.after(10s).errors > 0);
    CHECK(b.dog->observe(run, Heartbeat{}) == Observed::ok);
    CHECK(b.dog->observe(run, Progress{2}) == Observed::ok);
    b.store.heal();
    (void)b.cycle();
    CHECK(b.history().row->state == RunState::cancelled);
}

TEST_CASE("after an undone decision the same is decided, and people are told once [M-009]") {
    bench::Bench b;
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.after(60s);
    b.store.fail(StoreOperation::commit, ErrorCode::io);
    for (int i = 0; i < 3; ++i) {
        (void)b.after(1s);
        b.clock.advance(i == 0 ? 58s : 0s);
    }
    CHECK(b.asked(ControlVerb::inject) == 0);
    CHECK(b.dog->status(run) == Status::healthy);  // what could not be stored was not found
    b.store.heal();
    (void)b.after(60s);
    CHECK(b.asked(ControlVerb::inject) == 1);
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy"});
    REQUIRE(b.history().interventions.size() == 1);
    CHECK((b.history().interventions[0].number == 1 && b.history().interventions[0].incident == 1));
}
