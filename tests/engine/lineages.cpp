// Limits on the time that a piece of work may take, whichever runs do it.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

struct Work : Bench {
    explicit Work(RunClass rules) {
        rules.detectors.turn_on<RunTimeout>({.limit = {}, .lineage_limit = 4h});
        classes = {std::move(rules)};
        boot();
    }
    static RunClass replaced() {
        RunClass rules = presets::checkpoint_continuation();
        rules.ladder.as<RecoveryLadder>()->max_continuations = 100;
        return rules;
    }
    void pass(Duration length) {
        for (Duration gone{}; gone < length; gone += 15min) (void)after(15min);
    }
    RunHandle run_of(std::string id, std::string continues, std::string parent = {}) {
        RunSpec spec = bench::spec_of(std::move(id));
        spec.continues = std::move(continues);
        spec.parent = std::move(parent);
        return run(std::move(spec));
    }
    void start_again() {
        REQUIRE(dog->flush());
        boot();
        (void)dog->tick();
    }
    [[nodiscard]] bool is_over_time(RunHandle each) const { return *dog->status(each) == Status::timeout; }
};

}  // namespace

TEST_CASE("work that goes on under other ids is over time as a whole, and nobody is started for it [M-076]") {
    Work work{Work::replaced()};
    REQUIRE(work.dog->finish(work.run("first"), RunEnd::failed));
    work.pass(2h);
    if (GENERATE(false, true)) work.start_again();
    const RunHandle second = work.run_of("second", "first");
    work.pass(1h);
    CHECK(work.asked(ControlVerb::spawn) == 2);
    if (GENERATE(false, true)) work.start_again();
    REQUIRE(work.dog->finish(*work.dog->find("second"), RunEnd::failed));
    work.run_of("third", "second");
    work.pass(1h);
    const std::size_t before = work.asked(ControlVerb::spawn);
    work.pass(12h);
    CHECK(work.asked(ControlVerb::spawn) == before);
    const auto alerts = work.history("third").alerts;
    REQUIRE(!alerts.empty());
    CHECK_THAT(alerts.back().alert.details.front().value, ContainsSubstring("lineage_timeout"));
    CHECK_THAT(alerts.back().alert.details.front().value, ContainsSubstring("(first)"));
    CHECK(work.history("third").row->state == RunState::failed);
    (void)second;
    // Whoever goes on with it all the same is over time from the beginning; another piece of work is not.
    const RunHandle other = work.run("other");
    work.run_of("fourth", "third");
    work.pass(15min);
    CHECK(work.history("fourth").row->state == RunState::failed);
    CHECK(!work.is_over_time(other));
}

TEST_CASE("of a final rung that would start somebody the rest is done [M-076]") {
    RunClass rules = bench::minute_class();
    auto& ladder = *rules.ladder.as<RecoveryLadder>();
    ladder.final_rung = {{ActionKind::escalate, {}, {}}, {ActionKind::snapshot, {}, {}}, {ActionKind::spawn, {}, {}}};
    rules.detectors.turn_off<HeartbeatContract<Intervals>>();
    Work work{rules};
    work.run("r");
    work.pass(5h);
    CHECK(work.asked(ControlVerb::spawn) == 0);
    CHECK(work.asked(ControlVerb::snapshot) == 1);
}

TEST_CASE("who is started below others has as much time as is left of theirs [M-076]") {
    RunClass rules = bench::minute_class();
    rules.detectors.turn_off<HeartbeatContract<Intervals>>();
    rules.ladder.as<RecoveryLadder>()->final_rung = {{ActionKind::escalate, {}, {}}};
    Work work{rules};
    const RunHandle root = work.run("root");
    work.pass(1h);
    REQUIRE(work.dog->observe(root, StateChange{RunState::waiting_child}) == Observed::ok);
    work.pass(1h);
    const RunHandle child = work.run_of("child", {}, "root");
    work.pass(1h);
    const RunHandle below = work.run_of("below", {}, "child");
    const RunHandle stranger = work.run_of("stranger", {}, "nobody");
    work.pass(1h);
    for (const RunHandle each : {root, child, below}) CHECK(!work.is_over_time(each));
    work.pass(15min);
    CHECK(!work.is_over_time(root));  // it waits
    CHECK(work.is_over_time(child));
    CHECK(work.is_over_time(below));
    CHECK(!work.is_over_time(stranger));
    REQUIRE(work.dog->observe(root, StateChange{RunState::running}) == Observed::ok);
    work.pass(15min);
    CHECK(work.is_over_time(root));
}

TEST_CASE("time that is spent waiting for people is no time of the work [M-076]") {
    Work work{Work::replaced()};
    const RunHandle first = work.run("first");
    REQUIRE(work.dog->observe(first, StateChange{RunState::waiting_human}) == Observed::ok);
    work.pass(5h);
    REQUIRE(work.dog->finish(first, RunEnd::failed));
    const RunHandle second = work.run_of("second", "first");
    work.pass(3h);
    CHECK(!work.is_over_time(second));
    work.pass(2h);
    CHECK(work.history("second").row->state == RunState::failed);
}
