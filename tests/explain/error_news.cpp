#include <heeler/explain/error_news.hpp>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;

namespace {

ErrorEvent error(std::string message, std::string where = "store", std::string run = {}) {
    return {std::move(where), std::move(run), {ErrorCode::busy, std::move(message)}};
}

}  // namespace

TEST_CASE("an error that goes on is news at first, and after each minute, with how often it was met") {
    ErrorNews news;
    Elapsed now{};
    CHECK(news.meet(error("locked"), now) == 0u);
    for (int i = 1; i < 600; ++i) CHECK_FALSE(news.meet(error("locked"), now += 100ms));
    CHECK(news.meet(error("locked"), now += 100ms) == 600u);
    CHECK_FALSE(news.meet(error("locked"), now));
    CHECK(news.meet(error("locked", "source"), now) == 0u);
    CHECK(news.meet(error("locked", "store", "a"), now) == 0u);
    CHECK(news.meet(error("locked"), now += 1min) == 0u);  // it was gone meanwhile
}

TEST_CASE("other words are another error, but for the numbers of what is busy") {
    ErrorNews news;
    CHECK(news.meet(error("for 60 s more"), Elapsed{}) == 0u);
    CHECK_FALSE(news.meet(error("for 59 s more"), Elapsed{1s}));
    ErrorEvent damaged = error("row 1");
    damaged.error.code = ErrorCode::corrupt;
    CHECK(news.meet(damaged, Elapsed{}) == 0u);
    damaged.error.message = "row 2";
    CHECK(news.meet(damaged, Elapsed{1s}) == 0u);
}

TEST_CASE("the news of a cycle are all of it but the errors that were said a short while ago") {
    ErrorNews news;
    CycleReport cycle;
    cycle.acted = 1;
    cycle.error("store", "r", Error{ErrorCode::io, "no disk"});
    cycle.events.emplace_back(ActionEvent{"r", {}});
    const CycleReport first = news.of(cycle, Elapsed{});
    CHECK((first.errors == 1 && first.events.size() == 2));
    const CycleReport second = news.of(cycle, Elapsed{1s});
    CHECK((second.errors == 0 && second.acted == 1));
    REQUIRE(second.events.size() == 1);
    CHECK(std::holds_alternative<ActionEvent>(second.events[0]));
}
