// Appends several pieces of text to a string, one after the other.
#pragma once

#include <string>
#include <string_view>

namespace heeler::inline v0 {

template <class... Parts>
void append(std::string& text, const Parts&... parts) {
    (text.append(std::string_view{parts}), ...);
}

}  // namespace heeler::inline v0
