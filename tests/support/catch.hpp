// Catch2 2.13 and 3 under one spelling. Tests include nothing else of Catch2.
#pragma once

#include <string>

#if __has_include(<catch2/catch_test_macros.hpp>)

#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_adapters.hpp>
#include <catch2/generators/catch_generators_random.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_predicate.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <catch2/matchers/catch_matchers_vector.hpp>

using Catch::Approx;  // NOLINT(misc-unused-using-decls): version 2 has it here

#else

#include <catch2/catch.hpp>

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
