// Hashes text with what changes at every run of a tool masked: times, durations, random ids, addresses, digits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <heeler/detect/loop/word_table.hpp>
#include <heeler/text/combine.hpp>
#include <heeler/text/fingerprint.hpp>

namespace heeler::inline HEELER_ABI::loops {

namespace detail {

inline constexpr std::uint64_t ones = 0x0101010101010101ULL;

/// What a span of text is, if it is masked.
enum class Mask : std::uint8_t { none, time, id };

struct MaskSpan {
    const char* first = nullptr;
    const char* last = nullptr;
    Mask mask = Mask::none;
};

/// The high bit of each byte of `x` that is below `limit`, at most 128. Bits above the lowest one may be wrong.
[[nodiscard]] constexpr std::uint64_t bits_below(std::uint64_t x, std::uint64_t limit) noexcept {
    return (x - ones * limit) & ~x & (ones * 0x80);
}
/// The first digit, or `end`.
[[nodiscard]] inline const char* next_digit(const char* at, const char* end) noexcept {
    if constexpr (heeler::detail::scans_words)
        for (; end - at >= 8; at += 8)
            if (const auto bits = bits_below(heeler::detail::load_word(at) ^ (ones * '0'), 10); bits != 0)
                return at + heeler::detail::first_byte(bits);
    while (at != end && !is_digit(*at)) ++at;
    return at;
}

/// Finds spans to mask, from front to back, each byte looked at a bounded number of times.
class MaskFinder {
public:
    MaskFinder(const char* begin, const char* end) noexcept : begin_{begin}, at_{begin}, end_{end} {}

    /// There is not even a digit.
    [[nodiscard]] bool finds_nothing() const noexcept { return find_candidate(begin_) == end_; }

    /// The next span; at the end of the text one with `Mask::none`.
    [[nodiscard]] MaskSpan next() noexcept {
        for (;;) {
            at_ = find_candidate(at_);
            if (at_ == end_) return {end_, end_, Mask::none};
            const MaskSpan span = *at_ == '/' ? temporary_file() : is_digit(*at_) ? at_digit() : MaskSpan{};
            if (span.mask != Mask::none) {
                done_ = at_ = span.last;
                return span;
            }
        }
    }

private:
    static constexpr std::ptrdiff_t longest_word = 64;

    /// The next digit, or a slash before a `t`.
    [[nodiscard]] const char* find_candidate(const char* at) const noexcept {
        while (end_ - at > block && !has_candidate(at)) at += block;
        if constexpr (heeler::detail::scans_words)
            for (; end_ - at > 8; at += 8) {
                const std::uint64_t x = heeler::detail::load_word(at), next = heeler::detail::load_word(at + 1);
                const std::uint64_t bits =
                    bits_below(x ^ (ones * '0'), 10) | bits_below((x ^ (ones * '/')) | (next ^ (ones * 't')), 1);
                if (bits != 0) return at + heeler::detail::first_byte(bits);
            }
        while (at != end_ && !is_digit(*at) && !(*at == '/' && end_ - at > 1 && at[1] == 't')) ++at;
        return at;
    }
    static constexpr std::ptrdiff_t block = 32;
    [[nodiscard]] static bool has_candidate(const char* at) noexcept {
        unsigned char any = 0;  // as narrow as what is compared
        for (std::ptrdiff_t i = 0; i < block; ++i) {
            const auto c = static_cast<unsigned char>(at[i]), next = static_cast<unsigned char>(at[i + 1]);
            const bool digit = static_cast<unsigned char>(c - '0') < 10;
            any = static_cast<unsigned char>(any | digit | ((c == '/') & (next == 't')));
        }
        return any != 0;
    }

    [[nodiscard]] static bool is_name(char c) noexcept { return is_word(c) || c == '-'; }
    [[nodiscard]] const char* digits_end(const char* at) const noexcept {
        while (at != end_ && is_digit(*at)) ++at;
        return at;
    }
    /// Exactly `count` digits at `at` and no more.
    [[nodiscard]] bool digits(const char* at, std::ptrdiff_t count) const noexcept {
        return end_ - at >= count && digits_end(at) == at + count;
    }

    /// "/tmp/tmpab3xk9", "/tmp/build.8fK2q0": names that look random.
    [[nodiscard]] MaskSpan temporary_file() noexcept {
        constexpr std::string_view folder = "/tmp/";
        const char* first = at_++;
        if (!between(first, end_).starts_with(folder)) return {};
        const char* name = first + folder.size();
        const char* last = name;
        int digit_count = 0;
        while (last != end_ && last - name < longest_word && (is_name(*last) || *last == '.')) {
            digit_count += is_digit(*last) ? 1 : 0;
            ++last;
        }
        while (last != name && last[-1] == '.') --last;
        const std::string_view text = between(name, last);
        const bool random = (text.starts_with("tmp") && text.size() >= 8) || (text.size() >= 6 && digit_count >= 2);
        return random ? MaskSpan{first, last, Mask::id} : MaskSpan{};
    }

    [[nodiscard]] MaskSpan at_digit() noexcept {
        const char* digit = at_;
        const char* number = digits_end(digit);
        const char behind = number != end_ ? *number : '\0';
        const bool inside_word = digit != begin_ && digit != done_ && is_word(digit[-1]);
        const bool inside_name = inside_word || is_name(behind) || (digit != begin_ && digit[-1] == '-');
        if (inside_name && digit >= name_end_) {
            const char* first = digit;
            while (first != begin_ && first != done_ && digit - first < longest_word && is_name(first[-1])) --first;
            name_end_ = number;
            while (name_end_ != end_ && name_end_ - digit < longest_word && is_name(*name_end_)) ++name_end_;
            if (const MaskSpan id = identifier(first, name_end_); id.mask != Mask::none) return id;
            if (is_element(first, digit)) return {first, name_end_, Mask::time};
            if (name_end_ - first >= 8 && is_id_key(key_before(first))) return {first, name_end_, Mask::id};
        }
        if (!inside_word && may_be_time(number, number - digit)) {
            if (const char* stop = time(digit); stop != nullptr) return {digit, stop, Mask::time};
        }
        if (!inside_word && is_duration_key(key_before(digit))) {
            if (end_ - number > 1 && *number == '.') number = digits_end(number + 1);
            return {digit, number, Mask::time};
        }
        at_ = number;
        if (inside_word || is_letter(behind))  // the digits of one word are looked at once
            while (at_ != end_ && is_word(*at_)) ++at_;
        return {};
    }
    /// "ref=e12", "[ref=s2e7]": a browser's elements are numbered anew with every look at a page.
    [[nodiscard]] bool is_element(const char* first, const char* digit) const noexcept {
        return digit - first == 1 && (*first == 'e' || *first == 's') && key_before(first) == "ref";
    }
    static constexpr std::size_t shortest_key = 4;
    /// "elapsed" of `"elapsed": 12` and of `elapsed=12`, if the value begins at `at`; else empty.
    [[nodiscard]] std::string_view key_before(const char* at) const noexcept {
        while (at != begin_ && (at[-1] == ' ' || at[-1] == '"')) --at;
        if (at == begin_ || (at[-1] != ':' && at[-1] != '=')) return {};
        --at;
        if (at != begin_ && at[-1] == '"') --at;
        const char* last = at;
        while (at != begin_ && last - at < longest_word && is_name(at[-1])) --at;
        return between(at, last);
    }
    /// Of what a service says of itself: how long it took.
    [[nodiscard]] static bool is_duration_key(std::string_view key) noexcept {
        if (key.size() < shortest_key) return false;  // nearly always: there is none
        for (const std::string_view word : {"elapsed", "duration", "took", "latency"})
            if (begins_with_word(key.substr(0, word.size()), word) &&
                (key.size() == word.size() || !is_lower(key[word.size()])))
                return true;
        return false;
    }
    /// Likewise, which request this was.
    [[nodiscard]] static bool is_id_key(std::string_view key) noexcept {
        if (key.size() < shortest_key) return false;
        std::size_t size = 0;
        std::array<char, 20> word{};
        for (const char c : key)
            if (c != '_' && c != '-' && size < word.size()) word[size++] = fold(c);
        const std::string_view name{word.data(), size};
        for (const std::string_view id :
             {"requestid", "traceid", "spanid", "correlationid", "nonce", "csrf", "csrftoken"})
            if (name == id) return true;
        return false;
    }
    /// Nearly all numbers are none, which the byte behind them tells.
    [[nodiscard]] bool may_be_time(const char* number, std::ptrdiff_t length) const noexcept {
        if (length == 10 || length == 13) return true;
        if (end_ - number > 1 && *number == '.') number = digits_end(number + 1);
        if (number == end_) return false;
        constexpr std::string_view signs = ":-/smunhd\xC2\xCE";  // of a clock, of a date, of a unit
        return signs.find(*number == ' ' && end_ - number > 1 ? number[1] : *number) != std::string_view::npos;
    }

    /// A UUID, an address, or a prefix of ids with something behind it.
    [[nodiscard]] MaskSpan identifier(const char* first, const char* last) const noexcept {
        const auto size = last - first;
        if (size == 36 && is_uuid(first)) return {first, last, Mask::id};
        if (size >= 8 && first[0] == '0' && fold(first[1]) == 'x') {
            const char* stop = first + 2;
            while (stop != last && is_hex(*stop)) ++stop;
            if (stop - first >= 8) return {first, stop, Mask::id};
        }
        for (const std::string_view prefix : id_prefixes) {
            const auto length = static_cast<std::ptrdiff_t>(prefix.size());
            if (fold(*first) != prefix.front() || size < length + 5) continue;
            if (first[length] != '_' && first[length] != '-') continue;
            if (begins_with_word(between(first, first + length), prefix)) return {first, last, Mask::id};
        }
        return {};
    }
    [[nodiscard]] static bool is_hex(char c) noexcept { return is_digit(c) || (fold(c) >= 'a' && fold(c) <= 'f'); }
    [[nodiscard]] static bool is_uuid(const char* at) noexcept {
        for (int i = 0; i < 36; ++i) {
            const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
            if (hyphen ? at[i] != '-' : !is_hex(at[i])) return false;
        }
        return true;
    }

    static constexpr std::string_view id_prefixes[] = {"req", "run",   "job",     "id",    "call",
                                                       "msg", "trace", "request", "toolu", "chatcmpl"};

    /// Behind the time that begins with the digit at `at`; null if there is none.
    [[nodiscard]] const char* time(const char* at) const noexcept {
        const char* number = digits_end(at);
        const auto length = number - at;
        const bool may_be_epoch = length == 10 || length == 13;
        const char* stop = length == 4 ? date(at) : length <= 2 ? clock(at) : may_be_epoch ? epoch(at) : nullptr;
        return stop != nullptr ? stop : duration(at);
    }
    [[nodiscard]] const char* date(const char* at) const noexcept {
        if (!digits(at, 4) || end_ - at < 10 || (at[4] != '-' && at[4] != '/')) return nullptr;
        if (at[7] != at[4] || !digits(at + 5, 2) || !digits(at + 8, 2)) return nullptr;
        const char* stop = at + 10;
        if (end_ - stop > 5 && (*stop == 'T' || *stop == ' '))
            if (const char* behind = clock(stop + 1); behind != nullptr) return behind;
        return stop;
    }
    /// hh:mm, hh:mm:ss, with a fraction, with an offset; not the line and column behind a file's name.
    [[nodiscard]] const char* clock(const char* at) const noexcept {
        const char* colon = digits_end(at);
        if (colon - at > 2 || colon == end_ || *colon != ':' || !digits(colon + 1, 2) || colon[1] > '5') return nullptr;
        if (at != begin_ && (at[-1] == ':' || at[-1] == '.' || at[-1] == '-')) return nullptr;
        const char* stop = colon + 3;
        if (stop != end_ && *stop == ':') {
            if (!digits(stop + 1, 2)) return nullptr;
            stop += 3;
        }
        if (end_ - stop > 1 && (*stop == '.' || *stop == ',') && is_digit(stop[1])) stop = digits_end(stop + 1);
        if (stop != end_ && *stop == 'Z') return stop + 1;
        if (end_ - stop > 4 && (*stop == '+' || *stop == '-') && is_digit(stop[1])) {
            const char* offset = digits_end(stop + 1);
            if (offset - stop == 5) return offset;
            if (offset - stop == 3 && end_ - offset > 2 && *offset == ':' && digits(offset + 1, 2)) return offset + 3;
        }
        return stop;
    }
    /// Seconds or milliseconds since 1970, of this century.
    [[nodiscard]] const char* epoch(const char* at) const noexcept {
        const char* stop = digits_end(at);
        if (stop - at != 10 && stop - at != 13) return nullptr;
        if (at[0] != '1' || at[1] < '5') return nullptr;
        if (stop != end_ && is_word(*stop)) return nullptr;
        if (end_ - stop > 1 && *stop == '.' && is_digit(stop[1])) stop = digits_end(stop + 1);
        return stop;
    }
    /// "12.5 s", "350ms", "2 minutes", "1m30s", "0m0.003s".
    [[nodiscard]] const char* duration(const char* at) const noexcept {
        for (int parts = 0; parts < 3; ++parts) {
            const char* number = digits_end(at);
            if (number == at) return nullptr;
            if (end_ - number > 1 && *number == '.' && is_digit(number[1])) number = digits_end(number + 1);
            const char* unit = number;
            if (parts == 0 && end_ - unit > 1 && *unit == ' ') ++unit;
            const char* behind = unit;
            while (behind != end_ && (is_letter(*behind) || *behind == '_') && behind - unit < 9) ++behind;
            const std::string_view name = between(unit, behind);
            const bool more = behind != end_ && is_digit(*behind);
            if (more && unit == number && (name == "m" || name == "h" || name == "d")) {
                at = behind;
                continue;
            }
            if (!is_time_unit(name) || (behind != end_ && is_word(*behind))) return is_age(behind) ? behind : nullptr;
            return behind;
        }
        return nullptr;
    }
    /// "  5m", "3d4h" at the end of a row, perhaps before another one, and "26m ago": the unit of other things as well.
    [[nodiscard]] bool is_age(const char* behind) const noexcept {
        constexpr std::ptrdiff_t longest_rest = 40;
        const char unit = behind[-1];
        if ((unit != 'm' && unit != 'h' && unit != 'd') || !is_digit(behind[-2])) return false;
        const std::string_view rest = between(behind, end_);
        if (rest.starts_with(" ago")) return true;
        const char* first = behind - 1;
        while (first != begin_ && is_word(first[-1])) --first;
        return between(begin_, first).ends_with("  ") && end_ - behind < longest_rest &&
               rest.find_first_not_of(" 0123456789smhd") == std::string_view::npos;
    }
    static constexpr std::string_view time_units[] = {
        "s",   "ms",   "us",     "\xC2\xB5s", "\xCE\xBCs", "ns", "sec", "secs", "second", "seconds",
        "min", "mins", "minute", "minutes",   "h",         "hr", "hrs", "hour", "hours",  "msec"};
    [[nodiscard]] static bool is_time_unit(std::string_view name) noexcept {
        if (name.empty()) return false;
        for (const std::string_view unit : time_units)
            if (unit.front() == name.front() && name == unit) return true;
        return false;
    }

    const char* begin_;
    const char* at_;
    const char* end_;
    const char* done_ = begin_;      ///< behind the last span
    const char* name_end_ = begin_;  ///< behind the name with digits that was looked at last
};

inline constexpr std::uint64_t time_mark = 0x74696D65;
inline constexpr std::uint64_t id_mark = 0x6964;

}  // namespace detail

/// Hashes of one text.
struct MaskedHashes {
    std::uint64_t typed = 0;     ///< times and ids masked
    std::uint64_t timed = 0;     ///< only times masked
    std::uint64_t measured = 0;  ///< of the durations that were measured
    std::uint32_t measures = 0;
};

namespace detail {

/// "11.27 ms", "0m12.294s": as exact as what somebody measures. In brackets, and behind "in" and "took", it is how long
/// the tool itself ran.
[[nodiscard]] inline bool is_measure(const MaskSpan& span, const char* begin) noexcept {
    const std::string_view time = between(span.first, span.last), before = between(begin, span.first);
    const bool exact = time.find('.') != std::string_view::npos;
    if (!is_letter(time.back()) || time.size() < 3) return false;
    if (!exact && !time.ends_with("ms") && !time.ends_with("us") && !time.ends_with("ns")) return false;
    return !before.ends_with('(') && !before.ends_with('[') && !before.ends_with(" in ") && !before.ends_with("took ");
}

/// Takes a text piece by piece and hashes at most its first `most` bytes.
class ShapeBuffer {
public:
    explicit ShapeBuffer(std::size_t most) noexcept : left_{most} {}

    [[nodiscard]] bool is_full() const noexcept { return left_ == 0; }
    void put(char c) noexcept { put_without_digits(&c, &c + 1); }
    /// Each run of digits, with the commas and points in it, becomes one sign.
    void put_without_digits(const char* at, const char* end) noexcept {
        while (at != end && !is_full()) {
            if (size_ == std::size(buffer_)) spill();
            const std::size_t room = left_ < std::size(buffer_) - size_ ? left_ : std::size(buffer_) - size_;
            const auto rest = static_cast<std::size_t>(end - at);
            const char* digit = next_digit(at, at + (rest < room ? rest : room));
            const auto count = static_cast<std::size_t>(digit - at);
            std::memcpy(buffer_ + size_, at, count);
            size_ += count;
            left_ -= count;
            at = digit;
            if (at == end || count == room) continue;
            buffer_[size_++] = '#';
            --left_;
            at = number_end(at + 1, end);
        }
    }
    [[nodiscard]] std::uint64_t hash() noexcept {
        spill();
        return sum_;
    }

private:
    [[nodiscard]] static const char* number_end(const char* at, const char* end) noexcept {
        while (at != end && (is_digit(*at) || ((*at == '.' || *at == ',') && end - at > 1 && is_digit(at[1])))) ++at;
        return at;
    }
    void spill() noexcept {
        sum_ = text::combine(sum_, text::fingerprint_text({buffer_, size_}));
        size_ = 0;
    }

    std::size_t left_;
    std::size_t size_ = 0;
    std::uint64_t sum_ = 0;
    char buffer_[256];
};

/// Without a shape.
struct NoShape {
    void put(const MaskSpan&) noexcept {}
    void put(const char*, const char*) noexcept {}
};
struct Shape {
    ShapeBuffer& buffer;
    void put(const MaskSpan& span) noexcept { buffer.put(span.mask == Mask::time ? '\1' : '\2'); }
    void put(const char* at, const char* end) noexcept { buffer.put_without_digits(at, end); }
};

/// A day, or an hour and a minute: which one is meant, not when it is asked. "2026-05-11", "10:30", "...T10:30:00Z".
[[nodiscard]] constexpr bool is_slot(std::string_view time) noexcept {
    const std::size_t hour = time.find(':');
    if (hour == std::string_view::npos) return time.size() == 10 && time[4] == time[7] && !is_digit(time[4]);
    const std::string_view seconds = time.substr(hour + 3 < time.size() ? hour + 3 : time.size());
    if (!seconds.starts_with(':')) return true;
    return seconds.starts_with(":00") && (seconds.size() < 5 || seconds[3] != '.' || seconds[4] == '0');
}

/// Of an argument, where a slot is as good as a name.
struct ArgumentShape {
    Shape shape;
    bool& has_slot;
    void put(const MaskSpan& span) noexcept {
        has_slot = has_slot || (span.mask == Mask::time && is_slot(between(span.first, span.last)));
        shape.put(span);
    }
    void put(const char* at, const char* end) noexcept { shape.put(at, end); }
};

/// One pass over the spans that are masked. A text without any costs one hash.
template <class S>
[[nodiscard]] MaskedHashes hash_masked(std::string_view text, S shape) noexcept {
    const char* at = text.data();
    const char* end = at + text.size();
    MaskFinder finder{at, end};
    MaskSpan span = finder.next();
    if (span.mask == Mask::none) {
        shape.put(at, end);
        const std::uint64_t plain = text::fingerprint_text(text);
        return {plain, plain, 0, 0};
    }
    MaskedHashes sum{};
    for (; span.mask != Mask::none; span = finder.next()) {
        const std::uint64_t before = text::fingerprint_text(between(at, span.first));
        const bool time = span.mask == Mask::time;
        const std::uint64_t as_id = time ? 0 : text::fingerprint_text(between(span.first, span.last));
        sum.typed = text::combine(text::combine(sum.typed, before), time ? time_mark : id_mark);
        sum.timed = text::combine(text::combine(sum.timed, before), time ? time_mark : as_id);
        if (time && is_measure(span, text.data())) {
            ++sum.measures;
            sum.measured = text::combine(sum.measured, text::fingerprint_text(between(span.first, span.last)));
        }
        shape.put(at, span.first);
        shape.put(span);
        at = span.last;
    }
    shape.put(at, end);
    const std::uint64_t rest = text::fingerprint_text(between(at, end));
    sum.typed = text::combine(sum.typed, rest);
    sum.timed = text::combine(sum.timed, rest);
    return sum;
}

}  // namespace detail

inline constexpr std::size_t shaped_bytes = 256;

[[nodiscard]] inline MaskedHashes masked_hashes(std::string_view text) noexcept {
    return detail::hash_masked(text, detail::NoShape{});
}

struct LineHashes {
    MaskedHashes masked{};
    std::uint64_t shape = 0;  ///< of the first bytes that are left when times, ids and digits are masked
};
/// Both; of a short text without digits at the cost of one.
[[nodiscard]] inline LineHashes line_hashes(std::string_view line, std::size_t most = shaped_bytes) noexcept {
    const detail::MaskFinder finder{line.data(), line.data() + line.size()};
    if (line.size() <= shaped_bytes && finder.finds_nothing()) {
        const std::uint64_t plain = text::fingerprint_text(line);
        return {{plain, plain, 0, 0}, text::combine(0, plain)};
    }
    detail::ShapeBuffer shape{most};
    const MaskedHashes masked = detail::hash_masked(line, detail::Shape{shape});
    return {masked, shape.hash()};
}
[[nodiscard]] inline std::uint64_t shape_hash(std::string_view text) noexcept { return line_hashes(text).shape; }

namespace detail {

// `word_hash` byte by byte; bytes in lower case.
inline constexpr std::uint32_t first_of_word_hash = 2166136261u;
[[nodiscard]] constexpr std::uint32_t next_of_word_hash(std::uint32_t hash, char folded_byte) noexcept {
    return (hash ^ static_cast<unsigned char>(folded_byte)) * 16777619u;
}
[[nodiscard]] constexpr std::uint32_t last_of_word_hash(std::uint32_t hash) noexcept { return hash ^ (hash >> 15); }

}  // namespace detail

/// A word's hash in any case, for sets of words.
[[nodiscard]] constexpr std::uint32_t word_hash(std::string_view word) noexcept {
    std::uint32_t hash = detail::first_of_word_hash;
    for (const char c : word) hash = detail::next_of_word_hash(hash, detail::fold(c));
    return detail::last_of_word_hash(hash);
}
[[nodiscard]] constexpr std::uint16_t token_of(std::uint32_t hash_of_word) noexcept {
    return static_cast<std::uint16_t>(hash_of_word ^ (hash_of_word >> 16));
}
[[nodiscard]] constexpr std::uint16_t token_of(std::string_view word) noexcept { return token_of(word_hash(word)); }

}  // namespace heeler::inline HEELER_ABI::loops
