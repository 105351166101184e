#include "settings_file.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/detect/loop_detector.hpp>
#include <heeler/engine/validate.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/text/sanitise.hpp>

namespace replay {
namespace {

using heeler::RunClass;

std::optional<std::uint32_t> count(const JsonObject& file, std::string_view key) {
    const auto value = file.integer(key);
    if (!value) return std::nullopt;
    if (*value < 0 || *value > 1'000'000)
        throw BadLine{"'" + std::string{key} + "' is " + std::to_string(*value) + ", but must be 0 to 1000000"};
    return static_cast<std::uint32_t>(*value);
}

/// The place of the text among the known ones.
std::size_t choice(const JsonObject& file, std::string_view key, const std::array<std::string_view, 2>& known) {
    const auto value = file.text(key).value_or("null");
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i] == value) return i;
    throw BadLine{"'" + std::string{key} + "' is '" + heeler::sanitise(value, 60) + "', but must be '" +
                  std::string{known[0]} + "' or '" + std::string{known[1]} + "'"};
}

void set_interval(const JsonObject& file, RunClass& to) { to.interval.fixed = file.length("interval_s"); }

void set_max_attempts(const JsonObject& file, RunClass& to) {
    to.ladder.max_attempts = count(file, "max_attempts").value_or(to.ladder.max_attempts);
}

void set_debounce(const JsonObject& file, RunClass& to) {
    to.ladder.debounce = count(file, "debounce").value_or(to.ladder.debounce);
}

void set_action_budget(const JsonObject& file, RunClass& to) {
    const auto budget = file.object("action_budget");
    if (!budget) return;
    if (const auto rungs = count(*budget, "per_tick")) to.ladder.rungs_per_tick = rungs;
    if (const auto rungs = count(*budget, "per_run_per_day")) to.ladder.rungs_per_run_per_day = rungs;
}

void set_mode(const JsonObject& file, RunClass& to) {
    constexpr std::array modes{heeler::Mode::active, heeler::Mode::shadow};
    to.mode = modes[choice(file, "mode", {"active", "shadow"})];
}

void set_loop_rule(const JsonObject& file, RunClass& to) {
    using Loop = heeler::LoopDetector<heeler::Line>;
    Loop::Settings settings;
    if (const auto* present = to.detectors.find<Loop>()) settings = *present;
    const bool exact = choice(file, "loop_rule", {"exact", "any_period"}) == 0;
    settings.rule = exact ? heeler::five_line_block : heeler::BlockRule{};
    to.detectors.turn_on<Loop>(settings);
}

struct Setting {
    std::string_view name;
    void (*apply)(const JsonObject&, RunClass&);
};

constexpr std::array settings{Setting{"interval_s", &set_interval}, Setting{"max_attempts", &set_max_attempts},
                              Setting{"debounce", &set_debounce},   Setting{"action_budget", &set_action_budget},
                              Setting{"mode", &set_mode},           Setting{"loop_rule", &set_loop_rule}};

std::string known_settings() {
    std::string names;
    for (const Setting& setting : settings) names += (names.empty() ? "" : ", ") + std::string{setting.name};
    return names;
}

/// What is wrong with a class, if anything.
std::string fault_of(const RunClass& rules) {
    if (const auto checked = heeler::check_class(rules); !checked) return checked.error().message;
    if (const auto ladder = heeler::RecoveryLadder::make(rules.ladder); !ladder) return ladder.error().message;
    return {};
}

std::optional<Warning> apply_one(std::string_view name, const JsonObject& file, RunClass& to) {
    for (const Setting& setting : settings) {
        if (setting.name != name) continue;
        RunClass changed = to;
        try {
            setting.apply(file, changed);
        } catch (const BadLine& wrong) {
            return Warning{"wrong_type", std::string{name}, std::string{wrong.what()} + "; the default is kept"};
        }
        if (const std::string fault = fault_of(changed); !fault.empty())
            return Warning{"out_of_range", std::string{name}, fault + "; the default is kept"};
        to = changed;
        return std::nullopt;
    }
    return Warning{"unknown", heeler::sanitise(name, 60), "no setting has this name; known are " + known_settings()};
}

}  // namespace

std::vector<Warning> apply_settings(const JsonObject& file, RunClass& to) {
    std::vector<Warning> warnings;
    for (const auto field : file.fields())
        if (auto warning = apply_one(field.key, file, to)) warnings.push_back(std::move(*warning));
    return warnings;
}

}  // namespace replay
