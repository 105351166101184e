// Random numbers that are the same with every compiler and standard library.
#pragma once

#include <cstdint>

namespace sim {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Lot {
public:
    explicit constexpr Lot(std::uint64_t seed) noexcept : state_{seed} {}

    constexpr std::uint64_t next() noexcept {
        std::uint64_t made = state_ += 0x9E3779B97F4A7C15u;
        made = (made ^ (made >> 30)) * 0xBF58476D1CE4E5B9u;
        made = (made ^ (made >> 27)) * 0x94D049BB133111EBu;
        return made ^ (made >> 31);
    }
    /// 0 to `count` - 1.
    constexpr unsigned below(unsigned count) noexcept { return static_cast<unsigned>(next() % count); }
    constexpr bool one_in(unsigned count) noexcept { return below(count) == 0; }

private:
    std::uint64_t state_;
};

}  // namespace sim
