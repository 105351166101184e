// How far the values of an enumeration go: what is loaded is checked against it, and tables of names are as long.
#pragma once

#include <cstddef>
#include <type_traits>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// An enumeration whose values are numbered from 0 without gaps, and that has a `last_value(E)` beside it.
template <class E>
concept Counted = std::is_enum_v<E> && requires(E value) {
    last_value(value);
};

template <Counted E>
inline constexpr std::size_t count_of = static_cast<std::size_t>(last_value(E{})) + 1;

}  // namespace heeler::inline HEELER_ABI::detail
