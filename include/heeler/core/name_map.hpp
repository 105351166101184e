// What is kept by name and found again.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct NameHash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view name) const noexcept {
        return std::hash<std::string_view>{}(name);
    }
};

/// In no order: who shows what stands in it sorts first. One type everywhere, for what an include costs.
template <class T>
using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

}  // namespace heeler::inline HEELER_ABI::detail
