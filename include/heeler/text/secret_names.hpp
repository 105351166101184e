// Which words announce a secret: names of values, options of commands, and how keys of known services begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <heeler/config.hpp>
#include <heeler/core/plain_loops.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr char lower(char c) noexcept { return is_upper(c) ? static_cast<char>(c | 0x20) : c; }
[[nodiscard]] constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_alnum(char c) noexcept { return is_digit(c) || is_lower(lower(c)); }
[[nodiscard]] constexpr bool is_name(char c) noexcept { return is_alnum(c) || c == '_' || c == '-'; }
[[nodiscard]] constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool is_quote(char c) noexcept { return c == '"' || c == '\'' || c == '`'; }
[[nodiscard]] constexpr bool is_space(char c) noexcept { return is_blank(c) || (c >= '\n' && c <= '\r'); }
[[nodiscard]] constexpr bool is_one_of(char c, std::string_view set) noexcept {
    return set.find(c) != std::string_view::npos;
}
[[nodiscard]] constexpr bool has_any(std::string_view text, bool (*is)(char) noexcept) noexcept {
    return any_of(text, is);
}

[[nodiscard]] constexpr bool same_word(std::string_view text, std::string_view lower_case) noexcept {
    if (text.size() != lower_case.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (lower(text[i]) != lower_case[i]) return false;
    return true;
}
[[nodiscard]] constexpr bool is_word_of(std::string_view text, const std::string_view* begin,
                                        const std::string_view* end) noexcept {
    for (; begin != end; ++begin)
        if (same_word(text, *begin)) return true;
    return false;
}

[[nodiscard]] constexpr bool is_scheme(std::string_view word) noexcept {
    constexpr std::string_view schemes[] = {"bearer", "basic", "digest", "token", "negotiate", "apikey"};
    return is_word_of(word, std::begin(schemes), std::end(schemes));
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

/// `DB_PASS`, `smtp-pass`, `dbPass`: a password's short name. What only ends like it (`bypass`, `first_pass`) is none.
[[nodiscard]] constexpr bool names_a_pass(std::string_view name) noexcept {
    constexpr std::string_view owners[] = {"db",   "database", "mysql", "pg",    "postgres", "smtp",  "mail",
                                           "imap", "ftp",      "ssh",   "proxy", "redis",    "mongo", "ldap",
                                           "user", "admin",    "root",  "auth",  "login",    "sudo",  "keystore"};
    if (name.size() < 5 || !same_word(name.substr(name.size() - 4), "pass")) return false;
    std::string_view owner = name.substr(0, name.size() - 4);
    const bool apart = owner.back() == '_' || owner.back() == '-';
    if (apart && !has_any(name, is_lower)) return true;
    if (apart) owner.remove_suffix(1);
    return any_of(owners, [owner](std::string_view each) {
        if (owner.size() < each.size() || !same_word(owner.substr(owner.size() - each.size()), each)) return false;
        const std::size_t first = owner.size() - each.size();
        return first == 0 || !is_alnum(owner[first - 1]) || is_upper(owner[first]);
    });
}

/// How names of secrets end.
inline constexpr std::string_view secret_endings[] = {
    "password",      "passwd",     "passphrase",    "passcode",    "pwd",        "token",
    "apikey",        "secret",     "secretkey",     "accesskey",   "privatekey", "accountkey",
    "signingkey",    "encryptkey", "encryptionkey", "masterkey",   "credential", "credentials",
    "authorization", "phpsessid",  "jsessionid",    "amzsignature"};

[[nodiscard]] constexpr bool names_a_secret(std::string_view name) noexcept {
    if (name == "PWD" || name == "OLDPWD") return false;  // of a shell: where it works
    std::size_t size = name.size();
    while (size > 0 && (name[size - 1] == '_' || name[size - 1] == '-')) --size;
    const char last = size > 0 ? lower(name[size - 1]) : '\0';  // nearly all names differ there from all of them
    for (const std::string_view ending : secret_endings)
        if (ending.back() == last && name_ends_with(name, ending)) return true;
    return same_word(name, "_auth") || names_a_pass(name);
}

/// Whether a word looks made by a machine: where only that tells a secret from the next word of a sentence.
[[nodiscard]] constexpr bool looks_random(std::string_view word) noexcept {
    const bool letters = has_any(word, is_lower) || has_any(word, is_upper);
    return word.size() >= 6 && letters && has_any(word, is_digit);
}

/// The longest part of `text` that is letters and digits only is too long, or too odd, for a word.
[[nodiscard]] constexpr bool has_random_run(std::string_view text) noexcept {
    std::size_t run = 0, digits = 0;
    for (const char c : text) {
        run = is_alnum(c) ? run + 1 : 0;
        digits = run == 0 ? 0 : digits + (is_digit(c) ? 1 : 0);
        if (run >= 30 || (run >= 16 && digits > 0)) return true;
    }
    return false;
}

/// How keys of a service begin, and what else tells them from words.
struct KeyShape {
    enum class Looks : std::uint8_t { any, odd, random };  ///< odd: with a digit or a capital

    std::string_view prefix;
    std::size_t least;  ///< characters behind the prefix
    std::size_t whole;  ///< of a whole key, prefix included: a shorter one may go on behind a line end; 0: never
    Looks looks = Looks::any;
    std::string_view besides{};  ///< characters of a key besides letters, digits, `_` and `-`
    bool keeps_prefix = false;   ///< what it begins with stays readable
};

inline constexpr KeyShape key_shapes[] = {
    {"sk-", 8, 164, KeyShape::Looks::odd},
    {"ghp_", 8, 40},
    {"gho_", 8, 40},
    {"ghu_", 8, 40},
    {"ghs_", 8, 40},
    {"ghr_", 8, 40},
    {"github_pat_", 8, 93},
    {"glpat-", 8, 26},
    {"xoxa-", 8, 50},
    {"xoxb-", 8, 50},
    {"xoxp-", 8, 70},
    {"xoxr-", 8, 50},
    {"xoxs-", 8, 50},
    {"xapp-", 8, 50},
    {"sk_live_", 10, 107, KeyShape::Looks::odd},
    {"sk_test_", 10, 107, KeyShape::Looks::odd},
    {"rk_live_", 10, 107, KeyShape::Looks::odd},
    {"rk_test_", 10, 107, KeyShape::Looks::odd},
    {"npm_", 16, 40, KeyShape::Looks::random},
    {"pypi-", 16, 160, KeyShape::Looks::random},
    {"hf_", 16, 37, KeyShape::Looks::random},
    {"gsk_", 16, 56, KeyShape::Looks::random},
    {"shpat_", 16, 38, KeyShape::Looks::random},
    {"whsec_", 12, 38, KeyShape::Looks::odd, "+/="},
    {"AIza", 30, 39, KeyShape::Looks::odd},
    {"ya29.", 20, 0, KeyShape::Looks::odd, "."},
    {"SG.", 30, 69, KeyShape::Looks::odd, "."},
    {"hooks.slack.com/services/", 8, 0, KeyShape::Looks::any, "/", true},
    {"hooks.slack.com/workflows/", 8, 0, KeyShape::Looks::any, "/", true},
    {"hooks.slack.com/triggers/", 8, 0, KeyShape::Looks::any, "/", true},
    {"discord.com/api/webhooks/", 8, 0, KeyShape::Looks::any, "/", true},
    {"discordapp.com/api/webhooks/", 8, 0, KeyShape::Looks::any, "/", true},
};

/// An option behind which some commands take a secret, and others something else.
struct SecretOption {
    enum class Where : std::uint8_t { apart, glued, either };
    enum class What : std::uint8_t { all, after_colon, pairs };

    std::string_view commands;  ///< their names, blanks between
    std::string_view option;
    Where where = Where::either;
    What what = What::all;
};

inline constexpr SecretOption secret_options[] = {
    {"curl", "-u", SecretOption::Where::either, SecretOption::What::after_colon},
    {"curl", "-U", SecretOption::Where::either, SecretOption::What::after_colon},
    {"curl", "--user", SecretOption::Where::apart, SecretOption::What::after_colon},
    {"curl", "--proxy-user", SecretOption::Where::apart, SecretOption::What::after_colon},
    {"curl", "-b", SecretOption::Where::either, SecretOption::What::pairs},
    {"curl", "--cookie", SecretOption::Where::apart, SecretOption::What::pairs},
    {"http https", "-a", SecretOption::Where::apart, SecretOption::What::after_colon},
    {"mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mariadb mariadb-dump", "-p",
     SecretOption::Where::glued},
    {"mongo mongosh mongodump mongorestore mongoexport mongoimport login", "-p", SecretOption::Where::apart},
    {"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", "-w", SecretOption::Where::apart},
    {"redis-cli", "-a"},
    {"sshpass", "-p"},
    {"zip unzip", "-P"},
};

[[nodiscard]] constexpr bool is_command(std::string_view word, const SecretOption& option) noexcept {
    for (std::string_view rest = option.commands; !rest.empty();)
        if (take_word(rest) == word) return true;
    return false;
}

/// Whether it is a command that has such options.
[[nodiscard]] constexpr bool takes_secrets(std::string_view word) noexcept {
    constexpr std::string_view begins[] = {"cu", "ht", "ld", "lo", "ma", "mo", "my", "re", "ss", "un", "zi"};
    if (word.size() < 3) return false;
    const char first = lower(word[0]), second = lower(word[1]);
    bool may_be = false;
    for (const std::string_view begin : begins) may_be |= begin[0] == first && begin[1] == second;
    if (!may_be) return false;
    return any_of(secret_options, [word](const SecretOption& option) { return is_command(word, option); });
}

/// The option of `command` that `word` is, or begins with; null: none. `-sSu` is a `-u` behind other letters, where
/// what follows must have a colon to be taken for a secret.
[[nodiscard]] constexpr const SecretOption* secret_option(std::string_view command, std::string_view word) noexcept {
    for (const SecretOption& each : secret_options) {
        if (!is_command(command, each)) continue;
        const bool glued = word.size() > each.option.size() && !is_one_of(word[each.option.size()], "=");
        const bool whole = word == each.option || word.substr(0, each.option.size() + 1).ends_with('=');
        if (word.starts_with(each.option) &&
            (glued ? each.where != SecretOption::Where::apart : whole && each.where != SecretOption::Where::glued))
            return &each;
        const bool letters = word.size() > 2 && word[1] != '-' && !has_any(word.substr(1), is_digit);
        if (letters && each.what == SecretOption::What::after_colon && word.back() == each.option[1] &&
            each.option.size() == 2)
            return &each;
    }
    return nullptr;
}

}  // namespace heeler::inline HEELER_ABI::detail
