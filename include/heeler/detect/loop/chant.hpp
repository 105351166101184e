// Text that repeats itself exactly, with a period of 1 to 2,000 characters, however it is cut into pieces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

        template <class A>
        void archive(A& a) {
            a(symbols, identity, length, first, lag, followed, is_list);
        }
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

        template <class A>
        void archive(A& a) {
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

    static Hit learn(Part& part, const Settings& settings, const Speech& said, const Common& common) {
        Follower follower{part, settings, common.index};
        const auto* at = reinterpret_cast<const unsigned char*>(said.text.data());
        for (const auto* end = at + said.text.size(); at != end;) {
            const unsigned char byte = *at++;
            if (byte < 0x80 && part.in_line && part.missing == 0 && byte != '\n')  // nearly always
                at = follower.put(byte, at, end);
            else
                follower.take(byte);
        }
        const Hit hit = follower.seen();
        if (said.finished) part = {};
        return hit;
    }

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

    class Follower {
    public:
        Follower(Part& part, const Settings& settings, std::uint32_t index) noexcept
            : part_{part}, settings_{settings}, index_{index} {}

        void take(unsigned char byte) noexcept {
            if (part_.missing > 0) {
                if ((byte & 0xC0) == 0x80) {
                    part_.code = part_.code << 6 | (byte & 0x3Fu);
                    if (--part_.missing == 0) take_symbol(part_.code);
                    return;
                }
                part_.missing = 0;
                take_symbol(0xFFFD);
            }
            if (byte < 0xC0 || byte > 0xF7) return take_symbol(byte);
            part_.missing = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
            part_.code = byte & (0x3Fu >> part_.missing);
        }

        /// With the bytes behind it that are ASCII and in its line, if there are any; what changes with each stays in
        /// registers. Answers where that ends.
        const unsigned char* put(std::uint32_t symbol, const unsigned char* next = nullptr,
                                 const unsigned char* end = nullptr) noexcept {
            static constexpr std::array<std::uint64_t, 128> ascii = numbers_of_ascii();
            Part& part = part_;  // which nothing that is stored can change
            std::uint64_t gram = part.gram, sum = part.sum;
            std::uint32_t at = part.count, anchor = part.anchor, least = recent(anchor);
            for (;; symbol = *next++, ++at) {
                const std::uint64_t number = symbol < 128 ? ascii[symbol] : number_of(symbol);
                gram = (gram << 4) + number;
                const std::uint64_t hash = gram * 0x9E3779B97F4A7C15ULL;
                const auto mark = static_cast<std::uint8_t>(hash >> 60);
                std::uint8_t& pair = part.marks[at / 2 % std::size(part.marks)];
                pair = static_cast<std::uint8_t>((at & 1) != 0 ? (pair & 0x0F) | mark << 4 : (pair & 0xF0) | mark);
                sum += hash ^ (hash >> 29);
                if (part.following > 0) follow(at, symbol, number, hash);
                const auto value = static_cast<std::uint16_t>(hash >> 40);
                part.recent[at % Part::window] = value;
                if (at - anchor - 1 >= Part::window - 1 || value <= least) {
                    find_anchor(at, std::exchange(sum, 0));
                    anchor = part.anchor;
                    least = recent(anchor);
                }
                if (next == end || *next >= 0x80 || *next == '\n') break;
            }
            part.gram = gram;
            part.sum = sum;
            part.count = at + 1;
            return next;
        }

        /// The most that was seen since the follower was made: the same in whatever pieces the text came.
        [[nodiscard]] Hit seen() noexcept {
            for (std::uint32_t i = 0; i < part_.following; ++i) judge(part_.lags[i]);
            return best_;
        }

    private:
        // --- list numbers and bullets -----------------------------------------------------------------------------
        void take_symbol(std::uint32_t symbol) noexcept {
            if (!part_.in_line) {
                if (part_.held_count == 0 && (symbol == ' ' || symbol == '\t')) return (void)put(symbol);
                if (is_marker(symbol)) {
                    part_.held[part_.held_count++] = static_cast<char>(symbol < 0x80 ? symbol : '*');
                    return;
                }
                if (symbol == ' ' && holds_marker()) return strip_marker();
                for (std::uint8_t i = 0; i < part_.held_count; ++i) put(static_cast<unsigned char>(part_.held[i]));
                part_.held_count = 0;
            }
            put(symbol);
            part_.in_line = symbol != '\n';
        }

        [[nodiscard]] bool is_marker(std::uint32_t symbol) const noexcept {
            const bool is_digit = symbol >= '0' && symbol <= '9';
            if (part_.held_count == 0)
                return is_digit || symbol == '-' || symbol == '*' || symbol == '+' || symbol == 0x2022;
            const char last = part_.held[part_.held_count - 1u];
            if (last < '0' || last > '9') return false;
            return (is_digit && part_.held_count < 4) || symbol == '.' || symbol == ')';
        }
        [[nodiscard]] bool holds_marker() const noexcept {
            const char last = part_.held_count > 0 ? part_.held[part_.held_count - 1u] : '0';
            return last < '0' || last > '9';
        }
        void strip_marker() noexcept {
            part_.held_count = 0;
            part_.in_line = true;
            for (std::uint32_t i = 0; i < part_.following; ++i) part_.lags[i].is_list = true;
        }

        // --- one character ----------------------------------------------------------------------------------------
        [[nodiscard]] std::uint32_t mark_at(std::uint32_t at) const noexcept {
            return part_.marks[at / 2 % std::size(part_.marks)] >> (4 * (at & 1)) & 0x0Fu;
        }

        void follow(std::uint32_t at, std::uint32_t symbol, std::uint64_t number, std::uint64_t hash) noexcept {
            const std::uint32_t mark = mark_at(at);
            for (std::uint32_t i = 0; i < part_.following; ++i) {
                Lag& each = part_.lags[i];
                if (mark_at(at - each.lag) != mark) {
                    judge(each);
                    each = part_.lags[--part_.following];
                    --i;
                    continue;
                }
                ++each.length;
                if (each.followed == each.lag) continue;
                ++each.followed;
                each.identity += mixed(hash);
                if (symbol == ' ' || (symbol >= '\t' && symbol <= '\r')) continue;
                each.symbols |= std::uint64_t{1} << (number >> 58);
            }
        }

        // --- which periods to try ---------------------------------------------------------------------------------
        /// The smallest of the newest values is an anchor; of equal ones each, so that only the text says where they
        /// are. `sum`: of what came since the one before.
        void find_anchor(std::uint32_t at, std::uint64_t sum) noexcept {
            const bool is_far = at - part_.anchor >= Part::window;
            part_.anchor = at;
            std::uint32_t least = recent(at);
            for (std::uint32_t back = 1; is_far && back < Part::window; ++back) {
                if (recent(at - back) >= least) continue;
                least = recent(at - back);
                part_.anchor = at - back;
            }
            const std::uint64_t since = mixed(sum);
            part_.chains[0] = (part_.chains[0] << 7) + since;
            part_.chains[1] = (part_.chains[1] << 2) + since;
            try_place(at, part_.by_chain[0][since >> 58]);
            try_place(at, part_.by_chain[1][mixed(part_.chains[0]) >> 58]);
            try_place(at, part_.by_chain[2][mixed(part_.chains[1]) >> 58]);
        }
        [[nodiscard]] std::uint16_t recent(std::uint32_t at) const noexcept { return part_.recent[at % Part::window]; }

        /// What ends here ended before where `known` says.
        void try_place(std::uint32_t at, std::uint16_t& known) noexcept {
            const auto lag = static_cast<std::uint16_t>(at - known);
            known = static_cast<std::uint16_t>(at);
            if (lag >= 1 && lag <= longest && lag <= at) try_lag(at, lag);
        }

        /// How many of the newest characters equal the one so far before them, as far as is known.
        [[nodiscard]] std::uint32_t equal_marks(std::uint32_t at, std::uint32_t lag) const noexcept {
            const std::uint32_t known = at + 1 < Part::kept ? at + 1 : Part::kept;
            std::uint32_t equal = 0;
            while (equal + lag < known && mark_at(at - equal) == mark_at(at - equal - lag)) ++equal;
            return equal;
        }

        void try_lag(std::uint32_t at, std::uint32_t lag) noexcept {
            for (std::uint32_t i = 0; i < part_.following; ++i) {
                const Lag& each = part_.lags[i];
                if (each.lag == lag || (lag % each.lag == 0 && each.length >= lag + each.lag)) return;
            }
            const std::uint32_t equal = equal_marks(at, lag);
            if (equal < gram_size) return;
            std::uint32_t place = 0;
            if (part_.following < std::size(part_.lags)) {
                place = part_.following++;
            } else {
                for (std::uint32_t i = 1; i < std::size(part_.lags); ++i)
                    if (part_.lags[i].length < part_.lags[place].length) place = i;
                judge(part_.lags[place]);
            }
            part_.lags[place] = {};
            part_.lags[place].length = equal + gram_size - 1 + lag;
            part_.lags[place].first = index_;
            part_.lags[place].lag = static_cast<std::uint16_t>(lag);
        }

        // --- verdict ----------------------------------------------------------------------------------------------
        [[nodiscard]] std::uint32_t needed(const Lag& each) const noexcept {
            const std::uint32_t tenths = each.is_list ? settings_.list_tenths : settings_.tenths;
            const std::uint32_t by_period = (tenths * each.lag + 9) / 10;
            std::uint32_t different = 0;
            for (std::uint64_t left = each.symbols; left != 0; left &= left - 1) ++different;
            const std::uint32_t least = different + 1 < settings_.few_symbols ? settings_.few_least : settings_.least;
            return by_period > least ? by_period : least;
        }

        void judge(const Lag& each) noexcept {
            if (each.followed < each.lag || each.symbols == 0) return;  // white space is no chant
            const std::uint32_t need = needed(each);
            Hit hit;
            hit.judge(each.length, need, need * 5 / 2);
            if (hit.level < best_.level || (hit.level == best_.level && hit.count <= best_.count)) return;
            hit.period = each.lag;
            hit.first = each.first;
            hit.identity = each.identity;
            best_ = hit;
        }

        Part& part_;
        const Settings& settings_;
        std::uint32_t index_;
        Hit best_{};
    };
};

}  // namespace heeler::inline HEELER_ABI::loops
