// Finds where secrets stand in a text: behind names that announce them, in URLs, commands and headers, or by their
// shape.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <heeler/config.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/text/secret_names.hpp>

namespace heeler::inline HEELER_ABI::text {

/// What stands in for a secret.
inline constexpr std::string_view redacted_mark = "[redacted]";

}  // namespace heeler::inline HEELER_ABI::text

namespace heeler::inline HEELER_ABI::detail {

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// Finds the secrets of one text from left to right, in linear time.
class SecretFinder {
public:
    explicit SecretFinder(std::string_view text) noexcept : text_(text) {}

    /// Where secrets are: may overlap, not sorted.
    [[nodiscard]] List<Span> find() {
        for (std::size_t at = 0; at < text_.size();) at = detail::max_of(at + 1, step(at));
        return std::move(found_);
    }

private:
    [[nodiscard]] char look(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\n'; }
    [[nodiscard]] bool starts(std::size_t at, std::string_view word) const noexcept {
        return text_.substr(at, word.size()) == word;
    }
    [[nodiscard]] std::string_view part(std::size_t begin, std::size_t end) const noexcept {
        return text_.substr(begin, end - begin);
    }
    template <class Is>
    [[nodiscard]] std::size_t skip(std::size_t at, Is is) const noexcept {
        while (at < text_.size() && is(text_[at])) ++at;
        return at;
    }
    [[nodiscard]] std::size_t run_end(std::size_t at) const noexcept {
        return skip(at, [](char c) { return !is_space(c) && !is_quote(c) && c != '&'; });
    }

    /// Looks at what starts at `at`; the answer is where to go on.
    std::size_t step(std::size_t at) {
        const char c = text_[at];
        if (c == ':') return starts(at, "://") ? url(at) : at;
        if (c == '-' && starts(at, "-----BEGIN ")) return private_key(at);
        if (!is_name(c)) {
            const bool goes_on = at > 0 && (text_[at - 1] == '\\' || (text_[at - 1] == '\r' && c == '\n'));
            if ((c == '\n' && !goes_on) || starts(at, "| ") || starts(at, "&& ")) command_ = {};
            return at;
        }
        std::size_t next = at;
        if (at == 0 || !is_name(text_[at - 1])) next = named(at, skip(at, is_name));
        if (at > 0 && is_alnum(text_[at - 1])) return next;
        return detail::max_of(next, detail::max_of(known_key(at), web_token(at)));
    }

    std::size_t mark(std::size_t begin, std::size_t end) {
        while (begin < end && part(begin, end).starts_with(text::redacted_mark)) begin += text::redacted_mark.size();
        if (begin < end) found_.push_back({begin, end});
        return end;
    }

    /// A value may end with a name that announces the next one: go on there.
    std::size_t mark_value(std::size_t begin, std::size_t end) {
        mark(begin, end);
        if (has_random_run(part(begin, end)))
            if (const std::size_t more = mark_wrapped(end, is_name); more > end) return more;
        while (end > begin && !is_name(text_[end - 1])) --end;
        while (end > begin && is_name(text_[end - 1])) --end;
        return end;
    }

    // --- over the end of a line -------------------------------------------------------------------------------------

    /// What frames, quotes or joins the lines of one value.
    [[nodiscard]] std::size_t skip_frame(std::size_t at) const noexcept {
        while (at < text_.size() && (is_one_of(text_[at], " \t\r|>\\\"'+") || starts(at, "\xE2\x94\x82")))
            at += text_[at] == '\xE2' ? 3 : 1;
        return at;
    }

    /// Where the next line begins if nothing more of meaning stands on this one; else `at`.
    [[nodiscard]] std::size_t next_line(std::size_t at) const noexcept {
        const std::size_t end = skip_frame(at);
        return end < text_.size() && text_[end] == '\n' ? skip_frame(end + 1) : at;
    }

    /// Whether `[begin, end)` can be the rest of a secret that was broken in two.
    [[nodiscard]] bool goes_on(std::size_t begin, std::size_t end) const noexcept {
        return end - begin >= 8 && looks_random(part(begin, end)) && look(end) != ':';
    }

    /// A secret that ends with its line at `end` may go on with the next ones.
    template <class Is>
    std::size_t mark_wrapped(std::size_t end, Is is, std::size_t missing = 0) {
        for (std::size_t next = next_line(end); next > end; next = next_line(end)) {
            const std::size_t more = skip(next, is);
            const bool fits = missing != 0 && more - next == missing;
            if (!fits && !goes_on(next, more)) break;
            end = mark(next, more);
        }
        return end;
    }

    /// The value of a name behind which the line ends: alone on the next line, and no word.
    std::size_t value_on_next_line(std::size_t at) {
        const std::size_t begin = next_line(at);
        const std::size_t end = run_end(begin);
        const std::size_t behind = skip(skip_frame(end), [](char c) { return is_one_of(c, ",;"); });
        if (begin == at || !looks_random(part(begin, end)) || look(behind) != '\n') return at;
        return mark_value(begin, end);
    }

    // --- by shape ---------------------------------------------------------------------------------------------------

    /// `user:password@` in front of a host, or a long user that is a token. `at`: of the `://`.
    std::size_t url(std::size_t at) {
        const std::size_t begin = at + 3;
        if (begin >= url_end_) {
            url_end_ = skip(begin, [](char c) { return !is_space(c) && !is_quote(c) && !is_one_of(c, "<>\\"); });
            last_sign_ = part(begin, url_end_).rfind('@');
            if (last_sign_ != std::string_view::npos) last_sign_ += begin;
        }
        const auto end = skip(begin, [](char c) { return !is_space(c) && !is_quote(c) && !is_one_of(c, "/?#<>\\"); });
        const auto authority = part(begin, end);
        const auto sign = authority.rfind('@');
        const auto colon = authority.find(':');
        if (colon != std::string_view::npos && colon < authority.find('@') && has_more_password(at, begin + colon, end))
            return mark(begin + colon + 1,
                        sign == std::string_view::npos && is_web(at) ? text_.find('@', end) : last_sign_);
        if (sign == std::string_view::npos) return begin;
        if (colon < sign)
            mark(begin + colon + 1, begin + sign);
        else if (sign >= 16)
            mark(begin, begin + sign);
        return begin;
    }

    /// Whether the password behind `colon` has signs that should end the authority, which ends at `end`.
    [[nodiscard]] bool has_more_password(std::size_t at, std::size_t colon, std::size_t end) const noexcept {
        if (last_sign_ == std::string_view::npos || last_sign_ < end || end >= url_end_) return false;
        const auto behind = part(colon + 1, end);
        if (behind.find('@') != std::string_view::npos) return !is_web(at);
        const bool port = !any_of(behind, [](char c) { return !is_digit(c); });
        return !port && look(colon + 1) != ':' && !is_one_of(look(colon + 1), "$<{%[") && text_[at + 3] != '[';
    }

    /// In a path of these an `@` is common.
    [[nodiscard]] bool is_web(std::size_t at) const noexcept {
        const auto scheme = part(0, at);
        return scheme.ends_with("http") || scheme.ends_with("https") || scheme.ends_with("ssh") ||
               scheme.ends_with("ws") || scheme.ends_with("wss");
    }

    std::size_t private_key(std::size_t at) {
        const auto title = at + 11;
        const auto end = skip(title, [](char c) { return c == ' ' || is_upper(c); });
        if (!starts(end, "-----") || part(title, end).find("PRIVATE KEY") == std::string_view::npos) return at;
        return mark(end + 5, detail::min_of(text_.find("-----END ", end + 5), text_.size()));
    }

    /// Keys that are known by how they start.
    std::size_t known_key(std::size_t at) {
        if (!is_one_of(text_[at], "sgxrnphwAyShd")) return at;
        for (const KeyShape& shape : key_shapes)
            if (text_[at] == shape.prefix[0] && starts(at, shape.prefix)) return key_of(shape, at);
        if (starts(at, "AKIA") || starts(at, "ASIA")) {
            const auto end = skip(at, [](char c) { return is_upper(c) || is_digit(c); });
            return end - at >= 20 ? mark(at, end) : at;
        }
        if (!starts(at, "SK") && !starts(at, "AC")) return at;
        const auto end = skip(at + 2, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
        return end - at == 34 && !is_name(look(end)) ? mark(at, end) : at;
    }

    std::size_t key_of(const KeyShape& shape, std::size_t at) {
        // More than this says nothing new about how it looks, and a key that is none is looked at again from within.
        constexpr std::size_t enough = 64;
        const auto is = [&shape](char c) { return is_name(c) || is_one_of(c, shape.besides); };
        const std::size_t begin = at + shape.prefix.size();
        std::size_t end = begin;
        while (end < text_.size() && end - begin < enough && is(text_[end])) ++end;
        if (end - begin < shape.least || !looks_like(shape, part(begin, end))) return at;
        end = mark(shape.keeps_prefix ? begin : at, skip(end, is));
        return end - at < shape.whole ? mark_wrapped(end, is, shape.whole - (end - at)) : end;
    }

    [[nodiscard]] static bool looks_like(const KeyShape& shape, std::string_view key) noexcept {
        if (shape.looks == KeyShape::Looks::any) return true;
        if (shape.looks == KeyShape::Looks::odd) return has_any(key, is_digit) || has_any(key, is_upper);
        return looks_random(key) && has_random_run(key);
    }

    /// Three base64url parts with dots between them.
    std::size_t web_token(std::size_t at) {
        if (at < no_web_token_until_ || !starts(at, "eyJ")) return at;
        const auto first = wrapped_end(at);
        no_web_token_until_ = first;
        const auto second = look(first) == '.' ? wrapped_end(first + 1) : first;
        if (second <= first + 1 || look(second) != '.') return at;
        return mark_value(at, skip(second + 1, is_name));
    }

    [[nodiscard]] std::size_t wrapped_end(std::size_t at) const noexcept {
        std::size_t end = skip(at, is_name);
        for (std::size_t next = next_line(end); next > end; next = next_line(end)) {
            const std::size_t more = skip(next, is_name);
            if (!goes_on(next, more)) break;
            end = more;
        }
        return end;
    }

    // --- behind names and options -----------------------------------------------------------------------------------

    /// `[begin, end)` is a name: the value after it is a secret if the name says so.
    std::size_t named(std::size_t begin, std::size_t end) {
        const auto name = part(begin, end);
        const auto blank_end = skip(end, is_blank);
        if (same_word(name, "bearer"))
            return blank_end > end && look(blank_end) != '\n' ? value(blank_end) : value_on_next_line(end);
        if (name.front() == '-' && !command_.empty())
            if (const SecretOption* option = secret_option(command_, part(begin, glued_end(begin, end))))
                return argument(*option, begin, end);
        if ((blank_end > end || is_quote(look(end))) && takes_secrets(name)) command_ = name;
        const bool cookies = same_word(name, "cookie") || same_word(name, "set-cookie");
        if (!cookies && !names_a_secret(name)) return begin;
        const auto sign = skip(skip(end, [](char c) { return is_quote(c) || c == '\\' || c == ']'; }), is_blank);
        if (!is_one_of(look(sign), "=:"))
            return !cookies && name.starts_with("--") && blank_end > end ? value(blank_end) : begin;
        const auto behind = skip(sign, [](char c) { return is_one_of(c, "=:>"); });
        if (is_only_code(begin, sign, behind)) return begin;
        if (cookies) return pairs(behind);
        // In quotes with its name: 'DB_PASS=two words'.
        const bool whole =
            sign == end && look(sign) == '=' && begin > 0 && is_quote(text_[begin - 1]) && !is_quote(look(behind));
        return whole ? mark_value(behind, quote_end(behind, text_[begin - 1])) : value(behind);
    }

    /// An option's value may stand right behind it, in quotes or not: `-p'a b'`. A quote around the option is none.
    [[nodiscard]] std::size_t glued_end(std::size_t begin, std::size_t end) const noexcept {
        const char next = look(end);
        const bool around = is_quote(next) && begin > 0 && text_[begin - 1] == next;
        return is_space(next) || around || is_one_of(next, "=,\\") ? end : end + 1;
    }

    /// `/etc/passwd: no such file`, `token::kind`.
    [[nodiscard]] bool is_only_code(std::size_t begin, std::size_t sign, std::size_t behind) const noexcept {
        if (part(sign, behind) == "::" && is_name(look(behind))) return true;
        return begin > 0 && text_[begin - 1] == '/' && look(sign) == ':' && is_space(look(behind));
    }

    /// Skips blanks, and the end of a line that goes on.
    [[nodiscard]] std::size_t skip_blanks(std::size_t at) const noexcept {
        for (at = skip(at, is_blank); starts(at, "\\\n");) at = skip(at + 2, is_blank);
        return at;
    }

    std::size_t value(std::size_t at) {
        at = skip_blanks(at);
        while (is_one_of(look(at), "[({") && !starts(at, text::redacted_mark)) at = skip(at + 1, is_blank);
        const auto slashes_end = skip(at, [](char c) { return c == '\\'; });
        if (is_quote(look(slashes_end))) return quoted_value(slashes_end + 1, slashes_end - at);
        if (look(at) == '\n' || look(at) == '\r') return value_on_next_line(at);
        auto end = run_end(at);
        if (is_scheme(part(at, end)) && is_space(look(end))) {
            const auto behind = skip_blanks(end);
            if (is_space(look(behind))) return value_on_next_line(behind);
            at = behind;
            end = run_end(at);
        }
        while (end > at && is_one_of(text_[end - 1], ",;)}]{[(") && !is_mark_end(at, end)) --end;
        return mark_value(at, end);
    }

    [[nodiscard]] bool is_mark_end(std::size_t at, std::size_t end) const noexcept {
        return part(at, end).ends_with(text::redacted_mark);
    }

    /// A value behind a quote that has `slashes` backslashes in front; it ends at the same quote or with the line.
    std::size_t quoted_value(std::size_t at, std::size_t slashes) {
        const char quote = text_[at - 1];
        std::size_t run = 0;
        std::size_t end = at;
        for (; end < text_.size() && text_[end] != '\n'; ++end) {
            const bool closes = slashes == 0 ? run % 2 == 0 : run <= slashes;
            if (text_[end] == quote && closes) break;
            run = text_[end] == '\\' ? run + 1 : 0;
        }
        return mark_value(at, look(end) == quote ? end - detail::min_of(run, slashes) : end);
    }

    /// Where the quotation ends, at the latest with the line.
    [[nodiscard]] std::size_t quote_end(std::size_t at, char quote) const noexcept {
        return skip(at, [quote](char c) { return c != quote && c != '\n'; });
    }

    /// What follows an option of a command that takes a secret there: apart, glued, or as the next word of a list.
    std::size_t argument(const SecretOption& option, std::size_t begin, std::size_t end) {
        const bool glued = option.where != SecretOption::Where::apart && part(begin, end).starts_with(option.option) &&
                           glued_end(begin, end) - begin > option.option.size();
        std::size_t at = glued ? begin + option.option.size() : end;
        while (at < text_.size() &&
               (is_one_of(text_[at], " \t,=\"'`\\") || (text_[at] == '\n' && text_[at - 1] == '\\')))
            ++at;
        const bool in_quotes = is_quote(text_[at - 1]);
        const bool all_in_quotes = glued && begin > 0 && is_quote(text_[begin - 1]);
        auto last = in_quotes       ? quote_end(at, text_[at - 1])
                    : all_in_quotes ? quote_end(at, text_[begin - 1])
                                    : run_end(at);
        while (last > at && text_[last - 1] == '\\') --last;
        if (option.what == SecretOption::What::pairs) return pairs(at);
        if (option.what == SecretOption::What::all) {
            command_ = {};  // what follows may be another command: sshpass -p X ssh -p 22
            return mark_value(at, last);
        }
        const auto colon = part(at, detail::min_of(last, at + longest_user)).find(':');
        return colon == std::string_view::npos ? at : mark(at + colon + 1, last);
    }

    /// `name=value; name=value`, as cookies are written; what says where and how long they hold stays.
    std::size_t pairs(std::size_t at) {
        constexpr std::string_view about[] = {"path", "domain", "expires", "max-age", "samesite", "version"};
        at = skip(at, [](char c) { return is_blank(c) || is_quote(c) || c == '\\'; });
        for (std::size_t next = at;;) {
            const auto end = skip(next, [](char c) { return is_name(c) || c == '.'; });
            const auto name = part(next, end);
            if (name.empty() || look(end) != '=') return at;
            const bool quoted = look(end + 1) == '"';
            const auto is = [quoted](char c) {
                return quoted ? c != '"' && c != '\n' : !is_space(c) && !is_quote(c) && c != ';';
            };
            at = skip(end + 1 + (quoted ? 1 : 0), is);
            if (is_word_of(name, std::begin(about), std::end(about)))
                at = skip(at, [](char c) { return !is_quote(c) && c != ';' && c != '\n'; });
            else
                mark(end + 1 + (quoted ? 1 : 0), at);
            at = quoted && look(at) == '"' ? at + 1 : at;
            next = skip(at, [](char c) { return c == ';' || is_blank(c); });
            while (look(next) != '\n' && (same_word(part(next, skip(next, is_name)), "httponly") ||
                                          same_word(part(next, skip(next, is_name)), "secure")))
                next = skip(skip(next, is_name), [](char c) { return c == ';' || is_blank(c); });
        }
    }

    static constexpr std::size_t longest_user = 256;

    std::string_view text_;
    List<Span> found_;
    std::string_view command_;  ///< of this line, where it takes secrets
    std::size_t no_web_token_until_ = 0;
    std::size_t url_end_ = 0;
    std::size_t last_sign_ = 0;
};

}  // namespace heeler::inline HEELER_ABI::detail
