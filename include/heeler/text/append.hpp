// Puts several pieces of text together, one after the other.
#pragma once

#include <string>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::text {

template <class... Parts>
void append(std::string& text, const Parts&... parts) {
    (text.append(std::string_view{parts}), ...);
}

template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    std::string text;
    append(text, parts...);
    return text;
}

}  // namespace heeler::inline HEELER_ABI::text
