#include <heeler/agent/restrained_control.hpp>

#include <string>

#include <heeler/testing/manual_clock.hpp>
#include <heeler/testing/scripted_control.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct Restrained {
    ManualClock clock{};
    ScriptedControl agents{};
    RestrainedControl<ScriptedControl, ManualClock> control;

    explicit Restrained(Restraints most = {}) : control{agents, clock, most} {}

    static ActionRequest about(const std::string& run) {
        ActionRequest asked;
        asked.run = run;
        asked.key = run;
        return asked;
    }
    bool nudge(int run) { return control.inject(about("r" + std::to_string(run))).has_value(); }
    bool end(int run) { return control.terminate(about("r" + std::to_string(run))).has_value(); }
    bool go_on(int run) { return control.resume(about("r" + std::to_string(run))).has_value(); }
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

TEST_CASE("of many runs that were paused ten go on in a minute") {
    Restrained r;
    int resumed = 0;
    for (int run = 0; run < 25; ++run) resumed += r.go_on(run) ? 1 : 0;
    CHECK(resumed == 10);
    CHECK_FALSE(r.nudge(1));
    r.clock.advance(1min);
    CHECK(r.go_on(10));
}

TEST_CASE("a start counts as an ending: who is started again and again ends nobody sooner") {
    ScriptedControl agents;
    ManualClock clock;
    for (int start = 0; start < 10; ++start) {
        RestrainedControl<ScriptedControl, ManualClock> control{agents, clock};
        CHECK_FALSE(control.terminate(Restrained::about("r")));
        CHECK_FALSE(control.spawn(Restrained::about("r")));
        CHECK(control.inject(Restrained::about("r")));
        clock.advance(9s);
    }
    CHECK(agents.requests().size() == 10);
    Restrained any{{.endings = 0}};
    CHECK(any.end(1));
}

TEST_CASE("one agent is ended or replaced in ten seconds") {
    Restrained r;
    CHECK_FALSE(r.end(1));
    r.clock.advance(10s);
    CHECK(r.end(1));
    CHECK_FALSE(r.replace(2));
    CHECK(r.nudge(3));
    CHECK(r.control.snapshot(Restrained::about("r2")));
    CHECK(r.control.resume(Restrained::about("r2")));
    r.clock.advance(10s);
    CHECK(r.replace(2));
    CHECK_FALSE(r.end(4));
}

TEST_CASE("what was done before a restart counts, by what is stored of it") {
    Restrained r;
    Snapshot stored;
    StoredRun run;
    const auto did = [&](ActionKind what, Duration ago, InterventionOutcome came) {
        run.interventions.push_back({1, 1, 1, Condition::stalled, what, came, r.clock.now().wall - ago});
    };
    did(ActionKind::nudge, 50s, InterventionOutcome::persisted);
    for (int i = 0; i < 4; ++i) did(ActionKind::pause, 20s, InterventionOutcome::pending);
    for (int i = 0; i < 4; ++i) did(ActionKind::spawn, -30s, InterventionOutcome::unknown);  // a clock that was ahead
    did(ActionKind::nudge, 61s, InterventionOutcome::recovered);
    did(ActionKind::escalate, 5s, InterventionOutcome::escalated);
    did(ActionKind::nudge, 5s, InterventionOutcome::skipped);
    stored.runs.push_back(run);
    r.control.recall(stored);
    CHECK(r.nudge(1));
    CHECK_FALSE(r.nudge(2));
    r.clock.advance(10s);
    CHECK(r.nudge(2));
    CHECK_FALSE(r.nudge(3));
    r.clock.advance(30s);
    for (int i = 0; i < 4; ++i) CHECK(r.nudge(3 + i));
    CHECK_FALSE(r.nudge(7));
    Restrained again;
    again.control.recall({});
    CHECK(again.nudge(1));
}
