#include <heeler/report/self_watch.hpp>

#include <chrono>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// A watchdog that says it is alive every 60 s, to somebody who counts.
struct Alive {
    int told = 0;
    bool works = true;
    Elapsed now{1000s};
    SelfWatch watch;

    Alive() {
        watch.tell(60s, [this]() -> Result<void> {
            ++told;
            if (works) return {};
            return fail(ErrorCode::timed_out, "no answer");
        });
    }

    std::vector<Error> note(std::uint32_t ticks, std::uint32_t whole, std::uint32_t deliveries,
                            std::optional<Duration> oldest = {}) {
        CycleReport report;
        report.ticks = ticks;
        report.whole = whole;
        report.deliveries = deliveries;
        return watch.note(report, oldest, now);
    }
};

}  // namespace

TEST_CASE("somebody is told after a healthy cycle, and not more often than asked for") {
    Alive alive;
    CHECK(alive.note(1, 1, 1).empty());
    CHECK(alive.told == 1);
    alive.now += 59s;
    alive.note(1, 1, 1);
    CHECK(alive.told == 1);
    alive.now += 1s;
    alive.note(2, 2, 2);
    CHECK(alive.told == 2);
}

TEST_CASE("nobody is told after half a cycle, a failed one, or while an alert waits too long") {
    Alive alive;
    alive.note(0, 0, 1);  // nothing was judged
    alive.note(1, 1, 0);  // nothing was delivered
    CHECK(alive.told == 0);
    alive.note(1, 0, 1);  // not all was stored
    alive.note(2, 1, 2);
    alive.note(0, 0, 1);  // the delivery after that
    CHECK(alive.told == 0);
    alive.note(1, 1, 1, 10min);
    CHECK(alive.told == 0);
    alive.note(1, 1, 1, 10min - 1s);
    CHECK(alive.told == 1);
}

TEST_CASE("two threads make a healthy cycle together: a tick, and a delivery after it") {
    Alive alive;
    alive.note(1, 1, 0);
    CHECK(alive.told == 0);
    alive.note(0, 0, 1);
    CHECK(alive.told == 1);
    alive.now += 60s;
    alive.note(0, 0, 1);  // no tick since
    CHECK(alive.told == 1);
    alive.note(1, 1, 0);
    alive.note(1, 0, 0);  // the newest tick is not healthy
    alive.note(0, 0, 1);
    CHECK(alive.told == 1);
}

TEST_CASE("an outlet that fails is said to, holds up no other, and is asked again when it is due") {
    Alive alive;
    int others = 0;
    alive.watch.tell(1s, [&]() -> Result<void> {
        ++others;
        return {};
    });
    alive.works = false;
    const auto errors = alive.note(1, 1, 1);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "no answer");
    CHECK(others == 1);
    alive.now += 1s;
    CHECK(alive.note(1, 1, 1).empty());
    CHECK(alive.told == 1);
    CHECK(others == 2);
    alive.now += 59s;
    CHECK(alive.note(1, 1, 1).size() == 1);
}
