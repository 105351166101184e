// Names of settings: which known one somebody meant, and how the environment spells them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::text {

/// Longer names are near to nothing.
inline constexpr std::size_t longest_setting_name = 64;

/// How many characters must be added, removed, replaced or swapped with their neighbour to make `a` into `b`. At most
/// 64 bytes each; never allocates.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
    a = a.substr(0, longest_setting_name);
    b = b.substr(0, longest_setting_name);
    using Row = std::array<std::size_t, longest_setting_name + 1>;
    Row before{};  // two rows up
    Row above{};
    Row row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row[b.size()];
}

/// The known name that was probably meant: at most two edits away, and one for each three characters.
[[nodiscard]] inline std::optional<std::string_view> nearest_name(std::string_view name,
                                                                  const std::vector<std::string_view>& known) {
    std::size_t least = std::min<std::size_t>(2, name.size() / 3) + 1;
    std::optional<std::string_view> nearest;
    if (name.size() > longest_setting_name) return nearest;
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
