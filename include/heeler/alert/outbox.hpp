// Decides what becomes of an alert after each attempt to deliver it: done, later, or given up for good.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/plain_loops.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// An alert that can be sent at once.
[[nodiscard]] inline AlertRow alert_row(AlertKind kind, std::string_view of, Severity severity, std::string summary,
                                        WallTime at) {
    std::string name{name_of(kind)}, key = name;
    key.append(".").append(of);
    AlertRow row{{std::move(key), std::move(name), {}, {}, severity, std::move(summary), {}, {}, at}};
    row.created_at = row.not_before = at;
    return row;
}

/// The wait before the next attempt after `attempts` failed ones: doubling, up to the longest.
[[nodiscard]] constexpr Duration retry_wait(const OutboxSettings& settings, std::uint32_t attempts) noexcept {
    Duration wait = settings.first_retry;
    for (std::uint32_t i = 1; i < attempts && wait < settings.longest_retry; ++i) wait *= 2;
    return detail::min_of(wait, settings.longest_retry);
}

namespace detail {

/// A number that only the key and the attempt decide, spread evenly over 24 bits.
[[nodiscard]] constexpr std::uint64_t lot_of(std::string_view key, std::uint32_t attempt) noexcept {
    std::uint64_t lot = 0xcbf29ce484222325ULL + attempt;
    for (const char c : key) lot = (lot ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    lot = (lot ^ (lot >> 33)) * 0xff51afd7ed558ccdULL;
    lot = (lot ^ (lot >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return lot >> 40;
}

/// What the channel said, at most a day.
[[nodiscard]] constexpr Duration told_wait(const Error& error) noexcept {
    return max_of(Duration{}, min_of(error.retry_after, Duration{std::chrono::hours{24}}));
}

/// How long to wait after a failure; `told`: what the channel said, to everybody who came with us.
[[nodiscard]] constexpr Duration next_wait(const OutboxSettings& settings, std::uint32_t attempts, std::string_view key,
                                           Duration told) noexcept {
    const Duration longest = retry_wait(settings, attempts);
    if (!settings.jitter) return detail::max_of(longest, told);
    const auto parts = static_cast<std::uint64_t>(detail::min_of(longest, Duration{std::chrono::hours{24}}).count());
    return told + Duration{1 + static_cast<Duration::rep>(lot_of(key, attempts) * parts >> 24)};
}

/// How soon it is asked what became of an alert that is under way, where the channel names no time.
inline constexpr Duration shortest_look = std::chrono::milliseconds{200};

inline void add_taken(std::vector<std::string>& known, const std::vector<std::string>& more) {
    for (const std::string& channel : more)
        if (!detail::contains(known, channel)) known.push_back(channel);
}

}  // namespace detail

[[nodiscard]] inline bool is_under_way(const Result<Receipt>& answer) noexcept {
    return !answer && answer.error().code == ErrorCode::under_way;
}

/// The row after one attempt. A receipt ends it; an error that is permanent, or the age limit, makes it a dead letter.
/// Where the channel says when to come again, the next attempt is not sooner; with `jitter` it is some time after that.
/// While it is under way, the attempt is not over: one that never ends is given up by age. `owed`: since when people
/// could have it, if that is not when it was made.
[[nodiscard]] inline AlertRow after_attempt(AlertRow row, const OutboxSettings& settings, const Result<Receipt>& answer,
                                            WallTime now, std::optional<WallTime> owed = {}) {
    if (!answer) detail::add_taken(row.alert.taken, answer.error().taken);
    if (is_under_way(answer) && now - owed.value_or(row.created_at) < settings.give_up_after) {
        row.not_before = now + detail::max_of<Duration>(detail::told_wait(answer.error()), detail::shortest_look);
        return row;
    }
    ++row.attempts;
    if (answer && answer->recipients > 0) {
        row.state = AlertRow::State::delivered;
        row.last_error.clear();
        return row;
    }
    row.last_error = answer ? "nobody listens on this route" : answer.error().message;
    const bool hopeless = !answer && answer.error().code == ErrorCode::permanent;
    if (settings.at_once) {
        if (hopeless || row.attempts > *settings.at_once)
            row.state = AlertRow::State::dead;
        else
            row.not_before = now + (answer ? Duration{} : detail::told_wait(answer.error()));
        return row;
    }
    if (hopeless || !settings.retry || now - owed.value_or(row.created_at) >= settings.give_up_after)
        row.state = AlertRow::State::dead;
    else
        row.not_before = now + detail::next_wait(settings, row.attempts, row.alert.key,
                                                 answer ? Duration{} : detail::told_wait(answer.error()));
    return row;
}

}  // namespace heeler::inline HEELER_ABI
