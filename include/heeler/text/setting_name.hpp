// Names of settings: which known one somebody meant, and how the environment spells them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/config.hpp>
#include <heeler/text/edit_distance.hpp>

namespace heeler::inline HEELER_ABI::text {

/// The known name that was probably meant.
[[nodiscard]] inline std::optional<std::string_view> nearest_name(std::string_view name,
                                                                  const std::vector<std::string_view>& known) {
    std::size_t least = too_far_from(name);
    std::optional<std::string_view> nearest;
    for (const std::string_view candidate : known) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least) {
            least = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

/// The environment variable of a setting: `HEELER_` and `action_budget.per_tick` make `HEELER_ACTION_BUDGET__PER_TICK`.
[[nodiscard]] inline std::string variable_of(std::string_view prefix, std::string_view setting) {
    std::string variable{prefix};
    for (const char c : setting) {
        if (c == '.') variable += "__";
        if (c != '.') variable += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return variable;
}

/// The setting of an environment variable, which must be in capitals and have the prefix.
[[nodiscard]] inline std::optional<std::string> setting_of_variable(std::string_view prefix,
                                                                    std::string_view variable) {
    if (!variable.starts_with(prefix)) return std::nullopt;
    variable.remove_prefix(prefix.size());
    std::string setting;
    for (std::size_t i = 0; i < variable.size(); ++i) {
        const char c = variable[i];
        if (c >= 'a' && c <= 'z') return std::nullopt;
        const bool part = c == '_' && i + 1 < variable.size() && variable[i + 1] == '_';
        if (part) ++i;
        setting += part ? '.' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return setting;
}

}  // namespace heeler::inline HEELER_ABI::text
