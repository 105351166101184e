// Settings from a JSON file, applied to a preset. What cannot be applied is a warning, and the default is kept.
#pragma once

#include <string>
#include <vector>

#include <heeler/core/settings.hpp>

#include "json_object.hpp"

namespace replay {

/// A setting that did not take, and why. `kind` is `unknown`, `wrong_type` or `out_of_range`.
struct Warning {
    std::string kind;
    std::string setting;
    std::string message;
};

/// Applies every setting of `file` by its name. A setting that makes the class invalid is taken back.
[[nodiscard]] std::vector<Warning> apply_settings(const JsonObject& file, heeler::RunClass& to);

}  // namespace replay
