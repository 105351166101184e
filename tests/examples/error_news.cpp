#include "common/error_news.hpp"

#include <heeler/testing/manual_clock.hpp>

#include "support/catch.hpp"

using common::ErrorNews;
using namespace std::chrono_literals;

namespace {

/// A program whose cycles meet errors.
struct Cycles {
    heeler::ManualClock clock{};
    ErrorNews news;

    explicit Cycles(heeler::Duration forgotten_after = 1min) : news{forgotten_after} {}

    /// Goes on for `length` with an error in each cycle: what was told, one per line.
    std::string fails_for(heeler::Duration length, heeler::Duration every, const heeler::ErrorEvent& event) {
        std::string told;
        for (heeler::Duration passed{}; passed < length; passed += every, clock.advance(every))
            if (const auto line = news.line_of(event, clock.now().elapsed)) told += *line + "\n";
        return told;
    }
};

heeler::ErrorEvent error(std::string message, std::string where = "store", std::string run = {}) {
    return {std::move(where), std::move(run), {heeler::ErrorCode::busy, std::move(message)}};
}

}  // namespace

TEST_CASE("an error that goes on is told once, then hourly, with how often it was met", "[examples]") {
    Cycles program;
    CHECK(program.fails_for(1h, 100ms, error("locked")) == "error in store: locked\n");
    CHECK(program.fails_for(100ms, 100ms, error("locked")) ==
          "error in store, still, 36000 times in the last hour: locked\n");
    CHECK(program.fails_for(1h - 100ms, 100ms, error("locked")).empty());
    CHECK(program.fails_for(2h, 100ms, error("full")) ==
          "error in store, still, 36000 times in the last hour: full\n"
          "error in store, still, 36000 times in the last hour: full\n");
}

TEST_CASE("another place, run or kind of error is told at once, other words are not", "[examples]") {
    Cycles program;
    CHECK(program.fails_for(1s, 1s, error("locked")) == "error in store: locked\n");
    CHECK(program.fails_for(1s, 1s, error("locked by 17")).empty());
    CHECK(program.fails_for(1s, 1s, error("locked", "source")) == "error in source: locked\n");
    CHECK(program.fails_for(1s, 1s, error("locked", "store", "a")) == "error in store (a): locked\n");
    heeler::ErrorEvent full = error("full");
    full.error.code = heeler::ErrorCode::io;
    CHECK(program.fails_for(1s, 1s, full) == "error in store: full\n");
}

TEST_CASE("an error that was gone for a while is told anew", "[examples]") {
    Cycles program{10min};
    CHECK(program.fails_for(15min, 5min, error("locked")) == "error in store: locked\n");
    program.clock.advance(4min);
    CHECK(program.fails_for(5min, 5min, error("locked")).empty());
    program.clock.advance(5min);
    CHECK(program.fails_for(5min, 5min, error("locked")) == "error in store: locked\n");
}
