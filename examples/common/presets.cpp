#include "presets.hpp"

#include <heeler/tree/watch/named_presets.hpp>

namespace common {

std::optional<heeler::RunClass> preset_named(std::string_view name) { return heeler::preset_named(name); }

std::vector<std::string> preset_names() { return heeler::preset_names(); }

}  // namespace common
