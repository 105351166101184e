// What a run's memory knows of the text around results: lines that head or end every one, and lines seen before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <heeler/config.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/detect/loop/stamp.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// A line that stood at the beginning (or the end) of results, and what stood behind (or before) it.
struct BannerCandidate {
    static constexpr std::size_t most_rests = 5;

    std::uint32_t line = 0;             ///< its hash, digits masked; 0: a free place
    Stamp seen_at{};                    ///< the newest result that had it, from 1
    std::uint16_t results = 0;          ///< that had it
    std::uint16_t rests[most_rests]{};  ///< different ones
    std::uint16_t calls[most_rests]{};  ///< different ones that got it
    std::uint16_t clean_verb = 0;       ///< of the first rest without a word of failure
    std::uint16_t clean_rest = 0;
    std::uint8_t rest_count = 0;
    std::uint8_t call_count = 0;
    bool is_banner : 1 = false;
    bool headed_clean : 1 = false;    ///< once there was a rest without a word of failure
    bool headed_failure : 1 = false;  ///< once the host said that the call had failed
};

/// Lines of answers, so that what was told before is not taken for new. Two filters take turns, so that what is old is
/// forgotten: a wrong "seen" is possible, a wrong "new" only of what is forgotten.
struct SeenLines {
    static constexpr std::size_t words = 64;
    static constexpr std::uint32_t turn = 256;  ///< lines until the older filter gives way to the newer one

    struct Filter {
        std::uint64_t bits[words];

        [[nodiscard]] constexpr bool has(std::uint32_t line) const noexcept {
            const std::uint32_t first = first_bit(line), second = second_bit(line);
            return (bits[first / 64] >> first % 64 & 1) != 0 && (bits[second / 64] >> second % 64 & 1) != 0;
        }
    };

    Filter newer{};
    OnDemand<Filter> older;   ///< from the first turn on
    std::uint32_t lines = 0;  ///< in the newer filter
    bool forgets = false;     ///< there is no room for an older one; not saved

    [[nodiscard]] bool has(std::uint32_t line) const noexcept { return newer.has(line) || older->has(line); }

    void add(std::uint32_t line) {
        if (newer.has(line)) return;
        if (lines == turn) {
            if (!forgets) older.edit() = newer;
            newer = {};
            lines = 0;
        }
        ++lines;
        for (const std::uint32_t bit : {first_bit(line), second_bit(line)})
            newer.bits[bit / 64] |= std::uint64_t{1} << bit % 64;
    }

    void archive(auto& a) { a(newer, older, lines); }

private:
    [[nodiscard]] static constexpr std::uint32_t first_bit(std::uint32_t line) noexcept { return line % (words * 64); }
    [[nodiscard]] static constexpr std::uint32_t second_bit(std::uint32_t line) noexcept {
        return (line >> 16) * 0x9E37u % (words * 64);
    }
};

struct Learned {
    static constexpr std::size_t candidates = 12;
    using Candidates = BannerCandidate[candidates];

    Candidates first{};
    Candidates last{};
    SeenLines seen{};
    std::uint32_t results = 0;
    std::uint32_t verb = 0;  ///< of the first call; 0: there was none
    bool has_other_verb = false;

    void archive(auto& a) {
        a(first, last, seen, results, verb, has_other_verb);
        if (a.is_loading()) repair();
    }

private:
    /// Bytes that were damaged may say anything: no count may lead out of an array.
    void repair() noexcept {
        for (Candidates* all : {&first, &last})
            for (BannerCandidate& each : *all) {
                if (each.rest_count > BannerCandidate::most_rests) each.rest_count = BannerCandidate::most_rests;
                if (each.call_count > BannerCandidate::most_rests) each.call_count = BannerCandidate::most_rests;
            }
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
