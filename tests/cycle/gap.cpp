#include <heeler/cycle/gap.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::House;

TEST_CASE("clocks that went apart hold the verdicts of all runs for one grace each", "[cycle]") {
    House house;
    RunClass graceful = rooms::bare_class("graceful");
    graceful.grace = 7s;
    detail::WatchedRun& one = house.at(house.run(rooms::bare_class()));
    detail::WatchedRun& two = house.at(house.run(graceful, bench::spec_of("g")));
    detail::GapWatch gap{10s};
    CHECK_FALSE(
        gap.note(house.now(), TickCause::period, house.registry));  // the first call has nothing to compare with
    house.clock.advance(3600s);
    CHECK_FALSE(gap.note(house.now(), TickCause::period, house.registry));  // both clocks moved
    house.clock.suspend(10s - 1us);
    CHECK_FALSE(gap.note(house.now(), TickCause::period, house.registry));
    CHECK_FALSE(one.rare->held_until);
    house.clock.suspend(10s);
    const auto row = gap.note(house.now(), TickCause::period, house.registry);
    REQUIRE(row);
    CHECK((row->row.kind == "gap" && row->row.run.empty()));
    CHECK_THAT(row->row.body, ContainsSubstring(R"({"seconds":10)"));
    CHECK(one.rare->held_until == house.now().elapsed + 60s);  // one interval where the class says nothing
    CHECK(two.rare->held_until == house.now().elapsed + 7s);
}

TEST_CASE("a wall clock that is set back is a gap as well, and is one once", "[cycle]") {
    House house;
    detail::GapWatch gap{10s};
    (void)gap.note(house.now(), TickCause::period, house.registry);
    house.clock.step_wall(-3600s);
    const auto row = gap.note(house.now(), TickCause::period, house.registry);
    REQUIRE(row);
    CHECK_THAT(row->row.body, ContainsSubstring("-3600"));
    CHECK_FALSE(gap.note(house.now(), TickCause::period, house.registry));
}

TEST_CASE("a call that comes far too late puts off what was reported, not what a source tells afterwards", "[cycle]") {
    House house;
    detail::WatchedRun& reported = house.at(house.run(rooms::bare_class()));
    detail::WatchedRun& polled = house.at(house.run(rooms::bare_class("polled"), bench::spec_of("p")));
    polled.source.edit().in_group = true;
    detail::GapWatch gap{10s};
    const auto call = [&](Duration after) {
        house.clock.advance(after);
        gap.called({});
        return gap.note(house.now(), TickCause::period, house.registry);
    };
    for (int i = 0; i < 5; ++i) CHECK_FALSE(call(60s));
    CHECK_FALSE(call(180s));  // three times as long is no news
    CHECK_FALSE(reported.run.seen_from);
    const auto row = call(3600s);
    REQUIRE(row);
    CHECK((row->row.kind == "away" && row->row.run.empty()));
    CHECK((gap.late(60s) && !gap.late(1200s)));  // who is looked at each 20 minutes missed nothing in an hour
    CHECK(reported.run.seen_from == reported.run.working(house.now().elapsed));
    CHECK_FALSE(polled.run.seen_from);
    CHECK_FALSE(call(60s));
    CHECK_FALSE(gap.late(60s));
}

TEST_CASE("a run that waits is looked at when the watchdog was away, and so are the reports that follow", "[cycle]") {
    House house;
    const RunHandle run = house.run(rooms::bare_class());
    auto& table = house.registry.table();
    detail::GapWatch gap{10s};
    const auto call = [&](Duration after) {
        house.clock.advance(after);
        gap.called({});
        return gap.note(house.now(), TickCause::period, house.registry).has_value();
    };
    for (int i = 0; i < 5; ++i) CHECK_FALSE(call(60s));
    table.look_at(run.index, std::nullopt);  // as of one that waits for a person
    CHECK(call(3600s));
    CHECK(house.at(run).dirty);
    bool due = false;
    table.each_due(house.now().elapsed, [&](std::uint32_t index, std::int64_t) { due |= index == run.index; });
    CHECK(due);
}
