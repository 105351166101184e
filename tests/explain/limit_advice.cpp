// Which limits would fit: what is counted, what is left out, and what is said of it.
#include <heeler/explain/limit_advice.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

RunClass judged_class() {
    RunClass rules;
    rules.name = "judged";
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>({.act_after = 60s, .in_tool = 600s});
    rules.detectors.turn_on<RunTimeout>({.limit = 3600s});
    return rules;
}

WallTime at(Duration since) { return WallTime{} + since; }

LimitAdvice advice_about(const LimitAdvisor& advisor, std::string_view about) {
    for (const LimitAdvice& each : advisor.advice())
        if (each.about == about) return each;
    FAIL("nothing is said of " << about);
    return {};
}

/// Of gaps of which all but one are half as long.
LimitAdvice of_gaps(int count, Duration longest, std::optional<Duration> limit) {
    LimitAdvice one{"silence", "silence_s", limit};
    for (int i = 1; i < count; ++i) one.seen.add(longest / 2);
    one.seen.add(longest);
    one.judge();
    return one;
}

}  // namespace

TEST_CASE("a quantile is never below the real one, and at most a sixteenth above it", "[explain]") {
    Lengths lengths;
    std::vector<std::int64_t> all;
    std::uint64_t seed = 7;
    for (int i = 0; i < 20'000; ++i) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const auto us = static_cast<std::int64_t>((seed >> 33) >> (seed >> 59));
        all.push_back(us);
        lengths.add(Duration{us});
    }
    std::sort(all.begin(), all.end());
    CHECK(lengths.count() == all.size());
    CHECK(lengths.longest().count() == all.back());
    for (const std::uint64_t percent : {1u, 10u, 50u, 90u, 99u, 100u}) {
        const std::int64_t real = all[(all.size() * percent + 99) / 100 - 1];
        const std::int64_t told = lengths.quantile(percent).count();
        CAPTURE(percent, real, told);
        CHECK(told >= real);
        CHECK(told <= real + real / 16 + 1);
    }
    Lengths twice = lengths;
    twice.add(lengths);
    CHECK(twice.count() == 2 * lengths.count());
    CHECK(twice.quantile(50) == lengths.quantile(50));
    CHECK(Lengths{}.quantile(50) == Duration{});
    Lengths odd;
    odd.add(-5s);
    odd.add(Duration::max());
    CHECK(odd.quantile(1) == Duration{});
    CHECK(odd.longest() == Duration::max());
}

TEST_CASE("a limit is too short, as it should be, too long, or nothing can be said", "[explain]") {
    CHECK(of_gaps(412, 48s, 60s).text() ==
          "silence: longest of 412 healthy gaps 48s (median 24s, p99 24s); limit 1m 0s (silence_s) is 1.25 times the "
          "longest: raise it to 1m 30s or it will cry wolf");
    CHECK(of_gaps(412, 48s, 90s).kind == LimitAdvice::Kind::fits);
    CHECK(of_gaps(412, 48s, 3600s).text() ==
          "silence: longest of 412 healthy gaps 48s (median 24s, p99 24s); limit 1h 0m (silence_s) is 75 times the "
          "longest: 3m 0s would find it sooner");
    CHECK(of_gaps(299, 48s, 3600s).kind == LimitAdvice::Kind::fits);  // too few to go so near
    CHECK(of_gaps(29, 48s, 60s).kind == LimitAdvice::Kind::too_few);
    CHECK(of_gaps(30, 48s, 60s).kind == LimitAdvice::Kind::too_short);
    CHECK(of_gaps(30, 48s, std::nullopt).text() ==
          "silence: longest of 30 healthy gaps 48s (median 24s, p99 48s); no limit is set (silence_s): 1m 30s would "
          "fit");
    LimitAdvice none{"silence", "silence_s", 60s};
    none.judge();
    CHECK(none.text() == "silence: no healthy gap was seen; limit 1m 0s (silence_s): 30 are needed to say more");
    CHECK(LimitAdvice::round_up(Duration{1}) == 10s);
    CHECK(LimitAdvice::round_up(25h) == 48h);
}

TEST_CASE("what ends in an incident teaches nothing", "[explain]") {
    LimitAdvisor advisor{judged_class()};
    advisor.begin("r", MetricKind::undefined, at(0s));
    for (int i = 1; i <= 40; ++i) advisor.saw("r", Output{.text = "x\n"}, at(10s * i));
    StatusEvent stalled{"r", Status::stalled, {}, Level::nudge, Severity::none};
    advisor.note(stalled);
    advisor.saw("r", Output{.text = "x\n"}, at(1000s));
    StatusEvent over{"r", Status::recovered, {}, Level::none, Severity::none};
    advisor.note(over);
    advisor.saw("r", Output{.text = "x\n"}, at(1100s));  // it began in the incident
    advisor.saw("r", Output{.text = "x\n"}, at(1120s));
    const LimitAdvice silence = advice_about(advisor, "silence");
    CHECK(silence.seen.count() == 40);
    CHECK(silence.seen.longest() == 20s);
    CHECK(silence.left_out.count() == 2);
    CHECK(silence.left_out.longest() == 600s);
    CHECK(silence.limit == 60s);
    CHECK_THAT(advisor.text(), ContainsSubstring("class judged: 1 run\n") &&
                                   ContainsSubstring("not counted: 2 in an incident, up to 10m 0s"));
    advisor.end("r", RunState::completed, at(1200s));
    CHECK(advice_about(advisor, "whole run").seen.longest() == 1200s);
    advisor.begin("r", MetricKind::undefined, at(2000s));
    advisor.end("r", RunState::failed, at(9000s));
    CHECK(advice_about(advisor, "whole run").seen.longest() == 1200s);
    CHECK(advice_about(advisor, "whole run").left_out.longest() == 7000s);
}

TEST_CASE("calls are counted by tool, and what is in one is no silence where calls have a limit", "[explain]") {
    RunClass rules = judged_class();
    rules.detectors.turn_on<HeartbeatContract<ActivityAge>>(
        {.act_after = 60s, .in_tool = 600s, .tool_tiers = {{"Build", 3600s}}});
    LimitAdvisor advisor{rules};
    advisor.begin("r", MetricKind::reported, at(0s));
    advisor.saw("r", ToolCall{.name = "Build.all", .call_id = "1"}, at(10s));
    advisor.saw("r", ToolCall{.name = "Read", .call_id = "2"}, at(10s));
    advisor.saw("r", ToolResult{.output = "new", .call_id = "2"}, at(12s));
    advisor.saw("r", ToolResult{.output = "new", .call_id = "1"}, at(410s));
    advisor.saw("r", Heartbeat{}, at(420s));
    advisor.saw("r", Output{.text = "x"}, at(430s));
    CHECK(advice_about(advisor, "calls of Build.all").seen.longest() == 400s);
    CHECK(advice_about(advisor, "calls of Build.all").limit == 3600s);
    CHECK(advice_about(advisor, "calls of Read").seen.longest() == 2s);
    CHECK(advice_about(advisor, "calls of Read").limit == 600s);
    CHECK(advice_about(advisor, "silence").seen.longest() == 20s);
    CHECK(advice_about(advisor, "signs of life").seen.longest() == 398s);  // no limit for calls: all of them
    // A wait for somebody is no silence, nor what was said to take long.
    advisor.saw("r", StateChange{.state = RunState::waiting_human}, at(431s));
    advisor.saw("r", StateChange{.state = RunState::running}, at(5000s));
    advisor.saw("r", Expect{.takes = 3600s, .what = "cargo build"}, at(5001s));
    advisor.saw("r", Output{.text = "x"}, at(6000s));
    CHECK(advice_about(advisor, "silence").seen.longest() == 20s);
    advisor.saw("unknown", Output{.text = "x"}, at(6000s));
}
