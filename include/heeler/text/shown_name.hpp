// A name that somebody else chose, as people read it: what they cannot see, or what misleads the eye, is written out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/text/one_line.hpp>
#include <heeler/text/redact.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// `\u{202E}`
[[nodiscard]] inline std::string written_out(char32_t character) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string hex;
    for (; character != 0 || hex.size() < 2; character >>= 4) hex.insert(hex.begin(), digits[character & 15]);
    return "\\u{" + hex + "}";
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// An id or a name on one line, of at most `cap_bytes`: controls, invisible characters and those that turn the reading
/// direction are written out, as `\u{202E}`, so that two names which differ look different. Line ends and tabs are
/// blanks, bytes that are no UTF-8 U+FFFD. A secret that was hidden behind invisible characters is redacted.
[[nodiscard]] inline std::string shown_name(std::string_view name, std::size_t cap_bytes) {
    std::string shown;
    bool odd = false;
    for (std::size_t at = 0; at < name.size() && shown.size() <= 4 * cap_bytes;) {
        const auto next = decode_utf8(name, at);
        const bool blank = next.value == '\n' || next.value == '\r' || next.value == '\t';
        const bool hidden = next.valid && !blank && (detail::is_control(next.value) || detail::is_unseen(next.value));
        if (hidden)
            shown += detail::written_out(next.value);
        else
            shown += name.substr(at, next.size);
        odd |= hidden;
        at += next.size;
    }
    if (odd) {
        const std::string plain = sanitise(name, 4 * cap_bytes);
        if (std::string safe = redact(plain); safe != plain) shown = std::move(safe);
    }
    return one_line(shown, cap_bytes);
}

}  // namespace heeler::inline HEELER_ABI::text
