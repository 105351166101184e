// Settings that stand in the user options of a tmux session: @heeler_stuck_threshold 5.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/agent/tmux_pane.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/text/setting_name.hpp>

namespace worker_monitor {

/// What one line of `tmux show-options` sets; nothing if it is about something else.
[[nodiscard]] inline std::vector<heeler::NamedSetting> setting_of_line(const std::string& line) {
    constexpr std::string_view prefix = "@heeler_";
    const auto blank = line.find(' ');
    if (!line.starts_with(prefix) || blank == std::string::npos) return {};
    const std::string option = line.substr(0, blank);
    std::string value = line.substr(blank + 1);
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    const std::string variable = heeler::text::variable_of("", option.substr(prefix.size()));
    const auto name = heeler::text::setting_of_variable("", variable);
    if (!name || value.empty()) return {};
    return {{*name, {std::move(value)}, option}};
}

/// Those of the session that this pane belongs to, in the order of tmux. Errors: those of the server.
[[nodiscard]] inline heeler::Result<std::vector<heeler::NamedSetting>> settings_of_session(
    const heeler::TmuxServer& server, const std::string& pane) {
    const auto said = server.run({{"show-options", "-t", pane}});
    if (!said) return tl::unexpected<heeler::Error>(said.error());
    std::vector<heeler::NamedSetting> settings;
    for (const std::string& line : heeler::detail::split(*said, '\n'))
        for (heeler::NamedSetting& each : setting_of_line(line)) settings.push_back(std::move(each));
    return settings;
}

}  // namespace worker_monitor
