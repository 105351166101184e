// Catch2 2.13 or 3, for the contract suites of this folder. Nothing else of heeler includes it.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The matcher that the two versions call by different names.
[[nodiscard]] inline auto contains_text(const std::string& part) {
#if __has_include(<catch2/catch_all.hpp>)
    return Catch::Matchers::ContainsSubstring(part);
#else
    return Catch::Matchers::Contains(part);
#endif
}

}  // namespace heeler::inline HEELER_ABI::detail
