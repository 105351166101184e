// Which known names are like the one that somebody mistyped.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/text/setting_name.hpp>

namespace common {

[[nodiscard]] inline std::string lowered(std::string_view text) {
    std::string low{text};
    for (char& c : low) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return low;
}

/// At most three of `names` that are nearest to `wanted`, the nearest first; none that has little to do with it.
[[nodiscard]] inline std::vector<std::string> nearest(std::string_view wanted, const std::vector<std::string>& names) {
    const std::string low = lowered(wanted);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& name : names) {
        const std::string other = lowered(name);
        const bool part = std::min(low.size(), other.size()) >= 3 &&
                          (other.find(low) != std::string::npos || low.find(other) != std::string::npos);
        const std::size_t apart = heeler::text::edit_distance(low, other);
        if (part || apart <= std::max<std::size_t>(2, low.size() / 3)) found.emplace_back(part ? 0 : apart, name);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> near;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, found.size()); ++i) near.push_back(found[i].second);
    return near;
}

/// The end of a sentence about a name that nobody has: "; did you mean 'a' or 'b'?"; empty where none is near.
[[nodiscard]] inline std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
    const std::vector<std::string> near = nearest(wanted, names);
    std::string text;
    for (const std::string& name : near)
        text += (text.empty() ? "; did you mean '" : &name == &near.back() ? " or '" : ", '") + name + "'";
    return near.empty() ? "" : text + "?";
}

/// The same, or else which names there are.
[[nodiscard]] inline std::string did_you_mean_or_known(std::string_view wanted, const std::vector<std::string>& names) {
    std::string text = did_you_mean(wanted, names);
    if (!text.empty()) return text;
    for (const std::string& name : names) text += (text.empty() ? "; known are " : ", ") + name;
    return text;
}

}  // namespace common
