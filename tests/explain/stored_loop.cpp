#include <heeler/explain/stored_loop.hpp>

#include <string>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

RunClass looping_class() {
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Loop>();
    return rules;
}

/// The stored row of a run that has made the same call so often, with the same failure.
RunRow stored_after(int calls, const RunClass& rules) {
    rooms::House house;
    const RunHandle run = house.run(rules);
    for (int i = 0; i < calls; ++i) {
        house.clock.advance(1s);
        house.tell(run, ToolCall{"Bash", R"({"command":"make test"})", "a"});
        house.tell(run, ToolResult{false, "1 failed", "a"});
    }
    REQUIRE_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    return *house.history().row;
}

}  // namespace

TEST_CASE("what the loop detector of a stored run had counted can be explained", "[explain]") {
    const std::string two = detail::loop_standing(stored_after(2, looping_class()));
    CHECK(two.starts_with("The loop detector after event 3, "));
    CHECK_THAT(two, ContainsSubstring("Verdict: none: no rule has what it needs; nearest is 'repeat' with 2 of 3\n"));
    const std::string three = detail::loop_standing(stored_after(3, looping_class()));
    CHECK_THAT(three, ContainsSubstring("Verdict: nudge, by the rule 'repeat'\n"));
    CHECK_THAT(three, ContainsSubstring("Episode: a loop goes on that began with event 0; "));
}

TEST_CASE("a stored run without a loop detector, or with damaged memory, has none to explain", "[explain]") {
    RunRow row = stored_after(2, rooms::bare_class());
    CHECK(detail::loop_standing(row).empty());
    row.memory = std::nullopt;
    CHECK(detail::loop_standing(row).empty());

    const RunRow whole = stored_after(3, looping_class());
    REQUIRE(whole.memory);
    for (std::size_t size = 0; size < whole.memory->size(); size += 97) {
        row = whole;
        row.memory->resize(size);
        CHECK(detail::loop_standing(row).empty());
    }
}
