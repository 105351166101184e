#include <heeler/agent/restrained_control.hpp>

#include <string>
#include <vector>

#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/scripted_control.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct Restrained {
    ManualClock clock{};
    ScriptedControl agents{};
    std::size_t watched = 100;
    std::vector<std::string> said{};
    RestrainedControl<ScriptedControl, ManualClock> control;

    explicit Restrained(Restraints most = {})
        : control{agents, clock, [this] { return watched; }, most,
                  [this](const std::string& text) { said.push_back(text); }} {}

    static ActionRequest about(const std::string& run) {
        ActionRequest asked;
        asked.run = run;
        asked.key = run;
        return asked;
    }
    bool nudge(int run) { return control.inject(about("r" + std::to_string(run))).has_value(); }
    bool end(int run) { return control.terminate(about("r" + std::to_string(run))).has_value(); }
    bool replace(int run) { return control.spawn(about("r" + std::to_string(run))).has_value(); }
};

}  // namespace

TEST_CASE("of many runs that are to be nudged ten are in a minute, and the others after it") {
    Restrained r;
    int nudged = 0;
    for (int run = 0; run < 25; ++run) nudged += r.nudge(run) ? 1 : 0;
    CHECK(nudged == 10);
    const auto refused = r.control.inject(Restrained::about("r20"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    CHECK(refused.error().message == "at most 10 actions within 1m 0s");
    r.clock.advance(59s);
    CHECK_FALSE(r.nudge(10));
    r.clock.advance(1s);
    for (int run = 10; run < 25; ++run) nudged += r.nudge(run) ? 1 : 0;
    CHECK(nudged == 20);
    CHECK(r.agents.requests().size() == 20);
}

TEST_CASE("one agent is ended or replaced in ten seconds, and none in the first two minutes") {
    Restrained r;
    CHECK_FALSE(r.end(0));
    r.clock.advance(119s);
    CHECK_FALSE(r.replace(0));
    r.clock.advance(1s);
    CHECK(r.end(1));
    CHECK_FALSE(r.replace(2));
    CHECK(r.nudge(3));
    CHECK(r.control.snapshot(Restrained::about("r2")));
    CHECK(r.control.resume(Restrained::about("r2")));
    r.clock.advance(10s);
    CHECK(r.replace(2));
    CHECK_FALSE(r.end(4));
}

TEST_CASE("while many runs stand still together nobody is ended or replaced") {
    Restrained r{{0, 1min, 0, 10s}};
    r.watched = 15;
    r.clock.advance(2min);
    for (int run = 0; run < 4; ++run) CHECK(r.nudge(run));
    CHECK(r.end(0));
    CHECK(r.said.empty());
    CHECK(r.nudge(4));
    CHECK(r.control.outage());
    REQUIRE(r.said.size() == 1);
    CHECK(r.said[0].starts_with("5 of 15 runs stand still together, within 2m 0s: "));
    const auto refused = r.control.terminate(Restrained::about("r0"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::busy);
    CHECK_FALSE(r.replace(1));
    CHECK(r.nudge(5));
    CHECK(r.control.pause(Restrained::about("r5")));
    CHECK(r.control.snapshot(Restrained::about("r5")));
    SECTION("as long as they do") {
        for (int minute = 0; minute < 60; ++minute) {
            r.clock.advance(60s);
            for (int run = 0; run < 3; ++run) CHECK_FALSE(r.end(run));
        }
        CHECK(r.said.size() == 1);
    }
    SECTION("until few do for ten minutes") {
        for (int look = 0; look < 14; ++look) {  // of the first two the others are not two minutes ago yet
            r.clock.advance(59s);
            CHECK_FALSE(r.end(0));
        }
        r.clock.advance(12s);
        CHECK(r.end(0));
        CHECK_FALSE(r.control.outage());
        CHECK(r.said.size() == 2);
    }
    SECTION("nor after nothing was asked for a while: that is no outage any more") {
        r.clock.advance(12min);
        CHECK(r.end(0));
        CHECK(r.said.size() == 2);
    }
}

TEST_CASE("five runs of hundred are no outage, nor are all of four") {
    Restrained r{{0, 1min, 0, 10s}};
    for (int run = 0; run < 29; ++run) CHECK(r.nudge(run));
    CHECK_FALSE(r.control.outage());
    CHECK(r.nudge(29));
    CHECK(r.control.outage());
    Restrained few{{0, 1min, 0, 10s}};
    few.watched = 4;
    for (int run = 0; run < 4; ++run) CHECK(few.nudge(run));
    CHECK_FALSE(few.control.outage());
}
