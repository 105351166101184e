#include <heeler/detect/output_access_rule.hpp>

#include "support/catch.hpp"
#include "support/facts.hpp"

using namespace heeler;
using namespace std::chrono_literals;

TEST_CASE("output that cannot be read is a stall at once, and none when it can be read again [M-033]") {
    const facts::Taught<OutputAccessRule> rule;
    facts::At at{1s};
    CHECK_FALSE(rule.check(at));
    at.run.output_readable = false;
    const auto found = rule.check(at);
    REQUIRE(found);
    CHECK(found->condition == Condition::no_output_access);
    CHECK(found->condition.status() == Status::stalled);
    CHECK(name_of(found->condition) == "STALLED");
}
