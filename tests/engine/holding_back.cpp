// What keeps a watchdog from acting: a freeze, shadow mode, debounce, budgets, a pause that a person has to end.
#include <cstdlib>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

void decide(Bench& b, Verb verb, std::string run = {}) {
    DecisionRow row;
    row.run = std::move(run);
    row.verb = verb;
    row.by = "ada";
    REQUIRE(b.dog->decide(row));
}

/// A run that spends far more than before without output: paused with the last of these cycles.
RunHandle runaway(Bench& b) {
    const RunHandle run = b.run();
    b.progress(run, 1);
    (void)b.after(1s);
    (void)b.dog->observe(run, Usage{100, 0, 0, 0, 0});
    (void)b.after(59s);
    b.progress(run, 2);
    b.minutes(1);
    (void)b.dog->observe(run, Usage{5000, 0, 0, 0, 0});
    b.minutes(1);
    return run;
}

}  // namespace

TEST_CASE("a freeze holds every action back, and nothing is counted [M-126]") {
    Bench b;
    SECTION("a nudge") {
        decide(b, Verb::freeze);
        b.stalled();
        b.minutes(3);
        CHECK(b.control.requests().empty());
        decide(b, Verb::unfreeze);
        b.minutes(3);
        CHECK(b.acts.substr(b.acts.find("done") - std::string_view{"inject:nudge "}.size()) ==
              "inject:nudge done; inject:nudge done; snapshot done, escalate done, terminate done");
    }
    SECTION("the final rung comes once the freeze is over") {
        b.stalled();
        b.minutes(1);
        decide(b, Verb::freeze);
        b.minutes(3);
        CHECK(b.asked(ControlVerb::snapshot) == 0);
        decide(b, Verb::unfreeze);
        b.minutes(3);
        CHECK(b.asked(ControlVerb::terminate) == 1);
    }
    SECTION("a shared run is isolated and nudged afterwards") {
        RunSpec spec = bench::spec_of("r");
        spec.shared_run = {"other"};
        decide(b, Verb::freeze);
        b.stalled(spec);
        decide(b, Verb::unfreeze);
        b.minutes(2);
        CHECK(b.asked(ControlVerb::isolate) == 1);
        CHECK(b.asked(ControlVerb::inject) > 0);
    }
    SECTION("a runaway run is paused afterwards") {
        decide(b, Verb::freeze);
        const RunHandle run = runaway(b);
        CHECK(b.control.requests().empty());
        decide(b, Verb::unfreeze);
        (void)b.dog->observe(run, Usage{90000, 0, 0, 0, 0});
        b.minutes(2);
        CHECK(b.asked(ControlVerb::pause) == 1);
    }
}

TEST_CASE("HEELER_FREEZE holds back, 0 and an empty value do not [M-126]") {
    const std::string value = GENERATE("1", "0", "");
    Bench b;
    REQUIRE(setenv("HEELER_FREEZE", value.c_str(), 1) == 0);
    b.stalled();
    unsetenv("HEELER_FREEZE");
    CHECK(b.asked(ControlVerb::inject) == (value == "1" ? 0u : 1u));
}

TEST_CASE("shadow mode makes no call at all, and takes the same decisions [M-126]") {
    const bool limit = GENERATE(true, false);
    const auto decided = [&](Mode mode) {
        Bench b;
        b.classes[0].mode = mode;
        b.boot();
        RunSpec spec = bench::spec_of("r");
        spec.shared_run = {"other"};
        if (limit) spec.timeout = 150s;
        b.stalled(spec);
        b.minutes(1);
        b.minutes(1);
        std::string text;
        for (const Action& action : b.history().actions)
            text += std::string{name_of(action.kind)} + (action.outcome == ActionOutcome::blocked ? "! " : " ");
        for (const Intervention& record : b.history().interventions)
            text += std::to_string(record.number) + std::string{name_of(record.condition)} + " ";
        if (mode == Mode::shadow) {
            CHECK(b.control.requests().empty());
            CHECK(b.notifier.sent().empty());
            CHECK_FALSE(is_terminal(b.history().row->state));
        }
        return text;
    };
    CHECK(decided(Mode::shadow) == decided(Mode::active));
}

TEST_CASE("debounce waits for that many cycles in a row [M-109]") {
    Bench b;
    b.classes[0].limits.debounce = 3;
    b.boot();
    const RunHandle run = b.stalled();
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.after(60s).suppressed == 1);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a cycle of the same moment is no further look [M-109]") {
    Bench b;
    b.classes[0].limits.debounce = 3;
    b.boot();
    (void)b.stalled();
    for (int i = 0; i < 2; ++i) {
        for (int same = 0; same < 3; ++same) (void)b.cycle(TickCause::on_demand);
        CHECK(b.acts.empty());
        b.minutes(1);
    }
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a limit is not debounced [M-109]") {
    Bench b;
    b.classes[0].limits.debounce = 3;
    b.boot();
    RunSpec spec = bench::spec_of("r");
    spec.timeout = 59s;
    b.run(spec);
    b.minutes(1);
    CHECK(b.acts == "snapshot done, escalate done, terminate done");
}

TEST_CASE("a budget of one rung per cycle takes the runs in turn [M-110]") {
    Bench b;
    b.classes[0].limits.rungs_per_tick = 1;
    b.boot();
    for (const char* id : {"a", "b"}) b.progress(b.run(id), 1);
    b.minutes(1);
    const CycleReport first = b.after(60s);
    CHECK(all_of<ActionEvent>(first).size() == 1);
    CHECK(first.suppressed == 1);
    (void)b.after(60s);
    CHECK(b.history("a").interventions.size() + b.history("b").interventions.size() >= 2);
}

TEST_CASE("a budget of zero does nothing and still reports [M-110]") {
    Bench b;
    if (GENERATE(true, false))
        b.classes[0].limits.rungs_per_tick = 0;
    else
        b.classes[0].limits.rungs_per_run_per_day = 0;
    b.boot();
    const RunHandle run = b.stalled();
    b.minutes(5);
    CHECK(b.dog->status(run) == Status::stalled);
    CHECK(b.control.requests().empty());
    CHECK(b.history().actions.empty());
}

TEST_CASE("failed commits use no budget [M-110]") {
    Bench b;
    b.classes[0].limits.rungs_per_run_per_day = 1;
    b.boot();
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    b.store.fail(StoreOperation::commit, ErrorCode::full);
    b.minutes(5);
    CHECK(b.acts.empty());
    b.store.heal();
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
    b.minutes(3);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("a paused run stays with a person: late output is no recovery [M-088]") {
    Bench b;
    const RunHandle run = runaway(b);
    REQUIRE(b.acts == "pause done, snapshot done, escalate done");
    b.progress(run, 50);
    b.minutes(5);
    CHECK(b.dog->status(run) == Status::runaway);
    b.minutes(40);
    CHECK(b.acts == "pause done, snapshot done, escalate done; escalate done");
}

TEST_CASE("an operator resumes a paused run [M-088]") {
    Bench b;
    const RunHandle run = runaway(b);
    decide(b, Verb::resume, "r");
    b.minutes(1);
    CHECK(b.asked(ControlVerb::resume) == 1);
    for (int i = 0; i < 40; ++i) {
        b.progress(run, 50 + i);
        b.minutes(1);
    }
    CHECK(b.history().row->state == RunState::running);
    CHECK(b.dog->status(run) == Status::healthy);
    CHECK(b.acts == "pause done, snapshot done, escalate done; resume done");
}

TEST_CASE("decisions about unknown and finished runs harm nobody [M-008]") {
    Bench b;
    const RunHandle run = b.stalled();
    CHECK_FALSE(b.dog->decide({0, "nobody", Verb::mark_stopped, {}, "ana", {}}));
    decide(b, Verb::resume, "r");
    decide(b, Verb::mark_stopped, "r");
    b.minutes(1);
    CHECK(b.history().row->state == RunState::cancelled);
    CHECK(b.dog->observe(run, Progress{7}) == Observed::ended);
    CHECK(b.memory.list()->empty());
    CHECK(b.asked(ControlVerb::resume) == 0);
}
