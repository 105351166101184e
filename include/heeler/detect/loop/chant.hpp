// Text that repeats itself exactly, with a period of 1 to 2,000 characters, however it is cut into pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/detect/loop/family.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// A chant: the same characters again and again. Numbers and bullets at the start of lines do not count as text.
///
/// What is kept of each of the newest 2,048 characters are four bits of a hash of the 16 characters that end with it.
/// So a character that differs from the one a period before shows in 16 places, and a stretch in which none differs is
/// equal by content; the text itself, which may hold secrets, is neither kept nor saved. Where a stretch begins is
/// known to a character or two: every sixteenth time a character before it looks equal. Which periods to try is told by
/// anchors: in any 32 characters the places with the smallest hash, which text that repeats has at the same places each
/// time. Where the same stood between anchors before, so far back the text is followed, character by character, until
/// one differs.
struct Chant {
    static constexpr std::string_view name = "chant";
    static constexpr Basis basis = Basis::text;

    static constexpr std::uint32_t longest = 2'000;  ///< period, in characters

    struct Settings {
        bool on = true;
        std::uint32_t least = 360;       ///< characters that a chant has at least
        std::uint32_t tenths = 32;       ///< of its period: so many as well
        std::uint32_t list_tenths = 50;  ///< the same if the block has list numbers or bullets
        std::uint32_t few_symbols = 5;  ///< a block of fewer different ones (white space is one) is a ruler or padding:
        std::uint32_t few_least = 2'000;  ///< it needs so many characters
    };

    /// A distance at which the text has repeated itself up to now.
    struct Lag {
        std::uint64_t symbols = 0;   ///< which characters but white space were seen, by 6 bits of their hash
        std::uint64_t identity = 0;  ///< sum over one period, from wherever it begins
        std::uint32_t length = 0;    ///< characters of the stretch that repeats, with its first block; 0: a free place
        std::uint32_t first = 0;     ///< index of the observation with which it was noticed
        std::uint16_t lag = 0;
        std::uint16_t followed = 0;  ///< characters since then, at most `lag`
        bool is_list = false;

        void archive(auto& a) { a(symbols, identity, length, first, lag, followed, is_list); }
    };

    struct Part {
        static constexpr std::uint32_t kept = 2'048;
        static constexpr std::uint32_t window = 32;

        std::uint8_t marks[kept / 2]{};
        /// Where all since the anchor before, the 9th and the 32nd before was seen last: of similar lines the anchors
        /// are the same.
        std::uint16_t by_chain[3][64]{};
        std::uint16_t recent[window]{};
        Lag lags[3]{};
        std::uint64_t gram = 0;     ///< hash of the newest 16 characters
        std::uint64_t chains[2]{};  ///< what came since the 9th and the 32nd anchor before
        std::uint64_t sum = 0;      ///< of what came since the newest anchor
        std::uint32_t count = 0;    ///< characters
        std::uint32_t anchor = 0;
        std::uint32_t code = 0;  ///< of a character of several bytes that is not complete yet
        char held[6]{};          ///< what may be a list's number
        std::uint8_t held_count = 0;
        std::uint8_t missing = 0;    ///< bytes of that character
        bool in_line = false;        ///< more than blanks since the line began
        std::uint8_t following = 0;  ///< lags in use

        void archive(auto& a) {
            a(marks, by_chain, recent, gram, chains, sum, count, anchor, code, held, held_count, missing, in_line,
              following);
            for (Lag& each : lags) each.archive(a);
            if (a.is_loading() && !is_sound()) *this = {};
        }

    private:
        [[nodiscard]] bool is_sound() const noexcept {
            bool sound = following <= std::size(lags) && held_count < std::size(held) && missing < 4;
            for (std::uint32_t i = 0; sound && i < following; ++i) sound = lags[i].lag > 0 && lags[i].lag <= longest;
            return sound;
        }
    };

    static Hit learn(Part& part, const Settings& settings, const Speech& said, const Common& common);

    [[nodiscard]] static std::string words(const Finding& finding) {
        return "says the same " + heeler::detail::words::count(finding.evidence.fact("period")) +
               " characters over and over, for " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " characters";
    }

private:
    static constexpr std::uint32_t gram_size = 16;  // each character shifts the hash by four of its 64 bits

    static constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
        return value ^ (value >> 31);
    }
    static constexpr std::uint64_t number_of(std::uint32_t symbol) noexcept {
        return mixed((std::uint64_t{symbol} + 1) * 0x9E3779B97F4A7C15ULL);
    }
    static constexpr std::array<std::uint64_t, 128> numbers_of_ascii() noexcept {
        std::array<std::uint64_t, 128> numbers{};
        for (std::uint32_t symbol = 0; symbol < numbers.size(); ++symbol) numbers[symbol] = number_of(symbol);
        return numbers;
    }

    class Follower;
};

}  // namespace heeler::inline HEELER_ABI::loops

#ifndef HEELER_COMPILED
#include <heeler/detect/loop/chant-inl.hpp>
#endif
