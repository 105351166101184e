// What a `run` line says about the run that it registers, its dates aside.
#pragma once

#include <heeler/core/run.hpp>

#include "json_object.hpp"

namespace replay {

[[nodiscard]] heeler::RunSpec spec_of(const JsonObject& line);

}  // namespace replay
