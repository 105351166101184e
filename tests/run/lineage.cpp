#include <heeler/run/lineage.hpp>

#include <string>
#include <vector>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::Folder;
using detail::WatchedRun;

namespace {

/// Runs that name each other as their parents.
struct Lineage : rooms::House {
    RunHandle add(const std::string& id, const std::string& parent) {
        RunSpec spec = bench::spec_of(id);
        spec.parent = parent;
        return run(rooms::bare_class(), spec);
    }
    bool credit(RunHandle run) { return detail::credit_above(registry, run, at(run), now(), 1s); }
    void works(RunHandle run, std::int64_t value) {
        clock.advance(10s);
        tell(run, Progress{value});
    }
    void is(RunHandle run, RunState state) { tell(run, StateChange{state}); }
    /// Seconds of its working clock.
    double progress(RunHandle run) { return in_seconds(at(run).run.last_progress.value_or(-1s)); }
};

}  // namespace

TEST_CASE("progress is credited to eight runs above, once, and goes no further from them", "[run]") {
    Lineage l;
    std::vector<RunHandle> up;
    for (int i = 0; i < 10; ++i)
        up.push_back(l.add("r" + std::to_string(i), i == 0 ? "" : "r" + std::to_string(i - 1)));
    l.works(up[9], 1);
    CHECK_FALSE(l.credit(up[9]));
    for (std::size_t i = 1; i < 10; ++i) CHECK(l.progress(up[i]) == 10);
    CHECK(l.at(up[1]).run.last_activity == 10s);
    CHECK_FALSE(l.at(up[1]).run.last_gain);
    CHECK(l.progress(up[0]) == -1);
    l.clock.advance(10s);
    for (const RunHandle each : up) CHECK_FALSE(l.credit(each));
    CHECK(l.progress(up[8]) == 10);
    CHECK(l.progress(up[0]) == -1);
    l.works(up[1], 1);  // its own
    CHECK_FALSE(l.credit(up[1]));
    CHECK(l.progress(up[0]) == 30);
}

TEST_CASE("what a run did itself is not lost because it was credited before that was looked at", "[run]") {
    Lineage l;
    const RunHandle top = l.add("top", ""), middle = l.add("middle", "top"), below = l.add("below", "middle");
    l.works(middle, 1);
    l.is(top, RunState::waiting_human);  // for a while nothing is credited to it
    l.works(below, 1);
    CHECK_FALSE(l.credit(below));
    l.is(top, RunState::running);
    CHECK(l.at(middle).owes_credit());
    CHECK_FALSE(l.credit(middle));
    CHECK(l.progress(top) >= 10);
}

TEST_CASE("who stands above itself is found once, and nobody is credited again and again", "[run]") {
    Lineage l;
    const RunHandle a = l.add("a", "b"), b = l.add("b", "a"), self = l.add("self", "self"), below = l.add("below", "a");
    l.works(a, 1);
    CHECK(l.credit(a));
    CHECK(l.credit(b));
    CHECK(l.credit(self));
    CHECK_FALSE(l.credit(below));
    CHECK((l.progress(a) == 10 && l.progress(b) == 10));
    l.clock.advance(10s);
    for (int i = 0; i < 3; ++i)
        for (const RunHandle each : {a, b, self, below}) CHECK_FALSE(l.credit(each));
    CHECK((l.progress(a) == 10 && l.progress(b) == 10));
    l.works(self, 1);
    l.works(below, 1);
    for (const RunHandle each : {self, below}) CHECK_FALSE(l.credit(each));
    CHECK((l.progress(a) == 40 && l.progress(b) == 40));
}

TEST_CASE("that the watchdog started a continuation is credited to nobody", "[run]") {
    Lineage l;
    const RunHandle parent = l.add("parent", ""), child = l.add("child", "parent");
    l.clock.advance(10s);
    Folder{l.at(child), l.now()}.begin_attempt(1);
    CHECK(l.progress(child) == 10);
    CHECK_FALSE(l.credit(child));
    CHECK(l.progress(parent) == -1);
    l.works(child, 1);
    CHECK_FALSE(l.credit(child));
    CHECK(l.progress(parent) == 20);
}

TEST_CASE("who waits for its children is credited for the wait, who waits for anything else is not", "[run]") {
    Lineage l;
    const RunHandle parent = l.add("parent", ""), child = l.add("child", "parent");
    const RunState state = GENERATE(RunState::waiting_child, RunState::waiting_human, RunState::rate_limited,
                                    RunState::paused, RunState::queued);
    l.is(parent, state);
    l.works(child, 1);
    l.clock.advance(5s);
    CHECK_FALSE(l.credit(child));
    const bool counts = state == RunState::waiting_child;
    CHECK(l.at(parent).run.children->progress.has_value() == counts);
    if (counts) CHECK(l.at(parent).run.children->progress == bench::start.elapsed + 10s);
    CHECK(l.progress(parent) == (counts ? 0 : -1));
    CHECK(l.at(parent).dirty == counts);
}

TEST_CASE("the parent learns that a child is over, nobody above it does", "[run]") {
    Lineage l;
    const RunHandle top = l.add("top", ""), parent = l.add("parent", "top"), child = l.add("child", "parent");
    CHECK((l.registry.has_children("parent") && !l.registry.has_children("child")));
    l.clock.advance(10s);
    CHECK_FALSE(l.credit(child));
    CHECK_FALSE(l.at(parent).run.children->last_end);
    Folder{l.at(child), l.now()}.finish(RunState::failed);
    CHECK_FALSE(l.credit(child));
    CHECK(l.at(parent).run.children->last_end == l.now().elapsed);
    CHECK_FALSE(l.at(top).run.children);
    CHECK(l.at(parent).dirty);
    CHECK(l.registry.has_children("parent"));
    l.registry.drop(child);
    CHECK_FALSE(l.registry.has_children("parent"));
}

TEST_CASE("a run that another watchdog holds credits nobody, and is credited by nobody", "[run]") {
    Lineage l;
    const RunHandle parent = l.add("parent", ""), child = l.add("child", "parent");
    l.works(child, 1);
    SECTION("the child") { REQUIRE(l.registry.disown(child, l.now())); }
    SECTION("the parent") { REQUIRE(l.registry.disown(parent, l.now())); }
    CHECK_FALSE(l.credit(child));
    CHECK(l.progress(parent) == -1);
}

TEST_CASE("who only repeats itself credits nobody until that is over, but who works below it does [M-192]", "[run]") {
    Lineage l;
    const RunHandle top = l.add("top", ""), middle = l.add("middle", "top"), below = l.add("below", "middle");
    l.at(middle).verdict.edit().incident.phase = Phase::climbing;
    l.at(middle).verdict.edit().repeated_by = 1;
    l.works(middle, 1);
    CHECK_FALSE(l.credit(middle));
    CHECK(l.progress(top) == -1);
    l.works(below, 1);
    CHECK_FALSE(l.credit(below));
    CHECK(l.progress(top) == 20);
    l.works(middle, 2);
    CHECK_FALSE(l.credit(middle));
    CHECK(l.progress(top) == 20);
    l.at(middle).verdict.edit().incident.phase = Phase::none;
    CHECK_FALSE(l.credit(middle));
    CHECK(l.progress(top) == 30);
}

TEST_CASE("what an agent that was replaced still reports is credited to nobody [M-192]", "[run]") {
    Lineage l;
    const RunHandle parent = l.add("parent", ""), child = l.add("child", "parent");
    l.clock.advance(10s);
    Folder{l.at(child), l.now()}.begin_attempt(1);
    CHECK_FALSE(l.credit(child));
    CHECK(detail::fence_off(l.at(child), 1, l.now().wall));
    CHECK_FALSE(l.credit(child));
    CHECK(l.progress(parent) == -1);
}

TEST_CASE("above a run that has ended it is credited as long as that is not forgotten [M-192]", "[run]") {
    Lineage l;
    const RunHandle top = l.add("top", ""), middle = l.add("middle", "top"), below = l.add("below", "middle");
    Folder{l.at(middle), l.now()}.finish(RunState::completed);
    l.works(below, 1);
    CHECK_FALSE(l.credit(below));
    CHECK(l.progress(middle) == -1);
    CHECK(l.progress(top) == 10);  // it is still on record who stands above whom
    l.registry.drop(middle);
    l.works(below, 2);
    CHECK_FALSE(l.credit(below));
    CHECK(l.progress(top) == 10);
}
