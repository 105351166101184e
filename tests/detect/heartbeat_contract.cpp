#include <heeler/detect/heartbeat_contract.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using facts::sample;
using facts::Taught;
using ByIntervals = Taught<HeartbeatContract<Intervals>>;

namespace {

At with_metric(std::int64_t value) {
    At at{300s};
    at.run.reported_value = value;
    return at;
}

}  // namespace

TEST_CASE("two intervals without a change are a stall, one is not [M-031]") {
    ByIntervals rule;
    rule.learn(sample(5, 0));
    CHECK_FALSE(rule.check(with_metric(5)));
    rule.learn(sample(5, 0));
    const auto found = rule.check(with_metric(5));
    REQUIRE(found);
    CHECK(found->condition == Condition::stalled);
    CHECK(found->evidence.rule == "zero_delta");
}

TEST_CASE("a change starts the count again [M-031]") {
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(sample(6, 1)).learn(sample(6, 0));
    CHECK_FALSE(rule.check(with_metric(6)));
}

TEST_CASE("a metric that went back is a new baseline: the streak stays as it is [D-24]") {
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(sample(1, -4));
    CHECK_FALSE(rule.check(with_metric(1)));
    rule.learn(sample(1, 0));
    CHECK(rule.check(with_metric(1)));
}

TEST_CASE("an interval that was partly unwatched counts against nobody, a change in it counts [D-39]") {
    IntervalSample broken = sample(5, 0);
    broken.whole = false;
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(broken).learn(broken);
    CHECK_FALSE(rule.check(with_metric(5)));
    broken.delta = 1;
    rule.learn(broken).learn(sample(6, 0));
    CHECK_FALSE(rule.check(with_metric(6)));
}

TEST_CASE("an interval in which a run below it made progress starts the count again [M-192]") {
    IntervalSample credited = sample(5, 0);
    credited.credited = true;
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(credited).learn(sample(5, 0));
    CHECK_FALSE(rule.check(with_metric(5)));
    rule.learn(sample(5, 0));
    CHECK(rule.check(with_metric(5)));
}

TEST_CASE("without a metric twice the expected duration decides, strictly [M-032]") {
    ByIntervals rule;
    At at{1200s};
    at.run.metric = MetricKind::undefined;
    at.run.expected = 600s;
    CHECK_FALSE(rule.check(at));
    At later{1200s + 1us};
    later.run.metric = MetricKind::undefined;
    later.run.expected = 600s;
    REQUIRE(rule.check(later));
    CHECK(rule.check(later)->condition == Condition::stalled);
    CHECK(HeartbeatContract<Intervals>{}.due({}, {}, at.run, 0s) == 1200s + 1us);
}

TEST_CASE("without a metric and an expected duration it cannot judge [M-032] [M-040]") {
    ByIntervals rule;
    At at{10h};
    at.run.metric = MetricKind::undefined;
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
    at.run.expected = 600s;
    at.run.started.reset();
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
}

TEMPLATE_TEST_CASE("an age above the limit is a stall, the limit itself is not [M-028]", "", AliveAge, ActivityAge,
                   ProgressAge) {
    Taught<HeartbeatContract<TestType>> rule;
    rule.settings = {300s, 600s};
    const auto level_at = [&](Duration age) {
        At at{1000s + age};
        at.run.last_alive = at.run.last_activity = at.run.last_progress = 1000s;
        const auto found = rule.check(at);
        return found ? found->level : Level::none;
    };
    CHECK(level_at(300s) == Level::none);
    CHECK(level_at(300s + 1us) == Level::watch);
    CHECK(level_at(600s) == Level::watch);
    CHECK(level_at(600s + 1us) == Level::nudge);
}

TEST_CASE("an age without a moment to count from is said, not guessed [M-040]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    const auto found = rule.check(At{10h});
    REQUIRE(found);
    CHECK(found->condition == Condition::not_evaluable);
    CHECK(found->level == Level::none);
    rule.settings.startup_grace = 100s;
    CHECK_FALSE(rule.check(At{700s}));
    CHECK(rule.check(At{700s + 1us})->level == Level::nudge);
}

TEST_CASE("a late cycle and a wait judge no ages [D-23] [D-28]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    At at{10h};
    at.run.last_progress = 0s;
    at.run.late = true;
    CHECK_FALSE(rule.check(at));
    at.run.late = false;
    CHECK(rule.check(at));
    at.run.waiting_since = at.run.origin;
    CHECK_FALSE(rule.check(at));
}

TEST_CASE("it asks to be looked at when silence alone changes its verdict [M-028]") {
    const HeartbeatContract<ProgressAge> rule;
    const HeartbeatContract<ProgressAge>::Settings settings{300s, 600s};
    Run run;
    run.last_progress = 1000s;
    CHECK(rule.due({}, settings, run, 1000s) == 1300s + 1us);
    CHECK(rule.due({}, settings, run, 1300s + 1us) == 1600s + 1us);
    CHECK_FALSE(rule.due({}, settings, run, 1600s + 1us));
    run.last_progress.reset();
    CHECK_FALSE(rule.due({}, settings, run, 0s));
}

TEST_CASE("A-57: silence is an age above ten minutes, not ten minutes [M-039]") {
    const Taught<HeartbeatContract<ActivityAge>> rule;
    const auto found_at = [&](Duration age) {
        At at{1000s + age};
        at.run.last_activity = 1000s;
        return rule.check(at);
    };
    CHECK_FALSE(found_at(599s));
    CHECK_FALSE(found_at(600s));
    REQUIRE(found_at(601s));
    CHECK(found_at(601s)->condition == Condition::stalled);
    CHECK(found_at(601s)->kind == "silence");
    CHECK((found_at(601s)->evidence.facts[0].name == "age_s" && found_at(601s)->evidence.facts[0].value == 601));
    CHECK(rule.check(At{10h})->condition == Condition::not_evaluable);
}

TEST_CASE("A-74: a second source that is young enough vetoes the stall [M-042]") {
    Taught<HeartbeatContract<ActivityAge>> rule;
    const auto stalled = [&](std::optional<Duration> sign_age) {
        At at{1700s};
        at.run.last_activity = 1000s;
        if (sign_age) at.run.last_sign = 1700s - *sign_age;
        return rule.check(at).has_value();
    };
    CHECK(stalled(0s));
    rule.settings.veto_within = 900s;
    CHECK_FALSE(stalled(0s));
    CHECK_FALSE(stalled(899s));
    CHECK_FALSE(stalled(900s - 1us));
    CHECK(stalled(900s));
    CHECK(stalled(1200s));
    CHECK(stalled({}));
}

TEST_CASE("a veto holds back a warning too, and no moment to count from is still said [M-042]") {
    Taught<HeartbeatContract<ActivityAge>> rule;
    rule.settings.warn_after = 300s;
    rule.settings.veto_within = 900s;
    At at{1400s};
    at.run.last_activity = 1000s;
    CHECK(rule.check(at)->level == Level::watch);
    at.run.last_sign = 600s;
    CHECK_FALSE(rule.check(at));
    at.run.last_activity.reset();
    CHECK(rule.check(at)->condition == Condition::not_evaluable);
}

TEST_CASE("it asks to be looked at when the veto ends [M-042]") {
    const HeartbeatContract<ActivityAge> rule;
    HeartbeatContract<ActivityAge>::Settings settings{300s, 600s, 2700s};
    settings.veto_within = 900s;
    Run run;
    run.last_activity = 1000s;
    CHECK(rule.due({}, settings, run, 1000s) == 1300s + 1us);
    run.last_sign = 1200s;
    CHECK(rule.due({}, settings, run, 1200s) == 2100s);
    CHECK(rule.due({}, settings, run, 2099s) == 2100s);
    CHECK(rule.due({}, settings, run, 2100s) == 3700s + 1us);
    CHECK_FALSE(rule.due({}, settings, run, 3700s + 1us));
    run.last_sign = 600s;
    CHECK(rule.due({}, settings, run, 1400s) == 1500s);
    CHECK(rule.due({}, settings, run, 1500s) == 1600s + 1us);
    settings.veto_within.reset();
    run.last_sign = 1200s;
    CHECK(rule.due({}, settings, run, 1000s) == 1300s + 1us);
}

TEST_CASE("what it answers as due is when its verdict changes [M-042] [M-028]") {
    Taught<HeartbeatContract<ActivityAge>> rule;
    for (int i = 0; i < 64; ++i) {
        rule.settings = {std::nullopt, 40s};
        if ((i & 1) != 0) rule.settings.warn_after = 20s;
        if ((i & 2) != 0) rule.settings.in_tool = (i & 4) != 0 ? 30s : 60s;
        if ((i & 8) != 0) rule.settings.veto_within = 50s;
        Run run;
        run.last_activity = 10s;
        if ((i & 16) != 0) run.last_sign = (i & 32) != 0 ? 5s : 15s;
        run.open_calls = (i & 32) != 0 ? 1 : 0;
        const auto level_at = [&](Duration when) {
            At at{when};
            at.run.last_activity = run.last_activity;
            at.run.last_sign = run.last_sign;
            at.run.open_calls = run.open_calls;
            const auto found = rule.check(at);
            return found ? found->level : Level::none;
        };
        for (Duration when = 10s; when < 100s; when += 1s)
            for (const Duration next : {when + 1us, when + 1s}) {
                if (level_at(next) == level_at(next - 1us)) continue;
                CAPTURE(i, in_seconds(next));
                CHECK(HeartbeatContract<ActivityAge>{}.due({}, rule.settings, run, next - 1us) == next);
            }
    }
}

TEST_CASE("a veto of no time is refused [M-042]") {
    HeartbeatContract<ActivityAge>::Settings settings;
    CHECK(HeartbeatContract<ActivityAge>::validate(settings));
    settings.veto_within = 900s;
    CHECK(HeartbeatContract<ActivityAge>::validate(settings));
    settings.veto_within = 0s;
    REQUIRE_FALSE(HeartbeatContract<ActivityAge>::validate(settings));
    CHECK(HeartbeatContract<ActivityAge>::validate(settings).error().message.find("veto_within") != std::string::npos);
}

TEST_CASE("a call is given its tool's tier, or what it declares and a grace if that is more [M-051]") {
    Taught<HeartbeatContract<ActivityAge>> rule;
    rule.settings = {.act_after = 60s,
                     .in_tool = 300s,
                     .tool_tiers = {{"mcp__", 120s}, {"mcp__build", 900s}},
                     .tool_grace = 30s,
                     .tool_cap = 3600s};
    REQUIRE(HeartbeatContract<ActivityAge>::validate(rule.settings));
    const auto stalls_after = [&](Duration limit) {
        At at{10s + limit};
        at.run.last_activity = 10s;
        at.run.open_calls = static_cast<std::uint32_t>(rule.memory.open);
        At later = at;
        later.now.elapsed += 1us;
        CHECK(HeartbeatContract<ActivityAge>{}.due(rule.memory, rule.settings, at.run, 10s + limit) ==
              10s + limit + 1us);
        return !rule.check(at) && rule.check(later);
    };
    const auto call = [](std::string_view name, std::optional<Duration> timeout = {}) {
        ToolCall one{name, {}, {}};
        one.timeout = timeout;
        return one;
    };
    CHECK(stalls_after(60s));
    rule.learn(call("Bash"));
    CHECK(stalls_after(300s));
    rule.learn(ToolResult{}).learn(call("mcp__fetch"));
    CHECK(stalls_after(120s));
    rule.learn(ToolResult{}).learn(call("mcp__build_all"));
    CHECK(stalls_after(900s));
    rule.learn(ToolResult{}).learn(call("Bash", 600s));
    CHECK(stalls_after(630s));
    rule.learn(call("mcp__fetch"));
    CHECK(stalls_after(630s));
    rule.learn(ToolResult{}).learn(ToolResult{}).learn(call("Bash", 10s));
    CHECK(stalls_after(300s));
    rule.learn(ToolResult{}).learn(call("Bash", Duration::max()));
    CHECK(stalls_after(3600s));
    rule.learn(ToolResult{});
    CHECK(stalls_after(60s));
}

TEST_CASE("a call has its time from its own beginning, unless the run was a stall before [M-051]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    rule.settings = {.act_after = 600s, .in_tool = 2700s};
    const auto call_at = [&](Duration begun) {
        Observation seen;
        seen.at = begun;
        seen.event = ToolCall{"Bash", {}, {}};
        HeartbeatContract<ProgressAge>{}.learn(rule.memory, rule.settings, seen);
    };
    const auto stalls_after = [&](Duration moment) {
        At at{moment};
        at.run.last_progress = 61s;
        at.run.open_calls = 1;
        At later = at;
        later.now.elapsed += 1us;
        CHECK(HeartbeatContract<ProgressAge>{}.due(rule.memory, rule.settings, at.run, moment) == moment + 1us);
        return !rule.check(at) && rule.check(later);
    };
    call_at(400s);
    CHECK(stalls_after(3100s));
    call_at(500s);  // and another beside it
    CHECK(stalls_after(3100s));
    rule.learn(ToolResult{}).learn(ToolResult{});
    call_at(661s);
    CHECK(stalls_after(3361s));
    rule.learn(ToolResult{});
    call_at(662s);
    CHECK(stalls_after(2761s));
}

TEST_CASE("tiers and limits of tools that make no sense are refused [M-051]") {
    using Rule = HeartbeatContract<ProgressAge>;
    CHECK_FALSE(Rule::validate({.act_after = 60s, .tool_tiers = {{"mcp__", 120s}}}));
    CHECK_FALSE(Rule::validate({.act_after = 60s, .in_tool = 300s, .tool_tiers = {{"", 120s}}}));
    CHECK_FALSE(Rule::validate({.act_after = 60s, .in_tool = 300s, .tool_tiers = {{"mcp__", 0s}}}));
    CHECK_FALSE(Rule::validate({.act_after = 60s, .in_tool = 300s, .tool_cap = 0s}));
    CHECK_FALSE(Rule::validate({.act_after = 60s, .in_tool = 300s, .tool_grace = -1s}));
}

TEST_CASE("a second source has its whole time to speak again after a gap [D-57]") {
    Taught<HeartbeatContract<ActivityAge>> rule;
    rule.settings.veto_within = 900s;
    At at{3600s};
    at.run.last_activity = at.run.last_sign = Duration{100s};
    at.run.seen_from = 3000s;
    at.now.elapsed = at.run.origin + 3899s;
    CHECK_FALSE(rule.check(at));
    at.now.elapsed += 1s;
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->level == Level::nudge);
    at.run.last_sign = 3001s;
    CHECK_FALSE(rule.check(at));
}

namespace {

/// What takes 1,200 s from the 100th second on.
void expect_a_build(Run& run) {
    run.excuses.edit().open = {{1, 1200s, 1300s, "cargo build"}};
    run.excuses.edit().until = 1300s;
}

template <class Cadence>
std::optional<Finding> found_after(Duration age, bool expected) {
    Taught<HeartbeatContract<Cadence>> rule;
    At at{age};
    at.run.last_alive = at.run.last_activity = at.run.last_progress = at.run.checkpoint_base = 90s;
    if (expected) expect_a_build(at.run);
    return rule.check(at);
}

}  // namespace

TEST_CASE("ages of work count from the end of what was said to take long, that of life does not [M-191]") {
    CHECK(found_after<ActivityAge>(691s, false));
    for (const Duration age : {691s, 1299s, 1301s, 1900s}) {
        CHECK_FALSE(found_after<ActivityAge>(age, true));
        CHECK_FALSE(found_after<ProgressAge>(age, true));
        CHECK_FALSE(found_after<CheckpointAge>(age, true));
        CHECK(found_after<AliveAge>(age, true));
    }
    const auto late = found_after<ProgressAge>(1901s, true);
    REQUIRE(late);
    CHECK(late->evidence.fact("age_s") == 601);
    CHECK(late->evidence.fact("expected_s") == 1200);
    CHECK(late->subject.view() == "cargo build");
    CHECK(HeartbeatContract<ProgressAge>::describe(*late) ==
          "No progress for 10 minutes: cargo build was to take 20 minutes");
    CHECK(found_after<AliveAge>(1901s, true)->subject.view().empty());
    CHECK(HeartbeatContract<ProgressAge>::describe(*found_after<ProgressAge>(691s, false)) ==
          "No progress for 10 minutes");
}

TEST_CASE("what is over, or had progress after its time, is not blamed [M-191]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    At at{2001s};
    at.run.last_progress = 90s;
    expect_a_build(at.run);
    at.run.excuses.edit().open.clear();
    CHECK(rule.check(at)->subject.view().empty());
    expect_a_build(at.run);
    at.run.last_progress = 1400s;
    CHECK(rule.check(at)->evidence.fact("age_s") == 601);
    CHECK(rule.check(at)->subject.view().empty());
}

TEST_CASE("a run that takes long from its start is excused from it too, and due when it is late [M-191]") {
    const HeartbeatContract<ProgressAge> rule;
    const HeartbeatContract<ProgressAge>::Settings settings{.act_after = 600s, .startup_grace = 300s};
    Run run;
    run.started = 0s;
    CHECK(rule.due({}, settings, run, 0s) == 900s + 1us);
    expect_a_build(run);
    CHECK(rule.due({}, settings, run, 0s) == 1900s + 1us);
}

TEST_CASE("intervals count from the end of what was said to take long [M-191]") {
    ByIntervals rule;
    rule.learn(sample(5, 0)).learn(sample(5, 0));
    At at{1301s};
    at.run.reported_value = 5;
    at.run.interval = 60s;
    CHECK(rule.check(at)->condition == Condition::stalled);
    expect_a_build(at.run);
    CHECK(rule.check(at)->is_put_off());
    at.now.elapsed = at.run.origin + 1419s;
    CHECK(rule.check(at)->is_put_off());
    at.now.elapsed = at.run.origin + 1420s;
    REQUIRE(rule.check(at)->condition == Condition::stalled);
    CHECK(rule.check(at)->subject.view() == "cargo build");
    CHECK(rule.check(at)->evidence.fact("expected_s") == 1200);
}

namespace {

/// A run that is looked at, with signs of life as `recommended` judges them.
struct Looked {
    using Rule = HeartbeatContract<AliveAge>;

    Rule::Settings settings{.warn_after = 60s, .act_after = 180s, .beats_within = 90s};
    Rule::Memory memory{};
    At at{0s};

    /// At this time somebody looks; the newest beat came before, by so much.
    std::optional<Finding> look(Duration when, Duration beat_before = 5s) {
        at.run.last_alive = when - beat_before;
        return again(when);
    }
    std::optional<Finding> again(Duration when) {
        at.now.elapsed = at.run.origin + when;
        CHECK_FALSE(Rule{}.poll(memory, settings, at.run, {}, at.now));
        return Rule{}.check(memory, settings, at.run, at.now);
    }
    Level level(Duration when) {
        const auto found = again(when);
        return found ? found->level : Level::none;
    }
};

}  // namespace

TEST_CASE("a run that beats by itself is late after a minute, and lost after three [M-028]") {
    Looked run;
    for (const Duration when : {60s, 120s, 180s, 240s}) CHECK_FALSE(run.look(when));
    CHECK(run.level(295s) == Level::none);
    CHECK(run.level(295s + 1us) == Level::watch);
    CHECK(run.level(415s) == Level::watch);
    CHECK(run.level(415s + 1us) == Level::nudge);
    CHECK(Looked::Rule{}.due(run.memory, run.settings, run.at.run, 240s) == 295s + 1us);
}

TEST_CASE("who beats with what is reported, seldom, or not often enough yet, has promised no beat [M-028]") {
    SECTION("with activity") {
        Looked run;
        for (Duration when = 60s; when <= 600s; when += 60s) {
            run.at.run.last_activity = when - 5s;
            CHECK_FALSE(run.look(when));
        }
        CHECK(run.level(1000s) == Level::none);
        CHECK_FALSE(Looked::Rule{}.due(run.memory, run.settings, run.at.run, 600s));
    }
    SECTION("every 91 s") {
        Looked run;
        for (Duration when = 91s; when <= 910s; when += 91s) CHECK_FALSE(run.look(when));
        CHECK(run.level(2000s) == Level::none);
    }
    SECTION("three times") {
        Looked run;
        for (const Duration when : {60s, 120s, 180s}) CHECK_FALSE(run.look(when));
        CHECK(run.level(1000s) == Level::none);
    }
    SECTION("and then went on with something else") {
        Looked run;
        for (const Duration when : {60s, 120s, 180s, 240s}) CHECK_FALSE(run.look(when));
        run.at.run.last_activity = 290s;
        CHECK_FALSE(run.look(290s, 0s));
        CHECK(run.level(1000s) == Level::none);
    }
    SECTION("never") {
        Looked run;
        CHECK(run.level(1000s) == Level::none);
    }
}

TEST_CASE("a lost run that beats again says that it is over, once it has progress nothing any more [M-028]") {
    Looked run;
    for (const Duration when : {60s, 120s, 180s, 240s}) CHECK_FALSE(run.look(when));
    CHECK(run.level(500s) == Level::nudge);
    const auto back = run.look(510s);
    REQUIRE(back);
    CHECK(back->is_over());
    run.at.run.last_progress = 511s;
    CHECK_FALSE(run.look(515s));
}

TEST_CASE("an open call is shown after a while of its own, a longer one after a third of its time [M-028]") {
    Taught<HeartbeatContract<ProgressAge>> rule;
    rule.settings = {.warn_after = 300s, .act_after = 600s, .in_tool = 2700s, .warn_in_tool = 900s};
    ToolCall call{"make", "{}", {}};
    const auto level_at = [&](Duration age) {
        At at{age};
        at.run.last_progress = 0s;
        at.run.open_calls = 1;
        const auto found = rule.check(at);
        return found ? found->level : Level::none;
    };
    SECTION("of the usual length") {
        rule.learn(call);
        CHECK(level_at(900s) == Level::none);
        CHECK(level_at(900s + 1us) == Level::watch);
        CHECK(level_at(2700s) == Level::watch);
        CHECK(level_at(2700s + 1us) == Level::nudge);
        Run run;
        run.last_progress = 0s;
        CHECK(HeartbeatContract<ProgressAge>{}.due(rule.memory, rule.settings, run, 600s + 1us) == 900s + 1us);
    }
    SECTION("that declares an hour and a half") {
        call.timeout = 5400s;
        rule.learn(call);
        CHECK(level_at(1810s) == Level::none);
        CHECK(level_at(1810s + 1us) == Level::watch);
        CHECK(level_at(5430s + 1us) == Level::nudge);
    }
}
