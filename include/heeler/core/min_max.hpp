// The lesser and the greater of two values, without `<algorithm>`: that header is a tenth of what an include costs.
#pragma once

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class T>
[[nodiscard]] constexpr const T& min_of(const T& a, const T& b) noexcept {
    return b < a ? b : a;
}

template <class T>
[[nodiscard]] constexpr const T& max_of(const T& a, const T& b) noexcept {
    return a < b ? b : a;
}

}  // namespace heeler::inline HEELER_ABI::detail
