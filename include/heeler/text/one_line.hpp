// Text that somebody else wrote, on one line: for the parts of a sentence, a log line or a heading.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::text {

/// `sanitise(text, cap_bytes)` with a blank for each line end and tab, so that no content can begin a line of its own.
[[nodiscard]] inline std::string one_line(std::string_view text, std::size_t cap_bytes) {
    std::string line = sanitise(text, cap_bytes);
    for (char& c : line)
        if (c == '\n' || c == '\t') c = ' ';
    return line;
}

}  // namespace heeler::inline HEELER_ABI::text
