#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <heeler/alert/group.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/slowed.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

/// 50 children of one parent that stall together, and are told of together.
struct Children : bench::Bench {
    std::vector<RunHandle> runs;

    explicit Children(Duration wait = 30s) {
        RunClass rules = presets::recommended();
        rules.name = "children";
        rules.limits.mass_stall.runs = 0;  // what they tell then, they tell as one
        rules.limits.per_minute = 0;       // who waits for a nudge recovers later
        rules.alerts.outbox.group_wait = wait;
        classes = {rules};
        boot();
        for (int i = 0; i < 50; ++i) {
            RunSpec spec = bench::spec_of("child " + std::to_string(i));
            spec.parent = "boss";
            runs.push_back(run(std::move(spec)));
        }
        all_progress(1);
        cycle();
    }
    void all_progress(std::int64_t value) { progress_of(0, 50, value); }
    void progress_of(std::size_t from, std::size_t to, std::int64_t value) {
        for (std::size_t i = from; i < to; ++i) progress(runs[i], value);
    }
    void pass(Duration length) {
        for (Duration gone{}; gone < length; gone += 5s) static_cast<void>(after(5s));
    }
    /// "run.unhealthy 50": kinds of what people read, with the number of runs.
    [[nodiscard]] std::string heard() const {
        std::string text;
        for (const Alert& alert : notifier.delivered()) {
            text += (text.empty() ? "" : ", ") + alert.kind;
            for (const Detail& detail : alert.details)
                if (detail.name == detail::group_detail) text += " " + detail.value;
        }
        return text;
    }
    [[nodiscard]] std::string states(int child) {
        std::string text;
        const History history = *memory.history("child " + std::to_string(child));
        for (const AlertRow& row : history.alerts)
            text += (text.empty() ? "" : ", ") + row.alert.kind +
                    (row.state == AlertRow::State::delivered ? " delivered" : " " + reason_of(row).substr(0, 9));
        return text;
    }
};

}  // namespace

TEST_CASE("fifty children that stall together are one message, and so is their recovery", "[engine]") {
    Children c;
    CHECK_THAT(c.dog->describe(),
               ContainsSubstring("those of one cause are one message after 30s, the next one 5m 0s later"));
    c.pass(620s);
    CHECK(c.heard().empty());
    c.pass(30s);
    CHECK(c.heard() == "run.unhealthy 50");
    c.all_progress(2);
    c.pass(200s);
    CHECK(c.heard() == "run.unhealthy 50, run.recovered 50");
    CHECK(c.states(0) == "run.unhealthy delivered, run.recovered delivered");
    CHECK(c.states(49) == "run.unhealthy told with, run.recovered told with");
    CHECK(c.dog->cycle().errors == 0);
}

TEST_CASE("recommended tells at once of those of one cycle, and of who comes later every five minutes", "[engine]") {
    Children c{Duration{}};
    CHECK_THAT(c.dog->describe(), ContainsSubstring("those of one cause are one message, the next one 5m 0s later"));
    c.pass(602s);
    CHECK(c.heard() == "run.unhealthy 50");
    c.progress_of(0, 25, 2);
    c.pass(190s);
    CHECK(c.heard() == "run.unhealthy 50, run.recovered 25");
    c.progress_of(25, 50, 2);
    c.pass(200s);
    CHECK(c.heard() == "run.unhealthy 50, run.recovered 25");
    c.pass(200s);
    CHECK(c.heard() == "run.unhealthy 50, run.recovered 25, run.recovered 25");
}

TEST_CASE("a restart while alerts wait for each other changes nothing", "[engine]") {
    Children c;
    c.pass(620s);
    CHECK(c.heard().empty());
    c.boot();
    c.pass(60s);
    CHECK(c.heard() == "run.unhealthy 50");
    c.boot();
    c.pass(20s);
    CHECK(c.heard() == "run.unhealthy 50");
}

TEST_CASE("escalations of one cause are one message, and each run's action is settled", "[engine]") {
    Children c;
    c.control.answer(ControlVerb::inject, ControlAnswer::fail);
    c.pass(760s);
    CHECK(c.heard() == "run.unhealthy 50, escalation 50");
    for (int child = 0; child < 50; ++child) {
        const History history = *c.memory.history("child " + std::to_string(child));
        REQUIRE(history.actions.size() == 2);
        for (const Action& action : history.actions) CHECK(action.outcome != ActionOutcome::intended);
    }
}

TEST_CASE("that a run is over is not lost with a crash after the alert of its group that it waited for [M-125]") {
    const auto point = GENERATE(CrashPoint::after_answer, CrashPoint::before_answer);
    const std::uint64_t commits = GENERATE(range(std::uint64_t{1}, std::uint64_t{8}));
    // Each commit in one of the two ways.
    if (heeler_test::is_slowed && (commits % 2 == 0) != (point == CrashPoint::before_answer)) return;
    Children c;
    c.notifier.answer_with({Delivery::fail});
    c.pass(640s);
    REQUIRE(c.memory.history("child 1")->alerts[0].how == AlertRow::How::together);
    REQUIRE(c.memory.history("child 1")->alerts[0].state == AlertRow::State::pending);
    REQUIRE(c.dog->finish(c.runs[1]));
    c.notifier.answer_with({});
    c.store.crash_at_commit(commits, point);
    for (int i = 0; i < 8; ++i) (void)c.after(10s);
    c.boot();
    for (int i = 0; i < 12; ++i) (void)c.after(10s);
    std::set<std::string> ends;
    for (const Alert& alert : c.notifier.delivered())
        if (alert.run.id == "child 1" && alert.kind == "run.ended") ends.insert(alert.key);
    CHECK(ends.size() == 1);
}
