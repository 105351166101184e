#include <heeler/detect/token_budget.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/checked_settings.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

facts::At spent(std::int64_t in, std::int64_t out, double cost = 0) {
    facts::At at{1s};
    at.run.usage.edit().tokens_in = in;
    at.run.usage.edit().tokens_out = out;
    at.run.usage.edit().cost_usd = cost;
    at.run.observations = 4;
    return at;
}

}  // namespace

TEST_CASE("five million tokens, in and out together, are over the budget [M-066]") {
    const facts::Taught<TokenBudget> rule;
    CHECK_FALSE(rule.check(spent(4'000'000, 999'999)));
    CHECK(rule.check(spent(4'000'000, 1'000'000)));
    CHECK(rule.check(spent(0, 5'000'001)));
    CHECK(rule.check(spent(std::int64_t{1} << 61, std::int64_t{1} << 61)));
}

TEST_CASE("only while the run is running [M-066]") {
    const facts::Taught<TokenBudget> rule;
    for (std::size_t i = 0; i < run_state_names.size(); ++i) {
        facts::At at = spent(6'000'000, 0);
        at.run.state = static_cast<RunState>(i);
        CAPTURE(name_of(at.run.state));
        CHECK(rule.check(at).has_value() == (at.run.state == RunState::running));
    }
}

TEST_CASE("the finding of a budget carries tokens, limit and cost [M-068]") {
    const auto found = facts::Taught<TokenBudget>{}.check(spent(3'000'000, 2'000'000, 9.99));
    REQUIRE(found);
    CHECK(found->condition == Condition::token_budget);
    CHECK(found->level == Level::nudge);
    CHECK(found->kind == "token_budget");
    CHECK(found->evidence.rule == "soft_limit");
    REQUIRE(found->evidence.count == 3);
    CHECK((found->evidence.facts[0].name == "tokens" && found->evidence.facts[0].value == 5'000'000));
    CHECK((found->evidence.facts[1].name == "threshold" && found->evidence.facts[1].value == 5'000'000));
    CHECK((found->evidence.facts[2].name == "cost_usd" && found->evidence.facts[2].value == 9.99));
    CHECK(found->evidence.last == 3);
}

TEST_CASE("judging a budget twice finds the same and changes no total [M-067]") {
    const facts::Taught<TokenBudget> rule;
    const facts::At at = spent(3'000'000, 2'000'000, 9.99);
    REQUIRE(rule.check(at));
    REQUIRE(rule.check(at));
    CHECK(rule.check(at)->evidence.facts[0].value == 5'000'000);
    CHECK(at.run.usage->tokens_in == 3'000'000);
    CHECK(at.run.usage->tokens_out == 2'000'000);
    CHECK(at.run.usage->cost_usd == 9.99);
}

TEST_CASE("a budget of no tokens is refused [M-066]") {
    CHECK(checked<TokenBudget>({1}));
    CHECK_FALSE(checked<TokenBudget>({0}));
    CHECK_FALSE(checked<TokenBudget>({-1}));
    CHECK(checked<TokenBudget>({-1}).error().message.find("-1") != std::string::npos);
}
