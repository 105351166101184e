#include "common/nearest.hpp"

#include "support/catch.hpp"

using common::did_you_mean;
using common::did_you_mean_or_known;
using common::nearest;
using Names = std::vector<std::string>;

TEST_CASE("a mistyped id finds the ones that are like it", "[nearest]") {
    const Names ids{"write-docs", "port-parser", "port-lexer", "Port-Parser-2", "a", "nightly"};
    CHECK(nearest("port-parsr", ids) == Names{"port-parser", "Port-Parser-2"});
    CHECK(nearest("PARSER", ids) == Names{"port-parser", "Port-Parser-2"});
    CHECK(nearest("port", ids) == Names{"port-parser", "port-lexer", "Port-Parser-2"});
    CHECK(nearest("nightly-refactor", ids) == Names{"nightly"});
    CHECK(nearest("zzzzzzzzzzzz", ids).empty());
    CHECK(nearest("", ids) == Names{"a"});
    CHECK(nearest("port-parser", {}).empty());
}

TEST_CASE("of many ids that are alike three are named, the nearest first", "[nearest]") {
    Names ids;
    for (int i = 0; i < 100; ++i) ids.push_back("run-" + std::to_string(i));
    const Names found = nearest("runn-42", ids);
    REQUIRE(found.size() == 3);
    CHECK(found.front() == "run-42");
}

TEST_CASE("a name that nobody has is answered with the nearest, or with all", "[nearest]") {
    const Names verbs{"status", "snooze", "silence"};
    CHECK(did_you_mean("statsu", verbs) == "; did you mean 'status'?");
    CHECK(did_you_mean("s", {"so", "se", "xyzzy"}) == "; did you mean 'so' or 'se'?");
    CHECK(did_you_mean("s", {"so", "se", "si"}) == "; did you mean 'so', 'se' or 'si'?");
    CHECK(did_you_mean("frobnicate", verbs).empty());
    CHECK(did_you_mean_or_known("statsu", verbs) == "; did you mean 'status'?");
    CHECK(did_you_mean_or_known("frobnicate", verbs) == "; known are status, snooze, silence");
    CHECK(did_you_mean_or_known("anything", {}).empty());
}
