#include <heeler/core/run_filter.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

RunSpec spec_of(std::string name, std::vector<std::string> tags = {}) {
    RunSpec spec;
    spec.name = std::move(name);
    spec.tags = std::move(tags);
    return spec;
}

}  // namespace

TEST_CASE("a run is admitted by any of the tags, `worker` unless they are set [M-019]") {
    RunFilter filter;
    CHECK(filter.admits(spec_of("a", {"worker"})));
    CHECK(filter.admits(spec_of("a", {"linux", "worker"})));
    CHECK_FALSE(filter.admits(spec_of("worker", {"workers", "Worker"})));
    CHECK_FALSE(filter.admits(spec_of("a")));
    filter.tags_any = {"reviewer", "tester"};
    CHECK(filter.admits(spec_of("a", {"tester"})));
    CHECK_FALSE(filter.admits(spec_of("a", {"worker"})));
}

TEST_CASE("or by its name or id, if there is a pattern [M-020]") {
    RunFilter filter;
    filter.name_pattern = "*-worker";
    CHECK(filter.admits(spec_of("code-7-worker")));
    CHECK(filter.admits(spec_of("code-7", {"worker"})));
    CHECK_FALSE(filter.admits(spec_of("code-7-worker-2", {"orchestrator"})));
    RunSpec spec = spec_of("Somebody");
    spec.id = "test-1-worker";
    CHECK(filter.admits(spec));
    filter.tags_any.clear();
    CHECK_FALSE(filter.admits(spec_of("a", {"worker"})));
    filter.name_pattern.clear();
    CHECK(filter.admits(spec_of("a")));
}

TEST_CASE("where both are asked for, a tag alone or a name alone is not enough [M-019] [M-020]") {
    RunFilter filter;
    filter.name_pattern = "*-worker";
    filter.both = true;
    CHECK(filter.admits(spec_of("a-worker", {"worker"})));
    CHECK_FALSE(filter.admits(spec_of("a-worker")));
    CHECK_FALSE(filter.admits(spec_of("a", {"worker"})));
    filter.name_pattern.clear();
    CHECK(filter.admits(spec_of("a", {"worker"})));
    CHECK_FALSE(filter.admits(spec_of("a")));
    filter.name_pattern = "*-worker";
    filter.tags_any.clear();
    CHECK(filter.admits(spec_of("a-worker")));
    CHECK_FALSE(filter.admits(spec_of("a")));
}

TEST_CASE("the watchdog's own are never admitted, whatever else they are [M-022]") {
    RunFilter filter;
    filter.name_pattern = "*";
    CHECK_FALSE(filter.admits(spec_of("__watchdog")));
    CHECK_FALSE(filter.admits(spec_of("__watchdog", {"worker"})));
    CHECK_FALSE(filter.admits(spec_of("dog", {"worker", "watchdog"})));
    CHECK(filter.admits(spec_of("_watchdog")));
    RunSpec spec = spec_of("dog");
    spec.id = "__dog";
    CHECK_FALSE(filter.admits(spec));
    filter.exclude_system = false;
    CHECK(filter.admits(spec_of("__watchdog")));
}

TEST_CASE("what was registered one by one needs a tag as well, unless the class says that it needs none [M-019]") {
    RunFilter filter;
    CHECK_FALSE(filter.keeps(spec_of("a")));
    CHECK(filter.keeps(spec_of("a", {"worker"})));
    filter.untagged = true;
    CHECK_FALSE(filter.admits(spec_of("a")));  // what a list brought
    CHECK(filter.keeps(spec_of("a")));
    CHECK_FALSE(filter.keeps(spec_of("a", {"orchestrator"})));
    CHECK_FALSE(filter.keeps(spec_of("__a")));
    filter.name_pattern = "b*";
    CHECK_FALSE(filter.keeps(spec_of("a")));
    CHECK(filter.keeps(spec_of("b")));
}

TEST_CASE("in a pattern `*` is any text and `?` one character [M-020]") {
    using detail::matches_glob;
    CHECK((matches_glob("", "") && matches_glob("*", "") && matches_glob("***", "a") && matches_glob("a*", "a")));
    CHECK((matches_glob("*b*c", "abbbcbc") && matches_glob("a?c", "abc") && matches_glob("?*", "x")));
    CHECK((matches_glob("?", "\xC3\xA4") && matches_glob("*?x", "\xE2\x82\xACx")));  // one character of several bytes
    CHECK_FALSE((matches_glob("", "a") || matches_glob("?", "") || matches_glob("a?c", "ac")));
    CHECK_FALSE((matches_glob("*b", "abc") || matches_glob("a*b*c", "acb") || matches_glob("??", "\xC3\xA4")));
    CHECK(matches_glob("/srv/*/[a].sh *", "/srv/x/[a].sh --all"));  // nothing else is special
    std::string stars(60, '*');
    stars += 'b';  // a sum of both is more than GCC 12 optimises without a false warning
    CHECK_FALSE(matches_glob(stars, std::string(128, 'a')));
    CHECK_FALSE(matches_glob("*a*a*a*a*a*a*a*a*a*a*b", std::string(128, 'a')));
}
