// What detection is to reach on made-up runs, and what it reaches.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detection {

struct Scale {
    std::uint32_t seed = 1;
    std::size_t runs = 1'000;    ///< healthy ones
    std::size_t events = 2'000;  ///< of each
    std::size_t cases = 20;      ///< of each healthy episode, and of each kind of loop
    std::size_t polls = 10'000;
    std::size_t chants = 400;  ///< of as many periods
};

/// Prints a table; whether `recommended` meets every goal. `compared`: with the simple judges, too.
[[nodiscard]] bool over_generated(const Scale& scale, bool families, bool compared);
/// Likewise the further kinds, for `recommended` alone.
[[nodiscard]] bool over_harder(const Scale& scale);

}  // namespace detection
