// Tells a result that is new from one that was seen among the last 512 distinct ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <heeler/config.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// Fingerprints of the newest results, compared in vector code, block by block, as many as there are. Two results of 4
/// thousand million share a fingerprint.
class SeenResults {
public:
    static constexpr std::size_t capacity = 512;

    /// Whether `print` is new; keeps it.
    bool add(std::uint64_t print) {
        const auto low = static_cast<std::uint32_t>(print);
        const std::uint32_t kept = low != 0 ? low : 1;  // 0: a free place
        for (std::size_t from = 0; from < prints_.size(); from += block)
            if (has(prints_.data() + from, kept)) return false;
        if (next_ == prints_.size()) prints_.resize(prints_.size() + block);
        prints_[next_] = kept;
        next_ = static_cast<std::uint32_t>((next_ + 1) % capacity);
        return true;
    }

    template <class A>
    void archive(A& a) {
        a(prints_, next_);
        if (!a.is_loading()) return;
        prints_.resize(detail::min_of(capacity, (prints_.size() + block - 1) / block * block));
        next_ = static_cast<std::uint32_t>(detail::min_of<std::size_t>(next_, prints_.size()) % capacity);
    }

private:
    static constexpr std::size_t block = 64;

    static bool has(const std::uint32_t* prints, std::uint32_t print) noexcept {
        std::uint32_t equal = 0;
        for (std::size_t i = 0; i < block; ++i) equal |= prints[i] == print ? 1u : 0u;
        return equal != 0;
    }

    List<std::uint32_t> prints_;
    std::uint32_t next_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
