#include <heeler/agent/sql/agent_cursor.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;
using detail::AgentCursor;
using detail::parse_agent_cursor;
using detail::write_agent_cursor;

TEST_CASE("a cursor of an agent's row is read back as it was written", "[store]") {
    AgentCursor cursor;
    CHECK(write_agent_cursor(cursor) == "a1;0;0;0;0;");
    cursor.checkpoint = ~std::uint64_t{0};
    cursor.heartbeat = 0x1f;
    cursor.ended = 1;
    cursor.waits = 0xd;
    cursor.steps = {-3, 1, 2, 3, 4, 9, 11, 12};
    cursor.said = {7, 0xabc};
    const std::string text = write_agent_cursor(cursor);
    CHECK(text == "a1;ffffffffffffffff;1f;1;d;-3,1:4,9,11:12;7;abc");
    const auto read = parse_agent_cursor(text, 100);
    REQUIRE(read);
    CHECK(read->checkpoint == cursor.checkpoint);
    CHECK(read->heartbeat == cursor.heartbeat);
    CHECK(read->ended == cursor.ended);
    CHECK(read->waits == cursor.waits);
    CHECK(read->steps == cursor.steps);
    CHECK(read->said == cursor.said);
}

TEST_CASE("a long plan makes a short cursor", "[store]") {
    AgentCursor cursor;
    for (std::int64_t step = 1; step <= 1024; ++step) cursor.steps.push_back(step);
    CHECK(write_agent_cursor(cursor) == "a1;0;0;0;0;1:1024");
    CHECK(parse_agent_cursor("a1;0;0;0;0;1:1024", 1024)->steps == cursor.steps);
}

TEST_CASE("what is no cursor of an agent's row begins anew", "[store]") {
    for (const char* const text :
         {"", "a1", "a1;0;0;0;0", "a2;0;0;0;0;", "a1;x;0;0;0;", "a1;0;0;0;0;1:", "a1;0;0;0;0;2,1", "a1;0;0;0;0;3:2",
          "a1;0;0;0;0;1,", "a1;0;0;0;0;1,1", "a1;0;0;0;0;1;", "a1;0;0;0;0;1;x", "a1;0;0;0;0;1 ",
          "a1;11111111111111111;0;0;0;", "a1;0;0;0;0;1:9223372036854775807",
          "a1;0;0;0;0;9223372036854775800:9223372036854775807,1", "f1-1-2-3-4"}) {
        INFO(text);
        CHECK_FALSE(parse_agent_cursor(text, 100));
    }
    CHECK(parse_agent_cursor("a1;0;0;0;0;9223372036854775800:9223372036854775807", 100));
}
