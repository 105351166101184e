// What a new watchdog finds in the store: half-done rungs, damaged rows, runs of classes that it does not know.
#include <random>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;

namespace {

/// Dies after the intent of the nudge is durable and before its outcome is.
RunHandle die_in_the_nudge(Bench& b) {
    const RunHandle run = b.run();
    b.progress(run, 1);
    b.minutes(1);
    b.clock.advance(60s);
    b.store.crash_at_commit(1);
    (void)b.dog->cycle();
    REQUIRE(b.store.dead());
    return run;
}

}  // namespace

TEST_CASE("after a crash in an action the control's knowledge decides [M-101]") {
    Bench b;
    die_in_the_nudge(b);
    REQUIRE(b.asked(ControlVerb::inject) == 1);
    b.acts.clear();
    SECTION("found: done") {
        b.control.answer_find(Found::found);
        b.boot();
        (void)b.cycle();
        CHECK(b.acts == "inject:nudge done");
        CHECK(b.asked(ControlVerb::inject) == 1);
    }
    SECTION("absent: executed now, under the same key") {
        b.control.answer_find(Found::absent);
        b.boot();
        (void)b.cycle();
        const auto asked = b.control.requests();
        REQUIRE(asked.size() == 2);
        CHECK(asked[0].key == asked[1].key);
        CHECK(b.acts == "inject:nudge done");
    }
    SECTION("cannot tell: unknown, one attempt, escalated") {
        b.control.answer_find(GENERATE(as<Result<Found>>{}, Result<Found>{Found::unknown},
                                       Result<Found>{fail(ErrorCode::io, "no answer")}));
        b.boot();
        (void)b.cycle();
        CHECK(b.acts.empty());
        b.minutes(1);
        CHECK(b.acts.empty());
        b.minutes(1);
        CHECK(b.asked(ControlVerb::inject) == 1);
        CHECK(b.acts == "inject:nudge unknown, escalate done");
        CHECK(b.outcomes() == "inject:nudge unknown");
        b.minutes(1);
        CHECK(b.history().interventions.back().attempt == 2);
    }
    SECTION("no find, idempotent: executed again under the same key") {
        b.control.set_idempotent(true);
        b.boot();
        (void)b.cycle();
        CHECK(b.asked(ControlVerb::inject) == 2);
        CHECK(b.acts == "inject:nudge done");
    }
    SECTION("no find, not idempotent: unknown") {
        b.boot();
        (void)b.cycle();
        CHECK(b.asked(ControlVerb::inject) == 1);
        CHECK(b.acts == "inject:nudge unknown, escalate done");
    }
    SECTION("a frozen watchdog does not even ask") {
        b.boot();
        REQUIRE(b.dog->decide({0, "", Verb::freeze, {}, "ada", {}}));
        (void)b.cycle();
        CHECK(b.asked(ControlVerb::inject) == 1);
    }
}

TEST_CASE("damaged state is an error of that run alone, also if a start comes first [M-008]") {
    Bench b;
    b.progress(b.run("a"), 1);
    b.progress(b.run("b"), 1);
    b.minutes(1);
    const bool drop_tail = GENERATE(true, false);
    History known = b.history("a");
    Batch batch;
    batch.runs.emplace_back();
    batch.runs[0].row = *known.row;
    batch.runs[0].row.facts =
        drop_tail ? known.row->facts.substr(0, known.row->facts.size() / 2) : known.row->facts + "tail";
    REQUIRE(b.memory.commit(batch)->empty());
    b.boot();
    b.run("c");
    CHECK_FALSE(b.dog->start(bench::spec_of("a"), "minute"));
    const CycleReport report = b.after(60s);
    CHECK(report.errors == 1);
    CHECK(bench::errors_of(report).find("load a: ") == 0);
    CHECK(b.asked(ControlVerb::inject) == 1);
    CHECK(b.history("b").interventions.size() == 1);
}

TEST_CASE("an end that was stored before a cycle saw it is taken in by whoever comes next [M-008]") {
    Bench b;
    const RunHandle run = b.stalled();
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy"});
    CHECK(b.dog->observe(run, StateChange{RunState::completed}) == Observed::ok);
    REQUIRE(b.dog->flush());
    CHECK_FALSE(is_terminal(b.history().row->state));
    b.boot();
    b.minutes(2);
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.history().row->ended_at);
    CHECK(b.sent_kinds() == std::vector<std::string>{"run.unhealthy", "run.ended"});
}

TEST_CASE("damaged detector memory costs evidence, not the run [M-008]") {
    Bench b;
    b.progress(b.run(), 1);
    b.minutes(1);
    Batch batch;
    batch.runs.emplace_back();
    batch.runs[0].row = *b.history().row;
    batch.runs[0].row.memory = "short";
    REQUIRE(b.memory.commit(batch)->empty());
    b.boot();
    CHECK(bench::errors_of(b.after(60s)).find("load r: table 'run_parts', column 'bytes' of the part 'memory'") == 0);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
}

TEST_CASE("runs of an unknown class are said once and watched as soon as it is defined [M-008]") {
    Bench b;
    b.progress(b.run(), 1);
    b.minutes(1);
    b.classes.clear();
    b.boot();
    CHECK(b.after(60s).errors == 1);
    CHECK(b.after(60s).errors == 0);
    REQUIRE(b.dog->define(bench::minute_class()));
    b.minutes(3);
    CHECK(b.acts.find("inject:nudge done") == 0);
}

TEST_CASE("a store that cannot be loaded is loaded later [M-009]") {
    Bench b;
    b.stalled();
    b.boot();
    b.store.fail(StoreOperation::load, ErrorCode::io);
    CHECK(b.after(60s).errors == 1);
    REQUIRE(b.dog->next_deadline());
    CHECK(*b.dog->next_deadline() > b.clock.now().elapsed);
    b.store.heal();
    (void)b.after(1s);
    CHECK(b.acts == "inject:nudge done; inject:nudge done");
}

TEST_CASE("an id that is registered or over is refused, also across a restart") {
    Bench b;
    const RunHandle run = b.run();
    SECTION("registered") {
        if (GENERATE(true, false)) b.boot();
        const auto again = b.dog->start(bench::spec_of("r"), "minute");
        REQUIRE_FALSE(again);
        CHECK(again.error().code == ErrorCode::duplicate);
        CHECK(again.error().message.find("`r`") != std::string::npos);
        CHECK(b.dog->find("r"));
    }
    SECTION("over") {
        REQUIRE(b.dog->finish(run));
        const int when = GENERATE(0, 1, 2);
        if (when >= 1) (void)b.cycle();
        if (when == 2) b.boot();
        const auto again = b.dog->start(bench::spec_of("r"), "minute");
        REQUIRE_FALSE(again);
        CHECK(again.error().code == ErrorCode::duplicate);
        REQUIRE_FALSE(b.dog->find("r"));
        CHECK(b.dog->find("r").error().code == ErrorCode::ended);
        CHECK(b.history().row->state == RunState::completed);
        CHECK(b.dog->report("r")->final_status == "completed");
    }
    CHECK(b.dog->find("nobody").error().code == ErrorCode::unknown_run);
    CHECK(b.dog->report("nobody").error().code == ErrorCode::unknown_run);
    CHECK(b.dog->explain("nobody").error().code == ErrorCode::unknown_run);
}

namespace {

/// One random minute of a run.
void minute(Bench& b, std::mt19937& random, int number) {
    const auto handle = b.dog->find("r");
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    const unsigned what = below(8);
    if (handle && what == 0) (void)b.dog->observe(*handle, Progress{static_cast<int>(below(4))});
    if (handle && what == 1)
        for (int i = 0; i < 3; ++i) (void)b.dog->observe(*handle, Output{"a\nb\nc\nd\ne\n"});
    if (handle && what == 2) (void)b.dog->observe(*handle, Output{"half of a li", true});
    if (handle && what == 3) (void)b.dog->observe(*handle, Output{"ne " + std::to_string(number) + "\n"});
    if (handle && what == 4) (void)b.dog->observe(*handle, Usage{static_cast<int>(1 + below(9) * 1000), 0, 1, 0, 0});
    if (handle && what == 5) (void)b.dog->observe(*handle, ToolCall{"ls", "{}", {}});
    if (handle && what == 6)
        (void)b.dog->observe(*handle, StateChange{below(2) ? RunState::waiting_human : RunState::running, {}, {}, {}});
    if (handle && what == 7) (void)b.dog->checkpoint(*handle, {static_cast<int>(below(5)), "step"});
    b.minutes(1);
}

std::string play(unsigned seed, int split) {
    Bench b;
    b.settings.memory_every = 0s;
    b.boot();
    std::mt19937 random{seed};
    b.progress(b.run(), 1);
    std::string text;
    for (int i = 0; i < 24; ++i) {
        if (i == split) {
            REQUIRE(b.dog->flush());
            b.boot();
        }
        minute(b, random, i);
        const auto handle = b.dog->find("r");
        text += handle ? std::string{name_of(*b.dog->status(*handle))} + " " : "over ";
    }
    return text + b.acts + " | " + b.outcomes();
}

}  // namespace

TEST_CASE("state saved in the middle and loaded again gives the same tail [M-136]") {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        const std::string whole = play(seed, -1);
        for (int split = 0; split < 24; ++split) {
            INFO("seed " << seed << ", restarted before minute " << split);
            REQUIRE(play(seed, split) == whole);
        }
    }
}
