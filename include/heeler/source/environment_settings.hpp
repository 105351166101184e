// Reads settings from environment variables: HEELER_INTERVAL_S=60, HEELER_ACTION_BUDGET__PER_TICK=1.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

#include <heeler/core/named_setting.hpp>
#include <heeler/text/setting_name.hpp>

extern char** environ;

namespace heeler::inline HEELER_ABI {

namespace detail {

/// Whether it is nearly a known name, or the object that a known one is a part of.
[[nodiscard]] inline bool is_meant(const std::string& name, const std::vector<std::string_view>& known) {
    const std::string object = name + ".";
    return text::nearest_name(name, known) ||
           std::any_of(known.begin(), known.end(), [&](std::string_view part) { return part.starts_with(object); });
}

}  // namespace detail

/// The variables that set one of the `known` names (`setting_names()`) and those that nearly do, so that the overlay
/// can ask what was meant; other variables with the prefix have other purposes. An empty variable counts as unset.
/// Sorted by variable. Must not run while another thread changes the environment.
[[nodiscard]] inline std::vector<NamedSetting> settings_from_environment(const std::vector<std::string_view>& known,
                                                                         std::string_view prefix = "HEELER_") {
    std::vector<NamedSetting> settings;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text{*entry};
        const auto equals = text.find('=');
        if (equals == std::string_view::npos || equals + 1 == text.size()) continue;
        const auto variable = text.substr(0, equals);
        auto name = text::setting_of_variable(prefix, variable);
        if (!name || !detail::is_meant(*name, known)) continue;
        settings.push_back({*std::move(name), {std::string{text.substr(equals + 1)}}, std::string{variable}});
    }
    std::sort(settings.begin(), settings.end(),
              [](const NamedSetting& a, const NamedSetting& b) { return a.written < b.written; });
    return settings;
}

/// The same for the names of one class, `setting_names(rules)`.
[[nodiscard]] inline std::vector<NamedSetting> settings_from_environment(const std::vector<std::string>& known,
                                                                         std::string_view prefix = "HEELER_") {
    return settings_from_environment(std::vector<std::string_view>{known.begin(), known.end()}, prefix);
}

}  // namespace heeler::inline HEELER_ABI
