// Which characters people do not see, although they change what they read.
#pragma once

#include <cstddef>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct CodePointRange {
    char32_t first;
    char32_t last;
};

/// What is invisible, turns the reading direction, or hides text. Sorted.
inline constexpr CodePointRange unseen[] = {
    {0x00AD, 0x00AD}, {0x034F, 0x034F},   {0x061C, 0x061C},   {0x115F, 0x1160},  {0x17B4, 0x17B5}, {0x180B, 0x180F},
    {0x200B, 0x200F}, {0x202A, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},  {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0},
    {0xFFF9, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};

template <std::size_t Count>
[[nodiscard]] constexpr bool is_in(const CodePointRange (&ranges)[Count], char32_t c) noexcept {
    if (c < ranges[0].first) return false;
    for (const CodePointRange& range : ranges)
        if (c >= range.first && c <= range.last) return true;
    return false;
}

[[nodiscard]] constexpr bool is_unseen(char32_t c) noexcept { return is_in(unseen, c); }

/// What only changes how the character before it looks: accents, and the form of an emoji. It is shown, and it may be
/// written into anything that people read past it.
inline constexpr CodePointRange accents[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                             {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

[[nodiscard]] constexpr bool is_accent(char32_t c) noexcept { return is_in(accents, c); }

[[nodiscard]] constexpr bool is_control(char32_t c) noexcept { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

}  // namespace heeler::inline HEELER_ABI::detail
