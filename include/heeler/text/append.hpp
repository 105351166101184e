// Appends several pieces of text to a string, one after the other.
#pragma once

#include <string>
#include <string_view>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI {

template <class... Parts>
void append(std::string& text, const Parts&... parts) {
    (text.append(std::string_view{parts}), ...);
}

}  // namespace heeler::inline HEELER_ABI
