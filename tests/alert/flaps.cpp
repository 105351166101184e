#include <heeler/alert/flaps.hpp>

#include <string>

#include <heeler/core/archive.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Flaps;

namespace {

/// What is seen of a run that is in trouble for `ill` and well for `well`, so many times, and then well for good.
struct Seen {
    Flaps flaps;
    Duration now = 1h;

    void be(bool open, Duration length) {
        for (const Duration end = now + length; now < end; now += 1min) flaps.look(5min, open, now - flaps.at, now);
    }
    void come_and_go(int times, Duration ill, Duration well) {
        for (int i = 0; i < times; ++i) {
            be(true, ill);
            be(false, well);
        }
    }
};

}  // namespace

TEST_CASE("three incidents within an hour flap, and one in three quarters of an hour never does") {
    Seen often;
    often.come_and_go(2, 2min, 10min);
    CHECK_FALSE(often.flaps.found);
    often.be(true, 2min);
    CHECK_FALSE(often.flaps.found);
    often.be(false, 1min);
    CHECK(often.flaps.found);
    CHECK(often.flaps.begun == 3);
    CHECK(often.flaps.since == 1h);
    Seen within_an_hour;
    within_an_hour.come_and_go(3, 2min, 25min);
    CHECK(within_an_hour.flaps.found);
    Seen seldom;
    for (int i = 0; i < 50; ++i) {
        seldom.come_and_go(1, 2min, 45min);
        CHECK_FALSE(seldom.flaps.found);
    }
}

TEST_CASE("it goes on until the run has been well, or ill, for about an hour") {
    Seen seen;
    seen.come_and_go(6, 2min, 10min);
    for (const bool ill : {false, true}) {
        Seen then = seen;
        then.be(ill, 40min);
        CHECK(then.flaps.found);
        then.be(ill, 50min);
        CHECK_FALSE(then.flaps.found);
        then.be(ill, 10h);
        then.be(!ill, 1min);
        CHECK_FALSE(then.flaps.found);
        CHECK(then.flaps.begun == (ill ? 0 : 1));  // what was so long before counts no more
    }
}

TEST_CASE("what nobody looked at ends nothing, and a class that has it off knows nothing of it") {
    Seen seen;
    seen.come_and_go(6, 2min, 10min);
    seen.flaps.look(5min, false, 10min, seen.now + 24h);
    CHECK(seen.flaps.found);
    seen.flaps.look(Duration{}, true, 10min, seen.now);
    CHECK(seen.flaps == Flaps{});
}

TEST_CASE("the newest change weighs more than the oldest") {
    Flaps old_ones, new_ones;
    old_ones.changes = 0b1111'1110'0000'0000'0000u;
    new_ones.changes = 0b0000'0000'0000'0111'1111u;
    const auto flaps = [](Flaps of) {
        of.look(5min, false, 1min, 1h);
        return of.found;
    };
    CHECK_FALSE(flaps(old_ones));
    CHECK(flaps(new_ones));
    old_ones.found = true;  // begun at 30 %, it is over below 20 %
    CHECK(flaps(old_ones));
}

TEST_CASE("nothing that is read overflows") {
    Flaps damaged;
    damaged.changes = ~0u;
    damaged.at = Duration::min();
    for (const Duration seen : {Duration::min(), Duration{}, Duration::max()}) {
        Flaps each = damaged;
        each.look(24h, true, seen, 1h);
        CHECK(each.changes <= 0xfffffu);
    }
}
