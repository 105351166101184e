// The version of heeler, and the one assertion macro. CMake and the package recipes read the version from here.
#pragma once

#include <cassert>

#define HEELER_VERSION_MAJOR 0
#define HEELER_VERSION_MINOR 1
#define HEELER_VERSION_PATCH 0

/// Checks what a programmer promised, never what the environment does. Define it for a whole target to replace it; the
/// expression must have no side effects.
#ifndef HEELER_ASSERT
#define HEELER_ASSERT(condition) assert(condition)
#endif
