#include <heeler/detect/burn_rate_tracker.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using facts::At;
using facts::sample;
using ByTokens = facts::Taught<BurnRateTracker<Tokens>>;

namespace {

template <class A, class B>
concept Mixes = requires(A a, B b) {
    a + b;
}
|| requires(A a, B b) { a < b; }
|| std::is_convertible_v<A, B> || std::is_constructible_v<A, B>;

ByTokens after_three(std::int64_t burned) {
    ByTokens rule;
    for (int i = 1; i <= 3; ++i) rule.learn(sample(i, 1, 1000));
    rule.learn(sample(3, 0, burned));
    return rule;
}

}  // namespace

TEST_CASE("amounts of two units do not mix [A-122] [M-065]") {
    STATIC_REQUIRE_FALSE(Mixes<Amount<Tokens>, Amount<ApiCalls>>);
    STATIC_REQUIRE_FALSE(Mixes<Amount<Tokens>, Amount<BytesWritten>>);
    STATIC_REQUIRE(Mixes<Amount<Tokens>, Amount<Tokens>>);
}

TEST_CASE("three times the own mean is no runaway, one more is [M-062]") {
    CHECK_FALSE(after_three(3000).check(At{240s}));
    const auto found = after_three(3001).check(At{240s});
    REQUIRE(found);
    CHECK(found->condition == Condition::runaway);
    CHECK(found->level == Level::stop);
}

TEST_CASE("spending with output is fine [M-063]") {
    ByTokens rule = after_three(0);
    rule.learn(sample(4, 1, 90'000));
    CHECK_FALSE(rule.check(At{300s}));
    rule.learn(sample(3, -1, 900'000));  // a metric that moved at all is output
    CHECK_FALSE(rule.check(At{360s}));
}

TEST_CASE("without a metric the output lines count [M-063]") {
    ByTokens rule;
    rule.learn(sample(std::nullopt, 0, 1000));
    IntervalSample quiet = sample(std::nullopt, 0, 5000);
    IntervalSample loud = quiet;
    loud.lines = 1;
    ByTokens other = rule;
    CHECK(rule.learn(quiet).check(At{120s}));
    CHECK_FALSE(other.learn(loud).check(At{120s}));
}

TEST_CASE("without a history of its own a run is not judged [M-064] [D-07]") {
    ByTokens rule;
    CHECK_FALSE(rule.learn(sample(1, 0, 1'000'000)).check(At{60s}));
    ByTokens free;
    free.learn(sample(1, 0, 0)).learn(sample(1, 0, 0));
    CHECK_FALSE(free.learn(sample(1, 0, 1'000'000)).check(At{180s}));  // a mean of 0 is no mean
    ByTokens two;
    two.settings.min_history = 2;
    two.learn(sample(1, 0, 10)).learn(sample(1, 0, 1000));
    CHECK_FALSE(two.check(At{120s}));
}

TEST_CASE("intervals spent waiting are no part of the mean [D-39]") {
    ByTokens rule = after_three(1000);
    IntervalSample waited = sample(3, 0, 0);
    waited.whole = false;
    for (int i = 0; i < 10; ++i) rule.learn(waited);
    CHECK_FALSE(rule.learn(sample(3, 0, 3000)).check(At{900s}));
    CHECK(rule.learn(sample(3, 0, 30'000)).check(At{960s}));
}

TEST_CASE("the mean is over all intervals before the last, a runaway one as well [M-064]") {
    ByTokens rule = after_three(5000);  // before: 3 x 1000
    CHECK(rule.check(At{240s}));
    ByTokens at_the_limit = rule, beyond = rule;
    CHECK_FALSE(at_the_limit.learn(sample(3, 0, 6000)).check(At{300s}));  // 3 x (3000 + 5000) / 4
    const auto found = beyond.learn(sample(3, 0, 6001)).check(At{300s});
    REQUIRE(found);
    CHECK(found->evidence.fact("mean_before") == 2000);
    CHECK(found->evidence.fact("intervals_before") == 4);
}

TEST_CASE("an interval that was acted on is one of those before the next [M-064]") {
    ByTokens rule = after_three(5000);
    rule.learn(Watermark{});
    CHECK_FALSE(rule.check(At{240s}));
    CHECK_FALSE(rule.learn(sample(3, 0, 6000)).check(At{300s}));
}

TEST_CASE("where it must last, as many intervals in a row are needed") {
    ByTokens rule;
    rule.settings.in_a_row = 3;
    for (int i = 0; i < 10; ++i) rule.learn(sample(1, 0, 1000));
    CHECK_FALSE(rule.learn(sample(1, 0, 50'000)).check(At{660s}));
    CHECK_FALSE(rule.learn(sample(1, 0, 50'000)).check(At{720s}));
    ByTokens interrupted = rule, forgiven = rule;
    const auto found = rule.learn(sample(1, 0, 50'000)).check(At{780s});
    REQUIRE(found);
    CHECK(found->evidence.fact("in_a_row") == 3);

    interrupted.learn(sample(1, 0, 100));
    CHECK_FALSE(interrupted.learn(sample(1, 0, 90'000)).check(At{840s}));
    forgiven.learn(Watermark{});
    CHECK_FALSE(forgiven.learn(sample(1, 0, 90'000)).check(At{780s}));
}

TEST_CASE("where it must last, what burns is no part of the mean") {
    ByTokens rule;
    rule.settings = {.factor = 5, .min_history = 30, .in_a_row = 3};
    for (int i = 0; i <= 30; ++i) rule.learn(sample(1, 0, 100));
    for (int i = 0; i < 3; ++i) rule.learn(sample(1, 0, 600));  // 5 x the mean of all would be 656 by now
    const auto found = rule.check(At{34min});
    REQUIRE(found);
    CHECK(found->evidence.fact("mean_before") == 100);
    CHECK(found->evidence.fact("intervals_before") == 31);

    for (int i = 0; i < 100; ++i) rule.learn(sample(1, 0, 600));
    CHECK(rule.check(At{134min}));  // it never becomes normal,
    rule.learn(Watermark{});        // not by what was done about it either
    for (int i = 0; i < 3; ++i) rule.learn(sample(1, 0, 600));
    CHECK(rule.check(At{138min}));

    rule.learn(sample(1, 1, 3200)).learn(sample(1, 0, 600));  // with output it is
    CHECK_FALSE(rule.check(At{140min}));
    for (int i = 0; i < 3; ++i) rule.learn(sample(1, 0, 1100));  // more than 5 x (31 x 100 + 3200 + 600) / 33
    const auto again = rule.check(At{143min});
    REQUIRE(again);
    CHECK(again->evidence.fact("intervals_before") == 33);
}

TEST_CASE("each unit has a history of its own [M-065]") {
    facts::Taught<BurnRateTracker<ApiCalls>> calls;
    IntervalSample one = sample(1, 0, 90'000);
    one.api_calls = 10;
    calls.learn(one).learn(one);
    CHECK_FALSE(calls.check(At{120s}));
    one.api_calls = 31;
    one.tokens = 0;
    CHECK(calls.learn(one).check(At{180s}));
}
