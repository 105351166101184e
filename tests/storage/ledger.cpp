#include <heeler/storage/ledger.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Change;
using rooms::bare_class;
using rooms::House;

namespace {

/// Something happens between the writing of a commit and its answer.
struct Interrupted {
    MemoryStore inner;
    std::function<Result<Conflicts>(Result<Conflicts>)> then{};

    Result<Snapshot> load() { return inner.load(); }
    Result<List<DecisionRow>> list() { return inner.list(); }
    Result<History> history(std::string_view run) { return inner.history(run); }
    Result<Conflicts> commit(const Batch& batch) {
        auto answer = inner.commit(batch);
        const auto call = std::exchange(then, {});
        return call ? call(std::move(answer)) : answer;
    }
};

void note_checkpoint(House& house, RunHandle run, std::int64_t step) {
    detail::Folder folder{house.at(run), house.now()};
    detail::record(house.at(run), folder, CheckpointNote{step, "step"}, house.now().wall);
}

}  // namespace

TEST_CASE("a run is stored under the next version, its long texts and memory once", "[storage]") {
    House house;
    const RunHandle run = house.stored(bare_class());
    CHECK(house.at(run).version == 1);
    CHECK(house.history().row->version == 1);
    const auto first = house.memory.load()->runs[0].row;
    CHECK((first.spec && first.memory));
    house.clock.advance(1s);
    house.tell(run, Progress{4});
    REQUIRE_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    CHECK((house.at(run).version == 2 && house.at(run).last_flush == house.now().elapsed));
    CHECK(house.at(run).last_memory == bench::start.elapsed);  // the detectors' memory was not written again
}

TEST_CASE("what could not be written waits, in its order, and is written once", "[storage]") {
    House house;
    const RunHandle run = house.stored(bare_class());
    note_checkpoint(house, run, 1);
    house.store.fail(StoreOperation::commit, ErrorCode::busy);
    CHECK(house.ledger.commit_one(run, house.at(run), house.now())->code == ErrorCode::busy);
    note_checkpoint(house, run, 2);
    CHECK(house.at(run).unsaved->checkpoints.size() == 2);
    CHECK(house.at(run).version == 1);
    house.store.heal();
    REQUIRE_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    CHECK(house.at(run).unsaved->empty());
    const auto rows = house.history().checkpoints;
    REQUIRE(rows.size() == 2);
    CHECK((rows[0].step == 1 && rows[1].step == 2));
}

TEST_CASE("a commit that answered an error and happened all the same counts as stored", "[storage]") {
    House house;
    const RunHandle run = house.stored(bare_class());
    note_checkpoint(house, run, 1);
    house.store.fail(StoreOperation::commit, ErrorCode::lost, FaultEffect::executed);
    CHECK_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    CHECK((house.at(run).version == 2 && house.at(run).unsaved->empty()));
}

TEST_CASE("after a conflict the stored state is taken over, and what was reported here waits", "[storage]") {
    House one;
    House two;
    two.store = one.store;
    const RunHandle mine = one.stored(bare_class());
    two.define(bare_class());
    const RunHandle theirs = two.registry.adopt(one.memory.load()->runs[0], false, two.now())->handle;
    two.at(theirs).verdict.edit().incident.number = 3;
    REQUIRE_FALSE(two.ledger.commit_one(theirs, two.at(theirs), two.now()));
    note_checkpoint(one, mine, 1);
    const auto error = one.ledger.commit_one(mine, one.at(mine), one.now());
    REQUIRE(error);
    CHECK(error->code == ErrorCode::conflict);
    CHECK(one.at(mine).verdict->incident.number == 3);
    CHECK(one.at(mine).unsaved->checkpoints.size() == 1);
    CHECK_FALSE(one.ledger.commit_one(mine, one.at(mine), one.now()));
    CHECK(one.history().checkpoints.size() == 1);
}

TEST_CASE("another run of the same name is not overwritten and not taken over", "[storage]") {
    House one;
    (void)one.stored(bare_class());
    House two;
    two.store = one.store;
    RunSpec spec = bench::spec_of("r");
    spec.task = "Something else";
    const RunHandle run = two.run(bare_class(), spec);
    for (int i = 0; i < 2; ++i) CHECK(two.ledger.commit_one(run, two.at(run), two.now())->code == ErrorCode::conflict);
    CHECK((two.at(run).version == 0 && one.history().row->version == 1));
}

TEST_CASE("since when the store fails is known, for reading and writing together", "[storage]") {
    House house;
    const RunHandle run = house.stored(bare_class());
    CHECK_FALSE(house.ledger.failing_since());
    const Elapsed began = house.now().elapsed;
    house.store.fail(StoreOperation::list, ErrorCode::io);
    CHECK_FALSE(house.ledger.list(house.now()));
    house.clock.advance(5s);
    house.store.fail(StoreOperation::commit, ErrorCode::full);
    CHECK(house.ledger.commit_one(run, house.at(run), house.now()));
    CHECK(house.ledger.failing_since() == began);
    CHECK(house.ledger.last_error().code == ErrorCode::full);
    house.store.heal();
    CHECK(house.ledger.list(house.now()));
    CHECK(house.ledger.failing_since() == began + 5s);  // writing was not tried again yet
    CHECK_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    CHECK_FALSE(house.ledger.failing_since());
}

TEST_CASE("a lease that was lost stops every write, until it is taken again", "[storage]") {
    House house;
    house.settings.holder = "dog";
    CHECK_FALSE(*house.ledger.renew("dog", 15s, house.now()));
    const RunHandle run = house.stored(bare_class());
    CHECK(house.history().row->holder == "dog");
    house.memory.let_pass(20s);
    REQUIRE(house.memory.claim_runs({*house.memory.claim({"other", "o"}, 15s), {"bare"}, {}, {}, 500}));
    CHECK(house.ledger.commit_one(run, house.at(run), house.now())->code == ErrorCode::fenced);
    CHECK_FALSE(house.held_lease.holds(house.now().elapsed));
    CHECK(*house.ledger.renew("dog", 15s, house.now()));  // another epoch: what was held is lost
    List<Change> changes(1);
    changes[0].handle = run;
    changes[0].watched = &house.at(run);
    CHECK_FALSE(house.ledger.commit(changes, {}, house.now()));
    CHECK((changes[0].conflict && changes[0].disowned && !changes[0].stored));
}

TEST_CASE("what was written of a run that is over says nothing about the one that has its place now", "[storage]") {
    House house;
    Interrupted store{house.memory};
    detail::StoreEdge<Interrupted> port{store};
    detail::Ledger ledger{port, house.held_lease, house.process};
    const RunHandle old = house.stored(bare_class(), bench::spec_of("old"));
    note_checkpoint(house, old, 1);
    Result<Conflicts> answer = GENERATE(as<Result<Conflicts>>{}, Result<Conflicts>{Conflicts{}},
                                        Result<Conflicts>{Conflicts{"old"}}, fail(ErrorCode::busy, "locked"));
    RunHandle fresh;
    store.then = [&](const Result<Conflicts>&) {
        house.registry.drop(old);
        fresh = house.run(bare_class(), bench::spec_of("new"));
        return answer;
    };
    (void)ledger.commit_all(house.table, house.now());
    REQUIRE(fresh.index == old.index);
    CHECK(house.at(fresh).version == 0);
    CHECK_FALSE(house.at(fresh).spec_stored);
    CHECK(house.at(fresh).unsaved->empty());
    CHECK_FALSE(ledger.commit_one(fresh, house.at(fresh), house.now()));
    CHECK(house.history("new").row->version == 1);
    CHECK(house.history("new").checkpoints.empty());
}

TEST_CASE("that the store does not take a run holds up no other one that has its place now", "[storage]") {
    House house;
    const RunHandle old = house.stored(bare_class(), bench::spec_of("old"));
    List<Change> changes(1);
    changes[0].handle = old;
    changes[0].watched = &house.at(old);
    house.registry.drop(old);
    const RunHandle fresh = house.run(bare_class(), bench::spec_of("new"));
    REQUIRE(fresh.index == old.index);
    (void)house.stored(bare_class(), bench::spec_of("other"));
    house.store.fail_run("new", ErrorCode::unstorable);
    CHECK(house.ledger.commit_all(house.table, house.now()));
    CHECK(house.ledger.is_put_off("new", house.now()));
    CHECK_FALSE(house.ledger.commit(changes, {}, house.now()));
    CHECK_FALSE(changes[0].fault);  // it is of another run
}

TEST_CASE("a store without leases cannot be shared, and says so", "[storage]") {
    struct Lonely {
        MemoryStore inner;
        Result<Snapshot> load() { return inner.load(); }
        Result<List<DecisionRow>> list() { return inner.list(); }
        Result<Conflicts> commit(const Batch& batch) { return inner.commit(batch); }
        Result<History> history(std::string_view run) { return inner.history(run); }
    };
    House house;
    Lonely lonely;
    detail::StoreEdge<Lonely> port{lonely};
    detail::Ledger ledger{port, house.held_lease, house.process};
    const auto refused = ledger.renew("dog", 15s, house.now());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::unsupported);
    CHECK_THAT(refused.error().message, ContainsSubstring("EngineSettings::holder"));
}
