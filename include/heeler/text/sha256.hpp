// SHA-256, for keys that must be the same everywhere and that nobody can forge a second text for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/config.hpp>
#include <heeler/text/bits.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr std::array<std::uint32_t, 64> sha256_rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

class Sha256State {
public:
    /// `block` holds 64 bytes.
    constexpr void add_block(std::string_view block) noexcept {
        std::array<std::uint32_t, 64> w{};
        for (std::size_t i = 0; i < 64; ++i) w[i / 4] = (w[i / 4] << 8) | static_cast<unsigned char>(block[i]);
        for (std::size_t i = 16; i < 64; ++i) {
            const auto early = rotated_right(w[i - 15], 7) ^ rotated_right(w[i - 15], 18) ^ (w[i - 15] >> 3);
            const auto late = rotated_right(w[i - 2], 17) ^ rotated_right(w[i - 2], 19) ^ (w[i - 2] >> 10);
            w[i] = w[i - 16] + early + w[i - 7] + late;
        }
        auto s = words_;
        for (std::size_t i = 0; i < 64; ++i) {
            const auto choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
            const auto majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            const auto sum_a = rotated_right(s[0], 2) ^ rotated_right(s[0], 13) ^ rotated_right(s[0], 22);
            const auto sum_e = rotated_right(s[4], 6) ^ rotated_right(s[4], 11) ^ rotated_right(s[4], 25);
            const auto step = s[7] + sum_e + choice + sha256_rounds[i] + w[i];
            s = {step + sum_a + majority, s[0], s[1], s[2], s[3] + step, s[4], s[5], s[6]};
        }
        for (std::size_t i = 0; i < 8; ++i) words_[i] += s[i];
    }

    [[nodiscard]] constexpr std::array<std::uint8_t, 32> digest() const noexcept {
        std::array<std::uint8_t, 32> bytes{};
        for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(words_[i / 4] >> (24 - 8 * (i % 4)));
        return bytes;
    }

private:
    std::array<std::uint32_t, 8> words_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
};

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// The SHA-256 digest of the bytes of `text`. Never allocates.
[[nodiscard]] constexpr std::array<std::uint8_t, 32> sha256(std::string_view text) noexcept {
    detail::Sha256State state;
    std::string_view rest = text;
    for (; rest.size() >= 64; rest.remove_prefix(64)) state.add_block(rest.substr(0, 64));
    std::array<char, 128> last{};
    for (std::size_t i = 0; i < rest.size(); ++i) last[i] = rest[i];
    last[rest.size()] = static_cast<char>(0x80);
    const std::size_t size = rest.size() < 56 ? 64 : 128;
    const std::uint64_t bits = std::uint64_t{text.size()} * 8;
    for (std::size_t i = 0; i < 8; ++i) last[size - 1 - i] = static_cast<char>((bits >> (8 * i)) & 0xFF);
    for (std::size_t at = 0; at < size; at += 64) state.add_block({last.data() + at, 64});
    return state.digest();
}

/// The digest as 64 lower-case hexadecimal digits.
[[nodiscard]] inline std::string sha256_hex(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out;
    out.reserve(64);
    for (const auto byte : sha256(text)) {
        out += digits[byte >> 4];
        out += digits[byte & 0xF];
    }
    return out;
}

}  // namespace heeler::inline HEELER_ABI::text
