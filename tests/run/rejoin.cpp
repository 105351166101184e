#include <heeler/run/rejoin.hpp>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using rooms::bare_class;
using rooms::House;

namespace {

/// A run that was watched for an hour and stored, and was registered again ten minutes later, in another process.
struct TwoLives {
    House before, after;
    RunHandle old = before.run(bare_class());
    RunHandle fresh;

    TwoLives() {
        before.clock.advance(1h);
        before.tell(old, Progress{7});
        before.tell(old, Output{"one\ntwo\n"});
        detail::Folder folder{before.at(old), before.now()};
        detail::record(before.at(old), folder, {1, "step 1"}, before.now().wall);
        REQUIRE_FALSE(before.ledger.commit_one(old, before.at(old), before.now()));
        after.clock.advance(1h + 10min);
        after.define(bare_class());
        fresh = after.run(bare_class());
    }

    void adopt() {
        const auto adopted = after.registry.adopt(before.memory.load()->runs.at(0), false, after.now());
        REQUIRE(adopted);
        CHECK(adopted->handle == fresh);
    }
    [[nodiscard]] detail::WatchedRun& run() { return after.at(fresh); }
    [[nodiscard]] std::optional<Duration> age(SmallOptional<Duration> moment) {
        return run().run.age(moment, after.now().elapsed);
    }
};

}  // namespace

TEST_CASE("nothing was reported: the run is as it was stored, ages included", "[run]") {
    TwoLives lives;
    lives.after.clock.advance(30s);
    lives.adopt();
    CHECK(lives.run().version == 1);
    CHECK(lives.age(lives.run().run.last_progress) == 10min + 30s);
    CHECK(lives.age(lives.run().run.checkpoint_base) == 10min + 30s);
    CHECK(lives.run().run.lines == 2);
    CHECK(lives.run().checkpoints->count == 1);
    CHECK(lives.run().run.state == RunState::running);
}

TEST_CASE("what was reported comes on top, as long ago as it was", "[run]") {
    TwoLives lives;
    lives.after.clock.advance(10s);
    lives.after.tell(lives.fresh, Output{"three\n"});
    lives.after.tell(lives.fresh, ToolCall{"ls", "{}", {}});
    lives.after.tell(lives.fresh, Usage{5, 6, 7, 8, 0.5});
    lives.after.tell(lives.fresh, Progress{8});
    detail::Folder folder{lives.run(), lives.after.now()};
    detail::record(lives.run(), folder, {2, "step 2"}, lives.after.now().wall);
    lives.after.clock.advance(20s);
    lives.after.tell(lives.fresh, Heartbeat{});
    lives.adopt();
    const Run& run = lives.run().run;
    CHECK(lives.age(run.last_alive) == 0s);
    CHECK(lives.age(run.last_activity) == 20s);
    CHECK(lives.age(run.last_progress) == 20s);
    CHECK(lives.age(run.last_gain) == 20s);  // the value and the checkpoint are more than output
    CHECK(lives.age(run.checkpoint_base) == 20s);
    CHECK((run.lines == 3 && run.calls == 1 && run.open_calls == 1 && run.reported_value == 8));
    CHECK((run.usage->tokens_in == 5 && run.usage->cost_usd == 0.5));
    CHECK(lives.run().checkpoints->steps == std::vector<std::int64_t>{1, 2});
    REQUIRE(lives.run().unsaved->checkpoints.size() == 1);
    CHECK(lives.run().unsaved->checkpoints[0].number == 2);
    CHECK(lives.run().checkpoints->last.text == "step 2");
    REQUIRE(lives.run().dirty);
}

TEST_CASE("the value that was stored, told again, is no progress", "[run]") {
    TwoLives lives;
    lives.after.clock.advance(10s);
    lives.after.tell(lives.fresh, Progress{7});
    lives.adopt();
    CHECK(lives.age(lives.run().run.last_progress) == 10min + 10s);
    CHECK(lives.age(lives.run().run.last_alive) == 0s);
}

TEST_CASE("a state that was told is the run's, a terminal one too", "[run]") {
    TwoLives lives;
    lives.after.tell(lives.fresh, StateChange{RunState::waiting_human, {}, {}, {}});
    SECTION("it waits from now on") {
        lives.after.clock.advance(10s);
        lives.adopt();
        CHECK(lives.run().run.state == RunState::waiting_human);
        lives.after.clock.advance(1h);
        CHECK(lives.age(lives.run().run.last_progress) == 10min + 10s);
    }
    SECTION("it is over") {
        detail::Folder{lives.run(), lives.after.now()}.finish(RunState::failed);
        lives.adopt();
        CHECK(lives.run().run.state == RunState::failed);
        CHECK(lives.run().state_told);
    }
}

TEST_CASE("what takes long is what was said since, for as long as it was said [M-191]", "[run]") {
    TwoLives lives;
    Expect build{20min, "cargo build"};
    REQUIRE(detail::Folder{lives.run(), lives.after.now()}.expect(build));
    lives.after.clock.advance(30s);
    lives.adopt();
    REQUIRE(lives.run().run.excuses->open.size() == 1);
    CHECK(lives.age(lives.run().run.excuses->until) == 30s - 20min);
    CHECK(lives.age(lives.run().run.excuses->granted_at) == 30s);
}

TEST_CASE("what a cycle decided about a run is not true of what is put in its place", "[run]") {
    TwoLives lives;
    const detail::Decided decided{lives.run()};
    CHECK(decided.is_about(lives.run()));
    lives.adopt();
    CHECK_FALSE(decided.is_about(lives.run()));
}

TEST_CASE("what the runs below it did since is known [M-192]", "[run]") {
    TwoLives lives;
    const Elapsed then = lives.after.now().elapsed;
    lives.after.tell(lives.fresh, Progress{7});
    lives.after.tell(lives.fresh, SignOfLife{"workers", 3});
    lives.after.clock.advance(30s);
    lives.adopt();
    CHECK((lives.run().run.children->told == 3 && lives.run().run.children->progress == then));
    CHECK(lives.age(lives.run().run.last_progress) == 30s);
}
