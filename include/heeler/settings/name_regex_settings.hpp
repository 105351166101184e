// Which runs a class watches by a regular expression of their names, where a glob cannot say it; by name, from a file
// or the environment, in programs that include this. POSIX.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <regex.h>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run_filter.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/settings/known_settings.hpp>
#include <heeler/settings/setting_values.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

class NameRegex {
public:
    explicit NameRegex(std::string_view pattern)
        : code_{::regcomp(&regex_, std::string{pattern}.c_str(), REG_EXTENDED | REG_NOSUB)} {}
    ~NameRegex() {
        if (code_ == 0) ::regfree(&regex_);
    }
    NameRegex(const NameRegex&) = delete;
    NameRegex& operator=(const NameRegex&) = delete;

    [[nodiscard]] bool fits(std::string_view name) const {
        return code_ == 0 && ::regexec(&regex_, std::string{name}.c_str(), 0, nullptr, 0) == 0;
    }
    /// Why it is none; empty: it is one.
    [[nodiscard]] std::string fault() const {
        std::array<char, 128> text{};
        if (code_ != 0) ::regerror(code_, &regex_, text.data(), text.size());
        return text.data();
    }

private:
    regex_t regex_{};
    int code_;
};

}  // namespace detail

/// Whether a part of the name is like the pattern, an extended regular expression of POSIX: `^` and `$` are its ends.
/// One that is none is like no name.
[[nodiscard]] inline bool matches_regex(std::string_view pattern, std::string_view name) {
    return detail::NameRegex{pattern}.fits(name);
}

/// What the filter admits by name is what this regular expression says. Errors: it is none.
[[nodiscard]] inline Result<void> set_name_regex(RunFilter& filter, std::string pattern) {
    if (const std::string fault = detail::NameRegex{pattern}.fault(); !fault.empty())
        return fail(ErrorCode::invalid_argument, "`" + pattern + "` is no regular expression: " + fault);
    filter.name_pattern = std::move(pattern);
    filter.matches = &matches_regex;
    return {};
}

namespace detail::setting {

/// In place of a glob. A class without a filter gets one, with the usual tags.
[[nodiscard]] inline Refused set_regex(const SettingValue& value, RunClass& rules) {
    const auto pattern = short_text(value, max_run_id_bytes);
    if (!pattern) return pattern.error();
    if (const std::string fault = NameRegex{*pattern}.fault(); !fault.empty())
        return refuse(SettingFault::Kind::out_of_range, value, "an extended regular expression: " + fault).value();
    auto& filter = rules.applicability.filter;
    static_cast<void>(set_name_regex(filter ? *filter : filter.emplace(), *pattern));
    return std::nullopt;
}

/// In place of a regular expression.
[[nodiscard]] inline Refused set_glob(const SettingValue&, RunClass& rules) {
    rules.applicability.filter->matches = &matches_glob;
    return std::nullopt;
}

inline constexpr std::array known_by_regex{Known{"name_regex", &set_regex}, Known{"name_pattern", &set_glob}};

inline const MoreSettings name_regex_settings{known_by_regex};

}  // namespace detail::setting

}  // namespace heeler::inline HEELER_ABI
