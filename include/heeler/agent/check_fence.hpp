// For workers: whether this process still is who works on its run, asked before a step that cannot be undone. Needs
// nothing of the library and C++17 alone, so that a worker may have a copy of it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace heeler {

/// What a worker learns of itself.
enum class FenceAnswer {
    owner,    ///< nobody has taken its run up
    fenced,   ///< somebody has: it stops, and pushes, posts and deploys nothing any more
    unknown,  ///< it was started without a fence, or that cannot be read: it had better ask somebody
};

namespace fence_detail {

/// The digits at the beginning of the text; nothing where there are none, or more than a number can have.
struct FenceNumber {
    std::uint64_t value = 0;
    bool read = false;
    const char* rest = nullptr;

    explicit FenceNumber(const char* text) noexcept : rest(text) {
        constexpr int most_digits = 18;
        for (; rest != nullptr && *rest >= '0' && *rest <= '9'; ++rest)
            value = value * 10 + static_cast<std::uint64_t>(*rest - '0');
        read = rest != text && rest - text <= most_digits;
    }
};

}  // namespace fence_detail

/// Reads the file that the variable HEELER_FENCE names, which says whose the run is now, and compares it with
/// HEELER_GENERATION, the worker's own number. Who asks must go on at once: what it learns is true when it is read.
[[nodiscard]] inline FenceAnswer check_fence() noexcept {
    const char* const path = std::getenv("HEELER_FENCE");
    const fence_detail::FenceNumber own{std::getenv("HEELER_GENERATION")};
    if (path == nullptr || !own.read || *own.rest != '\0') return FenceAnswer::unknown;
    std::FILE* const file = std::fopen(path, "r");
    if (file == nullptr) return FenceAnswer::unknown;
    char line[32] = {};
    const bool any = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    const fence_detail::FenceNumber newest{line};
    if (!any || !newest.read || *newest.rest != '\n' || newest.value < own.value) return FenceAnswer::unknown;
    return newest.value == own.value ? FenceAnswer::owner : FenceAnswer::fenced;
}

}  // namespace heeler
