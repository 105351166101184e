// Text as a part of an address.
#pragma once

#include <string>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::text {

/// As a part of a path, or as a value of a query, whatever it holds: all bytes but letters, digits and `-._~` are
/// escaped (RFC 3986, unreserved characters).
[[nodiscard]] inline std::string url_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
                           c == '.' || c == '_' || c == '~';
        if (plain)
            out += c;
        else
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return out;
}

}  // namespace heeler::inline HEELER_ABI::text
