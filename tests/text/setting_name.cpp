#include <heeler/text/setting_name.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("the edit distance counts what was added, removed, replaced or swapped [M-186]") {
    CHECK(text::edit_distance("", "") == 0);
    CHECK(text::edit_distance("debounce", "debounce") == 0);
    CHECK(text::edit_distance("", "abc") == 3);
    CHECK(text::edit_distance("abc", "") == 3);
    CHECK(text::edit_distance("intervl_s", "interval_s") == 1);
    CHECK(text::edit_distance("intervall_s", "interval_s") == 1);
    CHECK(text::edit_distance("intervel_s", "interval_s") == 1);
    CHECK(text::edit_distance("inetrval_s", "interval_s") == 1);
    CHECK(text::edit_distance("kitten", "sitting") == 3);
    const std::string longest(500, 'x');
    CHECK(text::edit_distance(longest, "") == text::longest_name);
}

TEST_CASE("the nearest name is at most two edits away [M-186]") {
    const std::vector<std::string_view> known{"interval_s", "mode", "debounce", "max_attempts"};
    CHECK(text::nearest_name("interval", known) == "interval_s");
    CHECK(text::nearest_name("interva", known) == std::nullopt);
    CHECK(text::nearest_name("max_attempt", known) == "max_attempts");
    CHECK(text::nearest_name("mode", known) == "mode");
    CHECK(text::nearest_name(std::string(65, 'm'), known) == std::nullopt);
    CHECK(text::nearest_name("", known) == std::nullopt);
    CHECK(text::nearest_name("debounce", {}) == std::nullopt);

    SECTION("a short name allows fewer edits") {
        CHECK(text::nearest_name("node", known) == "mode");
        CHECK(text::nearest_name("none", known) == std::nullopt);
        CHECK(text::nearest_name("mo", known) == std::nullopt);
    }
    SECTION("the nearest of several") {
        CHECK(text::nearest_name("abcdez", {"abcdxy", "abcdef", "abcdxx"}) == "abcdef");
    }
}

TEST_CASE("a setting and its variable name each other [M-186]") {
    CHECK(text::variable_of("HEELER_", "interval_s") == "HEELER_INTERVAL_S");
    CHECK(text::variable_of("HEELER_", "action_budget.per_tick") == "HEELER_ACTION_BUDGET__PER_TICK");
    for (const char* name : {"interval_s", "action_budget.per_run_per_day", "mode"})
        CHECK(text::setting_of_variable("HEELER_", text::variable_of("HEELER_", name)) == name);
    CHECK(text::setting_of_variable("HEELER_", "PATH") == std::nullopt);
    CHECK(text::setting_of_variable("HEELER_", "HEELER_interval_s") == std::nullopt);
    CHECK(text::setting_of_variable("HEELER_", "HEELER_") == "");
}
