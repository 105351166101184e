// Which ids are like the one that somebody mistyped.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ctl {

[[nodiscard]] inline std::string lowered(std::string_view text) {
    std::string low{text};
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return low;
}

/// How many bytes must be inserted, removed or replaced.
[[nodiscard]] inline std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j + 1] + 1, row[j] + 1});
        }
    }
    return row.back();
}

/// At most three of `ids` that are nearest to `wanted`, the nearest first; none that has little to do with it.
[[nodiscard]] inline std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& ids) {
    const std::string low = lowered(wanted);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& id : ids) {
        const std::string other = lowered(id);
        const bool part = std::min(low.size(), other.size()) >= 3 &&
                          (other.find(low) != std::string::npos || low.find(other) != std::string::npos);
        const std::size_t apart = distance(low, other);
        if (part || apart <= std::max<std::size_t>(2, low.size() / 3)) found.emplace_back(part ? 0 : apart, id);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> near;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i) near.push_back(found[i].second);
    return near;
}

}  // namespace ctl
