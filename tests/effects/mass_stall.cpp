// Many runs that begin to stand still together are one incident, about what all of them need.
#include <heeler/effects/mass_stall.hpp>

#include <algorithm>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::Bench;

namespace {

/// Runs that work, some of which stop, looked at each minute. A run that stands still for two of them is nudged.
struct Fleet : Bench {
    std::vector<RunHandle> runs;
    std::size_t stopped = 0;  ///< the first ones
    int minute = 0;

    explicit Fleet(std::size_t count, RunClass rules = of_five(bench::minute_class())) {
        control.answer_find(Found::absent);
        classes = {std::move(rules)};
        boot();
        for (std::size_t i = 0; i < count; ++i) runs.push_back(run("r" + std::to_string(i)));
        go_on(2);
    }

    static RunClass of_five(RunClass rules) {
        rules.limits.mass_stall.runs = 5;
        return rules;
    }

    void go_on(int minutes_more) {
        for (int i = 0; i < minutes_more; ++i) {
            ++minute;
            for (std::size_t run = stopped; run < runs.size(); ++run) progress(runs[run], minute);
            minutes(1);
        }
    }
    /// The next process, on the same store.
    void restart() {
        REQUIRE(dog->flush());
        boot();
        for (RunHandle& each : runs) each = *dog->find("r" + std::to_string(&each - runs.data()));
    }
    [[nodiscard]] std::size_t sent(std::string_view kind) const {
        const auto kinds = sent_kinds();
        return static_cast<std::size_t>(std::count(kinds.begin(), kinds.end(), kind));
    }
};

}  // namespace

TEST_CASE("five of ten runs that stop together are told as one, and none of them is ended [M-190]") {
    Fleet f{10};
    f.stopped = 5;
    f.go_on(30);
    REQUIRE(f.sent_kinds() == std::vector<std::string>{"fleet.stalled"});
    const Alert told = f.notifier.sent().front().alert;
    CHECK(told.run.id.empty());
    CHECK(told.severity == Severity::critical);
    CHECK(told.summary == "5 of 10 runs stand still together: what they all need may be gone");
    CHECK(told.issues == std::vector<std::string>{"r0, r1, r2, r3, r4"});
    CHECK(f.asked(ControlVerb::inject) == 10);
    CHECK(f.asked(ControlVerb::terminate) == 0);
    for (const AlertRow& row : f.history("r0").alerts) {
        if (!row.alert.is(AlertKind::unhealthy)) continue;
        CHECK(row.how == AlertRow::How::inhibited);
        CHECK(reason_of(row) == "inhibited: people know that many runs stand still together");
    }
    SECTION("all of them work again: that is told, and nothing of any of them") {
        f.stopped = 0;
        f.go_on(9);
        CHECK(f.sent("fleet.recovered") == 0);
        f.go_on(3);
        CHECK(f.sent_kinds() == std::vector<std::string>{"fleet.stalled", "fleet.recovered"});
        CHECK(f.asked(ControlVerb::terminate) == 0);
        f.go_on(30);
        CHECK(f.sent_kinds().size() == 2);
    }
    SECTION("one does not: it is told of and ended when it is over") {
        f.stopped = 1;
        f.go_on(12);
        CHECK(f.sent("fleet.recovered") == 1);
        CHECK(f.asked(ControlVerb::terminate) == 1);
        CHECK(f.sent("escalation") + f.sent("run.ended") >= 1);
    }
    SECTION("after a restart it goes on, untold") {
        f.restart();
        f.go_on(20);
        CHECK(f.sent_kinds() == std::vector<std::string>{"fleet.stalled"});
        CHECK(f.asked(ControlVerb::terminate) == 0);
        f.stopped = 0;
        f.go_on(15);
        CHECK(f.sent_kinds() == std::vector<std::string>{"fleet.stalled", "fleet.recovered"});
        CHECK(f.asked(ControlVerb::terminate) == 0);
    }
}

TEST_CASE("four runs, fewer than a third, or one after the other, are incidents of their own [M-190]") {
    SECTION("four of ten") {
        Fleet f{10};
        f.stopped = 4;
        f.go_on(3);
        CHECK(f.sent("run.unhealthy") == 4);
        CHECK(f.sent("fleet.stalled") == 0);
    }
    SECTION("five of seventeen") {
        Fleet f{17};
        f.stopped = 5;
        f.go_on(3);
        CHECK(f.sent("run.unhealthy") == 5);
        CHECK(f.sent("fleet.stalled") == 0);
    }
    SECTION("one each two minutes") {
        Fleet f{10};
        for (int i = 0; i < 6; ++i) {
            ++f.stopped;
            f.go_on(2);
        }
        CHECK(f.sent("fleet.stalled") == 0);
    }
    SECTION("a preset that holds to its seed") {
        Fleet f{10, bench::minute_class()};
        f.stopped = 5;
        f.go_on(20);
        CHECK(f.sent("run.unhealthy") == 5);
        CHECK(f.sent("fleet.stalled") == 0);
        CHECK(f.asked(ControlVerb::terminate) == 5);
    }
}

TEST_CASE("who stood still before goes on to be told of, and is not ended while many stand still [M-190]") {
    Fleet f{10};
    f.stopped = 1;
    f.go_on(2);
    REQUIRE(f.sent("run.unhealthy") == 1);
    f.stopped = 7;
    f.go_on(20);
    CHECK(f.sent("fleet.stalled") == 1);
    CHECK(f.sent("run.unhealthy") == 1);
    CHECK(f.sent("escalation") == 1);
    CHECK(f.asked(ControlVerb::terminate) == 0);
}

TEST_CASE("in the first two minutes of a watchdog nobody is ended, whatever its store says [M-190]") {
    Fleet f{3};
    f.stopped = 1;
    f.go_on(3);
    REQUIRE(f.asked(ControlVerb::inject) == 2);
    f.clock.advance(60s);
    (void)f.dog->tick();  // the final rung is decided, and nothing of it done
    f.restart();
    for (int i = 0; i < 12; ++i) {
        (void)f.cycle();
        for (std::size_t run = 1; run < 3; ++run) f.progress(f.runs[run], 100 + i);
        f.clock.advance(10s);
    }
    CHECK(f.asked(ControlVerb::terminate) == 0);
    f.go_on(3);
    CHECK(f.asked(ControlVerb::terminate) == 1);
}

TEST_CASE("what is to be told of all is told once it could be stored [M-190]") {
    Fleet f{10};
    f.stopped = 5;
    f.go_on(1);
    f.store.fail(StoreOperation::commit, ErrorCode::io);
    f.go_on(1);
    CHECK(f.sent("fleet.stalled") == 0);
    f.store.heal();
    f.go_on(2);
    CHECK(f.sent("fleet.stalled") == 1);
    CHECK(f.sent("run.unhealthy") == 0);
}

TEST_CASE("what is to be told of all is not lost with a run that ends before it could be stored [M-190]") {
    const std::size_t ends = GENERATE(range(std::size_t{0}, std::size_t{6}));
    CAPTURE(ends);
    Fleet f{12};
    f.stopped = 6;
    f.go_on(1);
    f.store.fail(StoreOperation::commit, ErrorCode::io);
    f.go_on(1);
    REQUIRE(f.sent("fleet.stalled") == 0);
    f.store.heal();
    REQUIRE(f.dog->finish(f.runs[ends]));
    f.go_on(2);
    CHECK(f.sent("fleet.stalled") == 1);
}
