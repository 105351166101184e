// Writes one line of JSON, piece by piece and in the order given: the same calls always make the same bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/config.hpp>
#include <heeler/text/unseen.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `\u202e`; a pair of them beyond the first 65536 characters.
inline void append_json_escape(std::string& out, char32_t c) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (c > 0xFFFF) {
        append_json_escape(out, 0xD800 + ((c - 0x10000) >> 10));
        c = 0xDC00 + ((c - 0x10000) & 0x3FF);
    }
    out += "\\u";
    for (const int shift : {12, 8, 4, 0}) out += digits[(c >> shift) & 0xF];
}

/// The fewest digits that read back as `value`, in the shorter of the forms 0.25 and 2.5e-01: what `std::to_chars`
/// writes, whose header is 500 lines for whoever includes the library.
inline void append_shortest(std::string& out, double value) {
    char text[32];
    std::size_t count = 0;
    do std::snprintf(text, sizeof text, "%.*e", static_cast<int>(count), value);
    while (++count < 17 && std::strtod(text, nullptr) != value);
    std::string digits;
    const char* at = text;
    for (; *at != 'e'; ++at)  // the host's locale may have a comma for the point
        if (*at >= '0' && *at <= '9') digits += *at;
    const long exponent = std::strtol(at + 1, nullptr, 10);
    const auto before_point = static_cast<std::size_t>(exponent < 0 ? 1 : exponent + 1);
    const auto zeros = static_cast<std::size_t>(exponent < 0 ? -exponent : 0);  // with the one before the point
    const std::size_t fixed = before_point >= count && zeros == 0 ? before_point : count + zeros + 1;
    if (fixed > count + (count > 1 ? 1 : 0) + std::char_traits<char>::length(at)) {
        if (count > 1) digits.insert(1, 1, '.');
        digits += at;
    } else if (zeros > 0) {
        digits.insert(0, zeros, '0').insert(1, 1, '.');
    } else if (before_point < count) {
        digits.insert(before_point, 1, '.');
    } else {
        char whole[32];
        std::snprintf(whole, sizeof whole, "%.0f", value < 0 ? -value : value);
        digits = whole;
    }
    if (value < 0) out += '-';
    out += digits;
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// Appends `text` to `out` as a quoted JSON string. What can be seen stays as it is; controls, invisible characters,
/// those that turn the reading direction and U+2028/2029 are escaped; bytes that are not UTF-8 become U+FFFD. `exact`:
/// only controls are escaped.
inline void append_json_string(std::string& out, std::string_view text, bool exact = false) {
    constexpr std::string_view named = "\b\f\n\r\t\"\\";
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
        const auto next = decode_utf8(text, at);
        const auto c = next.value;
        const auto name = c < 0x80 ? named.find(static_cast<char>(c)) : std::string_view::npos;
        if (!next.valid) {
            out += replacement_character;
        } else if (name != std::string_view::npos) {
            out += '\\';
            out += "bfnrt\"\\"[name];
        } else if (detail::is_control(c) || (!exact && (c == 0x2028 || c == 0x2029 || detail::is_unseen(c)))) {
            detail::append_json_escape(out, c);
        } else {
            out += text.substr(at, next.size);
        }
        at += next.size;
    }
    out += '"';
}

/// Appends a JSON number: whole numbers below 2^53 without a point, others in the shortest form that reads back as the
/// same value; `null` for what JSON cannot say (NaN, infinity).
inline void append_json_number(std::string& out, double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    if (!(value >= -largest && value <= largest)) {  // infinite, or no number
        out += "null";
        return;
    }
    const bool small = value > -9007199254740992.0 && value < 9007199254740992.0;
    const bool whole = small && value == static_cast<double>(static_cast<long long>(value));
    if (whole)
        out += std::to_string(static_cast<long long>(value));
    else
        detail::append_shortest(out, value);
}

/// One JSON value on one line, usually an object. Commas are set by it; keys and nesting are up to the caller. One
/// thread at a time.
///
///     JsonLine line;
///     line.begin_object().key("run").string("a").key("turns").number(3).end_object();
class JsonLine {
public:
    JsonLine& begin_object() { return open('{'); }
    JsonLine& end_object() { return close('}'); }
    JsonLine& begin_array() { return open('['); }
    JsonLine& end_array() { return close(']'); }

    JsonLine& key(std::string_view name) {
        separate();
        append_json_string(text_, name);
        text_ += ':';
        first_ = true;
        return *this;
    }

    JsonLine& string(std::string_view value) {
        separate();
        append_json_string(text_, value);
        return *this;
    }

    /// A string in the form of JSON that most programs write: what is hashed must not depend on what can be seen of it.
    JsonLine& exact(std::string_view value) {
        separate();
        append_json_string(text_, value, true);
        return *this;
    }

    JsonLine& number(double value) {
        separate();
        append_json_number(text_, value);
        return *this;
    }

    template <std::integral Integer>
    JsonLine& number(Integer value) {
        return raw(std::to_string(value));
    }

    JsonLine& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonLine& null() { return raw("null"); }

    /// A value that is JSON already; it must hold no line break.
    JsonLine& raw(std::string_view json) {
        separate();
        text_ += json;
        return *this;
    }

    /// What was written so far.
    [[nodiscard]] const std::string& text() const& noexcept { return text_; }
    [[nodiscard]] std::string text() && noexcept { return std::move(text_); }

private:
    void separate() {
        if (!first_) text_ += ',';
        first_ = false;
    }

    JsonLine& open(char bracket) {
        separate();
        text_ += bracket;
        first_ = true;
        ++depth_;
        return *this;
    }

    JsonLine& close(char bracket) {
        HEELER_ASSERT(depth_ > 0);
        text_ += bracket;
        first_ = false;
        --depth_;
        return *this;
    }

    std::string text_;
    std::size_t depth_ = 0;
    bool first_ = true;
};

}  // namespace heeler::inline HEELER_ABI::text
