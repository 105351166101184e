// Where tools keep what they know of a person's runs, unless they are told another place.
#pragma once

#include <cstdlib>
#include <string>

namespace common {

[[nodiscard]] inline std::string home_directory() {
    const char* const home = std::getenv("HOME");
    return home != nullptr && *home != '\0' ? home : ".";
}

[[nodiscard]] inline std::string state_directory() {
    const char* const state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return std::string{state} + "/heeler";
    return home_directory() + "/.local/state/heeler";
}

}  // namespace common
