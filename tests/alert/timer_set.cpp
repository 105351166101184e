#include <heeler/alert/timer_set.hpp>

#include <stdexcept>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

constexpr Elapsed at(Duration t) { return Elapsed{7h + t}; }

/// Fires and answers "NAME:MESSAGE" of each, with an exclamation mark where that was a warning.
std::string fired_at(TimerSet& timers, Duration t, const Result<void>& answer = {}) {
    std::string shown;
    for (const FiredTimer& each : timers.fire(at(t), [&](const Timer&) { return answer; }))
        shown += each.timer.name + ":" + each.timer.message + (each.warning ? "! " : " ");
    return shown;
}

std::string names_of(const std::vector<Timer>& timers) {
    std::string names;
    for (const Timer& each : timers) names += each.name + " ";
    return names;
}

}  // namespace

TEST_CASE("A-52: a timer without a name is the default one, and runs until it is stopped [M-012] [M-013] [M-014]") {
    TimerSet timers;
    CHECK_FALSE(timers.stop());
    CHECK_FALSE(timers.is_running());
    REQUIRE(timers.start({.interval = 60s, .message = "test", .target = "pane"}, at(0s)) == TimerSet::Outcome::started);
    CHECK(timers.is_running());
    CHECK(timers.is_running("default"));
    CHECK(timers.count() == 1);
    const auto status = timers.status();
    REQUIRE(status.size() == 1);
    CHECK(status[0].name == "default");
    CHECK(status[0].interval == 60s);
    CHECK(status[0].message == "test");
    CHECK(status[0].target == "pane");
    CHECK(timers.is_running(""));
    CHECK(timers.status("").size() == 1);
    CHECK(timers.stop(""));
    REQUIRE(timers.start({}, at(0s)) == TimerSet::Outcome::started);
    CHECK(timers.stop());
    CHECK_FALSE(timers.is_running());
    CHECK_FALSE(timers.stop());
}

TEST_CASE("a timer says check each 90 seconds unless it is told otherwise [M-014]") {
    TimerSet timers;
    REQUIRE(timers.start({}, at(0s)));
    CHECK(timers.status()[0].interval == 90s);
    CHECK(timers.status()[0].message == "check");
}

TEST_CASE("the same name replaces a timer, whose time begins anew [M-012]") {
    TimerSet timers;
    REQUIRE(timers.start({.interval = 60s, .message = "test"}, at(0s)));
    CHECK(timers.start({.interval = 30s, .message = "ping"}, at(50s)) == TimerSet::Outcome::replaced);
    CHECK(timers.count() == 1);
    CHECK(fired_at(timers, 79s).empty());
    CHECK(fired_at(timers, 80s) == "default:ping ");
}

TEST_CASE("timers of different names coexist, and are stopped one by one or all [M-012] [M-013]") {
    TimerSet timers;
    REQUIRE(timers.start({.name = "beta"}, at(0s)));
    REQUIRE(timers.start({.name = "alpha"}, at(0s)));
    CHECK(names_of(timers.status()) == "alpha beta ");
    CHECK(names_of(timers.status("beta")) == "beta ");
    CHECK(timers.status("gamma").empty());
    CHECK_FALSE(timers.stop("gamma"));
    CHECK(timers.stop("alpha"));
    CHECK_FALSE(timers.is_running("alpha"));
    CHECK(timers.is_running("beta"));
    REQUIRE(timers.start({.name = "alpha"}, at(0s)));
    CHECK(timers.stop());
    CHECK(timers.count() == 0);
    CHECK_FALSE(timers.next_deadline());
}

TEST_CASE("A-54: it fires after a whole interval, and goes on while its target is missing [M-003] [M-014]") {
    TimerSet timers;
    REQUIRE(timers.start({.interval = 30s}, at(0s)));
    const Result<void> missing = fail(ErrorCode::no_recipient, "nobody is there");
    CHECK(timers.next_deadline() == at(30s));
    CHECK(fired_at(timers, 0s, missing).empty());
    CHECK(fired_at(timers, 29s, missing).empty());
    CHECK(fired_at(timers, 30s, missing) == "default:check! ");
    CHECK(fired_at(timers, 60s, missing) == "default:check! ");
    CHECK(fired_at(timers, 90s) == "default:check ");
}

TEST_CASE("who fires late fires once, and the next interval begins then [M-003]") {
    TimerSet timers;
    REQUIRE(timers.start({.interval = 30s}, at(0s)));
    CHECK(fired_at(timers, 95s) == "default:check ");
    CHECK(fired_at(timers, 124s).empty());
    CHECK(timers.next_deadline() == at(125s));
}

TEST_CASE("what is due is sent in the order of time, then of names", "[alert]") {
    TimerSet timers;
    REQUIRE(timers.start({.name = "a", .interval = 30s}, at(0s)));
    REQUIRE(timers.start({.name = "c", .interval = 20s}, at(0s)));
    REQUIRE(timers.start({.name = "b", .interval = 20s}, at(0s)));
    CHECK(fired_at(timers, 30s) == "b:check c:check a:check ");
}

TEST_CASE("a send that fails or throws is a warning with its words [M-014]") {
    TimerSet timers;
    REQUIRE(timers.start({.interval = 1s}, at(0s)));
    const auto failing = timers.fire(
        at(1s), [](const Timer&) -> Result<int> { return fail(ErrorCode::delivery_failed, "the line is dead"); });
    REQUIRE(failing.size() == 1);
    REQUIRE(failing[0].warning);
    CHECK(failing[0].warning->message == "the line is dead");
    const auto throwing = timers.fire(at(2s), [](const Timer&) -> Result<void> { throw std::runtime_error{"dead"}; });
    REQUIRE(throwing.size() == 1);
    REQUIRE(throwing[0].warning);
    CHECK(throwing[0].warning->code == ErrorCode::failed);
    CHECK(throwing[0].warning->message == "the timer's `send` threw: dead");
    CHECK(timers.is_running());
}

TEST_CASE("whoever sends may stop and start timers", "[alert]") {
    TimerSet timers;
    for (const char* name : {"a", "b", "c"}) REQUIRE(timers.start({.name = name, .interval = 10s}, at(0s)));
    const auto fired = timers.fire(at(10s), [&](const Timer& timer) -> Result<void> {
        CHECK(timer.name == "a");
        CHECK(timers.stop("a"));
        CHECK(timers.stop("b"));
        CHECK(timers.start({.name = "c", .interval = 5s}, at(10s)) == TimerSet::Outcome::replaced);
        return {};
    });
    REQUIRE(fired.size() == 1);
    CHECK(names_of(timers.status()) == "c ");
    CHECK(timers.next_deadline() == at(15s));
}

TEST_CASE("an interval and a name have limits, which the refusal names", "[alert]") {
    TimerSet timers;
    CHECK(timers.start({.name = "short", .interval = 1s}, at(0s)));
    CHECK(timers.start({.name = "long", .interval = 24h}, at(0s)));
    REQUIRE(timers.stop());
    for (const Duration interval :
         {Duration{0}, Duration{999'999}, Duration{24h} + 1us, Duration{-1s}, Duration::max()}) {
        const auto refused = timers.start({.interval = interval}, at(0s));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK_THAT(refused.error().message, ContainsSubstring("the timer \"default\" has an interval of "));
        CHECK_THAT(refused.error().message, ContainsSubstring("it must be 1s to 1d 0h"));
    }
    for (const std::string& name : {std::string(129, 'x'), std::string{"two\nlines"}, std::string{"\xFF"}}) {
        const auto refused = timers.start({.name = name}, at(0s));
        REQUIRE_FALSE(refused);
        CHECK_THAT(refused.error().message, ContainsSubstring("needs a name of 1 to 128 bytes"));
    }
    CHECK_FALSE(timers.is_running());
}

TEST_CASE("a message is cleaned and cut before anybody is sent it", "[alert]") {
    TimerSet timers;
    REQUIRE(timers.start({.name = "a", .message = "\x1b[31mcheck all"}, at(0s)));
    REQUIRE(timers.start({.name = "b", .message = std::string(100'000, 'x')}, at(0s)));
    REQUIRE(timers.start({.name = "c", .message = "\x1b[31m"}, at(0s)));
    CHECK(timers.status("a")[0].message == "check all");
    CHECK(timers.status("b")[0].message.size() <= 4096);
    CHECK(timers.status("c")[0].message == "check");
}
