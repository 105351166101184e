// Recognises answers that say no more than that there is nothing to say, exit codes, and codes of a failing service.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/detect/loop/command.hpp>
#include <heeler/detect/loop/masks.hpp>
#include <heeler/detect/loop/word_table.hpp>

namespace heeler::inline HEELER_ABI::loops::detail {

inline constexpr Words empty_values{"null none undefined nil error empty nothing void"};
inline constexpr Words empty_things{
    "file files match matches result results data record records row rows entry entries item items output content "
    "contents hits lines documents pages classes class methods method functions changes text response references "
    "symbols directories todos diagnostics"};
inline constexpr Words thing_kinds{"matching more relevant further search new additional stdout such"};
inline constexpr Words behind_things{
    "found returned matched matching match available for in with to from were was yet here that exist produced set "
    "matches named selected affected"};
inline constexpr Words zeros{"0 null none"};
inline constexpr Words exit_words{"process command exited exit with code status finished the script completed program"};
inline constexpr Words status_words{"http https status error code returned response status_code statuscode"};
inline constexpr Words status_phrases{"internal bad service gateway too server temporarily"};

/// The words and numbers of a short line.
class ShortAnswer {
public:
    static constexpr std::size_t most = 24;

    explicit constexpr ShortAnswer(std::string_view line) noexcept : line_{line} {
        const char* end = line.data() + line.size();
        for (const char* at = line.data(); at != end;) {
            if (*at == '\x1b') {
                at = skip_escape(at, end);
            } else if (!is_word(*at)) {
                ++at;
            } else {
                const char* stop = word_end(at, end);
                if (count_ == most)
                    overflows_ = true;
                else if (!is_key(stop, end))
                    words_[count_++] = between(at, stop);
                at = stop;
            }
        }
    }

    [[nodiscard]] constexpr bool says_nothing() const noexcept {
        if (overflows_) return false;
        if (line_.front() == '{') return all_in(zeros);
        if (count_ == 0) return line_.size() <= 8;
        return (count_ == 1 && empty_values.has(words_[0])) || is_exit_code() || has_nothing_of() || has_no_output() ||
               is_empty();
    }
    /// "Exit code 1", "Process exited with code 2".
    [[nodiscard]] constexpr bool is_exit_code() const noexcept {
        if (count_ < 3 || overflows_ || !is_number(count_ - 1)) return false;
        for (std::size_t i = 0; i + 1 < count_; ++i)
            if (!exit_words.has(words_[i])) return false;
        return is(count_ - 2, "code") || is(count_ - 2, "status");
    }

private:
    /// Of a JSON object only the values say something.
    [[nodiscard]] constexpr bool is_key(const char* stop, const char* end) const noexcept {
        if (line_.front() != '{' || stop == end || *stop != '"') return false;
        const char* colon = skip_blanks(stop + 1, end);
        return colon != end && *colon == ':';
    }
    [[nodiscard]] constexpr bool is(std::size_t i, std::string_view word) const noexcept {
        return i < count_ && words_[i].size() == word.size() && begins_with_word(words_[i], word);
    }
    [[nodiscard]] constexpr bool is_number(std::size_t i) const noexcept {
        for (const char c : words_[i])
            if (!is_digit(c)) return false;
        return true;
    }
    [[nodiscard]] constexpr bool all_in(const Words& words) const noexcept {
        for (std::size_t i = 0; i < count_; ++i)
            if (!words.has(words_[i])) return false;
        return true;
    }
    /// "No matches found", "Found 0 files", "(0 rows)", "nothing found", "total 0".
    [[nodiscard]] constexpr bool has_nothing_of() const noexcept {
        if (count_ == 2 && is(0, "total") && is(1, "0")) return true;
        if (is(0, "nothing")) return is(1, "found") || is(1, "to");
        std::size_t i = is(0, "found") || is(0, "returned") || is(0, "there") ? 1 : 0;
        if (is(0, "there")) ++i;
        if (!is(i, "no") && !is(i, "0") && !is(i, "zero")) return false;
        ++i;
        if (is(0, "no") && (is(2, "found") || is(3, "found")) && (said_in(line_) & said_error) == 0) return true;
        if (i < count_ && thing_kinds.has(words_[i])) ++i;
        if (i >= count_ || !empty_things.has(words_[i])) return false;
        return i + 1 == count_ || behind_things.has(words_[i + 1]);
    }
    /// "Tool ran without output", "(Bash completed with no output)", "... did not produce any output."
    [[nodiscard]] constexpr bool has_no_output() const noexcept {
        for (std::size_t i = 0; i + 1 < count_; ++i) {
            if (!is(i + 1, "output") && !is(i + 1, "content")) continue;
            if (is(i, "no") || is(i, "without") ||
                (i > 1 && is(i, "any") && (is(i - 2, "not") || is(i - 2, "without"))))
                return count_ <= 14;
        }
        return false;
    }
    /// "empty set", "The directory is empty".
    [[nodiscard]] constexpr bool is_empty() const noexcept {
        if (is(0, "empty")) return count_ == 2 || (is(1, "set") && count_ <= 5);
        return count_ <= 8 && is(count_ - 1, "empty") && is(count_ - 2, "is");
    }

    std::string_view line_;
    std::string_view words_[most]{};
    std::size_t count_ = 0;
    bool overflows_ = false;
};

[[nodiscard]] constexpr bool says_nothing_text(std::string_view line) noexcept {
    return line.empty() || ShortAnswer{line}.says_nothing();
}
[[nodiscard]] constexpr bool is_exit_code(std::string_view line) noexcept {
    return line.size() <= 60 && ShortAnswer{line}.is_exit_code();
}

inline constexpr Words pending_states{
    "pending queued waiting in_progress starting creating updating deleting provisioning deploying initializing "
    "terminating podinitializing containercreating"};
inline constexpr Words queue_states{"pd cf cg r q"};
inline constexpr Words no_states{"missing nothing string warning failing anything something everything"};
inline constexpr Words state_key_ends{"state phase tatus"};

/// The last bytes of a word, or all of it.
[[nodiscard]] constexpr std::string_view last_of(std::string_view word, std::size_t bytes) noexcept {
    return word.substr(word.size() > bytes ? word.size() - bytes : 0);
}
/// "Pending", "UPDATE_PENDING", "CREATE_IN_PROGRESS", "PD" of a queue of jobs.
[[nodiscard]] constexpr bool is_pending_state(std::string_view word) noexcept {
    const bool loud = !word.empty() && is_upper(word.front()) && is_upper(word.back());
    return pending_states.has(word) || pending_states.has(last_of(word, 11)) ||
           (loud && (queue_states.has(word) || pending_states.has(word.substr(word.rfind('_') + 1))));
}
/// What is given up is not waited for; "0 Failed" is not. What crashes is started again.
[[nodiscard]] constexpr bool is_given_up(const char* begin, const char* at, const char* stop) noexcept {
    const std::string_view word = between(at, stop);
    return word.ends_with("PullBackOff") || word == "Evicted" || word == "OOMKilled" ||
           ((word == "Error" || word == "Failed") && !zero_before(begin, at));
}

/// One word of a table, or of an object, that says that something goes on.
[[nodiscard]] constexpr bool has_pending_state(std::string_view line) noexcept {
    const char* end = line.data() + line.size();
    bool pending = line.find("timed out waiting") != std::string_view::npos;
    for (const char* at = line.data(); at != end;) {
        const char* stop = word_end(at, end);
        if (is_given_up(line.data(), at, stop)) return false;
        const bool none_of = stop - at == 1 && *at == '0' && end - stop > 1 && *stop == '/' && is_digit(stop[1]);
        pending = pending || is_pending_state(between(at, stop)) || (none_of && stop[1] != '0');  // "0/3"
        at = stop == at ? at + 1 : stop;
    }
    return pending;
}

/// "modifying", "status: Building", `"state": "indexing"`: the only word, or the value of a state.
[[nodiscard]] constexpr bool has_ongoing_state(std::string_view line, bool alone) noexcept {
    const auto goes_on = [](std::string_view word) {
        const bool ongoing = word.size() > 5 && begins_with_word(last_of(word, 3), "ing") && !no_states.has(word);
        return ongoing || is_pending_state(word);
    };
    const char* end = line.data() + line.size();
    std::string_view last{};
    int words = 0;
    for (const char* at = line.data(); at != end;) {
        const char* stop = word_end(at, end);
        const std::string_view word = between(at, stop);
        at = stop == at ? at + 1 : stop;
        if (word.empty() || static_cast<unsigned char>(word.front()) >= 0x80) continue;  // a sign before it
        if (state_key_ends.has(last_of(last, 5)) && goes_on(word)) return true;
        last = word;
        ++words;
    }
    return alone && words == 1 && goes_on(last) && line.find_first_of("/{") == std::string_view::npos;
}

/// What a tool that changes something says when it did not.
[[nodiscard]] constexpr bool denies_change(std::string_view line) noexcept {
    constexpr std::string_view denials[] = {"no changes to make", "no changes made",   "no changes were made",
                                            "no change was made", "nothing to commit", "nothing added to commit",
                                            "no changes added"};
    for (const std::string_view denial : denials)
        if (begins_with_word(line, denial)) return true;
    return false;
}

/// The word before `at`, whatever signs, and a version such as "/1.1", stand between.
[[nodiscard]] constexpr std::string_view nearest_word_before(const char* begin, const char* at) noexcept {
    while (at != begin && !is_letter(at[-1]) && (is_digit(at[-1]) || !is_word(at[-1]))) --at;
    const char* last = at;
    while (at != begin && is_word(at[-1])) --at;
    return between(at, last);
}

[[nodiscard]] constexpr bool is_of_object(std::string_view line) noexcept {
    line = trim(line);
    return line.starts_with('{') || line.starts_with("[{") || (line.starts_with('"') && line.find("\":") != line.npos);
}

/// The code behind "exit code", "exited with code" and the like, if nothing but signs, or the rest of an object,
/// follows; -1 if there is none.
[[nodiscard]] constexpr int told_exit_code(std::string_view line) noexcept {
    constexpr std::string_view phrases_before[] = {"exit code", "exit status", "exited with code",
                                                   "exited with status"};
    const char* end = line.data() + line.size();
    for (const char* at = line.data(); at != end;) {
        if (!is_word(*at)) {
            ++at;
            continue;
        }
        for (const std::string_view phrase : phrases_before) {
            const char* code = match_phrase(at, end, phrase);
            if (code == nullptr) continue;
            while (code != end && !is_word(*code)) ++code;
            const char* stop = code;
            int value = 0;
            for (; stop != end && is_digit(*stop) && stop - code < 9; ++stop) value = value * 10 + (*stop - '0');
            if (stop == code || (stop != end && is_word(*stop))) continue;
            if (is_of_object(line)) return value;
            const char* more = stop;
            while (more != end && !is_word(*more)) ++more;
            if (more == end) return value;
        }
        at = word_end(at, end);
    }
    return -1;
}

/// "HTTP 503", "status: 429", "502 Bad Gateway"; a bare number is data.
[[nodiscard]] inline bool has_status_code(std::string_view line) noexcept {
    const char* begin = line.data();
    const char* end = begin + line.size();
    for (const char* at = begin; (at = next_digit(at, end)) != end;) {
        const char* stop = word_end(at, end);
        const std::string_view word = at == begin || !is_word(at[-1]) ? between(at, stop) : std::string_view{};
        at = stop;
        const bool server = word.size() == 3 && word[0] == '5' && is_digit(word[1]) && is_digit(word[2]);
        if (word != "429" && !server) continue;
        const char* next = skip_blanks(stop, end);
        const std::string_view thing = between(next, word_end(next, end));
        if (status_phrases.has(thing)) return true;
        const std::string_view before = nearest_word_before(begin, word.data());
        const bool may_count = begins_with_word(before, "error") || begins_with_word(before, "returned");
        if (status_words.has(before) && (!may_count || thing.empty())) return true;
    }
    return false;
}

/// Keys whose value is what a tool has to say.
inline constexpr Words saying_keys{"message msg detail details reason result output content text"};

/// Whether an object, or a line of one, tells of a failure of the tool. What a record is like is data: `"status":
/// "rejected"`.
[[nodiscard]] constexpr bool object_tells_failure(std::string_view line) noexcept {
    for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at)) {
        const auto key_end = line.find('"', at + 1);
        if (key_end == std::string_view::npos) return false;
        const std::string_view key = line.substr(at + 1, key_end - at - 1);
        std::size_t value = key_end + 1;
        while (value < line.size() && is_blank(line[value])) ++value;
        if (value == line.size() || line[value] != ':') {
            at = key_end + 1;
            continue;
        }
        const auto value_end = line.find_first_of(",}]", value);
        const std::string_view pair = line.substr(at, value_end == std::string_view::npos ? value_end : value_end - at);
        const bool speaks = (said_in(key) & said_error) != 0 || saying_keys.has(key) || key == "success" || key == "ok";
        if (speaks && (said_in(pair) & said_strong) != 0) return true;
        at = value + 1;
    }
    return false;
}
/// Behind the number that a tool prints before a line of a file: "12: ", "  12\t", "Line 12: ".
[[nodiscard]] constexpr std::string_view without_line_number(std::string_view line) noexcept {
    std::string_view rest = trim(line);
    if (begins_with_word(rest, "line")) rest = trim(rest.substr(4));
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    if (digits == 0) return trim(line);
    rest.remove_prefix(digits);
    while (!rest.empty() && !is_word(rest.front()) && rest.front() != '/' && rest.front() != '*' && rest.front() != '}')
        rest.remove_prefix(1);
    return rest;
}

/// "src/a.c:12: text", but not what a compiler says: "src/a.c:12:3: error: ...".
[[nodiscard]] constexpr bool is_search_hit(std::string_view line) noexcept {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon > 200) return false;
    for (const char c : line.substr(0, colon))
        if (is_blank(c)) return false;
    std::size_t i = colon + 1;
    while (i < line.size() && is_digit(line[i])) ++i;
    if (i == colon + 1 || i == line.size() || (line[i] != ':' && line[i] != '-')) return false;
    const std::string_view rest = trim(line.substr(i + 1));
    if (rest.empty() || is_digit(rest.front())) return false;
    return !begins_with_word(rest, "error") && !begins_with_word(rest, "fatal");
}

inline constexpr std::string_view program_openings[] = {
    "raise ", "except ", "except:", "throw ",  "catch ",  "} catch", "def ",     "elif ", "else ", "//",
    "/*",     "* ",      "<!--",    "return ", "assert ", "print(",  "console.", "if (",  "} else"};

/// A line of a program in one of the usual languages, perhaps with its number before it.
[[nodiscard]] constexpr bool is_program_line(std::string_view line) noexcept {
    const std::string_view text = without_line_number(line);
    if (text.empty() || text.front() == '{' || text.front() == '"') return false;
    if (text.back() == ';' || text.back() == '{') return true;
    for (const std::string_view opening : program_openings)
        if (text.front() == opening.front() && text.starts_with(opening)) return true;
    return false;
}

}  // namespace heeler::inline HEELER_ABI::loops::detail
