// What the fuzz targets share: a check that stops the run, and an oracle for clean text written apart from the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

/// Stops the fuzzer with the input saved if `condition` does not hold.
inline void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "violated: %s\n", what);
    std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// The length of the well-formed character at the start of `text`, and its value; 0 if there is none.
inline std::size_t character_size(std::string_view text, std::uint32_t& value) {
    const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto more = [byte](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    value = byte(0);
    if (value < 0x80) return 1;
    if (value < 0xE0 && more(1)) {
        value = ((value & 0x1F) << 6) | (byte(1) & 0x3F);
        return value >= 0x80 && byte(0) >= 0xC2 ? 2 : 0;
    }
    if (value >= 0xE0 && value < 0xF0 && more(1) && more(2)) {
        value = ((value & 0x0F) << 12) | ((byte(1) & 0x3F) << 6) | (byte(2) & 0x3F);
        return value >= 0x800 && (value < 0xD800 || value > 0xDFFF) ? 3 : 0;
    }
    if (value >= 0xF0 && value < 0xF8 && more(1) && more(2) && more(3)) {
        value = ((value & 7) << 18) | ((byte(1) & 0x3F) << 12) | ((byte(2) & 0x3F) << 6) | (byte(3) & 0x3F);
        return value >= 0x10000 && value <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

/// Valid UTF-8 without controls but line feed and tab, direction controls, zero-width characters and other characters
/// that are not seen.
inline bool is_clean(std::string_view text) {
    while (!text.empty()) {
        std::uint32_t c = 0;
        const auto size = character_size(text, c);
        if (size == 0) return false;
        if ((c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0)) return false;
        if ((c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F)) return false;
        if (c == 0xFEFF || c == 0x061C || (c >= 0xE0000 && c <= 0xE0FFF)) return false;
        if (c == 0xAD || c == 0x034F || c == 0x3164 || c == 0xFFA0 || (c >= 0xFFF9 && c <= 0xFFFB)) return false;
        if ((c >= 0x115F && c <= 0x1160) || (c >= 0x17B4 && c <= 0x17B5) || (c >= 0x180B && c <= 0x180F)) return false;
        if ((c >= 0x1BCA0 && c <= 0x1BCA3) || (c >= 0x1D173 && c <= 0x1D17A)) return false;
        text.remove_prefix(size);
    }
    return true;
}
