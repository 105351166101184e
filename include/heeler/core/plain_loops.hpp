// Questions about all elements of a range, as plain loops: the standard's algorithms cost whoever includes them up to
// thirty functions for each question.
#pragma once

#include <cstddef>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

template <class Range, class Is>
[[nodiscard]] constexpr bool any_of(const Range& range, Is&& is) {
    for (const auto& each : range)
        if (is(each)) return true;
    return false;
}

template <class Range, class Value>
[[nodiscard]] constexpr bool contains(const Range& range, const Value& value) {
    for (const auto& each : range)
        if (each == value) return true;
    return false;
}

/// What is left keeps its order.
template <class Vector, class Is>
void drop_if(Vector& all, Is&& is) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (is(all[i])) continue;
        if (kept != i) all[kept] = std::move(all[i]);
        ++kept;
    }
    while (all.size() > kept) all.pop_back();
}

}  // namespace heeler::inline HEELER_ABI::detail
