// Fingerprints of text: two numbers that say whether two lines are the same, or the same but for their numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
// GCC refuses xxHash's always_inline at -Og, which no macro tells from -O2; what calls it is `flatten` in its place.
#if !defined(XXH_NO_INLINE_HINTS) && defined(__GNUC__) && !defined(__clang__)
#define XXH_NO_INLINE_HINTS 1
#endif
// Vector code pays for texts of some hundred bytes and more, of which other work takes ten times as long; its
// intrinsics are 2,600 lines for whoever includes this, and fifty thousand where the compiler may use AVX.
#pragma push_macro("__SSE2__")
#pragma push_macro("__AVX2__")
#undef __SSE2__
#undef __AVX2__
#include <xxhash.h>
#pragma pop_macro("__AVX2__")
#pragma pop_macro("__SSE2__")

#include <heeler/text/bits.hpp>
#include <heeler/text/combine.hpp>

namespace heeler::inline HEELER_ABI::text {

/// What is kept of a line. Stable across platforms and versions; a collision makes two lines look equal, no more.
struct Fingerprint {
    std::uint64_t exact = 0;   ///< of the bytes as they are
    std::uint32_t normal = 0;  ///< of the line with numbers masked and white space folded

    friend constexpr bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// The fingerprint of all bytes of `text`. Never allocates.
[[nodiscard, gnu::flatten]] inline std::uint64_t fingerprint_text(std::string_view text) noexcept {
    return XXH3_64bits(text.data(), text.size());
}

}  // namespace heeler::inline HEELER_ABI::text

namespace heeler::inline HEELER_ABI::detail {

enum CharClass : std::uint8_t { char_digit = 1, char_hex = 2, char_letter = 4, char_space = 8 };

inline constexpr auto char_classes = [] {
    std::array<std::uint8_t, 256> classes{};
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const auto lower = c | 0x20u;
        if (c >= '0' && c <= '9')
            classes[c] = char_digit;
        else if (c == ' ' || (c >= 0x09 && c <= 0x0D))
            classes[c] = char_space;
        else if (c < 0x80 && lower >= 'a' && lower <= 'f')
            classes[c] = char_hex;
        else if (c >= 0x80 || (lower >= 'g' && lower <= 'z'))
            classes[c] = char_letter;
    }
    return classes;
}();

[[nodiscard]] constexpr unsigned class_of(char c) noexcept { return char_classes[static_cast<unsigned char>(c)]; }

/// The high bit of each byte of `x` that is a digit, below 0x0E, or a space followed by a space (`after` is `x` one
/// byte later). Bits above the lowest one may be wrong.
[[nodiscard]] constexpr std::uint64_t masked_bits(std::uint64_t x, std::uint64_t after) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101ULL;
    const std::uint64_t digit = x ^ (ones * '0');
    const std::uint64_t spaces = (x ^ (ones * ' ')) | (after ^ (ones * ' '));
    return (((digit - ones * 10) & ~digit) | ((x - ones * 0x0E) & ~x) | ((spaces - ones) & ~spaces)) & (ones * 0x80);
}

[[nodiscard]] inline std::uint64_t load_word(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
}

/// How far the first byte of `masked_bits` is.
[[nodiscard]] constexpr unsigned first_byte(std::uint64_t bits) noexcept { return zeros_behind(bits) >> 3; }

inline constexpr bool scans_words = is_little_endian;

[[nodiscard]] inline bool is_maskable(const char* at, const char* end) noexcept {
    const auto kind = class_of(*at);
    if (kind != char_space) return kind == char_digit;
    return *at != ' ' || (end - at > 1 && at[1] == ' ');
}

/// Whether there is anything to mask in the block at `at`; looks at one byte more. Compilers make vector code of it.
inline constexpr std::ptrdiff_t block_bytes = 32;
[[nodiscard]] inline bool has_maskable(const char* at) noexcept {
    std::array<std::uint64_t, block_bytes / 8> words;
    std::array<std::uint64_t, block_bytes / 8> after;
    std::memcpy(words.data(), at, sizeof words);
    std::memcpy(after.data(), at + 1, sizeof after);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < words.size(); ++i) bits |= masked_bits(words[i], after[i]);
    return bits != 0;
}

/// The next byte that normalising may change, or `end`.
[[nodiscard]] inline const char* find_maskable(const char* at, const char* end) noexcept {
    if constexpr (scans_words) {
        const bool long_enough = end - at >= 8;
        while (end - at > block_bytes && !has_maskable(at)) at += block_bytes;
        for (; end - at > 8; at += 8)
            if (const auto bits = masked_bits(load_word(at), load_word(at + 1)); bits != 0)
                return at + first_byte(bits);
        if (long_enough) {  // the last word, with bytes before `at` that are known to stay
            const auto word = load_word(end - 8);
            const auto bits = masked_bits(word, word >> 8);
            return bits != 0 ? end - 8 + first_byte(bits) : end;
        }
    }
    while (at != end && !is_maskable(at, end)) ++at;
    return at;
}

/// Takes the masked line piece by piece and hashes it; only what does not fit the buffer is hashed early.
class MaskedText {
public:
    void put(char c) noexcept {
        if (size_ == std::size(buffer_)) spill();
        buffer_[size_++] = c;
    }
    /// Takes bytes up to the next one that normalising may change and says where that is. `line_size` is of the whole
    /// line, which ends at `end`.
    [[nodiscard]] const char* copy_plain(const char* at, const char* end, std::size_t line_size) noexcept {
        if constexpr (scans_words) {
            for (; end - at > 8; at += 8, size_ += 8) {
                if (std::size(buffer_) - size_ < 8) spill();
                const auto word = load_word(at);
                std::memcpy(buffer_ + size_, &word, sizeof word);
                if (const auto bits = masked_bits(word, load_word(at + 1)); bits != 0) {
                    size_ += first_byte(bits);
                    return at + first_byte(bits);
                }
            }
            if (line_size >= 8 && at != end) return copy_last(at, end);
        }
        for (; at != end && !is_maskable(at, end); ++at) put(*at);
        return at;
    }
    void drop(std::size_t count) noexcept { size_ -= count; }
    [[nodiscard]] bool ends_with(char c) const noexcept { return size_ > 0 && buffer_[size_ - 1] == c; }

    /// How many hex letters the text ends with if they start a word, else `npos`.
    [[nodiscard]] std::size_t hex_letters_at_end() const noexcept {
        std::size_t count = 0;
        while (count < size_ && class_of(buffer_[size_ - 1 - count]) == char_hex)
            if (++count > longest_hex_start) return npos;
        if (count == size_) return count;
        return class_of(buffer_[size_ - 1 - count]) == char_letter ? npos : count;
    }

    [[nodiscard, gnu::flatten]] std::uint64_t hash() noexcept {
        if (!spilled_) return text::fingerprint_text({buffer_, size_});
        XXH3_64bits_update(&state_, buffer_, size_);
        return XXH3_64bits_digest(&state_);
    }

    static constexpr std::size_t npos = static_cast<std::size_t>(-1);

private:
    static constexpr std::size_t longest_hex_start = 64;
    static constexpr std::size_t kept = longest_hex_start + 2;

    /// Of the 1 to 8 bytes before `end`, with more of the line in front of them.
    [[nodiscard]] const char* copy_last(const char* at, const char* end) noexcept {
        constexpr std::uint64_t fill = 0x7878787878787878ULL;  // letters, which stay
        if (std::size(buffer_) - size_ < 8) spill();
        const auto left = static_cast<unsigned>(end - at);
        std::uint64_t word = load_word(end - 8);
        if (left < 8) word = word >> (64 - 8 * left) | fill << (8 * left);
        std::memcpy(buffer_ + size_, &word, sizeof word);
        const auto bits = masked_bits(word, word >> 8 | fill << 56);
        const unsigned plain = bits != 0 ? first_byte(bits) : left;
        size_ += plain;
        return at + plain;
    }

    void spill() noexcept {
        if (!spilled_) XXH3_64bits_reset(&state_);
        spilled_ = true;
        XXH3_64bits_update(&state_, buffer_, size_ - kept);
        std::memmove(buffer_, buffer_ + size_ - kept, kept);
        size_ = kept;
    }

    char buffer_[4096];
    std::size_t size_ = 0;
    bool spilled_ = false;
    XXH3_state_t state_;
};

/// Masks one line: numbers, hex words with a digit and UUIDs become `#`, white space becomes one space.
class LineMasker {
public:
    explicit LineMasker(std::string_view line) noexcept
        : at_(line.data()), end_(line.data() + line.size()), size_(line.size()), plain_until_(line.data()) {}

    [[nodiscard]] std::uint64_t hash() noexcept {
        for (;;) {
            at_ = text_.copy_plain(at_, end_, size_);
            if (at_ == end_) return text_.hash();
            const auto kind = class_of(*at_);
            if (kind == char_digit)
                mask_number();
            else if (kind == char_space)
                fold_space();
            else
                text_.put(*at_++);
        }
    }

private:
    [[nodiscard]] bool is_word(const char* at) const noexcept {
        return at != end_ && (class_of(*at) & (char_digit | char_hex | char_letter)) != 0;
    }
    [[nodiscard]] bool is_digit(const char* at) const noexcept { return at < end_ && class_of(*at) == char_digit; }
    [[nodiscard]] const char* digits_end(const char* at) const noexcept {
        while (is_digit(at)) ++at;
        return at;
    }
    [[nodiscard]] const char* hex_end(const char* at) const noexcept {
        while (at != end_ && (class_of(*at) & (char_digit | char_hex)) != 0) ++at;
        return at;
    }

    void fold_space() noexcept {
        while (at_ != end_ && class_of(*at_) == char_space) ++at_;
        if (!text_.ends_with(' ')) text_.put(' ');
    }

    void mask_number() noexcept {
        const auto letters = text_.hex_letters_at_end();
        if (skip_word(letters != MaskedText::npos)) text_.drop(letters);
        text_.put('#');
        while (end_ - at_ > 1 && (*at_ == '.' || *at_ == ',' || *at_ == ':') && is_digit(at_ + 1)) {
            ++at_;
            skip_word(true);
        }
    }

    /// Skips a whole hex word (with the groups of a UUID after it) if it is one and may be, else only its digits. A
    /// word that turned out not to be hex is remembered, so that no byte is looked at again and again.
    bool skip_word(bool may_be_hex) noexcept {
        if (at_ >= plain_until_) {
            const bool prefixed = end_ - at_ > 2 && at_[0] == '0' && (at_[1] | 0x20) == 'x';
            const char* stop = hex_end(prefixed ? at_ + 2 : at_);
            if (may_be_hex && !is_word(stop)) {
                at_ = stop;
                skip_uuid_groups();
                return true;
            }
            plain_until_ = stop;
        }
        at_ = digits_end(at_);
        return false;
    }

    void skip_uuid_groups() noexcept {
        while (end_ - at_ > 4 && *at_ == '-') {
            const char* stop = at_ + 1;
            while (stop != end_ && stop - at_ <= 13 && (class_of(*stop) & (char_digit | char_hex)) != 0) ++stop;
            const auto size = stop - at_ - 1;
            if (is_word(stop) || (size != 4 && size != 12)) return;
            at_ = stop;
        }
    }

    const char* at_;
    const char* end_;
    std::size_t size_;
    const char* plain_until_;
    MaskedText text_;
};

}  // namespace heeler::inline HEELER_ABI::detail

namespace heeler::inline HEELER_ABI::text {

/// The fingerprint of one line without its line break. A line with nothing to mask costs one hash; any length is fine,
/// nothing is allocated. For a line that is masked already, `normal` is the low half of `exact`.
[[nodiscard]] inline Fingerprint fingerprint_line(std::string_view line) noexcept {
    const std::uint64_t exact = fingerprint_text(line);
    const char* end = line.data() + line.size();
    if (detail::find_maskable(line.data(), end) == end) return {exact, static_cast<std::uint32_t>(exact)};
    return {exact, static_cast<std::uint32_t>(detail::LineMasker(line).hash())};
}

}  // namespace heeler::inline HEELER_ABI::text
