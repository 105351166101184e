#include <heeler/detect/liveness_counter.hpp>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;

namespace {

struct Counting : facts::Taught<LivenessCounter> {
    std::int64_t after(Duration age, Duration started = {}) {
        At at{age};
        at.run.started = started;
        const auto seen = LivenessCounter{}.poll(memory, settings, at.run, {}, at.now);
        CHECK_FALSE(check(at));
        return seen ? seen->number.value_or(-1) : 0;
    }
    void says(Duration when, bool from_assistant) {
        Observation seen;
        seen.at = when;
        seen.event = Message{from_assistant, "so far"};
        LivenessCounter{}.learn(memory, settings, seen);
    }
};

}  // namespace

TEST_CASE("each whole period is told once, the newest after a pause, and the last one stays [M-016]") {
    Counting counter;
    CHECK(counter.after(599s) == 0);
    CHECK(counter.after(600s) == 1);
    CHECK(counter.after(600s) == 0);
    CHECK(counter.after(1199s) == 0);
    CHECK(counter.after(2100s) == 3);
    CHECK(counter.after(100h) == 9);
    CHECK(counter.after(200h) == 0);
}

TEST_CASE("it counts anew from what the agent says, not from what it is told [M-016]") {
    Counting counter;
    CHECK(counter.after(1200s) == 2);
    counter.says(1300s, false);
    CHECK(counter.after(1800s) == 3);
    counter.says(1900s, true);
    CHECK(counter.after(2499s) == 0);
    CHECK(counter.after(2500s) == 1);
}

TEST_CASE("it counts from the start of the run, and nothing where that is unknown [M-016]") {
    Counting earlier;
    CHECK(earlier.after(0s, -700s) == 1);
    Counting unknown;
    At at{100h};
    at.run.started.reset();
    CHECK_FALSE(LivenessCounter{}.poll(unknown.memory, unknown.settings, at.run, {}, at.now));
}

TEST_CASE("a quiet run is looked at when the next number is due, until the last [M-016]") {
    Counting counter;
    const At at{0s};
    const auto due = [&] { return LivenessCounter{}.due(counter.memory, counter.settings, at.run, {}); };
    CHECK(due() == 600s);
    CHECK(counter.after(2100s) == 3);
    CHECK(due() == 2400s);
    counter.says(2200s, true);
    CHECK(due() == 2800s);
    CHECK(counter.after(100h) == 9);
    CHECK_FALSE(due());
}

TEST_CASE("a period or a last number that is not positive is refused") {
    CHECK(checked<LivenessCounter>({1s, 1}));
    CHECK_FALSE(checked<LivenessCounter>({0s, 9}));
    CHECK_FALSE(checked<LivenessCounter>({-1s, 9}));
    CHECK_FALSE(checked<LivenessCounter>({600s, 0}));
}
