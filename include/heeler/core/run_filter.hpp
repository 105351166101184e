// Which runs a class watches, by their tags and their names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/run.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// Whether the whole text is what the pattern says: `*` is any text, `?` one character of UTF-8, all else is itself.
[[nodiscard]] constexpr bool matches_glob(std::string_view pattern, std::string_view text) noexcept {
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, tried = 0;
    const auto next = [text](std::size_t at) {
        do ++at;
        while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u);
        return at;
    };
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            tried = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            t = pattern[p++] == '?' ? next(t) : t + 1;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = tried = next(tried);
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace detail

/// Admits what has one of the tags, or a name or id like the pattern; everything if there are neither.
struct RunFilter {
    std::vector<std::string> tags_any{"worker"};
    /// A glob: `*` is any text, `?` one character. Empty: none. At most 128 bytes.
    std::string name_pattern{};
    bool (*matches)(std::string_view pattern, std::string_view name) = &detail::matches_glob;
    /// The watchdog's own are never watched: a name or id that begins with `__`, or the tag `watchdog`.
    bool exclude_system = true;
    bool both = false;      ///< where there are tags and a pattern, one of them is not enough
    bool untagged = false;  ///< what a host registers, one by one, is watched without tags, unless there is a pattern

    [[nodiscard]] bool admits(const RunSpec& spec) const {
        if (excludes(spec)) return false;
        bool tagged = tags_any.empty() && (both || name_pattern.empty());
        for (const std::string& tag : tags_any)
            for (const std::string& carried : spec.tags) tagged |= carried == tag;
        const bool named = (both && name_pattern.empty()) || fits(spec.name) || fits(spec.id);
        return both ? tagged && named : tagged || named;
    }

    [[nodiscard]] bool excludes(const RunSpec& spec) const {
        bool own = spec.name.starts_with("__") || spec.id.starts_with("__");
        for (const std::string& tag : spec.tags) own |= tag == "watchdog";
        return exclude_system && own;
    }

    /// Likewise, of what was registered one by one.
    [[nodiscard]] bool keeps(const RunSpec& spec) const {
        return admits(spec) || (untagged && !excludes(spec) && spec.tags.empty() && name_pattern.empty());
    }

private:
    [[nodiscard]] bool fits(std::string_view name) const {
        return !name_pattern.empty() && !name.empty() && matches(name_pattern, name);
    }
};

}  // namespace heeler::inline HEELER_ABI
