#include "presets.hpp"

#include <heeler/engine/presets.hpp>

namespace replay {

std::optional<heeler::RunClass> preset_named(std::string_view name) {
    if (name == "recommended") return heeler::presets::recommended();
    if (name == "long_run") return heeler::presets::long_run();
    return std::nullopt;
}

std::string preset_list() { return "recommended, long_run"; }

}  // namespace replay
