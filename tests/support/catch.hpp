// Catch2 2.13 and 3 under one spelling. Tests include nothing else of Catch2.
#pragma once

#include <string>

#include <heeler/testing/contract/catch.hpp>

#if __has_include(<catch2/catch_all.hpp>)

using Catch::Approx;  // NOLINT(misc-unused-using-decls): version 2 has it here

#else

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part, CaseSensitive::Choice sensitive = CaseSensitive::Yes) {
    return Contains(part, sensitive);
}
}  // namespace Catch::Matchers

#endif

using Catch::Matchers::ContainsSubstring;  // NOLINT(misc-unused-using-decls): for the tests

/// Leaves the test case because this machine lacks something; ctest then says "Skipped". Use it in the test case
/// itself.
#define HEELER_SKIP(why)                  \
    do {                                  \
        WARN("heeler: skipped: " << why); \
        return;                           \
    } while (false)
