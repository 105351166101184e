// One number of two, for fingerprints of several parts.
#pragma once

#include <cstdint>

#include <heeler/config.hpp>
#include <heeler/text/bits.hpp>

namespace heeler::inline HEELER_ABI::text {

/// One fingerprint of two; the order matters.
[[nodiscard]] constexpr std::uint64_t combine(std::uint64_t first, std::uint64_t second) noexcept {
    std::uint64_t mixed =
        heeler::detail::rotated_left(first, 29) * 0x9FB21C651E98DF25ULL ^ (second + 0x9E3779B97F4A7C15ULL);
    mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93ULL;
    return mixed ^ (mixed >> 29);
}

}  // namespace heeler::inline HEELER_ABI::text
