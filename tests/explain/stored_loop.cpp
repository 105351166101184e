#include <heeler/explain/stored_loop.hpp>

#include <string>

#include "support/rooms.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

void repeat_call(rooms::House& house, RunHandle run, int times) {
    for (int i = 0; i < times; ++i) {
        house.clock.advance(1s);
        house.tell(run, ToolCall{"Bash", R"({"command":"make test"})", "a"});
        house.tell(run, ToolResult{false, "1 failed", "a"});
    }
}

}  // namespace

TEST_CASE("what the loop detector of a stored run had counted can be explained", "[explain]") {
    rooms::House house;
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Loop>();
    const RunHandle run = house.run(rules);
    detail::WatchedRun& watched = house.at(run);
    repeat_call(house, run, 2);
    REQUIRE_FALSE(house.ledger.commit_one(run, watched, house.now()));
    std::string text = detail::loop_standing(*house.history().row);
    CAPTURE(text);
    CHECK(text.starts_with("The loop detector after event 3, "));
    CHECK_THAT(text, ContainsSubstring("Verdict: none: no rule has what it needs; nearest is 'repeat' with 2 of 3\n"));
    repeat_call(house, run, 1);
    REQUIRE_FALSE(house.ledger.commit_one(run, watched, house.now()));
    text = detail::loop_standing(*house.history().row);
    CHECK_THAT(text, ContainsSubstring("Verdict: nudge, by the rule 'repeat'\n"));
    CHECK_THAT(text, ContainsSubstring("Episode: a loop goes on that began with event 0; "));
}

TEST_CASE("a stored run without a loop detector, or with damaged memory, has none to explain", "[explain]") {
    rooms::House house;
    const RunHandle run = house.run(rooms::bare_class());
    repeat_call(house, run, 2);
    REQUIRE_FALSE(house.ledger.commit_one(run, house.at(run), house.now()));
    RunRow row = *house.history().row;
    CHECK(detail::loop_standing(row).empty());
    row.memory = std::nullopt;
    CHECK(detail::loop_standing(row).empty());

    rooms::House other;
    RunClass rules = rooms::bare_class();
    rules.detectors.turn_on<Loop>();
    const RunHandle looping = other.run(rules);
    repeat_call(other, looping, 3);
    REQUIRE_FALSE(other.ledger.commit_one(looping, other.at(looping), other.now()));
    const RunRow whole = *other.history().row;
    REQUIRE(whole.memory);
    for (std::size_t size = 0; size < whole.memory->size(); size += 97) {
        row = whole;
        row.memory->resize(size);
        CHECK(detail::loop_standing(row).empty());
    }
}
