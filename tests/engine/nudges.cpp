// How often an agent is nudged, and what is done instead.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

/// Of `long_run`, with a limit.
struct Limited : Bench {
    explicit Limited(NudgeLimits limits, Mode mode = Mode::active) {
        classes[0].limits.nudges = limits;
        classes[0].mode = mode;
        classes[0].ladder.as<RecoveryLadder>()->final_rung = {{ActionKind::snapshot, {}, {}},
                                                              {ActionKind::escalate, {}, {}}};
        boot();
        handle = run();
        work();
    }
    /// Works for so long, and stands still from then on.
    void work(int count = 5) {
        for (int i = 0; i < count; ++i) {
            progress(handle, ++files);
            minutes(1);
        }
    }
    [[nodiscard]] std::string last_reason() {
        for (const auto& row : history().audit)
            if (row.body.find("nudges_used_up") != std::string::npos) return "nudges_used_up";
        return "";
    }

    RunHandle handle;
    std::int64_t files = 0;
};

constexpr auto nudge = "inject:nudge done";

}  // namespace

TEST_CASE("after so many nudges in an incident the next rung is taken") {
    Limited b{{.per_incident = 1}};
    b.minutes(2);
    CHECK(b.acts == nudge);
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done; snapshot done, escalate done");
    CHECK(b.last_reason() == "nudges_used_up");
    b.minutes(10);
    CHECK(b.asked(ControlVerb::inject) == 1);
    CHECK(b.dog->describe().find(
              "  nudges: at most 1 in an incident and 0 in a row (0: any number), then the next rung\n") !=
          std::string::npos);
}

TEST_CASE("after so many nudges in a row the next rung is taken, also by a watchdog that was restarted") {
    Limited b{{.in_row = 2}};
    for (int i = 0; i < 2; ++i) {
        b.minutes(2);
        if (i == 1) {
            REQUIRE(b.dog->flush());
            b.boot();
            b.handle = *b.dog->find("r");
        }
        b.work();
    }
    CHECK(b.acts == "inject:nudge done; inject:nudge done");
    b.minutes(3);
    CHECK(b.acts == "inject:nudge done; inject:nudge done; snapshot done, escalate done");
    const auto& records = b.history().interventions;
    REQUIRE(records.size() == 3);
    CHECK(records[1].outcome == InterventionOutcome::recovered);
    CHECK(records[2].action == ActionKind::escalate);
}

TEST_CASE("a run that was well for long enough is nudged as if it never had been") {
    Limited b{{.in_row = 1}};
    b.minutes(2);
    CHECK(b.acts == nudge);
    b.work(35);
    b.minutes(2);
    CHECK(b.acts == "inject:nudge done; inject:nudge done");
    b.work(20);
    b.minutes(2);
    CHECK(b.acts == "inject:nudge done; inject:nudge done; snapshot done, escalate done");
}

TEST_CASE("nudges are forgotten as well after an incident that an operator ended") {
    Limited b{{.in_row = 1}};
    b.minutes(2);
    REQUIRE(b.acts == nudge);
    const bool soon = GENERATE(false, true);
    DecisionRow said;
    said.run = "r";
    said.by = "ada";
    SECTION("because it was none") {
        said.verb = Verb::mark_wrong;
        REQUIRE(b.dog->decide(said));
        b.work(soon ? 20 : 35);
        CHECK(b.dog->observe(b.handle, Resource{"disk", 100, 100}) == Observed::ok);  // no stall is one any more
        b.minutes(3);
    }
    SECTION("by letting go on what was paused") {
        b.minutes(2);  // no nudge is left: the final rung
        said.verb = Verb::pause;
        REQUIRE(b.dog->decide(said));
        b.minutes(2);
        said.verb = Verb::resume;
        REQUIRE(b.dog->decide(said));
        b.minutes(1);
        b.work(soon ? 20 : 35);
        b.minutes(3);
    }
    CHECK(b.asked(ControlVerb::inject) == (soon ? 1u : 2u));
}

TEST_CASE("a nudge that would come too soon waits, and people are told meanwhile") {
    Limited b{{.apart = 20min}};
    b.minutes(2);
    CHECK(b.acts == nudge);
    b.work();
    const auto told = b.notifier.sent().size();
    b.minutes(4);
    CHECK(b.acts == nudge);
    CHECK(b.notifier.sent().size() == told + 1);
    CHECK(b.dog->status(b.handle) == Status::stalled);
    b.minutes(12);
    CHECK(b.acts.starts_with("inject:nudge done; inject:nudge done"));
}

TEST_CASE("a nudge that did not reach the agent is none, one that may have is") {
    Limited b{{.in_row = 2}};
    b.control.answer(ControlVerb::inject, ControlAnswer::reject);
    b.minutes(2);
    CHECK(b.acts.starts_with("inject:nudge rejected"));
    b.work();
    b.control.answer(ControlVerb::inject, ControlAnswer::ok);
    b.minutes(2);
    b.work();
    b.minutes(2);
    CHECK(b.asked(ControlVerb::inject) == 3);
}

TEST_CASE("in shadow mode nudges count as if they had been sent") {
    Limited b{{.per_incident = 1}, Mode::shadow};
    b.minutes(4);
    CHECK(b.acts == "inject:nudge skipped; snapshot skipped, escalate skipped");
}

TEST_CASE("exact presets nudge as their seeds say, the library's own has limits") {
    for (const RunClass& rules : {presets::long_run(), presets::session_monitor(), presets::checkpoint_continuation()})
        CHECK(rules.limits.nudges.per_incident + rules.limits.nudges.in_row == 0);
    const NudgeLimits own = presets::recommended().limits.nudges;
    CHECK((own.per_incident == 2 && own.in_row == 5 && own.apart == 2min && own.forgotten_after == 30min));
}
