// Small counts for entries that do not live long.
#pragma once

#include <cstdint>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// What a count was: half of it will do for as long as an entry is kept.
struct Stamp {
    std::uint16_t low;

    Stamp() = default;
    constexpr Stamp(std::uint32_t count) noexcept : low{static_cast<std::uint16_t>(count)} {}

    /// By how much it has grown.
    [[nodiscard]] constexpr std::uint16_t until(Stamp later) const noexcept {
        return static_cast<std::uint16_t>(later.low - low);
    }
    friend constexpr bool operator==(Stamp, Stamp) = default;
};

constexpr void count_up(std::uint16_t& count) noexcept {
    if (count < 0xFFFF) ++count;
}

}  // namespace heeler::inline HEELER_ABI::loops
