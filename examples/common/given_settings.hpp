// Settings that somebody gave to a tool: those of a file, and over them those of the environment.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/settings/name_regex_settings.hpp>
#include <heeler/settings/overlay.hpp>
#include <heeler/source/environment_settings.hpp>
#include <heeler/source/json_settings.hpp>

namespace common {

inline constexpr const char* config_help = "Settings as JSON; HEELER_INTERVAL_S=60 and its like go over them";

/// Lays them over the class; `say` hears of each that could not be taken. Error: the file cannot be read.
[[nodiscard]] inline heeler::Result<void> lay_settings(heeler::RunClass& rules, const std::string& file,
                                                       const std::function<void(const std::string&)>& say) {
    std::vector<std::vector<heeler::NamedSetting>> given;
    if (!file.empty()) {
        auto settings = heeler::settings_from_file(file);
        if (!settings) return tl::unexpected<heeler::Error>(settings.error());
        given.push_back(*std::move(settings));
    }
    given.push_back(heeler::settings_from_environment(heeler::setting_names(rules)));
    for (const auto& settings : given)
        for (const heeler::SettingFault& fault : heeler::overlay(rules, settings)) say(fault.message);
    return {};
}

}  // namespace common
