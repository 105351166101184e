// Tells a result that is new from those that were seen among the last 512 different ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

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
/// there are. Two results of 16 million share the former; of two with one the 65,000th shares the latter.
class SeenResults {
public:
    static constexpr std::size_t capacity = 512;

    /// What of it is new; keeps it.
    NewResult add(std::uint32_t told, std::uint16_t text = 0) {
        const std::uint32_t kept = (told & 0xFFFFFFu) != 0 ? told & 0xFFFFFFu : 1;  // 0: a free place
        const auto low = static_cast<std::uint16_t>(kept);
        bool is_told = false;
        const std::size_t searched = may_have(low, 0, parts_.size()) ? parts_.size() : 0;
        for (std::size_t at = 0; at < searched; at += words) {
            if (!may_have(low, at, at + words)) continue;
            for (std::size_t i = at / words * block; i < (at / words + 1) * block; ++i) {
                if (part_of(i, 0, 16) != low || part_of(i, highs, 8) != kept >> 16) continue;
                is_told = true;
                if (part_of(i, texts, 16) == text) return {};
            }
        }
        if (next_ / block * words == parts_.size()) parts_.resize(parts_.size() + words);
        put(next_, 0, 16, kept);
        put(next_, highs, 8, kept >> 16);
        put(next_, texts, 16, text);
        next_ = static_cast<std::uint32_t>((next_ + 1) % capacity);
        return {!is_told, true};
    }

    void archive(auto& a) {
        a(parts_, next_);
        if (!a.is_loading()) return;
        const std::size_t blocks = detail::min_of(capacity / block, parts_.size() / words);
        parts_.resize(blocks * words);
        next_ = static_cast<std::uint32_t>(detail::min_of<std::size_t>(next_, blocks * block) % capacity);
    }

private:
    static constexpr std::size_t block = 32, highs = block / 2, texts = highs + block / 4, words = texts + block / 2;

    /// Eight numbers that are compared at once.
    using Eight = std::uint16_t __attribute__((vector_size(16)));

    /// Whether the low half of what one of some blocks tells is `wanted`; by chance nearly never.
    [[nodiscard]] bool may_have(std::uint16_t wanted, std::size_t at, std::size_t end) const noexcept {
        Eight found{};
        const Eight all = found + wanted;
        for (; at < end; at += words) {
            Eight low[block / 8];
            std::memcpy(low, parts_.data() + at, sizeof low);
            found |= Eight(low[0] == all) | Eight(low[1] == all) | Eight(low[2] == all) | Eight(low[3] == all);
        }
        std::uint64_t any[2];
        std::memcpy(any, &found, sizeof any);
        return (any[0] | any[1]) != 0;
    }
    /// Of the result at a place so many bits: its low half, the byte above (`highs`), or its text (`texts`).
    [[nodiscard]] std::uint32_t part_of(std::size_t place, std::size_t from, std::uint32_t bits) const noexcept {
        const std::uint32_t word = parts_[place / block * words + from + place % block * bits / 32];
        return word >> place % (32 / bits) * bits & ((std::uint32_t{1} << bits) - 1);
    }
    void put(std::size_t place, std::size_t from, std::uint32_t bits, std::uint32_t part) noexcept {
        std::uint32_t& word = parts_[place / block * words + from + place % block * bits / 32];
        const auto shift = static_cast<std::uint32_t>(place % (32 / bits)) * bits;
        const std::uint32_t mask = ((std::uint32_t{1} << bits) - 1) << shift;
        word = (word & ~mask) | (part << shift & mask);
    }

    List<std::uint32_t> parts_;  ///< of each block the low halves of what is told, the bytes above, and the texts
    std::uint32_t next_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
