// Bits of words, as GCC and Clang know them: <bit> costs whoever includes heeler 250 lines more.
#pragma once

#include <cstdint>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

/// Of a word that is not 0.
[[nodiscard]] constexpr unsigned zeros_behind(std::uint64_t bits) noexcept {
    return static_cast<unsigned>(__builtin_ctzll(bits));
}

[[nodiscard]] constexpr std::uint32_t ones_in(std::uint64_t bits) noexcept {
    return static_cast<std::uint32_t>(__builtin_popcountll(bits));
}

/// The place of the highest one, from 0, of a word that is not 0.
[[nodiscard]] constexpr unsigned highest_one(std::uint64_t bits) noexcept {
    return 63 - static_cast<unsigned>(__builtin_clzll(bits));
}

/// `by`: 1 to 63.
[[nodiscard]] constexpr std::uint64_t rotated_left(std::uint64_t bits, int by) noexcept {
    return bits << by | bits >> (64 - by);
}

/// `by`: 1 to 31.
[[nodiscard]] constexpr std::uint32_t rotated_right(std::uint32_t bits, int by) noexcept {
    return bits >> by | bits << (32 - by);
}

}  // namespace heeler::inline HEELER_ABI::detail
