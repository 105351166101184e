// Tells a result that is new from one that was seen among the last 512 distinct ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heeler::inline v0 {

/// Fingerprints of the newest results, allocated with the first. All of them are compared each time, in vector code, so
/// that the cost does not depend on how many there are. Two results of 4 thousand million share a fingerprint.
class SeenResults {
public:
    static constexpr std::size_t capacity = 512;

    /// Whether `print` is new; keeps it.
    bool add(std::uint64_t print) {
        if (prints_.empty()) prints_.resize(capacity);
        const auto low = static_cast<std::uint32_t>(print);
        const std::uint32_t kept = low != 0 ? low : 1;  // 0: a free place
        if (has(prints_.data(), kept)) return false;
        prints_[next_++ % capacity] = kept;
        return true;
    }

    template <class A>
    void archive(A& a) {
        a(prints_, next_);
        if (A::is_loading && !prints_.empty()) prints_.resize(capacity);
    }

private:
    static bool has(const std::uint32_t* prints, std::uint32_t print) noexcept {
        std::uint32_t equal = 0;
        for (std::size_t i = 0; i < capacity; ++i) equal |= prints[i] == print ? 1u : 0u;
        return equal != 0;
    }

    std::vector<std::uint32_t> prints_;
    std::uint32_t next_ = 0;
};

}  // namespace heeler::inline v0
