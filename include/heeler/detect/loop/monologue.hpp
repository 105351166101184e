// An assistant that says the same again and again while nothing comes of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/family.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// Messages of the assistant with no result of a tool between them: equal ones, a few in turn, or ones that are worded
/// alike. Case, digits and white space make no difference. A sentence before each of many different calls is none: the
/// calls' results come between.
struct Monologue {
    static constexpr std::string_view name = "monologue";
    static constexpr Basis basis = Basis::text;
    static constexpr std::uint32_t longest = 8;  ///< messages of a block that repeats

    struct Settings {
        bool on = true;
        std::uint32_t equal = 3;         ///< messages in a row
        std::uint32_t equal_stop = 6;    ///< likewise, worth stopping
        std::uint32_t cycles = 3;        ///< of a block of 2 to 8 messages
        std::uint32_t alike = 5;         ///< messages in a row, 2 to 5
        std::uint32_t alike_tenths = 7;  ///< of all their words that two of them share
    };

    struct Part {
        std::uint32_t messages[3 * longest]{};
        TokenSet worded[5]{};     ///< their first words
        std::uint32_t count = 0;  ///< messages since something came of them
        std::uint32_t equal = 0;  ///< of these, at the end
        std::uint32_t results = 0;
        std::uint32_t exact = 0;  ///< of the newest message
        std::uint32_t first = 0;  ///< index of the first of these messages
        std::uint8_t varied = 0;  ///< the equal ones differ in digits, case or white space
    };

    static Hit learn(Part& part, const Settings& settings, const Speech& said, const Common& common) {
        const Message message = read(said.text);
        if (message.hash == 0) return {};  // nothing was said
        if (part.results != common.results) part = {};
        part.results = common.results;
        if (part.count == 0) part.first = common.index;
        fold(part, message);
        return judged(part, settings);
    }

    [[nodiscard]] static std::string words(const Finding& finding) {
        return "says the same " + heeler::detail::words::count(finding.evidence.fact("repeats")) +
               " times, and nothing comes of it";
    }

private:
    struct Message {
        TokenSet words{};
        std::uint32_t hash = 0;   ///< 0: neither a letter nor a digit
        std::uint32_t exact = 0;  ///< of every byte
    };

    /// Of a long message, the first 4 KiB and the last 2.
    static Message read(std::string_view text) noexcept {
        constexpr std::size_t head = 4'096, tail = 2'048;
        Message message;
        std::uint64_t hash = 0, exact = 0, word = 0;
        bool any = false, was_digit = false;
        const auto end_word = [&] {
            if (word != 0 && message.words.count < TokenSet::most)
                message.words.add(static_cast<std::uint16_t>(mixed(word) >> 48));
            word = 0;
        };
        const std::size_t skipped = text.size() > head + tail ? text.size() - head - tail : 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (skipped > 0 && i == head) i += skipped;
            const auto byte = static_cast<unsigned char>(text[i]);
            exact = (exact ^ byte) * 0x100000001B3ULL + (exact >> 40);
            const auto lower = static_cast<unsigned char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
            const bool is_digit = byte >= '0' && byte <= '9';
            const bool is_letter = (lower >= 'a' && lower <= 'z') || byte >= 0x80;
            if (is_digit || is_letter) {
                any = true;
                if (is_letter || !was_digit) hash = (hash ^ (is_digit ? '0' : lower)) * 0x100000001B3ULL + (hash >> 40);
                word = (word ^ (is_digit ? '0' : lower)) * 0x100000001B3ULL + 1;
            } else {
                end_word();
                if (byte != ' ' && (byte < '\t' || byte > '\r')) hash = (hash ^ byte) * 0x100000001B3ULL + (hash >> 40);
            }
            was_digit = is_digit;
        }
        end_word();
        const auto short_hash = static_cast<std::uint32_t>(mixed(hash) >> 32);
        message.hash = any ? (short_hash != 0 ? short_hash : 1) : 0;
        message.exact = static_cast<std::uint32_t>(mixed(exact) >> 32);
        return message;
    }

    static constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
        value = (value ^ (value >> 31)) * 0x9E3779B97F4A7C15ULL;
        return value ^ (value >> 29);
    }

    static void fold(Part& part, const Message& message) noexcept {
        const bool is_equal = part.count > 0 && newest(part, 0) == message.hash;
        part.varied = is_equal && (part.varied != 0 || part.exact != message.exact) ? 1 : 0;
        part.equal = is_equal ? part.equal + 1 : 1;
        part.exact = message.exact;
        part.messages[part.count % std::size(part.messages)] = message.hash;
        part.worded[part.count % std::size(part.worded)] = message.words;
        ++part.count;
    }

    /// The hash of the message so far before the newest.
    static std::uint32_t newest(const Part& part, std::uint32_t back) noexcept {
        return part.messages[(part.count - 1 - back) % std::size(part.messages)];
    }

    static Hit judged(const Part& part, const Settings& settings) noexcept {
        Hit best;
        best.judge(part.equal, settings.equal, settings.equal_stop);
        best.varied = part.varied != 0 ? Varied::numbers : Varied::nothing;
        best.first = part.first;
        best.identity = newest(part, 0);
        for (std::uint32_t period = 2; period <= longest; ++period) {
            Hit hit;
            hit.judge(rounds_of(part, period), settings.cycles, 0);
            if (hit.level <= best.level || hit.level < Level::nudge) continue;
            hit.period = static_cast<std::uint16_t>(period);
            hit.first = part.first;
            for (std::uint32_t i = 0; i < period; ++i) hit.identity += newest(part, i);
            best = hit;
        }
        Hit hit;
        hit.judge(alike(part, settings), settings.alike, 0);
        if (hit.level <= best.level) return best;
        hit.varied = Varied::wording;
        hit.first = part.first;
        hit.identity = newest(part, settings.alike - 1 < part.count ? settings.alike - 1 : 0);
        return hit;
    }

    /// How often the newest block of so many messages stands at the end, at most as often as is remembered.
    static std::uint32_t rounds_of(const Part& part, std::uint32_t period) noexcept {
        const auto size = static_cast<std::uint32_t>(std::size(part.messages));
        const std::uint32_t known = part.count < size ? part.count : size;
        std::uint32_t equal = 0;
        while (equal + period < known && newest(part, equal) == newest(part, equal + period)) ++equal;
        return equal / period + 1;
    }

    /// How many of the newest messages are worded like the newest, at most five.
    static std::uint32_t alike(const Part& part, const Settings& settings) noexcept {
        const auto size = static_cast<std::uint32_t>(std::size(part.worded));
        const std::uint32_t last = (part.count - 1) % size;
        std::uint32_t many = 1;
        for (; many < size && many < part.count; ++many) {
            const std::uint32_t other = (part.count - 1 - many) % size;
            if (part.worded[other].count < 3) break;  // so few words are alike by chance
            if (!loops::are_alike(part.worded[last], part.worded[other], settings.alike_tenths, 10)) break;
        }
        return many;
    }
};

}  // namespace heeler::inline HEELER_ABI::loops
