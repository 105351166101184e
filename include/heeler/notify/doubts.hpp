// What notifiers that hold others pass on of them: names in their settings that are most likely misspelt.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/config.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/setting_name.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// The tags that a notifier's settings ask for, held against those of runs that people are told of.
class RouteTags {
public:
    explicit RouteTags(std::vector<std::string> asked) : asked_{asked}, unmet_{std::move(asked)} {}

    /// What is most likely misspelt: no run that people were told of has it, and this one has one that is very like it
    /// and that nothing asks for. Of each it is said once.
    [[nodiscard]] std::string hold_against(const std::vector<std::string>& tags) {
        std::string text;
        if (unmet_.empty() || tags.empty()) return text;
        std::vector<std::string_view> strange;
        for (const std::string& tag : tags)
            if (!contains(asked_, tag)) strange.push_back(tag);
        drop_if(unmet_, [&](const std::string& tag) {
            if (contains(tags, tag)) return true;
            const auto nearest = text::nearest_name(tag, strange);
            if (nearest)
                text::append(text, text.empty() ? "" : "; ", "no run so far has the tag `", text::shown_name(tag, 160),
                             "`, the nearest is `", text::shown_name(*nearest, 160), "`");
            return nearest.has_value();
        });
        return text;
    }

    [[nodiscard]] const std::vector<std::string>& asked() const noexcept { return asked_; }

private:
    std::vector<std::string> asked_;
    std::vector<std::string> unmet_;  ///< that no run had, and of which nothing was said
};

/// What those doubt that can (`NotifierLike`).
template <class... Notifiers>
[[nodiscard]] std::string doubts_of(const Notifiers&... notifiers) {
    std::string text;
    const auto add = [&](const auto& notifier) {
        if constexpr (requires { notifier.doubts(); })
            if (const std::string more = notifier.doubts(); !more.empty()) text += (text.empty() ? "" : "; ") + more;
    };
    (add(notifiers), ...);
    return text;
}

/// The tags of runs that they ask for, where they do.
template <class... Notifiers>
[[nodiscard]] RouteTags tags_of(const Notifiers&... notifiers) {
    std::vector<std::string> asked;
    const auto add = [&](const auto& notifier) {
        if constexpr (requires { notifier.tags(); }) append_all(asked, notifier.tags().asked());
    };
    (add(notifiers), ...);
    return RouteTags{std::move(asked)};
}

}  // namespace heeler::inline HEELER_ABI::detail
