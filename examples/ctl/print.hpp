// Writes to the terminal what the store holds: nothing in it reaches the terminal as a control.
#pragma once

#include <cstdio>
#include <string_view>

#include <heeler/text/json_writer.hpp>
#include <heeler/text/sanitise.hpp>

namespace ctl {

/// Text of any length, on as many lines as it has.
inline void print(std::string_view text) {
    const std::string clean = heeler::text::sanitise(text, 3 * text.size() + 1);
    std::fwrite(clean.data(), 1, clean.size(), stdout);
}

/// One JSON object.
inline void print(const heeler::text::JsonLine& line) { print(line.text() + "\n"); }

}  // namespace ctl
