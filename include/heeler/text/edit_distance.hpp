// How far two names are apart, and how far one may be from what somebody meant by it.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::text {

/// Longer ones are near to nothing.
inline constexpr std::size_t longest_name = 64;

/// How many characters must be added, removed, replaced or swapped with their neighbour to make `a` into `b`. At most
/// 64 bytes each; never allocates.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
    a = a.substr(0, longest_name);
    b = b.substr(0, longest_name);
    using Row = std::array<std::size_t, longest_name + 1>;
    Row before{};  // two rows up
    Row above{};
    Row row{};
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            const std::size_t resized = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = replaced < resized ? replaced : resized;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] < row[j]) row[j] = before[j - 2] + 1;
        }
    }
    return row[b.size()];
}

/// So many edits away no name is that was meant: at most two are allowed, and one for each three characters.
[[nodiscard]] inline std::size_t too_far_from(std::string_view name) noexcept {
    return name.size() > longest_name ? 0 : (name.size() < 6 ? name.size() / 3 : 2) + 1;
}

}  // namespace heeler::inline HEELER_ABI::text
