// What a line says about the run that it registers.
#pragma once

#include <heeler/core/run.hpp>

#include "json_object.hpp"

namespace common {

/// Times without a date count from `epoch`. Throws `BadLine`.
[[nodiscard]] heeler::RunSpec spec_of(const JsonObject& line, heeler::WallTime epoch);

}  // namespace common
