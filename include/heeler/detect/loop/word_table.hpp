// Finds words that tell of failure, success or waiting in what tools answer: one pass, at word boundaries, in any case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <heeler/config.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/text/bits.hpp>

namespace heeler::inline HEELER_ABI::loops {

/// What a word says. English only.
enum Said : std::uint16_t {
    said_strong = 1,        ///< a failure
    said_error = 2,         ///< a failure, where a line that tells of one is looked for
    said_ack = 4,           ///< it was done
    said_pending = 8,       ///< it is not ready yet
    said_infra = 16,        ///< the service behind a tool is not there
    said_countable = 32,    ///< with a zero before or behind it the word says nothing
    said_traceback = 64,    ///< the beginning of a stack trace
    said_opening = 128,     ///< near the beginning of a long text: that text is a failure
    said_tested = 512,      ///< counts tests: each number in the line is an answer
    said_exit = 1024,       ///< an exit code follows
    said_http = 2048,       ///< a status may follow
    said_act = 4096,        ///< likewise, of what may also be said of a thing that is looked at
    said_absent = 8192,     ///< what was asked for is not there
    said_first_line = 256,  ///< in the first line of a long text, likewise
    said_held = 16384       ///< somebody else has it just now
};

namespace detail {

inline constexpr auto folded = [] {
    std::array<char, 256> table{};
    for (std::size_t c = 0; c < table.size(); ++c) table[c] = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20u : c);
    return table;
}();

[[nodiscard]] constexpr char fold(char c) noexcept { return folded[static_cast<unsigned char>(c)]; }
[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Letters of other languages count as letters: what is no ASCII.
inline constexpr auto letters = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0; c < table.size(); ++c)
        table[c] = c >= 0x80 || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return table;
}();
inline constexpr auto word_bytes = [] {
    auto table = letters;
    for (std::size_t c = '0'; c <= '9'; ++c) table[c] = true;
    table['_'] = true;
    return table;
}();

[[nodiscard]] constexpr bool is_letter(char c) noexcept { return letters[static_cast<unsigned char>(c)]; }
[[nodiscard]] constexpr bool is_word(char c) noexcept { return word_bytes[static_cast<unsigned char>(c)]; }

[[nodiscard]] constexpr const char* word_end(const char* at, const char* end) noexcept {
    while (at != end && is_word(*at)) ++at;
    return at;
}
[[nodiscard]] constexpr const char* digits_end(const char* at, const char* end) noexcept {
    while (at != end && is_digit(*at)) ++at;
    return at;
}
[[nodiscard]] constexpr const char* skip_blanks(const char* at, const char* end) noexcept {
    while (at != end && is_blank(*at)) ++at;
    return at;
}
[[nodiscard]] constexpr std::string_view between(const char* first, const char* last) noexcept {
    return {first, static_cast<std::size_t>(last - first)};
}
[[nodiscard]] constexpr std::string_view trim(std::string_view text) noexcept {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

/// Whether `text` begins with `word`, which is lower case, in any case and ends there or goes on with no word byte.
[[nodiscard]] constexpr bool begins_with_word(std::string_view text, std::string_view word) noexcept {
    if (text.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
        if (fold(text[i]) != word[i]) return false;
    return text.size() == word.size() || !is_word(text[word.size()]);
}

/// Where `phrase`, which is lower case, ends if it stands at `at`; null if it does not. A blank in it stands for
/// blanks, a hyphen or an underscore.
[[nodiscard]] constexpr const char* match_phrase(const char* at, const char* end, std::string_view phrase) noexcept {
    for (const char wanted : phrase) {
        if (at == end) return nullptr;
        if (wanted != ' ') {
            if (fold(*at++) != wanted) return nullptr;
            continue;
        }
        if (*at != ' ' && *at != '\t' && *at != '_' && *at != '-') return nullptr;
        ++at;
        while (at != end && (*at == ' ' || *at == '\t')) ++at;
    }
    return at == end || !is_word(*at) ? at : nullptr;
}

inline constexpr std::uint16_t failure = said_strong | said_error;
inline constexpr std::uint16_t counted_failure = failure | said_countable;

/// What phrases say, each of which stands in one of these lists.
struct Wording {
    std::uint16_t said;
    std::string_view phrases;  ///< with commas between
};

inline constexpr Wording wordings[] = {
    {failure,
     "bad substitution,can't,can\xE2\x80\x99t,cannot,core dumped,could not,couldn't,couldn\xE2\x80\x99t,denied,"
     "fatal,forbidden,invalid,no module,nonetype,not a valid,not been read,not defined,not ok,not permitted,"
     "not precise,not recognised,not recognized,nothing happens,panicked,refused,rejected,segmentation fault,"
     "timed out,try again,unable,unauthorized,unknown action,unknown argument,unknown column,unknown command,"
     "unknown flag,unknown option,unknown tool,unrecognised,unrecognized,\xE2\x9C\x96,\xE2\x9C\x97,\xE2\x9C\x98,"
     "\xE2\x9D\x8C"},
    {failure | said_absent,
     "do not exist,does not exist,doesn't exist,doesn\xE2\x80\x99t exist,don't exist,no such,not exist,not found"},
    {failure | said_first_line, "command not found,no such file,syntax error"},
    {failure | said_opening,
     "did not appear,did not fix,did not match,did not pass,did not target,did not work,no replacement,"
     "too much output"},
    {failure | said_opening | said_first_line, "not been applied,not been edited"},
    {failure | said_infra,
     "bad gateway,connection refused,connection reset,connection timed out,econnrefused,econnreset,etimedout,"
     "gateway timeout,service unavailable,temporarily unavailable,too many requests"},
    {failure | said_held, "could not get lock,database is locked,resource busy,text file busy"},
    {said_held,
     "another git process,another process,acquire lock,acquire the lock,already locked,held by process,lock is held,"
     "lock wait timeout,locked by,obtain lock,state lock"},
    {failure | said_traceback, "traceback"},
    {counted_failure, "error,errors,exception,failed,failure"},
    {said_countable | said_error, "exceptions,failing,failures"},
    {said_error,
     "aborted,exceeds,illegal,incorrect,mismatch,missing,not allowed,not supported,too large,too long,too many,"
     "too much,undefined,unexpected,wrong"},
    {said_infra, "overloaded,rate limit,rate limited"},
    {said_ack,
     "accepted,added,applied,continue,created,deleted,modified,noted,ok,received,recorded,removed,saved,scheduled,"
     "sent,stored,submitted,success,successful,successfully,thank you,updated,written"},
    {said_ack | said_act, "done"},
    {said_act,
     "archived,assigned,cleared,clicked,copied,downloaded,dragged,entered,generated,hovered,inserted,installed,"
     "labeled,labelled,moved,navigated,posted,pressed,published,registered,renamed,scrolled,tagged,typed,uploaded"},
    {said_pending,
     "in progress,not finished,not ready,not yet finished,not yet ready,pending,processing,running,starting up,"
     "waiting for"},
    {said_pending | said_ack, "queued"},
    {said_tested, "passed,passing,skipped,tests"},
    {said_exit, "exit code,exit status,exited with code,exited with status"},
    {said_http, "http"},
};

struct Phrase {
    std::string_view text{};
    std::uint16_t said = 0;
    std::uint8_t next = 0;  ///< one that begins with the same two letters: its place, counted from 1; 0: none
};

/// Finds phrases by their first two letters.
class PhraseIndex {
public:
    consteval PhraseIndex() {
        std::uint8_t count = 0;
        for (const Wording& wording : wordings)
            for (std::string_view left = wording.phrases; !left.empty();) {
                const std::string_view text = heeler::detail::take_word(left, ',');
                const std::size_t place = slot(text.data());
                phrases_[count] = {text, wording.said, first_[place]};
                first_[place] = ++count;
                thirds_[place] |= text.size() < 3 ? ~std::uint32_t{0} : bit(text[2]);
                // A blank in a phrase may be a hyphen or an underscore in a text, or several blanks.
                if (text.size() > 2 && text[2] == ' ') thirds_[place] |= bit('\t') | bit('-') | bit('_');
            }
    }
    /// Whether a phrase may begin with the letters at `at`. Others may look like them, never the reverse.
    [[nodiscard]] constexpr bool may_begin(const char* at, const char* end) const noexcept {
        return end - at >= 2 && (thirds_[slot(at)] & bit(end - at > 2 ? at[2] : ' ')) != 0;
    }
    /// One that may begin with the two letters at `at`, and what comes after it; null if there is none.
    [[nodiscard]] constexpr const Phrase* first(const char* at) const noexcept { return phrase(first_[slot(at)]); }
    [[nodiscard]] constexpr const Phrase* behind(const Phrase& one) const noexcept { return phrase(one.next); }

private:
    [[nodiscard]] static constexpr std::size_t slot(const char* at) noexcept {
        return (static_cast<unsigned char>(at[0]) & 31u) << 5 | (static_cast<unsigned char>(at[1]) & 31u);
    }
    [[nodiscard]] static constexpr std::uint32_t bit(char third) noexcept {
        return std::uint32_t{1} << (static_cast<unsigned char>(third) & 31u);
    }
    [[nodiscard]] constexpr const Phrase* phrase(std::uint8_t place) const noexcept {
        return place > 0 ? &phrases_[place - 1] : nullptr;
    }

    Phrase phrases_[192]{};  ///< if there are more, this does not compile
    std::uint32_t thirds_[1024]{};
    std::uint8_t first_[1024]{};
};
inline constexpr PhraseIndex phrase_index{};

/// The word before `at`, with nothing but blanks (or an opening quote) between; empty if there is none.
[[nodiscard]] constexpr std::string_view word_before(const char* begin, const char* at) noexcept {
    while (at != begin && (is_blank(at[-1]) || at[-1] == '-' || at[-1] == '/')) --at;
    const char* last = at;
    while (at != begin && is_word(at[-1])) --at;
    return between(at, last);
}

[[nodiscard]] constexpr bool is_zero(std::string_view word) noexcept {
    return word == "0" || begins_with_word(word, "no") || begins_with_word(word, "zero") ||
           begins_with_word(word, "without") || begins_with_word(word, "any");
}

/// "0 errors", "no test failures", "0 of 12 tests failed".
[[nodiscard]] constexpr bool zero_before(const char* begin, const char* at) noexcept {
    bool other = false;
    for (int words = 0; words < 5; ++words) {
        const std::string_view word = word_before(begin, at);
        if (word.empty()) return false;
        if (is_zero(word)) return true;
        const bool part_of_count =
            is_digit(word.front()) || begins_with_word(word, "of") || begins_with_word(word, "out");
        if (!part_of_count && other) return false;
        other = other || !part_of_count;
        at = word.data();
    }
    return false;
}

/// "errors: 0", "failed = 0", `"error": null`, "Error: (none)", "error-free".
[[nodiscard]] constexpr bool zero_behind(const char* at, const char* end) noexcept {
    if (end - at >= 5 && (*at == '-' || *at == ' ') && begins_with_word(between(at + 1, end), "free")) return true;
    const char* value = at;
    bool assigned = false;
    while (value != end && (is_blank(*value) || *value == '"' || *value == '\'' || *value == ':' || *value == '=' ||
                            *value == '(' || *value == '*')) {
        assigned = assigned || *value == ':' || *value == '=';
        ++value;
    }
    if (value == end || value == at) return false;
    if (*value == '0') {
        const char* behind = value + 1;
        return behind == end || (!is_word(*behind) && (*behind != '.' || behind + 1 == end || !is_digit(behind[1])));
    }
    if (!assigned) return false;
    const std::string_view rest = between(value, end);
    const std::string_view count =
        rest.substr(static_cast<std::size_t>(word_end(value, end) - value));  // "connect 0, read 0"
    if (count.starts_with(" 0") && rest.find_first_of("123456789") == std::string_view::npos) return true;
    if (rest.starts_with("[]") || rest.starts_with("{}") || (rest[0] == ',' && value[-1] == '"')) return true;
    constexpr std::string_view nones[] = {"null", "none", "false", "nil"};
    for (const std::string_view none : nones)
        if (begins_with_word(rest, none)) return true;
    return begins_with_word(rest, "no") && (rest.size() == 2 || !is_blank(rest[2]));
}

/// A word of failure in a file's name or an identifier says nothing: "src/errors.py", "error-handling", "on_error(".
[[nodiscard]] constexpr bool is_in_name(const char* begin, const char* first, const char* last,
                                        const char* end) noexcept {
    if (first != begin) {
        const char before = first[-1];
        if (before == '/' || before == '\\' || before == '-' || before == '@' || before == '$') return true;
        if (before == '.' && !is_upper(*first)) return true;
    }
    if (last == end) return false;
    if (*last == '(') return !between(last, end).starts_with("(s)");  // "error(s)" calls nothing
    const char behind = last + 1 == end ? '\0' : last[1];
    return (*last == '.' || *last == '-' || *last == '/' || *last == '\\') && is_word(behind);
}

/// "KeyError", "java.io.IOException": what names an exception.
[[nodiscard]] constexpr bool is_exception_name(std::string_view word) noexcept {
    constexpr std::string_view error = "Error", exception = "Exception";
    if (word.empty() || !is_upper(word.front()) || (word.back() != 'r' && word.back() != 'n')) return false;
    return (word.size() > error.size() && word.ends_with(error)) ||
           (word.size() > exception.size() && word.ends_with(exception));
}

/// Behind the control sequence of a terminal at `at`.
[[nodiscard]] constexpr const char* skip_escape(const char* at, const char* end) noexcept {
    if (++at == end || *at != '[') return at;
    for (++at; at != end; ++at)
        if (*at >= 0x40 && *at <= 0x7E) return at + 1;
    return at;
}

/// A word or the control sequence of a terminal.
inline constexpr auto begins_something = [] {
    auto table = word_bytes;
    table[0x1B] = true;
    return table;
}();

/// `"success": false`, "ok=False".
[[nodiscard]] constexpr bool false_behind(const char* at, const char* end) noexcept {
    bool assigned = false;
    while (at != end && (is_blank(*at) || *at == '"' || *at == '\'' || *at == ':' || *at == '=')) {
        assigned = assigned || *at == ':' || *at == '=';
        ++at;
    }
    return assigned && begins_with_word(between(at, end), "false");
}

/// Test programs write it so; in small letters it may be any word.
[[nodiscard]] constexpr bool is_failure_mark(const char* begin, const char* first, const char* last,
                                             const char* end) noexcept {
    const std::string_view word = between(first, last);
    if (word != "FAIL" && word != "ERR") return false;
    return !zero_before(begin, first) && !zero_behind(last, end) && !is_in_name(begin, first, last, end);
}

/// What the phrases at the beginning of the word say.
[[nodiscard]] constexpr std::uint16_t said_at(const char* begin, const char* at, const char* end) noexcept {
    if (!phrase_index.may_begin(at, end)) return 0;
    std::uint16_t said = 0;
    const char third = end - at > 2 ? fold(at[2]) : '\0';
    for (const Phrase* each = phrase_index.first(at); each != nullptr; each = phrase_index.behind(*each)) {
        const Phrase& phrase = *each;
        if (phrase.text.size() > 2 && phrase.text[2] != ' ' && phrase.text[2] != third) continue;
        const char* last = match_phrase(at, end, phrase.text);
        if (last == nullptr) continue;
        if ((phrase.said & said_error) != 0 && is_in_name(begin, at, last, end)) continue;
        if ((phrase.said & said_countable) != 0 && (zero_before(begin, at) || zero_behind(last, end))) continue;
        const bool denied = (phrase.said & (said_ack | said_act)) != 0 && false_behind(last, end);
        const bool is_state = (phrase.said & said_act) != 0;  // what is not done yet
        said = static_cast<std::uint16_t>(said | (!denied ? phrase.said : is_state ? 0 : failure));
    }
    return said;
}

}  // namespace detail

/// "warning: ...", "bash: warning: ...", "[WARNING] ...": who only warns went on.
[[nodiscard]] constexpr bool is_warning(std::string_view line) noexcept {
    constexpr std::size_t opening = 80;
    constexpr std::string_view word = "warning";
    line = detail::trim(line);
    if (line.starts_with('[')) line.remove_prefix(1);
    line = line.substr(0, opening + word.size());
    while (line.size() > word.size()) {
        if ((line[word.size()] == ':' || line[word.size()] == ']') && detail::begins_with_word(line, word)) return true;
        const std::size_t colon = line.find(": ");
        if (colon == std::string_view::npos) return false;
        line.remove_prefix(colon + 2);
    }
    return false;
}

namespace detail {

/// What the word at `at` says, with what follows it.
[[nodiscard]] constexpr std::uint16_t said_by_word(const char* begin, const char* at, const char* end) noexcept {
    if (!is_letter(*at)) return 0;
    const std::uint16_t said = said_at(begin, at, end);
    if (!is_upper(*at)) return said;
    const char* last = word_end(at, end);
    const bool names_exception = is_exception_name(between(at, last)) && !is_in_name(begin, at, last, end);
    return names_exception || is_failure_mark(begin, at, last, end) ? static_cast<std::uint16_t>(said | failure) : said;
}

/// Byte by byte: for short texts, and those with control sequences of a terminal.
[[nodiscard]] constexpr std::uint16_t said_by_bytes(std::string_view text) noexcept {
    const char* begin = text.data();
    const char* end = begin + text.size();
    std::uint16_t said = 0;
    for (const char* at = begin;;) {
        while (at != end && !begins_something[static_cast<unsigned char>(*at)]) ++at;
        if (at == end) return said;
        if (*at == '\x1b') {
            at = begin = skip_escape(at, end);
            continue;
        }
        said = static_cast<std::uint16_t>(said | said_by_word(begin, at, end));
        at = word_end(at, end);
    }
}

inline constexpr std::size_t word_block = 64;

/// Which of the `word_block` bytes at `at` are part of a word: a bit each, of the first byte the lowest. Compilers make
/// vector code of the inner loop.
[[nodiscard]] inline std::uint64_t word_bits(const char* at) noexcept {
    constexpr std::uint64_t gather = heeler::detail::is_little_endian ? 0x0102040810204080ULL : 0x8040201008040201ULL;
    unsigned char in_word[word_block];
    for (std::size_t i = 0; i < word_block; ++i) {
        const auto c = static_cast<unsigned char>(at[i]);
        const bool letter = static_cast<unsigned char>((c | 0x20u) - 'a') < 26,
                   digit = static_cast<unsigned char>(c - '0') < 10;
        in_word[i] = static_cast<unsigned char>(letter | digit | (c == '_') | (c >= 0x80));
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < word_block; i += 8) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, in_word + i, sizeof eight);
        bits |= (eight * gather >> 56) << i;
    }
    return bits;
}

}  // namespace detail

/// What the words of `text` say together (`Said`). Linear, never allocates.
[[nodiscard]] constexpr std::uint16_t said_in(std::string_view text) noexcept {
    constexpr std::size_t few = 24;
    if (std::is_constant_evaluated() || text.size() <= few || text.find('\x1b') != std::string_view::npos)
        return detail::said_by_bytes(text);
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    std::array<char, detail::word_block> last{};
    std::uint64_t before = 0;  // whether the byte before the block is part of a word
    std::uint16_t said = 0;
    for (std::size_t from = 0; from < text.size(); from += detail::word_block) {
        const bool whole = text.size() - from >= last.size();
        if (!whole) std::memcpy(last.data(), begin + from, text.size() - from);
        const std::uint64_t bits = detail::word_bits(whole ? begin + from : last.data());
        for (std::uint64_t starts = bits & ~(bits << 1 | before); starts != 0; starts &= starts - 1) {
            const char* at = begin + from + heeler::detail::zeros_behind(starts);
            if (detail::is_upper(*at) || detail::phrase_index.may_begin(at, end))  // nearly always neither
                said = static_cast<std::uint16_t>(said | detail::said_by_word(begin, at, end));
        }
        before = bits >> 63;
    }
    return said;
}

}  // namespace heeler::inline HEELER_ABI::loops
