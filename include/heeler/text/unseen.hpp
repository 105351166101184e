// Which characters people do not see, although they change what they read.
#pragma once

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

[[nodiscard]] constexpr bool is_unseen(char32_t c) noexcept {
    if (c < 0xAD) return false;
    for (const CodePointRange& range : unseen)
        if (c >= range.first && c <= range.last) return true;
    return false;
}

[[nodiscard]] constexpr bool is_control(char32_t c) noexcept { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

}  // namespace heeler::inline HEELER_ABI::detail
