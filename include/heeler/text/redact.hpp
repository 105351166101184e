// Takes secrets out of text before it is stored or shown: keys, tokens, passwords, and values that the host names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/result.hpp>
#include <heeler/text/sanitise.hpp>
#include <heeler/text/utf8.hpp>

namespace heeler::inline HEELER_ABI {

/// What stands in for a secret.
inline constexpr std::string_view redacted_mark = "[redacted]";

namespace detail {

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};

[[nodiscard]] constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
[[nodiscard]] constexpr bool is_alnum(char c) noexcept {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}
[[nodiscard]] constexpr bool is_name(char c) noexcept { return is_alnum(c) || c == '_' || c == '-'; }
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_quote(char c) noexcept { return c == '"' || c == '\'' || c == '`'; }
[[nodiscard]] constexpr bool is_space(char c) noexcept { return is_blank(c) || (c >= '\n' && c <= '\r'); }
[[nodiscard]] constexpr bool is_one_of(char c, std::string_view set) noexcept {
    return set.find(c) != std::string_view::npos;
}

[[nodiscard]] constexpr bool same_word(std::string_view text, std::string_view lower_case) noexcept {
    return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                      [](char a, char b) { return lower(a) == b; });
}

[[nodiscard]] constexpr bool is_scheme(std::string_view word) noexcept {
    constexpr std::string_view schemes[] = {"bearer", "basic", "digest", "token", "negotiate", "apikey"};
    return std::any_of(std::begin(schemes), std::end(schemes), [word](auto s) { return same_word(word, s); });
}

/// Whether `name` ends with `ending`, ignoring case, `_` and `-`.
[[nodiscard]] constexpr bool name_ends_with(std::string_view name, std::string_view ending) noexcept {
    while (!ending.empty()) {
        while (!name.empty() && (name.back() == '_' || name.back() == '-')) name.remove_suffix(1);
        if (name.empty() || lower(name.back()) != ending.back()) return false;
        name.remove_suffix(1);
        ending.remove_suffix(1);
    }
    return true;
}

[[nodiscard]] constexpr bool names_a_secret(std::string_view name) noexcept {
    constexpr std::string_view endings[] = {"password",   "passwd",     "passphrase",  "pwd",          "token",
                                            "apikey",     "secret",     "secretkey",   "accesskey",    "privatekey",
                                            "accountkey", "credential", "credentials", "authorization"};
    return std::any_of(std::begin(endings), std::end(endings), [name](auto e) { return name_ends_with(name, e); });
}

/// Finds the secrets of one text from left to right, in linear time.
class SecretFinder {
public:
    explicit SecretFinder(std::string_view text) noexcept : text_(text) {}

    /// Where secrets are: may overlap, not sorted.
    [[nodiscard]] std::vector<Span> find() {
        for (std::size_t at = 0; at < text_.size();) at = std::max(at + 1, step(at));
        return std::move(found_);
    }

private:
    [[nodiscard]] char look(std::size_t at) const noexcept { return at < text_.size() ? text_[at] : '\n'; }
    [[nodiscard]] bool starts(std::size_t at, std::string_view word) const noexcept {
        return text_.substr(at, word.size()) == word;
    }
    template <class Is>
    [[nodiscard]] std::size_t skip(std::size_t at, Is is) const noexcept {
        while (at < text_.size() && is(text_[at])) ++at;
        return at;
    }

    /// Looks at what starts at `at`; the answer is where to go on.
    std::size_t step(std::size_t at) {
        const char c = text_[at];
        if (c == ':') return starts(at, "://") ? url(at + 3) : at;
        if (c == '-' && starts(at, "-----BEGIN ")) return private_key(at);
        if (!is_name(c)) return at;
        std::size_t next = at;
        if (at == 0 || !is_name(text_[at - 1])) next = named(at, skip(at, is_name));
        if (at > 0 && is_alnum(text_[at - 1])) return next;
        return std::max({next, known_key(at), web_token(at)});
    }

    std::size_t mark(std::size_t begin, std::size_t end) {
        while (begin < end && text_.substr(begin, end - begin).starts_with(redacted_mark))
            begin += redacted_mark.size();
        if (begin < end) found_.push_back({begin, end});
        return end;
    }

    /// A value may end with a name that announces the next one: go on there.
    std::size_t mark_value(std::size_t begin, std::size_t end) {
        mark(begin, end);
        while (end > begin && !is_name(text_[end - 1])) --end;
        while (end > begin && is_name(text_[end - 1])) --end;
        return end;
    }

    /// `user:password@` in front of a host, or a long user that is a token.
    std::size_t url(std::size_t at) {
        const auto end = skip(at, [](char c) { return !is_space(c) && !is_quote(c) && !is_one_of(c, "/?#<>\\"); });
        const auto authority = text_.substr(at, end - at);
        const auto sign = authority.rfind('@');
        if (sign == std::string_view::npos) return at;
        const auto colon = authority.find(':');
        if (colon < sign)
            mark(at + colon + 1, at + sign);
        else if (sign >= 16)
            mark(at, at + sign);
        return at;
    }

    std::size_t private_key(std::size_t at) {
        const auto title = at + 11;
        const auto end = skip(title, [](char c) { return c == ' ' || (c >= 'A' && c <= 'Z'); });
        if (!starts(end, "-----") || text_.substr(title, end - title).find("PRIVATE KEY") == std::string_view::npos)
            return at;
        return mark(end + 5, std::min(text_.find("-----END ", end + 5), text_.size()));
    }

    /// Keys that are known by how they start.
    std::size_t known_key(std::size_t at) {
        constexpr std::string_view prefixes[] = {"sk-",   "ghp_",  "gho_",  "ghu_",  "ghs_",        "ghr_",  "xoxa-",
                                                 "xoxb-", "xoxp-", "xoxr-", "xoxs-", "github_pat_", "glpat-"};
        for (const auto prefix : prefixes) {
            if (!starts(at, prefix)) continue;
            const auto end = skip(at, is_name);
            return end - at >= prefix.size() + 8 ? mark(at, end) : at;
        }
        if (!starts(at, "AKIA") && !starts(at, "ASIA")) return at;
        const auto end = skip(at, [](char c) { return is_alnum(c) && c < 'a'; });
        return end - at >= 20 ? mark(at, end) : at;
    }

    /// Three base64url parts with dots between them.
    std::size_t web_token(std::size_t at) {
        if (at < no_web_token_until_ || !starts(at, "eyJ")) return at;
        const auto first = skip(at, is_name);
        no_web_token_until_ = first;
        const auto second = look(first) == '.' ? skip(first + 1, is_name) : first;
        if (second <= first + 1 || look(second) != '.') return at;
        return mark_value(at, skip(second + 1, is_name));
    }

    /// `[begin, end)` is a name: the value after it is a secret if the name says so.
    std::size_t named(std::size_t begin, std::size_t end) {
        const auto name = text_.substr(begin, end - begin);
        const auto blank_end = skip(end, is_blank);
        if (blank_end > end && same_word(name, "bearer")) return value(blank_end);
        if (!names_a_secret(name)) return begin;
        const auto sign = skip(skip(end, [](char c) { return is_quote(c) || c == '\\' || c == ']'; }), is_blank);
        if (is_one_of(look(sign), "=:")) return value(skip(sign, [](char c) { return is_one_of(c, "=:>"); }));
        return name.starts_with("--") && blank_end > end ? value(blank_end) : begin;
    }

    std::size_t value(std::size_t at) {
        at = skip(at, is_blank);
        while (is_one_of(look(at), "[({") && !starts(at, redacted_mark)) at = skip(at + 1, is_blank);
        const auto slashes_end = skip(at, [](char c) { return c == '\\'; });
        if (is_quote(look(slashes_end))) return quoted_value(slashes_end + 1, slashes_end - at);
        auto end = run_end(at);
        if (is_scheme(text_.substr(at, end - at)) && is_blank(look(end))) {
            at = skip(end, is_blank);
            end = run_end(at);
        }
        while (end > at && is_one_of(text_[end - 1], ",;)}]{[(") && !is_mark_end(at, end)) --end;
        return mark_value(at, end);
    }

    [[nodiscard]] bool is_mark_end(std::size_t at, std::size_t end) const noexcept {
        return text_.substr(at, end - at).ends_with(redacted_mark);
    }

    [[nodiscard]] std::size_t run_end(std::size_t at) const noexcept {
        return skip(at, [](char c) { return !is_space(c) && !is_quote(c) && c != '&'; });
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
        return mark_value(at, look(end) == quote ? end - std::min(run, slashes) : end);
    }

    std::string_view text_;
    std::vector<Span> found_;
    std::size_t no_web_token_until_ = 0;
};

}  // namespace detail

/// Takes secrets out of text: by their shape, and the exact values it was given. Copies are independent; const calls
/// may come from any thread.
class Redactor {
public:
    /// Adds a value that must never be shown. `invalid_argument` below 4 bytes: such a value is found everywhere.
    Result<void> add(std::string_view value) {
        if (value.size() < 4)
            return fail(ErrorCode::invalid_argument, "a value to redact has " + std::to_string(value.size()) +
                                                         " bytes, at least 4 are needed: leave it out");
        starts_[static_cast<unsigned char>(value.front())] = true;
        values_.emplace_back(value);
        return {};
    }

    /// `text` with every secret replaced by `[redacted]`. Linear in `text`.
    [[nodiscard]] std::string redact(std::string_view text) const {
        auto spans = detail::SecretFinder(text).find();
        if (values_.empty()) return replaced(text, std::move(spans));
        add_exact(text, spans);
        // Where a value stood that had kept its surroundings from being seen, there may be one more secret now.
        const std::string rest = replaced(text, std::move(spans));
        return replaced(rest, detail::SecretFinder(rest).find());
    }

    /// What may be stored of a run's output: sanitised, redacted, and of that the last `keep` characters behind a note
    /// of how much is missing.
    [[nodiscard]] std::string evidence_text(std::string_view text, std::size_t keep = 4000) const {
        std::string clean = redact(sanitise(text, std::numeric_limits<std::size_t>::max()));
        std::size_t start = clean.size();
        for (std::size_t kept = 0; start > 0 && kept < keep;)
            if (!is_utf8_continuation(clean[--start])) ++kept;
        if (start == 0) return clean;
        return "[... " + std::to_string(start) + " bytes left out ...]\n" + clean.substr(start);
    }

private:
    [[nodiscard]] static std::string replaced(std::string_view text, std::vector<detail::Span> spans) {
        std::sort(spans.begin(), spans.end(), [](auto a, auto b) { return a.begin < b.begin; });
        std::string out;
        std::size_t shown = 0;
        for (const auto span : spans) {
            if (span.begin > shown || shown == 0) {
                out += text.substr(shown, span.begin - shown);
                out += redacted_mark;
            }
            shown = std::max(shown, span.end);
        }
        out += text.substr(shown);
        return out;
    }

    void add_exact(std::string_view text, std::vector<detail::Span>& spans) const {
        if (values_.empty()) return;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (!starts_[static_cast<unsigned char>(text[at])]) continue;
            for (const auto& value : values_)
                if (text.substr(at).starts_with(value)) spans.push_back({at, at + value.size()});
        }
    }

    std::vector<std::string> values_;
    std::array<bool, 256> starts_{};
};

/// `Redactor::redact` for secrets that are known by their shape alone.
[[nodiscard]] inline std::string redact(std::string_view text) { return Redactor().redact(text); }

/// `Redactor::evidence_text` for secrets that are known by their shape alone.
[[nodiscard]] inline std::string evidence_text(std::string_view text, std::size_t keep = 4000) {
    return Redactor().evidence_text(text, keep);
}

}  // namespace heeler::inline HEELER_ABI
