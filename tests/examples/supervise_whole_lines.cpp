#include "supervise/whole_lines.hpp"

#include "support/catch.hpp"

using supervise::WholeLines;

TEST_CASE("of a stream only whole lines are given, and none twice") {
    WholeLines lines;
    CHECK(lines.add("a").empty());
    CHECK(lines.add("b").empty());
    CHECK(lines.add("c\nd\ne") == "abc\nd\n");
    CHECK(lines.add("\n") == "e\n");
    CHECK(lines.add("").empty());
    CHECK(lines.add("f\n") == "f\n");
}

TEST_CASE("a line without an end is not waited for") {
    WholeLines lines;
    const std::string most(WholeLines::longest, 'x');
    CHECK(lines.add(most).empty());
    CHECK(lines.add("y") == most + "y");
    CHECK(lines.add("z\n") == "z\n");
}
