// The run classes that programs know by name: those of the library, compiled once for all programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/settings.hpp>

namespace common {

[[nodiscard]] std::optional<heeler::RunClass> preset_named(std::string_view name);

[[nodiscard]] std::vector<std::string> preset_names();

}  // namespace common
