// Follows a text character by character, at the distances at which it seems to repeat itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <heeler/detect/loop/chant.hpp>

namespace heeler::inline HEELER_ABI::loops {

class Chant::Follower {
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
        for (std::uint32_t back = 1; is_far && back < Part::window; ++back)
            if (recent(at - back) < least) least = recent(part_.anchor = at - back);
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
        part_.lags[place] = {
            .length = equal + gram_size - 1 + lag, .first = index_, .lag = static_cast<std::uint16_t>(lag)};
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

HEELER_INLINE Hit Chant::learn(Part& part, const Settings& settings, const Speech& said, const Common& common) {
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

}  // namespace heeler::inline HEELER_ABI::loops
