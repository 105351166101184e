// Prose that says the same few sentences again and again, in whatever order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/detect/loop/family.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Hardly any different ones among the newest sentences of a text. Only what is prose for certain is counted: at least
/// four words, mostly letters, a full stop, no characters of code and no number of three digits. Headings, lists, code
/// and logs are none. Reason to ask, never to stop.
struct Sentences {
    static constexpr std::string_view name = "sentences";
    static constexpr Basis basis = Basis::text;
    static constexpr std::uint32_t most = 32;

    struct Settings {
        bool on = true;
        std::uint32_t distinct = 8;  ///< at most so many different ones among the newest 32
    };

    struct Part {
        std::uint32_t newest[most]{};
        std::uint64_t hash = 0;  ///< of the sentence that is going on, without case, digits and white space
        std::uint32_t count = 0;
        std::uint32_t first = 0;  ///< index of the observation that had the first of those that are kept
        std::uint16_t letters = 0;
        std::uint16_t characters = 0;
        std::uint8_t words = 0;
        std::uint8_t digits = 0;  ///< in a row
        bool in_word = false;
        bool is_code = false;
        bool full_stop = false;  ///< the newest character ends a sentence if a blank follows
        bool in_line = false;    ///< more than blanks and a marker since the line began
        bool after_break = false;

        void archive(auto& a) {
            a(newest, hash, count, first, letters, characters, words, digits, in_word, is_code, full_stop, in_line,
              after_break);
        }
    };

    static Hit learn(Part& part, const Settings& settings, const Speech& said, const Common& common) {
        Hit best;
        if (part.count == 0) part.first = common.index;
        const char* end = said.text.data() + said.text.size();
        for (const char* at = said.text.data(); at != end;) {
            if (part.in_line) at = add_letters(part, at, end);
            if (at != end && take(part, static_cast<unsigned char>(*at++))) keep_greater(best, judged(part, settings));
        }
        if (said.finished) {
            if (part.full_stop && end_sentence(part)) keep_greater(best, judged(part, settings));
            part = {};
        }
        return best;
    }

    [[nodiscard]] static std::string words(const Finding&) { return "says the same few sentences over and over"; }

private:
    /// Whether a sentence of prose has ended.
    static bool take(Part& part, unsigned char byte) noexcept {
        const bool is_blank = byte == ' ' || (byte >= '\t' && byte <= '\r');
        if (is_blank) {
            const bool ended = part.full_stop && end_sentence(part);
            if (byte == '\n') {
                if (part.after_break) begin_sentence(part);
                part.after_break = true;
                part.in_line = false;
            }
            part.in_word = false;
            part.digits = 0;
            return ended;
        }
        if (!part.in_line && is_marker(byte, part)) return false;
        part.in_line = true;
        part.after_break = false;
        add(part, byte);
        return false;
    }

    /// What stands before an item of a list begins a sentence of its own, and is none of its words.
    static bool is_marker(unsigned char byte, Part& part) noexcept {
        const bool is_number = (byte >= '0' && byte <= '9') || (part.digits > 0 && (byte == '.' || byte == ')'));
        if (!is_number && byte != '-' && byte != '*' && byte != '+' && byte != '#' && byte != '>') return false;
        begin_sentence(part);
        part.digits = 1;
        return true;
    }

    /// `add` of each letter from `at` on, up to what is none.
    static const char* add_letters(Part& part, const char* at, const char* end) noexcept {
        const char* const first = at;
        std::uint64_t hash = part.hash;
        for (; at != end; ++at) {
            const auto byte = static_cast<unsigned char>(*at);
            const auto lower = static_cast<unsigned char>(byte < 0x80 ? byte | 0x20 : byte);
            if (byte < 0x80 && (lower < 'a' || lower > 'z')) break;
            hash = (hash ^ lower) * 0x100000001B3ULL + (hash >> 40);
        }
        if (at == first) return at;
        part.hash = hash;
        const auto count = static_cast<std::size_t>(at - first);
        part.characters =
            static_cast<std::uint16_t>(count < 0xFFFFu - part.characters ? part.characters + count : 0xFFFF);
        part.letters = static_cast<std::uint16_t>(count < 0xFFFFu - part.letters ? part.letters + count : 0xFFFF);
        if (!part.in_word && part.words < 0xFF) ++part.words;
        part.in_word = true;
        part.digits = 0;
        part.full_stop = part.after_break = false;
        return at;
    }
    static void add(Part& part, unsigned char byte) noexcept {
        const auto lower = static_cast<unsigned char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
        const bool is_letter = (lower >= 'a' && lower <= 'z') || byte >= 0x80;
        const bool is_digit = byte >= '0' && byte <= '9';
        if (part.characters < 0xFFFF) ++part.characters;
        if (is_letter) {
            if (part.letters < 0xFFFF) ++part.letters;
            if (!part.in_word && part.words < 0xFF) ++part.words;
            part.in_word = true;
        }
        part.digits = is_digit ? static_cast<std::uint8_t>(part.digits + (part.digits < 3 ? 1 : 0)) : std::uint8_t{0};
        constexpr std::string_view code = "{}[]<>=;|\\_$#@`~^/&%+*\"";
        if (part.digits == 3 || code.find(static_cast<char>(byte)) != std::string_view::npos) part.is_code = true;
        part.full_stop = byte == '.' || byte == '!' || byte == '?';
        if (is_letter || (is_digit && part.digits == 1))
            part.hash = (part.hash ^ (is_digit ? '0' : lower)) * 0x100000001B3ULL + (part.hash >> 40);
    }

    static void begin_sentence(Part& part) noexcept {
        part.hash = 0;
        part.letters = part.characters = 0;
        part.words = part.digits = 0;
        part.in_word = part.is_code = part.full_stop = false;
    }

    static bool end_sentence(Part& part) noexcept {
        const bool is_prose = part.words >= 4 && !part.is_code && part.letters * 10 >= part.characters * 8;
        if (is_prose) {
            const std::uint64_t mixed = (part.hash ^ part.hash >> 31) * 0x9E3779B97F4A7C15ULL;
            part.newest[part.count % most] = static_cast<std::uint32_t>(mixed >> 32);
            ++part.count;
        }
        begin_sentence(part);
        return is_prose;
    }

    static Hit judged(const Part& part, const Settings& settings) noexcept {
        Hit hit;
        if (part.count < most) return hit;
        std::uint32_t distinct = 0;
        std::uint8_t places[2 * most]{};  // of the distinct ones, from 1, by their values
        for (std::uint32_t i = 0; i < most; ++i) {
            std::uint32_t place = part.newest[i] % std::size(places);
            while (places[place] != 0 && part.newest[places[place] - 1u] != part.newest[i])
                place = (place + 1) % std::size(places);
            if (places[place] != 0) continue;
            places[place] = static_cast<std::uint8_t>(i + 1);
            ++distinct;
            hit.identity += part.newest[i];
        }
        hit.judge(most - distinct, most - settings.distinct, 0);
        hit.varied = Varied::wording;
        hit.period = static_cast<std::uint16_t>(distinct);
        hit.first = part.first;
        return hit;
    }

    static void keep_greater(Hit& best, const Hit& hit) noexcept {
        if (hit.level > best.level || (hit.level == best.level && hit.count > best.count)) best = hit;
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
