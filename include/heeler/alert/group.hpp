// Alerts of one cause as one message: when they are told, and how one of them speaks for all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/name_map.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/append.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

inline constexpr std::size_t runs_named = 20;                 ///< of those that a message tells of together
inline constexpr std::string_view group_detail = "together";  ///< how many runs these are

/// When the alerts of each group are due. One thread at a time.
class AlertGroups {
public:
    /// One more alert, made then: all that come before its group is told are due together.
    [[nodiscard]] WallTime join(const std::string& group, WallTime made, const OutboxSettings& settings) {
        Group& known = groups_[group];
        if (!known.due) known.due = detail::max_of(made + settings.group_wait, known.next);
        return *known.due;
    }

    /// Those that were due are taken out: who comes now waits anew.
    void take(const std::string& group) {
        if (const auto known = groups_.find(group); known != groups_.end()) known->second.due.reset();
    }

    /// They are told.
    void told(const std::string& group, WallTime now, const OutboxSettings& settings) {
        if (groups_.size() >= forget_at_) forget(now);
        groups_[group].next = now + settings.group_interval;
    }

private:
    struct Group {
        std::optional<WallTime> due{};  ///< absent: none waits
        WallTime next = WallTime::min();
    };

    void forget(WallTime now) {
        for (auto next = groups_.begin(); next != groups_.end();) {
            const auto each = next;
            ++next;
            if (!each->second.due && each->second.next <= now) groups_.erase(each);
        }
        forget_at_ = detail::max_of<std::size_t>(64, 2 * groups_.size());
    }

    NameMap<Group> groups_;
    std::size_t forget_at_ = 64;
};

/// It waits for what becomes of the alert that speaks for it.
[[nodiscard]] inline bool follows(const AlertRow& row) noexcept {
    return row.state == AlertRow::State::pending && row.how == AlertRow::How::together;
}

}  // namespace detail

/// In words for people: why it is not told, or not by itself, or what went wrong with it; empty: nothing.
[[nodiscard]] inline std::string reason_of(const AlertRow& row) {
    switch (row.how) {
        case AlertRow::How::together:
            return text::concat("told with ", row.with_key, " of the run ", row.with_run,
                                row.state == AlertRow::State::dead ? ", which nobody received" : "");
        case AlertRow::How::inhibited:
            if (row.with_run.empty()) return "inhibited: people know that many runs stand still together";
            return text::concat("inhibited: people know of the run ", row.with_run, " above it");
        case AlertRow::How::silenced:
            return row.note;
        case AlertRow::How::alone:
            if (row.state == AlertRow::State::delivered || !row.last_error.empty()) break;
            return "sent by itself";
        case AlertRow::How::plain:
            break;
    }
    return row.last_error;
}

/// Whether this alert tells of other runs as well.
[[nodiscard]] inline bool speaks_for_others(const Alert& alert) {
    return detail::any_of(alert.details, [](const Detail& detail) { return detail.name == detail::group_detail; });
}

/// Makes an alert tell of others of its cause as well: how many runs there are, and which, up to 20 of them. Its key
/// stays.
inline void speak_for(Alert& alert, const List<const Alert*>& others) {
    detail::NameMap<bool> known;
    known[alert.run.id] = true;
    std::string names;
    std::size_t more = 0;
    for (const Alert* other : others) {
        if (!known.emplace(other->run.id, true) || ++more > detail::runs_named) continue;
        text::append(names, names.empty() ? "" : ", ", other->run.name.empty() ? other->run.id : other->run.name);
    }
    if (more > detail::runs_named) text::append(names, " and ", std::to_string(more - detail::runs_named), " more");
    for (const Alert* other : others) alert.severity = detail::max_of(alert.severity, other->severity);
    alert.details.push_back({std::string{detail::group_detail}, std::to_string(more + 1), true});
    if (more == 0) return;
    text::append(alert.summary, ", and ", std::to_string(more), more == 1 ? " more run" : " more runs");
    if (alert.issues.empty())
        alert.details.push_back({"also", std::move(names)});
    else
        alert.issues.push_back("also: " + names);
}

}  // namespace heeler::inline HEELER_ABI
