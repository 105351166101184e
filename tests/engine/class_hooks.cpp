// What a class of runs may have of its own: whoever acts on its agents; and cycles of some runs alone.
#include <string>

#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using bench::Bench;

namespace {

/// Would be trusted with an end, if it could keep what the agent has.
struct OnlyEnds {
    static Result<ActionDone> terminate(const ActionRequest&) { return ActionDone{}; }
};

}  // namespace

TEST_CASE("runs of a class are acted on through its own control, all others through that of the watchdog") {
    Bench d;
    d.classes = {bench::minute_class("apart"), bench::minute_class()};
    d.boot();
    ScriptedControl apart;
    REQUIRE(d.dog->attach("apart", apart));
    (void)d.stalled("r");
    CHECK(d.control.requests().empty());
    REQUIRE(apart.requests().size() == 1);
    CHECK(apart.requests().front().run == "r");

    const auto other = d.dog->start(bench::spec_of("s"), std::string_view{"minute"});
    REQUIRE(other);
    d.progress(*other, 1);
    d.minutes(2);
    REQUIRE(d.control.requests().size() == 1);
    CHECK(d.control.requests().front().run == "s");

    d.dog->detach_control("apart");
    const std::size_t before = apart.requests().size();
    (void)d.stalled("t");
    CHECK(apart.requests().size() == before);
    bool reached = false;
    for (const auto& request : d.control.requests()) reached |= request.run == "t";
    CHECK(reached);
}

TEST_CASE("what a class asks of its own control is checked against that one") {
    Bench d;
    const RunClass apart = bench::minute_class("apart");  // it terminates
    REQUIRE(d.dog->define(apart));
    OnlyEnds only_ends;
    const auto said = d.dog->attach("apart", only_ends);
    REQUIRE_FALSE(said);
    CHECK(said.error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(d.dog->define(apart));
    CHECK(d.dog->define(bench::minute_class()));
    ScriptedControl whole;
    CHECK(d.dog->attach("apart", whole));
    CHECK(d.dog->attach(only_ends).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("a host may have runs that have changed looked at, and no others") {
    Bench d;
    const RunHandle first = d.run("r");
    (void)d.run("s");
    const CycleReport report = d.dog->changed({first});
    CHECK(report.cause == TickCause::changed);
    CHECK(report.checked == 1);
    CHECK(d.dog->changed({}).checked == 0);
}
