// Finds what a failure says, whatever it is about: two failures with one key are the same failure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/detect/loop/command.hpp>
#include <heeler/detect/loop/facts.hpp>
#include <heeler/detect/loop/masks.hpp>
#include <heeler/detect/loop/word_table.hpp>

namespace heeler::inline HEELER_ABI::loops {

struct ErrorKey {
    std::uint64_t key = 0;
    std::uint64_t subject = 0;  ///< of the call's own words and of literals; 0: there were none
    std::uint32_t letters = 0;  ///< of the words in the key
    std::uint32_t words = 0;    ///< distinct ones
    bool names_tool = false;    ///< it says which tool was called
};

namespace detail {

inline constexpr Words counted_words{
    "test tests passed failed failure failures error errors warning warnings problem problems issue issues left "
    "remaining done todo pending items item cases case skipped conflicts conflict violations violation passing "
    "failing"};

/// Words that are part of a failure's own language even where the call has them too.
inline constexpr Words plain_words{
    "a an the of in on at to for is are be not no and or with from by it this that was has have file files directory "
    "command module name named line near found such exist exists does did can could unexpected expected but got "
    "object type value key argument arguments option user access permission string"};

inline constexpr Words trying_words{"attempt attempts try tries retry retries retrying"};

/// "Attempt 3 of 10", "retry #2/5": how often it was tried is no progress.
[[nodiscard]] constexpr bool counts_tries(const char* begin, const char* first) noexcept {
    while (first != begin && (is_blank(first[-1]) || first[-1] == '#' || first[-1] == ':' || first[-1] == '(')) --first;
    const char* last = first;
    while (first != begin && is_letter(first[-1])) --first;
    return trying_words.has(between(first, last));
}

/// Whether the number from `number` to `last` counts something: "3 failed", "2 unit tests", "50%", "3/10", "3 out of
/// 10". Not the rest of a fraction, nor what stands before the level of a line in a log: "0.213 ERROR: ...".
[[nodiscard]] constexpr bool is_count(const char* begin, const char* number, const char* last,
                                      const char* end) noexcept {
    if (last == end) return false;
    if (*last == '%') return true;
    if (number - begin > 1 && number[-1] == '.' && is_digit(number[-2])) return false;
    if (counts_tries(begin, number)) return false;
    if (*last == '/') return end - last > 1 && is_digit(last[1]);
    if (*last != ' ') return false;
    const char* first = last + 1;
    for (int words = 0; words < 2; ++words) {
        const char* stop = word_end(first, end);
        const std::string_view word = between(first, stop);
        if (word.empty() || word == "ERROR" || word == "WARNING") return false;
        if (counted_words.has(word)) return true;
        if (word == "of") return end - stop > 1 && is_digit(stop[1]);
        if (stop == end || *stop != ' ') return false;
        first = stop + 1;
    }
    return false;
}

/// "11 vulnerabilities", "7 uncovered lines": behind the number stand things, whichever they are.
[[nodiscard]] constexpr bool is_of_things(const char* last, const char* end) noexcept {
    for (int words = 0; words < 2 && last != end && *last == ' '; ++words) {
        const char* stop = word_end(last + 1, end);
        if (stop - last > 4 && fold(stop[-1]) == 's' && fold(stop[-2]) != 's') return true;
        last = stop;
    }
    return false;
}

/// Letters and digits in no order, such as a request's id: hexadecimal, or long. A failure tells who was asked, not
/// what was found.
[[nodiscard]] constexpr bool is_random_id(std::string_view word) noexcept {
    if (word.size() < 8) return false;
    std::size_t digits = 0, hex = 0;
    for (const char c : word) {
        if (c == '_' || static_cast<unsigned char>(c) >= 0x80) return false;
        digits += is_digit(c) ? 1 : 0;
        hex += is_digit(c) || (fold(c) >= 'a' && fold(c) <= 'f') ? 1 : 0;
    }
    return digits >= 2 && digits + 2 <= word.size() && (hex == word.size() || word.size() >= 16);
}

// What may stand in a path or in a word: 0 nothing, 1 what does, 2 what is to be looked at more closely.
inline constexpr auto name_bytes = [] {
    std::array<char, 256> table{};
    for (std::size_t c = 0; c < table.size(); ++c) table[c] = word_bytes[c] ? 1 : 0;
    for (const char c : {'~', '@', '+'}) table[static_cast<unsigned char>(c)] = 1;
    for (const char c : {'/', '\\', '.', '-', '\xE2'}) table[static_cast<unsigned char>(c)] = 2;
    return table;
}();

/// A set of tokens, for many questions of which most are answered by no.
class TokenFilter {
public:
    explicit constexpr TokenFilter(const TokenSet& set) noexcept : set_{set} {
        for (std::size_t i = 0; i < set.size(); ++i) bits_ |= std::uint64_t{1} << (set.tokens[i] & 63u);
    }
    [[nodiscard]] constexpr bool has(std::uint16_t token) const noexcept {
        return (bits_ >> (token & 63u) & 1) != 0 && set_.has(token);
    }

private:
    const TokenSet& set_;
    std::uint64_t bits_ = 0;
};

/// Reads one line of a failure and leaves out of its key what the call brought with it.
class ErrorKeyReader {
public:
    ErrorKeyReader(std::string_view text, const CallFacts& call) noexcept
        : call_{call},
          begin_{text.data()},
          at_{text.data()},
          end_{text.data() + text.size()},
          tokens_{call.tokens},
          is_object_{trim(text).starts_with('{') || trim(text).starts_with("[{")} {}

    [[nodiscard]] ErrorKey read() noexcept {
        MaskFinder finder{begin_, end_};
        MaskSpan span = finder.next();
        while (at_ != end_) {
            while (span.mask != Mask::none && span.first < at_) span = finder.next();
            if (span.mask != Mask::none && at_ == span.first) {
                add(masked_sign);
                at_ = span.last;
            } else {
                step(span.first);
            }
        }
        return made_;
    }

private:
    enum Sign : std::uint64_t { no_sign, argument_sign, path_sign, masked_sign, number_sign, word_sign };

    void step(const char* stop) noexcept {
        if (is_lower(static_cast<char>(*at_ | 0x20))) {  // nearly always
            if (!plain_word(stop)) name(stop);
        } else if (*at_ == ' ') {
            ++at_;
        } else if (*at_ == '\x1b') {
            at_ = skip_escape(at_, end_);
        } else if (const char* inside = quote_end(at_); inside != nullptr && literal(inside)) {
            return;
        } else if (is_digit(*at_)) {
            number();
        } else if (is_word(*at_) || *at_ == '/' || *at_ == '.' || *at_ == '~') {
            name(stop);
        } else {
            ++at_;
        }
    }

    // --- literals ---------------------------------------------------------------------------------------------------
    static constexpr std::ptrdiff_t longest_literal = 200;

    /// Behind the quote or bracket that opens a literal at `at`; null if none does.
    [[nodiscard]] const char* quote_end(const char* at) const noexcept {
        if (*at == '[' || *at == '{' || *at == '<') return at + 1;
        const bool in_word = at != begin_ && is_word(at[-1]) && static_cast<unsigned char>(at[-1]) < 0x80;
        if (is_object_ && (*at == '\'' || *at == '"')) return nullptr;
        if ((*at == '\'' || *at == '"' || *at == '`') && !in_word) return at + 1;
        if (is_curly_quote(at)) return at + 3;
        return nullptr;
    }
    [[nodiscard]] bool is_curly_quote(const char* at) const noexcept {
        return end_ - at >= 3 && at[0] == '\xE2' && at[1] == '\x80' &&
               (at[2] == '\x98' || at[2] == '\x99' || at[2] == '\x9C' || at[2] == '\x9D');
    }
    [[nodiscard]] bool closes(const char* at, char opened) const noexcept {
        if (opened == '\xE2') return is_curly_quote(at);
        if (opened == '`') return *at == '`' || *at == '\'';
        if (opened == '\'' || opened == '"') return *at == opened && (end_ - at == 1 || !is_letter(at[1]));
        return *at == (opened == '[' ? ']' : opened == '{' ? '}' : '>');
    }
    /// Takes the literal from `inside` on, if it ends soon. One of the call's own words may end in another line.
    [[nodiscard]] bool literal(const char* inside) noexcept {
        const char opened = *at_;
        const char* stop = inside;
        while (stop != end_ && stop - inside < longest_literal && !closes(stop, opened)) ++stop;
        const std::string_view text = between(inside, stop);
        if (stop - inside == longest_literal || stop == inside || (stop == end_ && !is_of_call(text))) return false;
        if ((said_in(text) & said_error) != 0) return false;  // "[ERROR] ..."
        at_ = stop == end_ ? end_ : stop + (inside - at_);
        if (!is_the_tool(text)) add_subject(text::fingerprint_text(text));
        if (is_the_tool(text) || is_of_call(text))
            add(argument_sign);
        else
            add(has_random_id(text) ? std::uint64_t{number_sign} : shape_hash(text));
        return true;
    }
    [[nodiscard]] bool is_the_tool(std::string_view text) noexcept {
        const std::uint64_t hash = text::fingerprint_text(text);
        const bool is_it = static_cast<std::uint32_t>(hash ^ (hash >> 32)) == call_.tool;
        made_.names_tool = made_.names_tool || is_it;
        return is_it;
    }
    [[nodiscard]] static bool has_random_id(std::string_view text) noexcept {
        const char* end = text.data() + text.size();
        for (const char* at = text.data(); at != end;) {
            const char* stop = word_end(at, end);
            if (is_random_id(between(at, stop))) return true;
            at = stop == at ? at + 1 : stop;
        }
        return false;
    }
    /// All words of the text are the call's.
    [[nodiscard]] bool is_of_call(std::string_view text) const noexcept {
        const char* end = text.data() + text.size();
        bool any = false;
        for (const char* at = text.data(); at != end;) {
            if (!is_word(*at)) {
                ++at;
                continue;
            }
            const char* stop = is_digit(*at) ? loops::detail::digits_end(at, end) : word_end(at, end);
            const std::string_view word = between(at, stop);
            at = stop;
            if (word.size() < 2 && !is_digit(word[0])) continue;
            if (!tokens_.has(token_of(word))) return false;
            any = true;
        }
        return any;
    }

    // --- words ------------------------------------------------------------------------------------------------------
    void number() noexcept {
        const char* first = at_;
        if (const char* stop = word_end(at_, end_); is_random_id(between(at_, stop))) {
            at_ = stop;
            return add(number_sign);
        }
        at_ = loops::detail::digits_end(at_, end_);
        // "name==1.2": of what the call asked for.
        if (last_ == argument_sign && tokens_.has(token_of(between(first, at_)))) return;
        if (is_count(begin_, first, at_, end_))
            add(text::fingerprint_text(between(first, at_)));
        else
            add(number_sign);
    }
    /// A path, a file's name, or a word; not beyond `stop`, where something is masked.
    void name(const char* stop) noexcept {
        const char* last = at_;
        bool is_plain = true;
        for (; last != stop; ++last) {
            const char kind = name_bytes[static_cast<unsigned char>(*last)];
            if (kind == 1) continue;
            if (kind == 0 || is_curly_quote(last)) break;
            is_plain = false;
        }
        while (last != at_ && (last[-1] == '.' || last[-1] == '-')) --last;
        if (last == at_) {
            ++at_;
            return;
        }
        const std::string_view text = between(at_, last);
        if (!is_plain && is_path(text)) {
            add(path_sign);
            add_subject(text::fingerprint_text(text));
            at_ = last;
            return;
        }
        word(last);
    }
    /// "src/a.c", "C:\\x", "a.txt"; not "e.g" or "java.lang.Error".
    [[nodiscard]] static bool is_path(std::string_view text) noexcept {
        if (text.size() > 1 && text.find_first_of("/\\") != std::string_view::npos) return true;
        const auto dot = text.rfind('.');
        if (dot == std::string_view::npos || dot == 0 || text.size() - dot > 6 || text.size() - dot < 2) return false;
        for (const char c : text.substr(dot + 1))
            if (!is_lower(c) && !is_digit(c)) return false;
        return !is_digit(text[dot + 1]);
    }
    /// All letters, with nothing before or behind that a name may have: nearly always.
    [[nodiscard]] bool plain_word(const char* stop) noexcept {
        const char* last = at_;
        std::uint32_t hash = first_of_word_hash;
        for (; last != stop && is_letter(*last) && *last != '\xE2'; ++last) hash = next_of_word_hash(hash, fold(*last));
        if (last == at_ || (last != stop && name_bytes[static_cast<unsigned char>(*last)] != 0)) return false;
        const std::string_view text = between(at_, last);
        at_ = last;
        take(text, last_of_word_hash(hash), static_cast<std::uint32_t>(text.size()), 0);
        return true;
    }
    void word(const char* stop) noexcept {
        while (at_ != stop && !is_word(*at_)) ++at_;
        if (at_ == stop) return;
        if (is_digit(*at_)) return number();
        const std::string_view text = between(at_, word_end(at_, stop));
        at_ += text.size();
        std::uint32_t letter_count = 0, digit_count = 0;
        for (const char c : text) {
            letter_count += is_letter(c) ? 1 : 0;
            digit_count += is_digit(c) ? 1 : 0;
        }
        if (digit_count >= 2 && is_random_id(text)) return add(number_sign);
        take(text, word_hash(text), letter_count, digit_count);
    }
    void take(std::string_view text, std::uint32_t own_hash, std::uint32_t letter_count,
              std::uint32_t digit_count) noexcept {
        if (token_of(own_hash) == call_.name && is_the_tool(text)) return add(argument_sign);
        if (text.size() > 1 && tokens_.has(token_of(own_hash)) && !plain_words.has(own_hash) &&
            (said_in(text) & said_error) == 0) {
            add_subject(own_hash);
            return add(argument_sign);
        }
        made_.letters += letter_count;
        const std::uint32_t kept = digit_count == 0 ? own_hash : without_numbers(text);
        const std::uint32_t distinct = kept != 0 ? kept : 1;  // 0: a free place
        std::size_t i = distinct % std::size(distinct_);
        while (distinct_[i] != 0 && distinct_[i] != distinct) i = (i + 1) % std::size(distinct_);
        if (distinct_[i] == 0 && made_.words < std::size(distinct_) / 2) {
            distinct_[i] = distinct;
            ++made_.words;
        }
        add(std::uint64_t{kept} << 8 | word_sign);
    }
    /// The word's hash, each number in it masked.
    [[nodiscard]] static std::uint32_t without_numbers(std::string_view word) noexcept {
        std::uint32_t hash = first_of_word_hash;
        bool in_number = false;
        for (const char c : word) {
            if (!is_digit(c) || !in_number) hash = next_of_word_hash(hash, is_digit(c) ? '#' : fold(c));
            in_number = is_digit(c);
        }
        return last_of_word_hash(hash);
    }
    /// However many of the call's words stand in a row, the failure is the same.
    void add(std::uint64_t what) noexcept {
        if (what == argument_sign && last_ == argument_sign) return;
        last_ = what;
        const std::uint64_t mixed = (made_.key ^ what) * 0x9FB21C651E98DF25ULL;
        made_.key = mixed ^ mixed >> 29;
    }
    void add_subject(std::uint64_t what) noexcept { made_.subject = text::combine(made_.subject, what); }

    const CallFacts& call_;
    const char* begin_;
    const char* at_;
    const char* end_;
    TokenFilter tokens_;
    bool is_object_;  ///< all its words are quoted
    ErrorKey made_{};
    std::uint64_t last_ = no_sign;
    std::uint32_t distinct_[64]{};  ///< by their values, half of the places at most
};

/// The numbers of a text: those that count something, and all.
struct TextNumbers {
    std::uint64_t counts = 0;
    std::uint64_t all = 0;
    std::uint32_t runs = 0;
    std::uint32_t things = 0;  ///< together

    void add(std::string_view text) noexcept {
        constexpr std::uint32_t most = 8;
        const char* at = text.data();
        const char* end = at + text.size();
        if (next_digit(at, end) == end) return;
        MaskFinder finder{at, end};
        for (MaskSpan span = finder.next();; span = finder.next()) {
            for (at = next_digit(at, span.first); at != span.first; at = next_digit(at, span.first)) {
                const char* last = loops::detail::digits_end(at, span.first);
                const std::uint64_t number = text::fingerprint_text(between(at, last));
                if (runs < most) all = text::combine(all, number);
                ++runs;
                const bool in_word = at != text.data() && is_word(at[-1]);
                std::uint32_t value = 0;
                for (const char* digit = at; digit != last && value < 10'000; ++digit)
                    value = value * 10 + static_cast<std::uint32_t>(*digit - '0');
                if (!in_word && things + value <= 0xFFFF && is_of_things(last, end)) things += value;
                if (!in_word && is_count(text.data(), at, last, end))
                    counts = text::combine(counts, text::combine(number, counted_thing(last, end)));
                at = last;
            }
            if (span.mask == Mask::none) return;
            at = span.last;
        }
    }

private:
    [[nodiscard]] static std::uint64_t counted_thing(const char* last, const char* end) noexcept {
        const char* first = skip_blanks(last, end);
        return word_hash(between(first, word_end(first, end)));
    }
};

/// The first sentence of `line`, if that tells of a failure; else all of it.
[[nodiscard]] constexpr std::string_view telling_sentence(std::string_view line) noexcept {
    constexpr auto none = std::string_view::npos;  // searches for one character are by far the fastest
    if (line.find('.') == none && line.find('!') == none && line.find('?') == none) return line;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
        if ((line[i] != '.' && line[i] != '!' && line[i] != '?') || !is_blank(line[i + 1])) continue;
        const std::string_view sentence = line.substr(0, i);
        if ((said_in(sentence) & said_error) != 0) return sentence;
    }
    return line;
}

}  // namespace detail

/// The key of what `line`, an answer to `call`, says. At most the first 400 bytes count.
[[nodiscard]] inline ErrorKey error_key(std::string_view line, const CallFacts& call) noexcept {
    constexpr std::size_t most = 400;
    return detail::ErrorKeyReader{line.substr(0, most), call}.read();
}

}  // namespace heeler::inline HEELER_ABI::loops
