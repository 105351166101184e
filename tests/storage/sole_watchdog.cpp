#include <heeler/storage/sole_watchdog.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

namespace {

/// Two processes without a name, one store.
struct TwoUnnamed : House {
    rooms::Process other_process;
    detail::StoreEdge<MemoryStore> other_port{memory};
    detail::SoleWatchdog first{store_port, process};
    detail::SoleWatchdog second{other_port, other_process};

    TwoUnnamed() {
        process.name = "h/boot/1/17/500";
        other_process.name = "k/boot/2/18/600";
    }
    void pass(Duration time) {
        clock.advance(time);
        memory.let_pass(time);
    }
};

}  // namespace

TEST_CASE("a second watchdog without a name is refused, and told who has the store and what to do", "[storage]") {
    TwoUnnamed house;
    CHECK(house.first.check(house.now()));
    for (int i = 0; i < 3; ++i) {
        const auto refused = house.second.check(house.now());
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::busy);
        CHECK_THAT(refused.error().message, ContainsSubstring("process 17 on host h") && ContainsSubstring("60 s") &&
                                                ContainsSubstring("EngineSettings::holder"));
    }
    for (int i = 0; i < 10; ++i) {
        house.pass(20s);
        CHECK(house.first.check(house.now()));
        CHECK_FALSE(house.second.check(house.now()));
    }
    house.first.leave();
    house.pass(5s);
    CHECK(house.second.check(house.now()));
    CHECK_FALSE(house.first.check(house.now()));
}

TEST_CASE("who is on another host is waited for as long as its lease lasts, who ended here not at all", "[storage]") {
    TwoUnnamed house;
    CHECK(house.first.check(house.now()));
    SECTION("another host") {
        house.pass(59s);
        CHECK_FALSE(house.second.check(house.now()));
        house.pass(5s);
        CHECK(house.second.check(house.now()));
        CHECK_FALSE(house.first.check(house.now()));
    }
    SECTION("it ended here") {
        house.other_process.over = {house.process.name};
        CHECK(house.second.check(house.now()));
    }
}

TEST_CASE("a second watchdog of the same process goes on where the first was, whether that left or not", "[storage]") {
    TwoUnnamed house;
    house.other_process.name = house.process.name;
    CHECK(house.first.check(house.now()));
    CHECK(house.second.check(house.now()));
    house.first.leave();
    house.pass(20s);
    CHECK(house.second.check(house.now()));
}

TEST_CASE("watchdogs of the same process that come and go refuse nobody", "[storage]") {
    TwoUnnamed house;
    CHECK(house.first.check(house.now()));
    for (int i = 0; i < 3; ++i) {
        detail::SoleWatchdog passing{house.store_port, house.process};
        CHECK(passing.check(house.now()));
        passing.leave();
    }
    house.pass(20s);
    CHECK(house.first.check(house.now()));
}

TEST_CASE("two that come so seldom that each finds the lease run out are noticed all the same", "[storage]") {
    TwoUnnamed house;
    CHECK(house.first.check(house.now()));
    house.pass(150s);
    CHECK(house.second.check(house.now()));
    house.pass(150s);
    const auto refused = house.first.check(house.now());
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("in between") && ContainsSubstring("EngineSettings::holder"));
    CHECK(house.first.check(house.now()));  // nobody was there this time
}

TEST_CASE("a store that cannot be asked refuses nobody, and lets nobody in who was refused", "[storage]") {
    TwoUnnamed house;
    house.store.fail(StoreOperation::claim, ErrorCode::busy);
    CHECK(house.first.check(house.now()));
    CHECK(house.second.check(house.now()));
    house.pass(5s);
    house.store.heal();
    CHECK_FALSE(house.first.check(house.now()));
    house.pass(5s);
    house.store.fail(StoreOperation::claim, ErrorCode::busy);
    CHECK_FALSE(house.first.check(house.now()));
    house.process.name.clear();
    house.pass(5s);
    CHECK_FALSE(house.first.check(house.now()));
}

TEST_CASE("where the system names no process, or the store no holder, nothing is asked", "[storage]") {
    TwoUnnamed house;
    house.process.name.clear();
    CHECK(house.first.check(house.now()));
    CHECK(house.store.calls(StoreOperation::claim) == 0);
}

TEST_CASE("while another one has the store nothing is written, said or done, and all goes on afterwards", "[storage]") {
    TwoUnnamed house;
    const RunHandle run = house.stored(rooms::bare_class());
    CHECK(house.second.check(house.now()));
    CHECK_FALSE(house.ledger.stay_alone(house.now()));
    CHECK_FALSE(house.held_lease.holds());
    const auto error = house.ledger.commit_one(run, house.at(run), house.now());
    REQUIRE(error);
    CHECK_THAT(error->message, ContainsSubstring("EngineSettings::holder"));
    CycleReport report;
    CHECK_FALSE(house.loader.run(house.now(), report));
    CHECK(report.events.size() == 1);
    CHECK(house.held_lease.next_renewal(house.now()));

    house.second.leave();
    house.pass(5s);
    CHECK(house.loader.run(house.now(), report));
    CHECK(house.held_lease.holds());
    CHECK_FALSE(house.held_lease.next_renewal(house.now()));
    CHECK_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
}

TEST_CASE("who finds that another one had the store looks at everything in it again", "[storage]") {
    TwoUnnamed house;
    CycleReport report;
    CHECK(house.loader.run(house.now(), report));
    const RunHandle run = house.stored(rooms::bare_class());
    house.pass(61s);
    CHECK(house.second.check(house.now()));
    House elsewhere;
    elsewhere.stored(rooms::bare_class(), bench::spec_of("s"));
    Batch batch;
    batch.runs.push_back({*house.history().row});
    batch.runs.push_back({*elsewhere.history("s").row});
    batch.runs.back().row.version = 0;
    REQUIRE(house.memory.commit(batch) == Conflicts{});

    CHECK_FALSE(house.loader.run(house.now(), report));
    CHECK(house.at(run).disowned);
    CHECK_FALSE(house.registry.find("s"));
    house.second.leave();
    house.pass(5s);
    CHECK(house.loader.run(house.now(), report));
    REQUIRE(house.registry.find("s"));
    REQUIRE(house.registry.find("r"));
    CHECK_FALSE(house.at(*house.registry.find("r")).disowned);
    CHECK(house.at(*house.registry.find("r")).version == 2);
}

TEST_CASE("a commit asks nothing about others", "[storage]") {
    TwoUnnamed house;
    REQUIRE(house.ledger.stay_alone(house.now()));
    const auto asked = house.store.calls(StoreOperation::claim);
    const RunHandle run = house.stored(rooms::bare_class());
    REQUIRE_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    REQUIRE(house.ledger.stay_alone(house.now()));
    CHECK(house.store.calls(StoreOperation::claim) == asked);
}
