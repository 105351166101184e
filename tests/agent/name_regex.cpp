#include <heeler/agent/name_regex.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

bool admits(const RunFilter& filter, std::string name, std::vector<std::string> tags = {}) {
    RunSpec spec;
    spec.name = std::move(name);
    spec.tags = std::move(tags);
    return filter.admits(spec);
}

}  // namespace

TEST_CASE("a filter goes by a regular expression where it is told to [M-020]") {
    RunFilter filter;
    REQUIRE(set_name_regex(filter, "^(code|test)-[0-9]+-worker$"));
    CHECK((admits(filter, "code-7-worker") && admits(filter, "test-12-worker")));
    CHECK_FALSE(
        (admits(filter, "code-x-worker") || admits(filter, "my-code-7-worker") || admits(filter, "docs-7-worker")));
    CHECK(admits(filter, "anything", {"worker"}));
    filter.both = true;
    CHECK_FALSE((admits(filter, "anything", {"worker"}) || admits(filter, "code-7-worker")));
    CHECK(admits(filter, "code-7-worker", {"worker"}));
    CHECK_FALSE(admits(filter, "__code-7-worker", {"worker"}));
}

TEST_CASE("a part of the name is enough, and what cannot be read is refused [M-020]") {
    CHECK((matches_regex("worker", "my-worker-3") && matches_regex("[.]", "a.b") && !matches_regex("^b", "ab")));
    RunFilter filter;
    const auto refused = set_name_regex(filter, "code-(7");
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().message,
               ContainsSubstring("`code-(7` is no regular expression: ") && ContainsSubstring("("));
    CHECK(filter.name_pattern.empty());
    CHECK_FALSE(matches_regex("code-(7", "code-(7"));
}
