// Mends UTF-8 that is broken, for readers that take nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::text {

/// The text with what is no UTF-8 replaced, which usually is a character that was cut in the middle.
[[nodiscard]] inline std::string repaired_utf8(std::string_view text) {
    std::string valid;
    for (std::size_t at = 0; at < text.size();) {
        const Decoded next = decode_utf8(text, at);
        valid += next.valid ? text.substr(at, next.size) : replacement_character;
        at += next.size;
    }
    return valid;
}

}  // namespace heeler::inline HEELER_ABI::text
