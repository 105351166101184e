// What a run's memory knows of the text around results: lines that head or end every one, and lines seen before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <heeler/config.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// A line that stood at the beginning (or the end) of results, and what stood behind (or before) it.
struct BannerCandidate {
    static constexpr std::size_t most_rests = 5;

    std::uint32_t line = 0;                         ///< its hash, digits masked; 0: a free place
    std::uint32_t seen_at = 0;                      ///< the newest result that had it, from 1
    std::uint32_t results = 0;                      ///< that had it
    std::array<std::uint16_t, most_rests> rests{};  ///< different ones
    std::array<std::uint16_t, most_rests> calls{};  ///< different ones that got it
    std::uint16_t clean_verb = 0;                   ///< of the first rest without a strong word
    std::uint16_t clean_rest = 0;
    std::uint8_t rest_count = 0;
    std::uint8_t call_count = 0;
    bool is_banner : 1 = false;
    bool is_strong : 1 = false;       ///< the line itself has a word of failure
    bool headed_clean : 1 = false;    ///< once there was a rest without one
    bool headed_failure : 1 = false;  ///< once the host said that the call had failed
};

/// Lines of answers, so that what was told before is not taken for new. Two filters take turns, so that what is old is
/// forgotten; a wrong "seen" is possible, a wrong "new" only for what is forgotten.
struct SeenLines {
    static constexpr std::size_t words = 64;
    static constexpr std::uint32_t turn = 256;  ///< lines until the older filter begins anew

    std::array<std::array<std::uint64_t, words>, 2> bits{};
    std::uint32_t lines = 0;  ///< in the newer filter
    std::uint32_t newer = 0;
};

struct Learned {
    static constexpr std::size_t candidates = 16;

    std::array<BannerCandidate, candidates> first{};
    std::array<BannerCandidate, candidates> last{};
    SeenLines seen{};
    std::uint32_t results = 0;

    template <class A>
    void archive(A& a) {
        a(first, last, seen, results);
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
