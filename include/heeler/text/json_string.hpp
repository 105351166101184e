// Reads the inside of a JSON string without allocating; what scans JSON text piece by piece uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The next quote, backslash or control character, or `end`.
[[nodiscard]] inline const char* find_string_stop(const char* at, const char* end) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    if constexpr (scans_words) {
        for (; end - at >= 8; at += 8) {
            const auto x = load_word(at);
            const auto quote = x ^ (ones * '"');
            const auto slash = x ^ (ones * '\\');
            const auto bits = ((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((x - ones * 0x20) & ~x);
            if ((bits & (ones * 0x80)) != 0) return at + first_byte(bits & (ones * 0x80));
        }
    }
    while (at != end && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
    return at;
}

/// Reads four hexadecimal digits; false if they are not there.
[[nodiscard]] inline bool read_four_digits(const char*& at, const char* end, std::uint32_t& out) noexcept {
    if (end - at < 4) return false;
    out = 0;
    for (int i = 0; i < 4; ++i) {
        const auto c = static_cast<unsigned char>(*at++);
        const auto kind = char_classes[c];
        if ((kind & (char_digit | char_hex)) == 0) return false;
        out = out * 16 + (kind == char_digit ? c - unsigned{'0'} : (c & 0xFu) + 9u);
    }
    return true;
}

/// Puts `c` as UTF-8; half of a pair is written like any other character.
template <class Sink>
void put_utf8(std::uint32_t c, Sink& sink) {
    const auto put = [&sink](std::uint32_t byte) { sink.put(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xC0 | (c >> 6));
    } else {
        put(c < 0x10000 ? 0xE0 | (c >> 12) : 0xF0 | (c >> 18));
        if (c >= 0x10000) put(0x80 | ((c >> 12) & 0x3F));
        put(0x80 | ((c >> 6) & 0x3F));
    }
    put(0x80 | (c & 0x3F));
}

/// Puts the character of the `\u` escape whose digits start at `at`, or of two escapes that form a pair.
template <class Sink>
[[nodiscard]] bool read_unicode_escape(const char*& at, const char* end, Sink& sink) {
    std::uint32_t c = 0;
    if (!read_four_digits(at, end, c)) return false;
    if (c >= 0xD800 && c < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        const char* second = at + 2;
        std::uint32_t low = 0;
        if (!read_four_digits(second, end, low)) return false;
        if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            at = second;
        }
    }
    put_utf8(c, sink);
    return true;
}

/// Puts the decoded text from `at`, just behind the opening quote, into `sink` (`put(string_view)`, `put(char)`) and
/// moves `at` behind the closing quote. False if the string is not closed or not valid; bytes need not be UTF-8.
template <class Sink>
[[nodiscard]] bool read_json_string(const char*& at, const char* end, Sink& sink) {
    constexpr std::string_view names = "\"\\/bfnrt";
    for (;;) {
        const char* stop = find_string_stop(at, end);
        sink.put(std::string_view(at, static_cast<std::size_t>(stop - at)));
        at = stop;
        if (at == end || static_cast<unsigned char>(*at) < 0x20) return false;
        if (*at++ == '"') return true;
        if (at == end) return false;
        const char kind = *at++;
        const auto name = names.find(kind);
        if (name != std::string_view::npos)
            sink.put("\"\\/\b\f\n\r\t"[name]);
        else if (kind != 'u' || !read_unicode_escape(at, end, sink))
            return false;
    }
}

}  // namespace heeler::inline HEELER_ABI::detail
