#include <heeler/detect/spend_cap.hpp>

#include <array>
#include <string>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

using Sums = std::array<std::int64_t, 6>;

/// A run of which these sums are known, in the order of `SpendCap::sums`.
facts::At known(const SpendCap::Settings& caps, Sums sums) {
    facts::At at{1s};
    at.run.observations = 4;
    SpendCap::note(caps, sums, at.run.spend.edit());
    return at;
}

}  // namespace

TEST_CASE("a sum that has reached its cap is runaway, and no sooner [M-200]") {
    const SpendCap::Settings caps{.day_usd = 10};
    const facts::Taught<SpendCap> rule{caps};
    CHECK_FALSE(rule.check(known(caps, {0, 0, 0, 0, 0, 9'999'999})));
    const auto over = rule.check(known(caps, {0, 0, 0, 0, 0, 10'000'000}));
    REQUIRE(over);
    CHECK(over->condition == Condition::runaway);
    CHECK(over->level == Level::stop);
    CHECK(over->kind == "spend");
    CHECK(over->evidence.fact("spent") == 10);
    CHECK(over->evidence.fact("cap") == 10);
    CHECK(over->evidence.last == 3);
    CHECK(SpendCap::describe(*over) == "Spend cap reached: $10.00 of $10.00 for all runs today");
}

TEST_CASE("of several caps the nearest decides [M-200]") {
    const SpendCap::Settings caps{.lineage_tokens = 1000, .lineage_usd = 1, .owner_day_tokens = 100'000, .day_usd = 50};
    const facts::Taught<SpendCap> rule{caps};
    const auto found = rule.check(known(caps, {1000, 1'000'000, 150'000, 77'000'000, 77, 50'000'000}));
    REQUIRE(found);
    CHECK(found->evidence.rule == "owner_day_tokens");
    CHECK(SpendCap::describe(*found) ==
          "Spend cap reached: 150,000 tokens of 100,000 tokens for its owner's runs today");
    CHECK_FALSE(rule.check(known(caps, {0, 0, -1, -1, 0, 0})));  // nobody owns it
}

TEST_CASE("a sum is near to its cap from 80 percent on, and from 95 the work is to come to its end [M-200]") {
    const SpendCap::Settings caps{};
    CHECK(SpendCap::percent_reached(caps, 799, 1000) == 0);
    CHECK(SpendCap::percent_reached(caps, 800, 1000) == 80);
    CHECK(SpendCap::percent_reached(caps, 949, 1000) == 80);
    CHECK(SpendCap::percent_reached(caps, 950, 1000) == 95);
    CHECK(SpendCap::percent_reached(caps, 999, 1000) == 95);
    CHECK(SpendCap::percent_reached(caps, 1000, 1000) == 100);
    CHECK(SpendCap::percent_reached(caps, 1000, 0) == 0);
}

TEST_CASE("without caps nothing is found, and without a ledger nothing can be judged [M-200]") {
    CHECK_FALSE(facts::Taught<SpendCap>{}.check(known({}, {1, 1, 1, 1, 1, 1})));
    facts::At at{1s};
    const auto note = facts::Taught<SpendCap>{{.day_usd = 1}}.check(at);
    REQUIRE(note);
    CHECK(note->condition == Condition::not_evaluable);
    CHECK(note->evidence.rule == "no_spend_ledger");
    CHECK_THAT(SpendCap::bound({}, {}, {}), ContainsSubstring("no cap is set"));
    CHECK(SpendCap::bound({.owner_day_tokens = 5000, .owner_day_usd = 2}, {}, {}) ==
          "  spend: at most 5,000 tokens for its owner's runs today, $2.00 for its owner's runs today; needs a "
          "SpendLedger\n");
}

TEST_CASE("the settings of a spend cap have limits [M-200]") {
    CHECK(checked<SpendCap>({.lineage_tokens = 1, .day_usd = 0.01}));
    CHECK_FALSE(checked<SpendCap>({.lineage_tokens = -1}));
    CHECK_FALSE(checked<SpendCap>({.day_usd = -0.5}));
    CHECK_FALSE(checked<SpendCap>({.day_usd = 1, .soft = 0}));
    CHECK_FALSE(checked<SpendCap>({.day_usd = 1, .soft = 0.9, .wind_down = 0.8}));
}

TEST_CASE("amounts of money are counted in millionths, and what is absurd is cut [M-199]") {
    CHECK(detail::micros_of(0) == 0);
    CHECK(detail::micros_of(0.1 + 0.2) == 300'000);
    CHECK(detail::micros_of(1e300) == 9'000'000'000'000'000);
    for (std::int64_t each : {std::int64_t{1}, std::int64_t{999'999}, std::int64_t{123'456'789'012'345}})
        CHECK(detail::micros_of(static_cast<double>(each) / 1e6) == each);
}
