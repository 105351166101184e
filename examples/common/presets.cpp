#include "presets.hpp"

#include <array>

#include <heeler/settings/presets.hpp>
#include <heeler/tree/watch/presets.hpp>

namespace common {
namespace {

struct Preset {
    std::string_view name;
    heeler::RunClass (*make)();
};

constexpr std::array presets{Preset{"recommended", &heeler::presets::recommended},
                             Preset{"long_run", &heeler::presets::long_run},
                             Preset{"session_monitor", &heeler::presets::session_monitor},
                             Preset{"checkpoint_continuation", &heeler::presets::checkpoint_continuation},
                             Preset{"checkpoint_relay", &heeler::presets::checkpoint_relay},
                             Preset{"worker_monitor", &heeler::presets::worker_monitor},
                             Preset{"task_tree", &heeler::presets::task_tree}};

}  // namespace

std::optional<heeler::RunClass> preset_named(std::string_view name) {
    for (const Preset& preset : presets)
        if (preset.name == name) return preset.make();
    return std::nullopt;
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets) names.emplace_back(preset.name);
    return names;
}

}  // namespace common
