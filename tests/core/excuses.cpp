#include <heeler/core/excuses.hpp>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// "outer" takes 20 min from the beginning, and "inner" 30 min from 10 min on.
Excuses nested() {
    Excuses all;
    all.open = {{1, 20min, 20min, "outer"}, {2, 30min, 40min, "inner"}};
    all.until = 40min;
    all.granted_at = 10min;
    all.granted = 40min;
    all.times = all.changes = 2;
    return all;
}

}  // namespace

TEST_CASE("what ends early restores what goes on around it, and nothing of it is left [M-191]") {
    Excuses all = nested();
    SECTION("the outer one goes on") {
        all.end(&all.open[1], 15min);
        CHECK(all.until == 20min);
        CHECK(all.granted == 20min);
        all.end(&all.open[0], 16min);
        CHECK((all.until == 16min && all.granted == 16min && all.open.empty() && all.changes == 4));
    }
    SECTION("the time of the outer one is over") {
        all.end(&all.open[1], 25min);
        CHECK((all.until == 25min && all.granted == 25min));
    }
    SECTION("in any order") {
        all.end(&all.open[0], 15min);
        CHECK((all.until == 40min && all.granted == 40min));
        CHECK(all.open[0].what == "inner");
    }
    SECTION("late: no credit for more") {
        all.end(&all.open[1], 50min);
        CHECK((all.until == 40min && all.granted == 40min));
    }
}

TEST_CASE("what is expected is taken from another clock, gaps are not [M-191]") {
    Excuses mine;
    mine.gaps = {1min, 2min};
    Excuses there = nested();
    there.gaps = {3min};
    mine.take_expected(there, 60min);
    CHECK(mine.gaps == List<Duration>{1min, 2min});
    CHECK((mine.open[0].until == 80min && mine.open[1].until == 100min && mine.until == 100min));
    CHECK((mine.granted_at == 70min && mine.granted == 40min && mine.times == 2 && mine.changes == 2));
    mine.take_expected({}, 60min);
    CHECK((!mine.until && !mine.granted_at && mine.open.empty()));
}

TEST_CASE("it is saved whole, and damage is refused [M-191]") {
    Excuses before = nested(), after;
    before.gaps = {7min};
    const auto saved = [](Excuses& all) {
        ArchiveWriter to{Instant{}};
        all.archive(to);
        return to.take();
    };
    const auto loads = [&](const std::string& bytes) {
        ArchiveReader from{bytes, Instant{}};
        after.archive(from);
        return from.ok() && from.at_end();
    };
    REQUIRE(loads(saved(before)));
    CHECK((after.gaps == before.gaps && after.until == 40min && after.changes == 2));
    CHECK((after.open[1].number == 2 && after.open[1].takes == 30min && after.open[1].what == "inner"));
    before.open.resize(Excuses::deepest);
    CHECK(loads(saved(before)));
    before.open.resize(Excuses::deepest + 1);
    CHECK_FALSE(loads(saved(before)));
    before.open.resize(1);
    before.until.reset();
    CHECK_FALSE(loads(saved(before)));
}
