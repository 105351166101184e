// Trouble of a run that people know of keeps back what begins with the runs below it.
#include <string>

#include <heeler/alert/group.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

struct Lineage : bench::Bench {
    Lineage() {
        classes[0].alerts.outbox.inhibit = true;
        classes[0].ladder.as<RecoveryLadder>()->max_attempts = 50;  // nudges only
        boot();
    }
    RunHandle add(const std::string& id, const std::string& parent = {}) {
        RunSpec spec = bench::spec_of(id);
        spec.parent = parent;
        const RunHandle handle = run(std::move(spec));
        progress(handle, 1);
        return handle;
    }
    /// What people read since the last call.
    std::string heard() {
        std::string text;
        for (const Alert& alert : notifier.delivered())
            text += (text.empty() ? "" : ", ") + alert.run.id + " " + alert.kind;
        notifier.clear();
        return text;
    }
};

}  // namespace

TEST_CASE("a child's alert is kept back while its parent's trouble is known, and told once when that is over",
          "[engine]") {
    Lineage l;
    CHECK_THAT(l.dog->describe(), ContainsSubstring("not told while people know of trouble of the run's parents"));
    const RunHandle boss = l.add("boss");
    l.minutes(2);
    CHECK(l.heard() == "boss run.unhealthy");
    const RunHandle child = l.add("child", "boss");
    l.minutes(1);
    CHECK(l.after(60s).why.inhibit == 1);
    CHECK(l.heard().empty());
    CHECK(l.outcomes("child") == "inject:nudge pending");  // it is helped all the same
    CHECK_THAT(*l.dog->explain("child"), ContainsSubstring("inhibited: people know of the run boss above it"));
    l.minutes(5);
    CHECK(l.heard().empty());
    const bool restarts = GENERATE(false, true);
    if (restarts) l.boot();
    l.minutes(1);
    l.progress(*l.dog->find("boss"), 2);
    l.minutes(1);
    CHECK(l.heard() == "boss run.recovered, child run.unhealthy");
    for (int value = 3; value < 6; ++value) {
        l.progress(*l.dog->find("boss"), value);
        l.minutes(1);
    }
    CHECK(l.heard().empty());
    l.progress(*l.dog->find("child"), 2);
    l.minutes(1);
    CHECK(l.heard() == "child run.recovered");
    static_cast<void>(boss);
    static_cast<void>(child);
}

TEST_CASE("what is over before it was told is not told, and the next time it is", "[engine]") {
    Lineage l;
    const RunHandle boss = l.add("boss");
    const RunHandle child = l.add("child", "boss");
    l.minutes(2);
    CHECK(l.heard() == "boss run.unhealthy");
    l.progress(child, 2);
    l.minutes(1);
    CHECK(l.dog->status(child) == Status::recovered);
    l.progress(boss, 2);
    l.minutes(1);
    CHECK(l.heard() == "boss run.recovered");
    for (int value = 3; value < 6; ++value) {
        l.progress(boss, value);
        l.minutes(1);
    }
    CHECK(l.heard() == "child run.unhealthy");
}

TEST_CASE("the end of a run whose alert was kept back is not told", "[engine]") {
    Lineage l;
    static_cast<void>(l.add("boss"));
    const RunHandle child = l.add("child", "boss");
    l.minutes(2);
    CHECK(l.heard() == "boss run.unhealthy");
    static_cast<void>(l.dog->finish(child, RunEnd::failed));
    l.minutes(2);
    CHECK(l.heard().empty());
}

TEST_CASE("trouble further up keeps alerts back, too, and of runs above each other one is told", "[engine]") {
    Lineage l;
    SECTION("a grandparent") {
        static_cast<void>(l.add("top"));
        l.minutes(1);
        static_cast<void>(l.add("child", "middle"));
        const RunHandle middle = l.add("middle", "top");
        l.minutes(1);
        l.progress(middle, 2);
        l.minutes(1);
        CHECK(l.heard() == "top run.unhealthy");
        CHECK(reason_of(l.history("child").alerts.at(0)) == "inhibited: people know of the run top above it");
    }
    SECTION("a circle") {
        const RunHandle a = l.add("a", "b");
        static_cast<void>(l.add("b", "a"));
        static_cast<void>(l.add("self", "self"));
        l.minutes(4);
        CHECK(l.heard() == "b run.unhealthy, self run.unhealthy");
        for (int value = 2; value < 5; ++value) {
            l.progress(*l.dog->find("b"), value);
            l.minutes(1);
        }
        CHECK(l.heard() == "b run.recovered, a run.unhealthy");
        static_cast<void>(a);
    }
    SECTION("a circle above it, in which all is well") {
        const RunHandle a = l.add("a", "b");
        const RunHandle b = l.add("b", "a");
        static_cast<void>(l.add("child", "a"));
        for (int value = 2; value < 5; ++value) {
            l.progress(a, value);
            l.progress(b, value);
            l.minutes(1);
        }
        CHECK(l.heard() == "child run.unhealthy");
    }
    SECTION("a parent that is not watched here") {
        static_cast<void>(l.add("child", "elsewhere"));
        l.minutes(2);
        CHECK(l.heard() == "child run.unhealthy");
    }
}

TEST_CASE("a child is told if nobody receives its parent's alert or they dismissed it, and of an escalation",
          "[engine]") {
    Lineage l;
    SECTION("nobody received it") {
        static_cast<void>(l.add("boss"));
        static_cast<void>(l.add("child", "boss"));
        l.notifier.answer_with({Delivery::permanent, Delivery::permanent, Delivery::ok});
        l.minutes(2);
        l.notifier.clear();
        l.minutes(2);
        CHECK(l.heard() == "child run.unhealthy");
    }
    SECTION("its parent was frozen, and people are told all the same") {
        DecisionRow freeze;
        freeze.run = "boss";
        freeze.verb = Verb::freeze;
        freeze.by = "ann";
        const RunHandle boss = l.add("boss");
        REQUIRE(l.dog->decide(freeze));
        static_cast<void>(l.dog->observe(boss, OutputAccess{false}));
        static_cast<void>(l.add("child", "boss"));
        l.minutes(2);
        CHECK(l.heard() == "boss run.unhealthy");
    }
    SECTION("its parent is dismissed") {
        static_cast<void>(l.add("boss"));
        static_cast<void>(l.add("child", "boss"));
        l.minutes(3);
        CHECK(l.heard() == "boss run.unhealthy");
        DecisionRow dismissal;
        dismissal.run = "boss";
        dismissal.verb = Verb::dismiss;
        dismissal.by = "ann";
        REQUIRE(l.dog->decide(dismissal));
        l.minutes(2);
        CHECK(l.heard() == "child run.unhealthy");
    }
    SECTION("an escalation") {
        static_cast<void>(l.add("boss"));
        l.minutes(2);
        const RunHandle child = l.add("child", "boss");
        static_cast<void>(l.dog->observe(child, OutputAccess{false}));
        l.minutes(2);
        CHECK(l.heard() == "boss run.unhealthy, child escalation");
    }
}
