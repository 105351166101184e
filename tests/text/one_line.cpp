#include <heeler/text/one_line.hpp>

#include "support/catch.hpp"

using heeler::text::one_line;

TEST_CASE("one line stays one line, whatever is in it") {
    CHECK(one_line("a\nb\r\nc\td\xE2\x80\xA8"
                   "e",
                   64) == "a b c d e");
    CHECK(one_line("\x1b[31mred\x1b[0m\xff", 64) == "red\xEF\xBF\xBD");
    CHECK(one_line("", 64).empty());
    CHECK(one_line(std::string(1000, '\n'), 100).find('\n') == std::string::npos);
    CHECK(one_line(std::string(1000, 'x'), 100).size() <= 100);
}
