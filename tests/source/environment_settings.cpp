#include <heeler/source/environment_settings.hpp>

#include <cstdlib>

#include <heeler/settings/overlay.hpp>
#include <heeler/settings/presets.hpp>

#include "support/catch.hpp"

using namespace heeler;

namespace {

/// A variable for the length of a test.
class Variable {
public:
    Variable(const char* name, const char* value) : name_{name} { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
};

}  // namespace

TEST_CASE("variables with the prefix and a known name are settings [M-186]") {
    const Variable interval{"HEELTEST_INTERVAL_S", "60"};
    const Variable budget{"HEELTEST_ACTION_BUDGET__PER_TICK", "1"};
    const auto settings = settings_from_environment(setting_names(), "HEELTEST_");
    REQUIRE(settings.size() == 2);
    CHECK(settings[0].name == "action_budget.per_tick");
    CHECK(settings[0].written == "HEELTEST_ACTION_BUDGET__PER_TICK");
    CHECK(*settings[0].value.get<std::string>() == "1");
    CHECK(settings[1].name == "interval_s");

    RunClass rules = presets::long_run();
    CHECK(overlay(rules, settings).empty());
    CHECK(rules.interval.fixed == std::chrono::seconds{60});
    CHECK(rules.limits.rungs_per_tick == 1);
}

TEST_CASE("variables of other purposes are passed over [M-186]") {
    const Variable freeze{"HEELTEST_FREEZE", "1"};
    const Variable bin{"HEELTEST_BIN", "/usr/bin"};
    const Variable jobs{"HEELTEST_JOBS", "2"};
    const Variable test{"HEELTEST_TEST", "1"};
    const Variable nothing{"HEELTEST_", "1"};
    const Variable empty{"HEELTEST_DEBOUNCE", ""};
    const Variable small{"HEELTEST_interval_s", "1"};
    const Variable other{"OTHER_INTERVAL_S", "1"};
    CHECK(settings_from_environment(setting_names(), "HEELTEST_").empty());
}

TEST_CASE("a misspelt variable reaches the overlay, which asks what was meant [M-186]") {
    const Variable misspelt{"HEELTEST_INTERVL_S", "60"};
    const Variable whole{"HEELTEST_ACTION_BUDGET", "1"};
    RunClass rules = presets::long_run();
    const auto faults = overlay(rules, settings_from_environment(setting_names(), "HEELTEST_"));
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].setting == "HEELTEST_ACTION_BUDGET");
    CHECK_THAT(faults[0].message, ContainsSubstring("must be an object with per_tick"));
    CHECK(faults[1].setting == "HEELTEST_INTERVL_S");
    CHECK_THAT(faults[1].message, ContainsSubstring("did you mean 'HEELTEST_INTERVAL_S'?"));
}

TEST_CASE("a variable that does not fit keeps the default [M-186]") {
    const Variable interval{"HEELTEST_INTERVAL_S", "abc"};
    RunClass rules = presets::long_run();
    const auto faults = overlay(rules, settings_from_environment(setting_names(), "HEELTEST_"));
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == SettingFault::Kind::wrong_type);
    CHECK_FALSE(rules.interval.fixed);
}

TEST_CASE("the environment goes over what the file says [M-186]") {
    const Variable debounce{"HEELTEST_DEBOUNCE", "4"};
    RunClass rules = presets::long_run();
    CHECK(overlay(rules, {{"debounce", {std::int64_t{2}}, {}}, {"max_attempts", {std::int64_t{3}}, {}}}).empty());
    CHECK(overlay(rules, settings_from_environment(setting_names(), "HEELTEST_")).empty());
    CHECK(rules.limits.debounce == 4);
    CHECK(rules.ladder.as<RecoveryLadder>()->max_attempts == 3);
}
