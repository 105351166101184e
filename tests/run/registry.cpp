#include <heeler/run/registry.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::bare_class;
using rooms::Counts;
using rooms::House;

namespace {

StoredRun stored_run(House& house) {
    const Snapshot all = *house.memory.load();
    REQUIRE(all.runs.size() == 1);
    return all.runs[0];
}

}  // namespace

TEST_CASE("a run is found by its id until it is dropped, and its handle is good for nothing then", "[run]") {
    House house;
    const RunHandle handle = house.run(bare_class());
    CHECK(house.registry.find("r") == handle);
    const auto again = house.registry.add(bench::spec_of("r"), "bare", house.now());
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::duplicate);
    house.registry.drop(handle);
    house.registry.drop(handle);
    CHECK_FALSE(house.registry.find("r"));
    CHECK(house.table.find(handle) == nullptr);
    const RunHandle next = house.run(bare_class());
    CHECK(next.index == handle.index);
    CHECK_FALSE(next == handle);
    CHECK(house.at(next).run.observations == 0);
}

TEST_CASE("a run needs a class that is defined", "[run]") {
    House house;
    const auto refused = house.registry.add(bench::spec_of("r"), "nobody", house.now());
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("no run class `nobody` is defined"));
    CHECK_FALSE(house.registry.find("r"));
}

TEST_CASE("a class that cannot work is refused by its name, and the one before stays", "[run]") {
    House house;
    house.define(bare_class());
    RunClass bad = bare_class();
    bad.limits.debounce = 0;
    const auto refused = house.registry.define(bad, house.now());
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message, ContainsSubstring("run class `bare`: debounce is 0"));
    CHECK(house.registry.find_class("bare")->rules.limits.debounce == 1);
    CHECK(house.registry.classes().size() == 1);
}

TEST_CASE("a class that is replaced is renewed in its runs, with what their detectors remember", "[run]") {
    House house;
    RunClass rules = bare_class();
    rules.detectors.turn_on<Counts<'a'>>().turn_on<Counts<'b'>>();
    const RunHandle handle = house.run(rules);
    for (int i = 0; i < 3; ++i) house.tell(handle, ToolCall{"ls", "{}", {}});
    detail::WatchedRun& watched = house.at(handle);
    RunClass other = bare_class();
    other.interval.fixed = 30s;
    other.detectors.turn_on<Counts<'n'>>().turn_on<Counts<'b'>>().turn_on<Counts<'a'>>();
    house.define(other);
    CHECK(rooms::counts_of(rooms::found(watched, house.now())) == "a 3, b 3");

    watched.verdict.edit().incident.phase = Phase::climbing;  // an open incident keeps what it began with
    house.registry.renew(watched, house.now());
    CHECK(watched.run.interval == 60s);
    watched.verdict.edit().incident.phase = Phase::closed;
    house.registry.renew(watched, house.now());
    CHECK(watched.run.interval == 30s);
    CHECK(watched.sampling.next == 30s);
    CHECK(rooms::counts_of(rooms::found(watched, house.now())) == "n 0, b 3, a 3");
    house.tell(handle, ToolCall{"ls", "{}", {}});
    CHECK(rooms::counts_of(rooms::found(watched, house.now())) == "n 1, b 4, a 4");
}

TEST_CASE("only a class that was there before makes every run looked at", "[run]") {
    House house;
    const RunHandle handle = house.run(bare_class());
    const auto due = [&] {
        int visits = 0;
        house.table.each_due(house.now().elapsed, [&](std::uint32_t, std::int64_t) { ++visits; });
        return visits;
    };
    house.registry.look_at_replaced(house.now());
    CHECK(due() == 0);
    house.define(bare_class("another"));
    house.registry.look_at_replaced(house.now());
    CHECK(due() == 0);
    house.define(bare_class());
    house.registry.look_at_replaced(house.now());
    CHECK(due() == 1);
    house.table.look_at(handle.index, std::nullopt);
    house.registry.look_at_replaced(house.now());
    CHECK(due() == 0);
}

TEST_CASE("a mute is of the class, whichever of its versions a run has", "[run]") {
    House house;
    detail::WatchedRun& watched = house.at(house.run(bare_class()));
    house.registry.mute("bare", 7);
    CHECK(watched.of_class()->mutes.has(7));
    house.define(bare_class());
    house.registry.mute("bare", 8);
    CHECK(watched.of_class()->mutes.has(8));
    CHECK(house.registry.find_class("bare")->mutes.has(7));
    house.registry.mute("later", 9);
    house.define(bare_class("later"));
    CHECK(house.registry.find_class("later")->mutes.has(9));
    CHECK_FALSE(house.registry.find_class("bare")->mutes.has(9));
}

TEST_CASE("a run that is disowned is not found any more, and keeps its slot", "[run]") {
    House house;
    const RunHandle handle = house.run(bare_class());
    house.registry.disown(handle, house.now());
    house.registry.disown(handle, house.now());
    CHECK_FALSE(house.registry.find("r"));
    CHECK(house.at(handle).disowned);
    CHECK_FALSE(house.table.beat(handle, house.now().elapsed));
    const RunHandle own = house.run(bare_class());  // registered again under the same id
    house.registry.drop(handle);
    CHECK(house.registry.find("r") == own);
}

TEST_CASE("a stored run is taken in as it was, one that cannot be read is left alone", "[run]") {
    House before;
    RunClass rules = bare_class();
    rules.detectors.turn_on<Counts<'a'>>();
    const RunHandle handle = before.run(rules);
    before.tell(handle, ToolCall{"ls", "{}", {}});
    before.tell(handle, Progress{9});
    REQUIRE_FALSE(before.ledger.commit_one(handle, before.at(handle), before.now()));
    StoredRun row = stored_run(before);

    House after;
    after.define(rules);
    const auto taken = after.registry.adopt(row, false, after.now());
    REQUIRE(taken);
    CHECK(after.at(taken->handle).run.reported_value == 9);
    CHECK(after.at(taken->handle).version == 1);
    CHECK(rooms::counts_of(rooms::found(after.at(taken->handle), after.now())) == "a 1");
    CHECK(after.registry.adopt(row, false, after.now()).error().code == ErrorCode::duplicate);

    after.registry.drop(taken->handle);
    const std::string whole = row.row.facts;
    for (const std::string& facts : {whole.substr(0, whole.size() - 1), std::string{}, "\xff" + whole.substr(1)}) {
        row.row.facts = facts;
        const auto damaged = after.registry.adopt(row, false, after.now());
        REQUIRE_FALSE(damaged);
        CHECK(damaged.error().code == ErrorCode::corrupt);
        CHECK(damaged.error().message == "table 'runs', column 'facts' is damaged");
        CHECK_FALSE(after.registry.find("r"));
    }
}

TEST_CASE("a cycle lies on the run's own grid, or on the wall clock's", "[run]") {
    House house;
    RunClass rules = bare_class();
    detail::WatchedRun& own = house.at(house.run(rules));
    house.clock.advance(61s);
    CHECK(house.registry.cycle_after(own, house.now()) == bench::start.elapsed + 120s);
    RunClass aligned = bare_class("aligned");
    aligned.schedule = {60s, true, false};
    detail::WatchedRun& wall = house.at(house.run(aligned, bench::spec_of("w")));
    const Duration until = house.registry.cycle_after(wall, house.now()) - house.now().elapsed;
    CHECK((house.now().wall + until).time_since_epoch() % 60s == Duration{});
    CHECK((until > Duration{} && until <= 60s));
}

TEST_CASE("what a run is to do is stored without secrets [M-184]", "[run]") {
    House house;
    RunSpec spec = bench::spec_of("r");
    spec.task = "deploy with DB_PASS=hunter2";
    spec.work_item = "curl -u bob:hunter2 https://host";
    spec.contract = DelegateContract{"use token=hunter2", "a", "b", "c", "d", "e"};
    house.define(bare_class());
    const auto handle = house.registry.add(spec, "bare", house.now());
    REQUIRE(handle);
    const RunSpec kept = house.at(*handle).spec.decoded();
    CHECK(kept.task == "deploy with DB_PASS=[redacted]");
    CHECK(kept.work_item == "curl -u bob:[redacted] https://host");
    CHECK(kept.contract->scope == "use token=[redacted]");
    CHECK(house.at(*handle).spec.bytes().find("hunter2") == std::string::npos);
}
