// The presets by their names, those of task trees as well: for what reads a name from outside.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/settings.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/worker_monitor.hpp>
#include <heeler/tree/watch/presets.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

struct NamedPreset {
    std::string_view name;
    RunClass (*make)();
};

inline constexpr std::array named_presets{NamedPreset{"recommended", &presets::recommended},
                                          NamedPreset{"long_run", &presets::long_run},
                                          NamedPreset{"session_monitor", &presets::session_monitor},
                                          NamedPreset{"checkpoint_continuation", &presets::checkpoint_continuation},
                                          NamedPreset{"checkpoint_relay", &presets::checkpoint_relay},
                                          NamedPreset{"worker_monitor", &presets::worker_monitor},
                                          NamedPreset{"task_tree", &presets::task_tree}};

}  // namespace detail

/// Absent: no preset has this name.
[[nodiscard]] inline std::optional<RunClass> preset_named(std::string_view name) {
    for (const auto& preset : detail::named_presets)
        if (preset.name == name) return preset.make();
    return std::nullopt;
}

[[nodiscard]] inline std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const auto& preset : detail::named_presets) names.emplace_back(preset.name);
    return names;
}

}  // namespace heeler::inline HEELER_ABI
