#include <heeler/cycle/loader.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// Another process on the same store.
struct Later : House {
    explicit Later(House& before) {
        memory = before.memory;
        store = House::Store{memory};
        clock.set(before.now());
    }
    CycleReport load() {
        CycleReport report;
        (void)loader.run(now(), report);
        return report;
    }
};

/// A run that was stored with an action that is intended, in an open rung or not.
void store_rung(House& house, RunHandle run, bool open) {
    detail::WatchedRun& watched = house.at(run);
    watched.verdict.edit().incident.number = watched.verdict.edit().incident.interventions = 1;
    watched.verdict.edit().incident.attempts = 1;
    watched.verdict.edit().incident.phase = Phase::climbing;
    watched.verdict.edit().rung_open = open ? 1 : 0;
    Action action;
    action.key = "k";
    action.intervention = 1;
    watched.unsaved.edit().actions = {action};
    Intervention record;
    record.number = 1;
    watched.unsaved.edit().interventions = {record};
    REQUIRE_FALSE(house.ledger.commit_one(run, watched, house.now()));
}

}  // namespace

TEST_CASE("what the store holds is loaded once, and a class that is missing is said once", "[cycle]") {
    House before;
    (void)before.stored(rooms::bare_class());
    Later later{before};
    CHECK_THAT(bench::errors_of(later.load()), ContainsSubstring("class `bare`, which is not defined"));
    CHECK(later.load().ok());
    CHECK(later.loader.is_elsewhere("r", later.now()));
    CHECK_FALSE(later.loader.is_elsewhere("nobody", later.now()));
    later.define(rooms::bare_class());
    later.store.fail(StoreOperation::load, ErrorCode::io);  // it is not asked again
    CHECK(later.load().ok());
    CHECK(later.registry.find("r"));
    CHECK_FALSE(later.loader.is_elsewhere("r", later.now()));
}

TEST_CASE("a store that cannot be loaded is tried again, and what nobody heard is said later", "[cycle]") {
    House before;
    (void)before.stored(rooms::bare_class());
    Later later{before};
    later.store.fail(StoreOperation::load, ErrorCode::busy);
    CHECK(later.load().errors == 1);
    CHECK_FALSE(later.loader.run(later.now()));
    later.store.heal();
    CHECK(later.loader.run(later.now()));
    CHECK(later.load().errors == 1);  // of the class that is missing: the caller before had no report
}

TEST_CASE("mutes are of their class before it is defined", "[cycle]") {
    House before;
    Batch batch;
    batch.mutes = {{"bare", Condition::loop_detected, 77, "ana", before.now().wall}};
    REQUIRE(before.memory.commit(batch));
    Later later{before};
    CHECK(later.load().ok());
    later.define(rooms::bare_class());
    CHECK(later.registry.find_class("bare")->mutes.has(77));
}

TEST_CASE("a rung that was under way is looked up, one that never got durable is decided again", "[cycle]") {
    House before;
    store_rung(before, before.stored(rooms::bare_class()), true);
    {
        Later later{before};
        later.define(rooms::bare_class());
        CHECK(later.load().ok());
        const auto rungs = later.deliverer.queues().take_due_rungs(Elapsed::max());
        REQUIRE(rungs.size() == 1);
        CHECK((rungs[0].may_have_happened && rungs[0].next(1) == 0 && rungs[0].actions[0].key == "k"));
        CHECK(later.at(*later.registry.find("r")).rung_busy);
    }
    House lost;
    store_rung(lost, lost.stored(rooms::bare_class()), false);
    Later later{lost};
    later.define(rooms::bare_class());
    CHECK(later.load().ok());
    CHECK(later.deliverer.queues().take_due_rungs(Elapsed::max()).empty());
    detail::WatchedRun& watched = later.at(*later.registry.find("r"));
    REQUIRE(watched.unsaved->actions.size() == 1);
    CHECK(watched.unsaved->actions[0].outcome == ActionOutcome::blocked);
}

TEST_CASE("runs that were acted on are taken over at one question to the store, however many they are", "[cycle]") {
    House before;
    for (int i = 0; i < 50; ++i)
        store_rung(before, before.stored(rooms::bare_class(), bench::spec_of("r" + std::to_string(i))), true);
    Later later{before};
    later.define(rooms::bare_class());
    CHECK(later.load().ok());
    CHECK(later.deliverer.queues().take_due_rungs(Elapsed::max()).size() == 50);
    CHECK(later.store.calls(StoreOperation::history) == 0);
}

TEST_CASE("one of several takes runs under its lease only, and gives all up when that is lost", "[cycle]") {
    House before;
    (void)before.stored(rooms::bare_class());
    Later later{before};
    later.settings.holder = "dog";
    later.define(rooms::bare_class());
    later.store.fail(StoreOperation::claim, ErrorCode::io);
    CHECK_FALSE(later.loader.run(later.now()));
    CHECK_FALSE(later.registry.find("r"));
    later.store.heal();
    CHECK(later.loader.run(later.now()));
    CHECK(later.registry.find("r"));
    CHECK(later.history().row->holder == "dog");

    later.memory.let_pass(20s);
    REQUIRE(later.memory.claim_runs({*later.memory.claim({"other", "o"}, 15s), {"bare"}, {}, {}, 500}));
    later.clock.advance(20s);
    CHECK_THAT(bench::errors_of(later.load()), ContainsSubstring("taken away; 1 runs are watched by others now"));
    CHECK_FALSE(later.registry.find("r"));
    CHECK_FALSE(later.loader.claim("r", later.now()));  // somebody else holds it
    CHECK(later.loader.is_elsewhere("r", later.now()));
}
