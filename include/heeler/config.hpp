// The version of heeler, and the one assertion macro. CMake and the package recipes read the version from here.
#pragma once

#if __cplusplus < 202002L
#error heeler needs C++20: compile with -std=c++20, or link heeler::heeler in CMake, which sets it
#include <heeler needs C++20>  // there is none: the compiler ends here, and no thousand errors hide the one above
#endif

#include <cassert>

#define HEELER_VERSION_MAJOR 0
#define HEELER_VERSION_MINOR 1
#define HEELER_VERSION_PATCH 0

/// Header-only by default: `HEELER_INLINE` functions are `inline`. With `HEELER_COMPILED` (the target
/// `heeler::compiled` defines it for you) they are compiled once, from the sources under `heeler/compiled/`. Without
/// that target: `HEELER_IMPLEMENTATION` before the includes of one source of yours, which then holds them, and
/// `HEELER_DECLARATIONS` before those of the others. The three live in different namespaces, so that mixing them in one
/// program is a link error; one that names `needs_HEELER_IMPLEMENTATION` says that no source has it, or that the one
/// which has it does not include that header.
#if defined(HEELER_COMPILED)
#define HEELER_ABI v0_compiled
#define HEELER_INLINE
#elif defined(HEELER_IMPLEMENTATION)
#define HEELER_ABI v0_needs_HEELER_IMPLEMENTATION
#define HEELER_INLINE
#elif defined(HEELER_DECLARATIONS)
#define HEELER_COMPILED
#define HEELER_ABI v0_needs_HEELER_IMPLEMENTATION
#define HEELER_INLINE
#else
#define HEELER_ABI v0
#define HEELER_INLINE inline
#endif

/// Checks what a programmer promised, never what the environment does. Define it for a whole target to replace it; the
/// expression must have no side effects.
#ifndef HEELER_ASSERT
#define HEELER_ASSERT(condition) assert(condition)
#endif

/// For functions of one expression in class templates: a compiler that does not optimise would emit each anew for each
/// type that it is asked of, and whoever debugs would step through them.
#if defined(__GNUC__)
#define HEELER_ACCESSOR [[gnu::always_inline]]
#else
#define HEELER_ACCESSOR
#endif
