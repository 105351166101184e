// Tells a result that is new from those that were seen among the last 512 different ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include <heeler/config.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What of a result was never seen before. A new `told` is a new `text`, too.
struct NewResult {
    bool told = false;
    bool text = false;
};

/// Fingerprints of results, of what they tell and of their text, compared in vector code, block by block, as many as
/// there are. Two results of 4 thousand million share the former; of two with one the 65,000th shares the latter.
class SeenResults {
public:
    static constexpr std::size_t capacity = 512;

    /// What of it is new; keeps it.
    NewResult add(std::uint32_t told, std::uint16_t text = 0) {
        const std::uint32_t kept = told != 0 ? told : 1;  // 0: a free place
        bool is_told = false;
        for (std::size_t at = 0; at < parts_.size(); at += words) {
            const std::uint32_t* of = parts_.data() + at;
            if (!has(of, kept)) continue;
            is_told = true;
            for (std::size_t i = 0; i < block; ++i)
                if (of[i] == kept && (of[block + i / 2] >> i % 2 * 16 & 0xFFFFu) == text) return {};
        }
        if (next_ / block * words == parts_.size()) parts_.resize(parts_.size() + words);
        std::uint32_t* const of = parts_.data() + next_ / block * words;
        const std::size_t place = next_ % block;
        std::uint32_t& pair = of[block + place / 2];
        of[place] = kept;
        pair = (pair & ~(0xFFFFu << place % 2 * 16)) | std::uint32_t{text} << place % 2 * 16;
        next_ = static_cast<std::uint32_t>((next_ + 1) % capacity);
        return {!is_told, true};
    }

    template <class A>
    void archive(A& a) {
        a(parts_, next_);
        if (!a.is_loading()) return;
        const std::size_t blocks = detail::min_of(capacity / block, parts_.size() / words);
        parts_.resize(blocks * words);
        next_ = static_cast<std::uint32_t>(detail::min_of<std::size_t>(next_, blocks * block) % capacity);
    }

private:
    static constexpr std::size_t block = 32, words = block + block / 2;

    [[nodiscard]] static bool has(const std::uint32_t* told, std::uint32_t wanted) noexcept {
        std::uint32_t equal = 0;
        for (std::size_t i = 0; i < block; ++i) equal |= told[i] == wanted ? 1u : 0u;
        return equal != 0;
    }

    List<std::uint32_t> parts_;  ///< of each block what its results tell, then their texts, two in one
    std::uint32_t next_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
