// What may be set of watches of task trees by name, from a file or the environment.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/settings/known_settings.hpp>
#include <heeler/tree/task_tree_rule.hpp>

namespace heeler::inline HEELER_ABI::detail::setting {

/// Only where trees are watched.
template <class Change>
void change_trees(RunClass& rules, Change change) {
    change_present<TaskTreeRule>(rules, change);
}

[[nodiscard]] inline Refused set_review_attempts(const SettingValue& value, RunClass& rules) {
    if (rules.detectors.find<TaskTreeRule>() == nullptr) return std::nullopt;
    return take(whole(value, 1, 20), [&](auto count) {
        change_trees(rules, [&](auto& settings) { settings.most_attempts = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_shrink_policy(const SettingValue& value, RunClass& rules) {
    return take(choice(value, {"off", "on"}), [&](std::size_t chosen) {
        change_trees(rules, [&](TreeSettings& settings) { settings.rules.shrink_is_reviewed = chosen == 1; });
    });
}

[[nodiscard]] inline Refused set_first_run_grace(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) {
        change_trees(rules, [&](TreeSettings& settings) { settings.rules.first_run_grace = length; });
    });
}

[[nodiscard]] inline Refused set_foreign_grace(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) {
        change_trees(rules, [&](TreeSettings& settings) { settings.foreign_grace = length; });
    });
}

[[nodiscard]] inline Refused set_review_limit(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_trees(rules, [&](TreeSettings& settings) { settings.review_limit = length; });
    });
}

inline constexpr std::array known_of_trees{
    Known{"max_attempts", &set_review_attempts}, Known{"shrink_policy", &set_shrink_policy},
    Known{"first_run_grace_s", &set_first_run_grace}, Known{"foreign_grace_s", &set_foreign_grace},
    Known{"review_limit_s", &set_review_limit}};

inline const MoreSettings tree_settings{known_of_trees};

}  // namespace heeler::inline HEELER_ABI::detail::setting
