// Handles that are of another watchdog, of a run that another one took, or that end with a scope.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

using SharedDog = Watchdog<ManualClock, MemoryStore, RecordingNotifier>;

EngineSettings named(std::string holder) {
    EngineSettings settings;
    settings.holder = std::move(holder);
    return settings;
}

struct SilentSource {
    Result<Polled> poll(std::string_view cursor) { return Polled{.events = {}, .cursor = std::string{cursor}}; }
};

}  // namespace

TEST_CASE("a handle of another watchdog is refused, and ends nothing") {
    Bench a, b;
    const RunHandle of_a = a.run("in a");
    const RunHandle of_b = b.run("in b");
    REQUIRE(of_a.index == of_b.index);
    CHECK(b.dog->finish(of_a).error().code == ErrorCode::ended);
    CHECK(b.dog->observe(of_a, Progress{1}) == Observed::ended);
    CHECK(b.dog->observe(of_a, Heartbeat{}) == Observed::ended);
    CHECK(b.dog->checkpoint(of_a, {1, "x"}).error().code == ErrorCode::ended);
    CHECK_FALSE(b.dog->status(of_a));
    (void)b.after(60s);
    CHECK(b.history("in b").row->state == RunState::running);
    CHECK(b.history("in b").checkpoints.empty());
    CHECK(a.dog->observe(of_a, Progress{1}) == Observed::ok);
    CHECK(a.dog->finish(of_a));
}

TEST_CASE("a handle outlives no restart of its watchdog") {
    Bench b;
    const RunHandle before = b.run();
    b.boot();
    const auto now = b.dog->find("r");
    REQUIRE(now);
    CHECK(now->index == before.index);
    CHECK_FALSE(b.dog->finish(before));
    CHECK(b.dog->observe(*now, Heartbeat{}) == Observed::ok);
}

TEST_CASE("a run that another watchdog took is elsewhere, and what is gone has no status [M-101]") {
    MemoryStore store;
    ManualClock slow{bench::start}, fast{bench::start};
    SharedDog a{slow, store, RecordingNotifier{}, named("a")};
    SharedDog b{fast, store, RecordingNotifier{}, named("b")};
    REQUIRE(a.define(bench::minute_class()));
    REQUIRE(b.define(bench::minute_class()));
    (void)a.cycle();
    const auto run = a.start(bench::spec_of("r"), "minute");
    REQUIRE(run);
    CHECK(a.observe(*run, Progress{1}) == Observed::ok);
    store.let_pass(20s);
    fast.advance(20s);
    const auto taken = b.find("r");
    REQUIRE(taken);
    CHECK(b.observe(*taken, Progress{2}) == Observed::ok);

    CHECK(a.checkpoint(*run, {1, "late"}).error().code == ErrorCode::fenced);  // this is how it learns of it
    slow.advance(20s);
    (void)a.cycle();
    CHECK(a.observe(*run, Progress{3}) == Observed::elsewhere);
    CHECK(a.observe(*run, Heartbeat{}) == Observed::elsewhere);
    CHECK_THAT(a.finish(*run).error().message, ContainsSubstring("another watchdog holds the run"));
    SilentSource source;
    CHECK_THAT(a.attach(*run, source).error().message, ContainsSubstring("another watchdog holds the run"));
    CHECK(a.observe("r", Progress{3}) == Observed::unknown);
    for (int i = 0; i < 3; ++i) {
        slow.advance(2s);
        (void)a.cycle();
    }
    const auto gone = a.status(*run);
    REQUIRE_FALSE(gone);
    CHECK(gone.error().code == ErrorCode::ended);
    CHECK_THAT(gone.error().message, ContainsSubstring("another watchdog holds the run"));
    CHECK_THAT(a.attach(*run, source).error().message, ContainsSubstring("another watchdog holds the run"));
    CHECK(a.observe(*run, Progress{3}) == Observed::elsewhere);  // also when nothing of it is left here
    CHECK(store.history("r")->row->holder == "b");
    CHECK(store.history("r")->row->state == RunState::running);
    CHECK(b.finish(*taken));
    CHECK(store.history("r")->checkpoints.empty());
}

TEST_CASE("a host attaches to its runs without knowing whether they were started before") {
    Bench b;
    const auto first = b.dog->attach(bench::spec_of("r"), bench::minute_class());
    REQUIRE(first);
    CHECK((!first->found && !first->not_stored));
    const auto same = b.dog->attach(bench::spec_of("r"), "minute");
    REQUIRE(same);
    CHECK((same->found && !same->not_stored && RunHandle{*same} == RunHandle{*first}));
    b.progress(*first, 1);
    b.boot();
    const auto again = b.dog->attach(bench::spec_of("r"), "minute");
    REQUIRE(again);
    CHECK((again->found && !again->not_stored));
    CHECK(b.dog->observe(*again, Progress{2}) == Observed::ok);
    REQUIRE(b.dog->finish(*again));
    const auto over = b.dog->attach(bench::spec_of("r"), "minute");
    REQUIRE_FALSE(over);
    CHECK(over.error().code == ErrorCode::ended);
    CHECK(b.dog->attach(bench::spec_of("s"), "nobody").error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a run that is attached to while the store fails is the stored one as soon as that can be read") {
    Bench b;
    b.progress(b.run(), 1);
    b.minutes(1);
    b.boot();
    b.store.fail(StoreOperation::load, ErrorCode::io);
    b.store.fail(StoreOperation::commit, ErrorCode::io);
    const auto run = b.dog->attach(bench::spec_of("r"), "minute");
    REQUIRE(run);
    CHECK((run->not_stored && !run->found));
    CHECK(b.dog->observe(*run, Heartbeat{}) == Observed::ok);
    CHECK(b.dog->observe(*run, Progress{2}) == Observed::ok);
    b.store.heal();
    CHECK(bench::errors_of(b.after(30s)).empty());
    CHECK(*b.dog->find("r") == RunHandle{*run});
    CHECK(b.dog->attach(bench::spec_of("r"), "minute")->found);
    CHECK(b.dog->observe(*run, Progress{3}) == Observed::ok);
    REQUIRE(b.dog->finish(*run, RunEnd::failed));
    CHECK(b.history().row->state == RunState::failed);
}

TEST_CASE("a run whose id the store knows as over is not watched, which is said once") {
    Bench b;
    REQUIRE(b.dog->finish(b.run()));
    b.clock.advance(60s);
    b.boot();
    b.store.fail(StoreOperation::load, ErrorCode::io);
    b.store.fail(StoreOperation::commit, ErrorCode::io);
    const auto run = b.dog->attach(bench::spec_of("r"), "minute");
    REQUIRE(run);
    CHECK(run->not_stored);
    b.store.heal();
    CHECK_THAT(bench::errors_of(b.after(60s)), ContainsSubstring("choose another id"));
    CHECK(b.dog->observe(*run, Progress{3}) == Observed::ended);
    for (int i = 0; i < 3; ++i) CHECK(bench::errors_of(b.after(60s)).empty());
    CHECK(b.history().row->state == RunState::completed);
    CHECK(b.dog->find("r").error().code == ErrorCode::ended);
}

TEST_CASE("a run ends with its scope, as it was finished, or not if it is kept") {
    Bench b;
    const auto state = [&](const char* id) { return b.history(id).row->state; };
    RunHandle kept;
    {
        auto left = b.dog->scoped(bench::spec_of("left"), "minute");
        auto done = b.dog->scoped(bench::spec_of("done"), bench::minute_class());
        auto keep = b.dog->scoped(bench::spec_of("kept"), "minute");
        REQUIRE((left && done && keep));
        CHECK(b.dog->observe(*left, Heartbeat{}) == Observed::ok);
        CHECK_FALSE(left->not_stored());
        CHECK(done->finish());
        CHECK(done->finish().error().code == ErrorCode::ended);
        kept = keep->keep();
        CHECK(state("left") == RunState::running);
    }
    CHECK(state("left") == RunState::cancelled);
    CHECK(state("done") == RunState::completed);
    CHECK(state("kept") == RunState::running);
    CHECK(b.dog->observe(kept, Heartbeat{}) == Observed::ok);
    CHECK_FALSE(b.dog->scoped(bench::spec_of("kept"), "minute"));
}

TEST_CASE("a scope that is moved ends its run once, and one that is overwritten ends at once") {
    Bench b;
    const auto state = [&](const char* id) { return b.history(id).row->state; };
    std::optional<RunScope> outer;
    {
        auto inner = b.dog->scoped(bench::spec_of("one"), "minute");
        REQUIRE(inner);
        outer.emplace(*std::move(inner));
    }
    CHECK(state("one") == RunState::running);
    *outer = *b.dog->scoped(bench::spec_of("two"), "minute");
    CHECK(state("one") == RunState::cancelled);
    CHECK(state("two") == RunState::running);
    outer.reset();
    CHECK(state("two") == RunState::cancelled);
}
