#include <heeler/settings/name_regex_settings.hpp>

#include <heeler/settings/overlay.hpp>
#include <heeler/settings/presets.hpp>

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

TEST_CASE("a regular expression of names has a name among the settings, as the glob has [M-020] [M-186]") {
    const auto a_text = [](const char* text) { return SettingValue{std::string{text}}; };
    RunClass rules = presets::long_run();  // has no filter
    REQUIRE(overlay(rules, {{"name_regex", a_text("^code-[0-9]+$"), {}}}).empty());
    REQUIRE(rules.applicability.filter);
    CHECK((admits(*rules.applicability.filter, "code-7") && admits(*rules.applicability.filter, "x", {"worker"})));
    CHECK_FALSE(admits(*rules.applicability.filter, "code-x"));

    const auto faults = overlay(rules, {{"name_regex", a_text("code-(7"), {}}});
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == SettingFault::Kind::out_of_range);
    CHECK_THAT(faults[0].message,
               ContainsSubstring("'name_regex' is 'code-(7', but must be an extended regular expression: "));
    CHECK(admits(*rules.applicability.filter, "code-7"));  // the one before is kept

    // The later of the two counts.
    REQUIRE(overlay(rules, {{"name_pattern", a_text("co?e-x"), {}}}).empty());
    CHECK(admits(*rules.applicability.filter, "code-x"));
    REQUIRE(overlay(rules, {{"name_pattern", a_text("co?e-x"), {}}, {"name_regex", a_text("e-[0-9]"), {}}}).empty());
    CHECK((admits(*rules.applicability.filter, "code-77") && !admits(*rules.applicability.filter, "code-x")));
    REQUIRE(overlay(rules, {{"name_regex", a_text(""), {}}}).empty());
    CHECK_FALSE(admits(*rules.applicability.filter, "code-7"));
    CHECK(overlay(rules, {{"name_regex", SettingValue{std::int64_t{5}}, {}}}).size() == 1);
}
