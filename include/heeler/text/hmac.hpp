// HMAC-SHA-256 (RFC 2104), for messages whose receiver checks who sent them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/text/sha256.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

[[nodiscard]] inline std::string as_bytes(const std::array<std::uint8_t, 32>& digest) {
    return {digest.begin(), digest.end()};
}

}  // namespace detail

namespace text {

/// The authentication code of `text` under `key`: 32 bytes.
[[nodiscard]] inline std::string hmac_sha256(std::string_view key, std::string_view text) {
    constexpr std::size_t block = 64;
    std::string padded = key.size() > block ? detail::as_bytes(sha256(key)) : std::string{key};
    padded.resize(block, '\0');
    std::string inner, outer;
    for (const char byte : padded) {
        inner += static_cast<char>(byte ^ 0x36);
        outer += static_cast<char>(byte ^ 0x5C);
    }
    inner.append(text);
    outer.append(detail::as_bytes(sha256(inner)));
    return detail::as_bytes(sha256(outer));
}

}  // namespace text

}  // namespace heeler::inline HEELER_ABI
