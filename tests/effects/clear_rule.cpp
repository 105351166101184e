#include <heeler/effects/clear_rule.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("nothing is cleared while something of the cycle is owed [M-131]") {
    const ContextSettings on{true, true, 0};
    CHECK(decide_clear(on, {1, false, {}}) == ClearDecision::wait);
    CHECK(decide_clear(on, {1, true, {}}) == ClearDecision::wait);
    CHECK(decide_clear(on, {0, false, {}}) == ClearDecision::clear);
}

TEST_CASE("after an error it is cleared all the same, unless the class says no [M-132][M-133]") {
    CHECK(decide_clear({true, true, 0}, {0, true, {}}) == ClearDecision::clear);
    CHECK(decide_clear({true, false, 0}, {0, true, {}}) == ClearDecision::leave);
    CHECK(decide_clear({true, false, 0}, {0, false, {}}) == ClearDecision::clear);
}

TEST_CASE("a class without it clears nothing and waits for nothing [M-135]") {
    CHECK(decide_clear({false, true, 0}, {0, false, {}}) == ClearDecision::leave);
    CHECK(decide_clear({false, true, 0}, {7, true, 99}) == ClearDecision::leave);
}

TEST_CASE("only what grew above the limit is cleared, where a size is known [M-139]") {
    const ContextSettings above{true, true, 10};
    CHECK(decide_clear(above, {0, false, 4}) == ClearDecision::leave);
    CHECK(decide_clear(above, {0, false, 10}) == ClearDecision::leave);
    CHECK(decide_clear(above, {0, false, 11}) == ClearDecision::clear);
    CHECK(decide_clear(above, {0, false, {}}) == ClearDecision::clear);
}
