// Text as one word of a command line that people copy into a shell.
#pragma once

#include <string>
#include <string_view>

#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Whether it is left as it is by whoever shows it: no controls, nothing invisible, no broken bytes.
[[nodiscard]] constexpr bool is_seen(std::string_view text) noexcept {
    for (std::size_t at = 0; at < text.size();) {
        const auto next = text::decode_utf8(text, at);
        const bool breaks = next.value == 0x2028 || next.value == 0x2029;
        if (!next.valid || breaks || is_control(next.value) || is_unseen(next.value)) return false;
        at += next.size;
    }
    return true;
}

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// `text` in quotes for a POSIX shell, which reads it as one word with no other meaning. What would not survive being
/// shown is written as `$'\342\200\256'`, which bash, zsh, ksh and POSIX.1-2024 read.
[[nodiscard]] inline std::string shell_word(std::string_view text) {
    if (detail::is_seen(text)) {
        std::string quoted{"'"};
        for (const char each : text) {
            if (each == '\'') quoted += "'\\'";
            quoted += each;
        }
        return quoted += '\'';
    }
    std::string quoted{"$'"};
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte >= 0x20 && byte < 0x7F) {
            if (each == '\'' || each == '\\') quoted += '\\';
            quoted += each;
            continue;
        }
        quoted += '\\';
        for (const int shift : {6, 3, 0}) quoted += static_cast<char>('0' + ((byte >> shift) & 7));
    }
    return quoted += '\'';
}

}  // namespace heeler::inline HEELER_ABI::text
