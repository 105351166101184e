#include "ctl/nearest.hpp"

#include "support/catch.hpp"

using ctl::nearest;
using Ids = std::vector<std::string>;

TEST_CASE("how far two ids are apart", "[ctl]") {
    CHECK(ctl::distance("", "") == 0);
    CHECK(ctl::distance("", "abc") == 3);
    CHECK(ctl::distance("port-parsr", "port-parser") == 1);
    CHECK(ctl::distance("kitten", "sitting") == 3);
    CHECK(ctl::distance("ab", "ba") == 2);
}

TEST_CASE("a mistyped id finds the ones that are like it", "[ctl]") {
    const Ids ids{"write-docs", "port-parser", "port-lexer", "Port-Parser-2", "a", "nightly"};
    CHECK(nearest("port-parsr", ids) == Ids{"port-parser", "Port-Parser-2"});
    CHECK(nearest("PARSER", ids) == Ids{"port-parser", "Port-Parser-2"});
    CHECK(nearest("port", ids) == Ids{"port-parser", "port-lexer", "Port-Parser-2"});
    CHECK(nearest("nightly-refactor", ids) == Ids{"nightly"});
    CHECK(nearest("zzzzzzzzzzzz", ids).empty());
    CHECK(nearest("", ids) == Ids{"a"});
    CHECK(nearest("port-parser", {}).empty());
}

TEST_CASE("of many ids that are alike three are named, the nearest first", "[ctl]") {
    Ids ids;
    for (int i = 0; i < 100; ++i) ids.push_back("run-" + std::to_string(i));
    const Ids found = nearest("runn-42", ids);
    REQUIRE(found.size() == 3);
    CHECK(found.front() == "run-42");
}
