// Decoding and cutting UTF-8 that may be broken. Everything that touches text from outside goes through this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::text {

/// What stands in for bytes that are not UTF-8 (U+FFFD).
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// One step of decoding: a code point, or `size` bytes (at least 1) that form none.
struct Decoded {
    char32_t value = 0xFFFD;
    std::size_t size = 1;
    bool valid = false;
};

}  // namespace heeler::inline HEELER_ABI::text

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] constexpr bool continues(std::string_view text, std::size_t at, unsigned low, unsigned high) noexcept {
    if (at >= text.size()) return false;
    const auto byte = static_cast<unsigned char>(text[at]);
    return byte >= low && byte <= high;
}

[[nodiscard]] constexpr text::Decoded decode_long(std::string_view text, std::size_t at, unsigned lead) noexcept {
    if (lead < 0xC2 || lead > 0xF4) return {};
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    auto value = static_cast<char32_t>(lead & (0x7Fu >> length));
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues(text, at + i, i == 1 ? low : 0x80, i == 1 ? high : 0xBF)) return {0xFFFD, i, false};
        value = (value << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
    }
    return {value, length, true};
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// The code point at `at`, which must be inside `text`. Overlong forms, surrogates and cut sequences are not valid.
[[nodiscard]] constexpr Decoded decode_utf8(std::string_view text, std::size_t at) noexcept {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead < 0x80) return {lead, 1, true};
    return detail::decode_long(text, at, lead);
}

[[nodiscard]] constexpr bool valid_utf8(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const auto next = decode_utf8(text, at);
        if (!next.valid) return false;
        at += next.size;
    }
    return true;
}

[[nodiscard]] constexpr bool is_utf8_continuation(char byte) noexcept {
    return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u;
}

/// The longest start of `text` of at most `bytes` bytes that ends between two characters. At most 3 bytes are given up.
[[nodiscard]] constexpr std::string_view utf8_head(std::string_view text, std::size_t bytes) noexcept {
    if (bytes >= text.size()) return text;
    std::size_t end = bytes;
    while (end > 0 && bytes - end < 3 && is_utf8_continuation(text[end])) --end;
    return text.substr(0, is_utf8_continuation(text[end]) ? bytes : end);
}

/// The longest end of `text` of at most `bytes` bytes that starts between two characters. At most 3 bytes are given up.
[[nodiscard]] constexpr std::string_view utf8_tail(std::string_view text, std::size_t bytes) noexcept {
    if (bytes >= text.size()) return text;
    const std::size_t start = text.size() - bytes;
    std::size_t at = start;
    while (at < text.size() && at - start < 3 && is_utf8_continuation(text[at])) ++at;
    return text.substr(at < text.size() && is_utf8_continuation(text[at]) ? start : at);
}

}  // namespace heeler::inline HEELER_ABI::text
