// Which runs a class watches by a regular expression of their names, where a glob cannot say it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <regex.h>

#include <heeler/core/result.hpp>
#include <heeler/core/run_filter.hpp>

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

}  // namespace heeler::inline HEELER_ABI
