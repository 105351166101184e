// How a watchdog itself is doing: what it holds, owes and could not store, and whether a cycle was a whole one.
#include <chrono>
#include <string>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

std::uint64_t runs_that_are(const Vitals& seen, RunState state) { return seen.runs[static_cast<std::size_t>(state)]; }

const StoreCalls& calls_of(const Vitals& seen, StoreOp op) { return seen.store[static_cast<std::size_t>(op)]; }

}  // namespace

TEST_CASE("a watchdog tells how many runs of each state it watches, and the oldest progress") {
    Bench b;
    CHECK_FALSE(b.dog->vitals().progress_age);
    const auto waiter = b.run("waiter");
    b.clock.advance(50s);
    (void)b.dog->observe(waiter, StateChange{RunState::waiting_human});
    const auto worker = b.run("worker");
    b.run("other");
    b.clock.advance(40s);
    b.progress(worker, 1);
    b.clock.advance(5s);
    const Vitals seen = b.dog->vitals();
    CHECK(runs_that_are(seen, RunState::running) == 2);
    CHECK(runs_that_are(seen, RunState::waiting_human) == 1);
    CHECK(seen.progress_age == 45s);  // of `other`, which began then; who waits has none
    CHECK(seen.at.elapsed == b.clock.now().elapsed);

    REQUIRE(b.dog->finish(waiter));
    (void)b.cycle();
    CHECK(runs_that_are(b.dog->vitals(), RunState::waiting_human) == 0);
}

TEST_CASE("a watchdog tells its open incidents, and the alerts that nobody has yet") {
    Bench b;
    const auto run = b.run();
    b.progress(run, 1);
    CHECK(b.dog->vitals().open_incidents == 0);
    CHECK(b.dog->vitals().alerts_pending == 0);
    CHECK_FALSE(b.dog->vitals().oldest_alert);
    b.notifier.answer_with(std::vector<Delivery>(20, Delivery::fail));
    b.minutes(2);
    const Vitals first = b.dog->vitals();
    CHECK(first.open_incidents == 1);
    REQUIRE(first.alerts_pending > 0);
    b.clock.advance(30s);
    CHECK(*b.dog->vitals().oldest_alert == *first.oldest_alert + 30s);
}

TEST_CASE("an alert that waits on purpose is not old") {
    Bench b;
    b.classes[0].alerts.outbox.group_wait = 30min;
    b.boot();
    b.notifier.answer_with({Delivery::fail});
    (void)b.stalled();
    CHECK(b.dog->vitals().alerts_pending == 1);
    CHECK(b.dog->vitals().oldest_alert == 0s);  // it waits for others
    (void)b.after(20s);
    CHECK(b.dog->vitals().oldest_alert == 0s);
}

TEST_CASE("why runs are not judged is told: a clock that was set, or a watchdog that was away") {
    Bench b;
    b.run();
    (void)b.cycle();
    CHECK(b.dog->vitals().held_by_clock + b.dog->vitals().held_by_start == 0);
    b.clock.step_wall(1h);
    CHECK(b.cycle(TickCause::on_demand).why.grace == 1);
    CHECK(b.dog->vitals().held_by_clock == 1);
    CHECK(b.dog->vitals().held_by_start == 0);

    Bench away;
    away.run();
    (void)away.cycle();
    away.clock.advance(1h);
    away.boot();
    (void)away.cycle();
    CHECK(away.dog->vitals().held_by_start == 1);
    CHECK(away.dog->vitals().held_by_clock == 0);
}

TEST_CASE("calls of the store are counted, with their errors") {
    Bench b;
    for (int i = 0; i < 1000; ++i) b.run("r" + std::to_string(i));  // memory takes less than a microsecond for one
    (void)b.cycle();
    const Vitals before = b.dog->vitals();
    CHECK(calls_of(before, StoreOp::load).count == 1);
    CHECK(calls_of(before, StoreOp::list).count == 1);
    CHECK(calls_of(before, StoreOp::commit).count >= 1);
    CHECK(calls_of(before, StoreOp::commit).spent > 0s);
    CHECK(calls_of(before, StoreOp::claim_runs).count == 0);
    CHECK_FALSE(before.store_failing);

    b.store.fail(StoreOperation::list, ErrorCode::busy);
    (void)b.cycle();
    b.clock.advance(3s);
    const Vitals after = b.dog->vitals();
    CHECK(calls_of(after, StoreOp::list).errors[static_cast<std::size_t>(ErrorCode::busy)] == 1);
    CHECK(calls_of(after, StoreOp::list).errors[static_cast<std::size_t>(ErrorCode::full)] == 0);
    CHECK(after.store_failing == 3s);
}

TEST_CASE("one that is alone may act, and one of several while it has its lease") {
    Bench b;
    b.run();
    (void)b.cycle();
    CHECK_FALSE(b.dog->vitals().shares);
    CHECK(b.dog->vitals().may_act);
    CHECK(b.dog->vitals().epoch == 0);

    Bench one;
    one.settings.holder = "one";
    one.boot();
    CHECK_FALSE(one.dog->vitals().may_act);
    (void)one.cycle();
    CHECK(one.dog->vitals().shares);
    CHECK(one.dog->vitals().may_act);
    CHECK(one.dog->vitals().epoch == 1);
    CHECK(calls_of(one.dog->vitals(), StoreOp::claim).count == 1);
    one.clock.advance(1h);
    CHECK_FALSE(one.dog->vitals().may_act);
}

TEST_CASE("a cycle is whole if every stage ran and all is stored") {
    Bench b;
    const CycleReport idle = b.cycle();
    CHECK(idle.ticks == 1);
    CHECK(idle.whole == 1);
    CHECK(idle.deliveries == 1);
    CHECK(b.dog->tick().deliveries == 0);

    b.store.fail(StoreOperation::list, ErrorCode::lost);
    CHECK(b.cycle().whole == 0);
    b.store.heal();
    CHECK(b.cycle().whole == 1);

    const auto run = b.run();
    b.progress(run, 1);
    b.store.fail(StoreOperation::commit, ErrorCode::full);
    CHECK(b.after(60s).whole == 0);
    b.store.heal();
    const CycleReport healed = b.after(60s);
    CHECK(healed.whole == healed.ticks);

    b.store.fail(StoreOperation::commit, ErrorCode::full);
    CHECK_FALSE(b.dog->checkpoint(run, {1, "half", CheckpointReason::scheduled}));
    CHECK(b.cycle().whole == 0);  // it is not tried again yet, and still not stored
    b.store.heal();

    EngineSettings wrong;
    wrong.holder = std::string{unnamed_holder};
    b.settings = wrong;
    b.boot();
    const CycleReport refused = b.cycle();
    CHECK(refused.ticks == 1);
    CHECK(refused.whole == 0);
}

TEST_CASE("how late a cycle is, is measured against what was answered when it was asked") {
    Bench b;
    const auto run = b.run();
    (void)b.cycle();
    CHECK_FALSE(b.dog->tick().late);  // nobody asked
    const auto due = b.dog->next_deadline();
    REQUIRE(due);
    b.clock.advance(*due - b.clock.now().elapsed + 7s);
    CHECK(b.dog->tick().late == 7s);
    CHECK_FALSE(b.dog->tick().late);
    REQUIRE(b.dog->next_deadline());
    CHECK(b.dog->tick().late == 0s);  // before its time
    (void)run;
}
