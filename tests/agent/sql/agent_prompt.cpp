#include <heeler/agent/sql/agent_prompt.hpp>

#include <string>

#include "support/catch.hpp"

using namespace heeler;
using namespace std::chrono_literals;
using detail::AgentWords;
using detail::escaping_sql_literal;
using detail::fill;
using detail::literals;
using detail::sql_literal;

TEST_CASE("literals of SQL hold any text", "[store]") {
    CHECK(sql_literal("") == "''");
    CHECK(sql_literal("it's \\ $$ \"") == "'it''s \\ $$ \"'");
    CHECK(escaping_sql_literal("it's $$") == "'it''s $$'");
    CHECK(escaping_sql_literal("it's \\") == "E'it''s \\\\'");
}

TEST_CASE("what is put into a statement is not looked at again", "[store]") {
    AgentWords words;
    const auto values = literals(words, {"r", ":attempt", 3}, {}, ":token' :step");
    CHECK(fill(":token|:attempt|:step|:text|:other|::", values) == "':attempt'|3|NULL|':token'' :step'|:other|::");
}

TEST_CASE("a step's text is made safe and cut before it is put into a statement", "[store]") {
    AgentWords words;
    const auto values = literals(words, {}, 1, std::string("a\0b\x1b[2J\xff", 8) + std::string(10'000, 'x'));
    CHECK(values.text.size() < 2'100);
    CHECK(values.text.find('\0') == std::string::npos);
    CHECK(values.text.find('\x1b') == std::string::npos);
    CHECK(text::valid_utf8(values.text));
}
