#include <heeler/text/setting_name.hpp>

#include "support/catch.hpp"

using namespace heeler;

TEST_CASE("the edit distance counts what was added, removed, replaced or swapped [M-186]") {
    CHECK(edit_distance("", "") == 0);
    CHECK(edit_distance("debounce", "debounce") == 0);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("abc", "") == 3);
    CHECK(edit_distance("intervl_s", "interval_s") == 1);
    CHECK(edit_distance("intervall_s", "interval_s") == 1);
    CHECK(edit_distance("intervel_s", "interval_s") == 1);
    CHECK(edit_distance("inetrval_s", "interval_s") == 1);
    CHECK(edit_distance("kitten", "sitting") == 3);
    const std::string longest(500, 'x');
    CHECK(edit_distance(longest, "") == longest_setting_name);
}

TEST_CASE("the nearest name is at most two edits away [M-186]") {
    const std::vector<std::string_view> known{"interval_s", "mode", "debounce", "max_attempts"};
    CHECK(nearest_name("interval", known) == "interval_s");
    CHECK(nearest_name("interva", known) == std::nullopt);
    CHECK(nearest_name("max_attempt", known) == "max_attempts");
    CHECK(nearest_name("mode", known) == "mode");
    CHECK(nearest_name(std::string(65, 'm'), known) == std::nullopt);
    CHECK(nearest_name("", known) == std::nullopt);
    CHECK(nearest_name("debounce", {}) == std::nullopt);

    SECTION("a short name allows fewer edits") {
        CHECK(nearest_name("node", known) == "mode");
        CHECK(nearest_name("none", known) == std::nullopt);
        CHECK(nearest_name("mo", known) == std::nullopt);
    }
    SECTION("the nearest of several") { CHECK(nearest_name("abcdez", {"abcdxy", "abcdef", "abcdxx"}) == "abcdef"); }
}

TEST_CASE("a setting and its variable name each other [M-186]") {
    CHECK(variable_of("HEELER_", "interval_s") == "HEELER_INTERVAL_S");
    CHECK(variable_of("HEELER_", "action_budget.per_tick") == "HEELER_ACTION_BUDGET__PER_TICK");
    for (const char* name : {"interval_s", "action_budget.per_run_per_day", "mode"})
        CHECK(setting_of_variable("HEELER_", variable_of("HEELER_", name)) == name);
    CHECK(setting_of_variable("HEELER_", "PATH") == std::nullopt);
    CHECK(setting_of_variable("HEELER_", "HEELER_interval_s") == std::nullopt);
    CHECK(setting_of_variable("HEELER_", "HEELER_") == "");
}
