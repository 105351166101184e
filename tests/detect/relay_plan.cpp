#include <heeler/detect/relay_plan.hpp>

#include <heeler/explain/report.hpp>
#include <heeler/settings/presets.hpp>

#include "support/bench.hpp"
#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using bench::all_of;
using bench::Bench;
using facts::At;

namespace {

/// A run that has worked for `age` and left its last breadcrumb at `breadcrumb`, with a check of its own.
struct Checked : At {
    RelayPlan plan{};
    RelayCheck check{};
    RelayCheck::Memory memory{};
    std::optional<Duration> breadcrumb;

    explicit Checked(Duration age, std::optional<Duration> left = {}) : At{age}, breadcrumb{left} {
        run.checkpoint_base = left.value_or(Duration{});
    }
    std::optional<Sighting> poll() {
        LastCheckpoint last;
        last.at = breadcrumb;
        return check.poll(memory, plan, run, last, now);
    }
    [[nodiscard]] std::optional<Finding> found() const { return check.check(memory, plan, run, now); }
    [[nodiscard]] std::optional<Band> band() { return poll() ? memory.band : std::nullopt; }
    void leave_breadcrumb() { breadcrumb = run.checkpoint_base = run.working(now.elapsed); }
};

/// A watchdog with one run of this preset that has left a breadcrumb after ten minutes.
struct Relayed : Bench {
    RunHandle handle;

    explicit Relayed(RunClass rules = presets::checkpoint_relay()) {
        classes = {std::move(rules)};
        boot();
        handle = run();
        clock.advance(600s);
        REQUIRE(dog->checkpoint(handle, {1, "lexer done"}));
    }
    /// Sleeps until the watchdog has something to do, up to this moment after the start.
    void until(Duration moment) {
        const Elapsed end = bench::start.elapsed + moment;
        for (Elapsed seen{};;) {
            const auto next = dog->next_deadline();
            if (!next || std::max(*next, seen + 1s) > end) break;
            seen = std::max({*next, seen + 1s, clock.now().elapsed});
            clock.advance(seen - clock.now().elapsed);
            (void)cycle();
        }
        clock.advance(end - clock.now().elapsed);
    }
};

}  // namespace

TEST_CASE("A-12: over time from 60 min on, given up from 130 min on [M-077]") {
    const RelayPlan plan;
    const auto found_after = [&](Duration age) { return RelayTimeout{}.check({}, plan, At{age}.run, At{age}.now); };
    CHECK_FALSE(found_after(60min - 1us));
    const auto over = found_after(60min);
    REQUIRE(over);
    CHECK((over->condition == Condition::timeout && over->level == Level::watch));
    CHECK(over->evidence.rule == "hard_timeout");
    CHECK(found_after(130min - 1us)->level == Level::watch);
    const auto lost = found_after(130min);
    REQUIRE(lost);
    CHECK((lost->level == Level::stop && lost->evidence.rule == "give_up"));
    CHECK(RelayTimeout{}.due({}, plan, At{0s}.run, 0s) == 60min);
    CHECK(RelayTimeout{}.due({}, plan, At{0s}.run, 60min + 1s) == 130min);
}

TEST_CASE("the limit that a run brings is shown instead of the plan's [M-077]") {
    At at{10min};
    at.run.timeout = 10min;
    const auto found = RelayTimeout{}.check({}, {}, at.run, at.now);
    REQUIRE(found);
    CHECK(found->level == Level::watch);
    at.run.started.reset();
    CHECK(RelayTimeout{}.check({}, {}, at.run, at.now)->condition == Condition::not_evaluable);
    CHECK_FALSE(RelayTimeout{}.due({}, {}, at.run, 0s));
}

TEST_CASE("the bands are asked at 65 min, not before [M-077]") {
    Checked early{65min - 1us, 10min};
    CHECK_FALSE(early.poll());
    CHECK_FALSE(early.found());
    CHECK(early.check.due(early.memory, early.plan, early.run, 0s) == 65min);
    Checked due{65min, 10min};
    CHECK(due.band() == Band::take_over);
    REQUIRE(due.found());
    CHECK(due.found()->condition == Condition::stalled);
    CHECK(due.found()->evidence.rule == "take_over");
    CHECK_FALSE(due.poll());
    CHECK(due.check.due(due.memory, due.plan, due.run, 0s) == 70min);
    Checked begun_before{64min, 10min};
    CHECK_FALSE(begun_before.poll());
    begun_before.run.started = -1min;
    CHECK(begun_before.poll());
}

TEST_CASE("who left no breadcrumb is begun anew, even one from the very start counts [M-048]") {
    Checked none{65min};
    CHECK(none.band() == Band::restart);
    REQUIRE(none.found());
    CHECK(none.found()->evidence.rule == "restart");
    Checked first{65min, Duration{}};
    CHECK(first.band() == Band::take_over);
}

TEST_CASE("who is waited for is asked again after 5 min, who works never again [M-048]") {
    Checked run{65min, 55min};
    CHECK(run.band() == Band::wait);
    CHECK_FALSE(run.found());
    run.now.elapsed += 299s;
    CHECK_FALSE(run.poll());
    run.leave_breadcrumb();
    run.now.elapsed += 1s;
    CHECK(run.band() == Band::working);
    run.now.elapsed += 1h - 1min;
    CHECK_FALSE(run.poll());
    CHECK_FALSE(run.found());
    CHECK_FALSE(run.check.due(run.memory, run.plan, run.run, 0s));
}

TEST_CASE("a breadcrumb after the answer takes it back [M-048]") {
    Checked run{65min, 10min};
    CHECK(run.poll());
    REQUIRE(run.found());
    run.now.elapsed += 60s;
    CHECK(run.found());
    run.leave_breadcrumb();
    CHECK_FALSE(run.found());
    run.now.elapsed += 4min;
    CHECK(run.band() == Band::working);
}

TEST_CASE("nobody is asked after a continuation, a gap or the end of the plan [M-077]") {
    Checked run{65min, 10min};
    run.run.late = true;
    CHECK_FALSE(run.poll());
    run.run.late = false;
    run.run.attempt = 2;
    CHECK_FALSE(run.poll());
    run.run.attempt = 1;
    run.now.elapsed += 65min;
    CHECK_FALSE(run.poll());
    run.now.elapsed -= 1us;
    CHECK(run.poll());
    REQUIRE(run.found());
    run.run.attempt = 2;
    CHECK_FALSE(run.found());
}

TEST_CASE("that a person is asked is said once in each wait [M-077]") {
    Checked run{65min, 10min};
    run.run.waiting_since = run.run.origin + 50min;
    run.run.state = RunState::waiting_human;
    CHECK(run.check.due_waiting(run.memory, run.plan, run.run, {}) == run.run.origin + 65min);
    const auto seen = run.poll();
    REQUIRE(seen);
    CHECK(seen->answer.empty());
    CHECK(seen->message == "waiting for human input, not continuing");
    CHECK_FALSE(run.poll());
    CHECK_FALSE(run.check.due_waiting(run.memory, run.plan, run.run, {}));
    run.run.waiting_since.reset();
    run.run.waited = 20min;
    CHECK_FALSE(run.poll());
    run.run.waiting_since = run.now.elapsed;
    CHECK(run.poll());
    run.memory = {};
    run.run.state = RunState::paused;
    CHECK_FALSE(run.poll());
}

TEST_CASE("a plan is checked when it is defined [M-186]") {
    CHECK(RelayPlan{}.check());
    RelayPlan late;
    late.continue_at = 130min;
    CHECK_FALSE(checked<RelayTimeout>(late));
    CHECK_FALSE(checked<RelayCheck>(late));
    RelayPlan upside_down;
    upside_down.bands.take_over_above = 1s;
    CHECK_FALSE(upside_down.check());
    Bench b;
    RunClass rules = presets::checkpoint_relay();
    rules.detectors.turn_on<RelayCheck>(late);
    const auto refused = b.dog->define(rules);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find("give_up_at") != std::string::npos);
}

TEST_CASE("A-12: a relay by its own schedule [M-077] [M-102]") {
    Relayed b;
    b.until(65min - 1s);
    CHECK(b.acts.empty());
    CHECK(b.history().row->status == Status::timeout);
    b.until(65min);
    CHECK(b.acts == "spawn done");
    b.until(130min - 1s);
    CHECK(b.acts == "spawn done");
    b.until(130min);
    CHECK(b.acts == "spawn done; escalate done, mark_failed done");
    CHECK(b.sent_kinds() == std::vector<std::string>{"escalation"});
    CHECK_FALSE(b.dog->report("r")->completed_by);
    const std::string why = *b.dog->explain("r");
    CHECK(why.find(R"(band {"band":"take_over","age_s":3300})") != std::string::npos);
}

TEST_CASE("what the bands answered survives a restart [M-048]") {
    Relayed b;
    b.control.answer(ControlVerb::spawn, ControlAnswer::fail);
    b.until(65min);
    CHECK(b.acts == "spawn failed");
    REQUIRE(b.dog->flush());
    b.boot();
    b.control.answer(ControlVerb::spawn, ControlAnswer::ok);
    const RunHandle run = *b.dog->find("r");
    b.clock.advance(10s);
    const CycleReport report = b.cycle(TickCause::on_demand);
    CHECK(all_of<SightingEvent>(report).empty());
    CHECK(b.acts == "spawn failed; spawn done");
    REQUIRE(b.dog->finish(run));
    CHECK(b.dog->report("r")->completed_by == CompletedBy::continuation);
}

TEST_CASE("the first agent's own end is its own [M-102]") {
    Relayed b;
    b.until(61min);
    REQUIRE(b.dog->finish(b.handle));
    b.until(140min);
    CHECK(b.acts.empty());
    CHECK(b.dog->report("r")->completed_by == CompletedBy::original);
    CHECK(to_json(*b.dog->report("r")).find(R"("completed_by":"original")") != std::string::npos);
}

TEST_CASE("describe says the whole plan [M-186]") {
    Relayed b;
    const std::string text = b.dog->describe();
    CHECK(text.find("a checkpoint younger than 10m 0s works, one older than 30m 0s or none is taken up") !=
          std::string::npos);
    CHECK(text.find("times out after 1h 0m, given up after 2h 10m") != std::string::npos);
}

TEST_CASE("nobody is taken up for the time that nobody saw [D-57]") {
    SECTION("the bands take nobody up until one whole limit after the gap") {
        const std::optional<Duration> left = GENERATE(std::optional<Duration>{}, std::optional<Duration>{10min});
        Checked run{90min, left};
        run.run.seen_from = 89min;
        CHECK_FALSE(run.poll());
        REQUIRE(run.found());
        CHECK(run.found()->is_put_off());
        CHECK(run.check.due(run.memory, run.plan, run.run, 90min) == 119min + 1us);
        run.now.elapsed += 29min;
        CHECK_FALSE(run.poll());
        CHECK(run.found()->is_put_off());
        run.now.elapsed += 1us;
        CHECK(run.poll());
        REQUIRE(run.found());
        CHECK(run.found()->condition == Condition::stalled);
    }
    SECTION("nor for what was said to take long [M-191]") {
        Checked run{90min, 10min};
        run.run.excuses.edit().until = 100min;
        CHECK_FALSE(run.poll());
        CHECK(run.found()->is_put_off());
        CHECK(run.check.due(run.memory, run.plan, run.run, 90min) == 130min + 1us);
    }
    SECTION("a breadcrumb meanwhile shows that it works") {
        Checked run{90min, 10min};
        run.run.seen_from = 89min;
        CHECK_FALSE(run.poll());
        run.leave_breadcrumb();
        CHECK(run.band() == Band::working);
        CHECK_FALSE(run.found());
    }
    SECTION("what was answered before the gap is not acted on after it, nor is it over") {
        Checked run{65min, 10min};
        CHECK(run.poll());
        run.run.seen_from = 66min;
        run.now.elapsed += 2min;
        REQUIRE(run.found());
        CHECK(run.found()->is_put_off());
    }
    SECTION("the end of the plan holds") {
        Checked run{130min, 10min};
        run.run.seen_from = 129min;
        CHECK_FALSE(run.found());
        CHECK(RelayTimeout{}.check({}, run.plan, run.run, run.now)->level == Level::stop);
    }
}

TEST_CASE("a relay whose watchdog was down takes up nobody who works [D-57]") {
    Relayed b;
    b.until(20min);
    REQUIRE(b.dog->checkpoint(b.handle, {2, "parser done"}));
    b.clock.advance(50min);
    b.boot();
    b.handle = *b.dog->find("r");
    SECTION("who works goes on") {
        b.until(80min);
        REQUIRE(b.dog->checkpoint(b.handle, {3, "checker done"}));
        b.until(129min);
        CHECK(b.acts.empty());
    }
    SECTION("who stands still is taken up one limit later") {
        b.until(100min);
        CHECK(b.acts.empty());
        b.until(102min);
        CHECK(b.acts == "spawn done");
    }
}
