// Words that nobody can guess, by which a server of this machine knows who asks.
#pragma once

#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>

namespace common {

/// 128 bits that nobody can guess, as 32 digits.
[[nodiscard]] inline std::string make_token() {
    std::random_device chance;
    std::string token;
    for (int i = 0; i < 4; ++i) {
        char digits[9];
        std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(chance()));
        token += digits;
    }
    return token;
}

/// Takes as long for a wrong one, wherever it is wrong.
[[nodiscard]] inline bool same_token(std::string_view a, std::string_view b) noexcept {
    unsigned different = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return different == 0;
}

}  // namespace common
