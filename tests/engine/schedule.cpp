// When the runs of a class are looked at.
#include "support/bench.hpp"
#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

heeler::RunClass quarter_hours() {
    RunClass rules = bench::minute_class("quarter_hours");
    rules.interval.fixed = 900s;
    rules.schedule = {900s, true};
    return rules;
}

}  // namespace

// What a detector may have is found on every compiler.
static_assert(detail::HasDue<HeartbeatContract<Intervals>> && detail::HasDue<RunTimeout> &&
              !detail::HasDue<OutputAccessRule>);
static_assert(detail::HasEvidenceNeeded<LoopDetector<Line>> && !detail::HasEvidenceNeeded<RunTimeout>);
static_assert(detail::HasValidate<LoopDetector<Call>> && detail::HasByName<BurnRateTracker<Tokens>>);

TEST_CASE("an aligned schedule looks at :00, :15, :30 and :45 whenever a run began [M-002]") {
    bench::Bench b;
    b.classes = {quarter_hours()};
    b.boot();
    b.clock.set({Elapsed{1000s}, WallTime{1'800'000'000s} + 100s});  // 1800000000 is a whole quarter of an hour
    const auto run = b.run();
    b.progress(run, 1);

    CHECK(b.after(799s).checked == 0);
    CHECK(b.after(1s).checked == 1);  // :15
    CHECK(b.after(899s).checked == 0);
    CHECK(b.after(1s).checked == 1);  // :30
}

TEST_CASE("an aligned schedule judges at no other moment, whatever falls between two of its own [M-002] [D-51]") {
    bench::Bench b;
    b.classes = {quarter_hours()};
    b.classes[0].detectors.turn_on<HeartbeatContract<ActivityAge>>({.act_after = 1200s});
    b.boot();
    b.clock.set({Elapsed{1000s}, WallTime{1'800'000'000s} + 180s});
    const auto run = b.run();
    b.progress(run, 1);
    CHECK(b.after(720s).checked == 1);  // :15, of an interval that ends at :18
    CHECK(*b.dog->next_deadline() <= b.clock.now().elapsed + 900s);
    b.clock.advance(180s);
    b.progress(run, 2);
    CHECK(b.after(120s).checked == 0);  // :20, what was reported meanwhile is only stored
    b.boot();
    CHECK(b.after(60s).checked == 0);   // nor after a restart, with an interval that is over
    CHECK(b.after(540s).checked == 1);  // :30
    CHECK(b.after(500s).checked == 0);  // :38:20, 20 minutes and 20 seconds after the last sign
    CHECK(b.acts.empty());
    (void)b.after(400s);  // :45
    CHECK_FALSE(b.acts.empty());
}

TEST_CASE("a fixed schedule looks first after one interval, then on its own grid [M-003] [M-004]") {
    bench::Bench b;
    const auto run = b.run();
    b.progress(run, 1);
    CHECK(b.cycle().checked == 0);
    CHECK(b.after(59s).checked == 0);
    CHECK(b.after(1s).checked == 1);
    CHECK(b.after(70s).checked == 1);  // ten seconds late
    CHECK(b.after(50s).checked == 1);  // the grid is kept

    const IntervalSettings lengths;
    CHECK(lengths.interval_for(1800s) == 60s);
    CHECK(lengths.interval_for(1801s) == 300s);
    CHECK(lengths.interval_for(std::nullopt) == 300s);
}

TEST_CASE("a finding that is only worth watching is shown and never acted on [M-044]") {
    bench::Bench b;
    RunClass rules = bench::minute_class();
    rules.detectors.turn_off<HeartbeatContract<Intervals>>().turn_on<HeartbeatContract<ActivityAge>>(
        {300s, 600s, {}, Duration{}});
    b.classes = {rules};
    b.boot();
    const auto run = b.run();
    b.progress(run, 1);

    b.minutes(5);
    CHECK(b.dog->status(run) == Status::healthy);
    const auto suspect = bench::all_of<StatusEvent>(b.after(60s));
    REQUIRE(suspect.size() == 1);
    CHECK(suspect[0].level == Level::watch);
    b.minutes(4);
    CHECK(b.acts.empty());
    b.minutes(1);
    CHECK(b.acts == "inject:nudge done");
}
