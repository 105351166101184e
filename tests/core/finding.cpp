#include <heeler/core/finding.hpp>

#include "support/catch.hpp"

using heeler::Condition;

TEST_CASE(
    "of two conditions the worse one names the status, an output that cannot be read being a stall [M-084] [D-11]") {
    const Condition order[] = {Condition::timeout,       Condition::runaway,          Condition::loop_detected,
                               Condition::error_cascade, Condition::no_output_access, Condition::stalled};
    for (std::size_t i = 0; i + 1 < std::size(order); ++i) {
        CAPTURE(order[i].key());
        CHECK(outranks(order[i], order[i + 1]));
        CHECK_FALSE(outranks(order[i + 1], order[i]));
    }
    CHECK(name_of(Condition::no_output_access) == name_of(Condition::stalled));
}
