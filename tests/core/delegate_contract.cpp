#include <heeler/core/delegate_contract.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("a delegation contract names every clause that is missing [M-024]") {
    DelegateContract contract{"the parser", "src/parser", "a green test run", "after 2 h", "tests pass", "every 5 min"};
    CHECK(validate(contract));

    contract.rejoin_trigger = " \n";
    contract.heartbeat.clear();
    const auto checked = validate(contract);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().code == ErrorCode::invalid_argument);
    CHECK_THAT(checked.error().message, ContainsSubstring("lacks: rejoin_trigger, heartbeat;"));
}
