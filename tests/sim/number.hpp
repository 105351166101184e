// Numbers that whoever runs the tests may set.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace sim {

[[nodiscard]] inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace sim
