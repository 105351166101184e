// Decides what becomes of an alert after each attempt to deliver it: done, later, or given up for good.
#pragma once

#include <algorithm>
#include <string>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>

namespace heeler::inline HEELER_ABI {

/// The wait before the next attempt after `attempts` failed ones: doubling, up to the longest.
[[nodiscard]] constexpr Duration retry_wait(const OutboxSettings& settings, std::uint32_t attempts) noexcept {
    Duration wait = settings.first_retry;
    for (std::uint32_t i = 1; i < attempts && wait < settings.longest_retry; ++i) wait *= 2;
    return std::min(wait, settings.longest_retry);
}

/// The row after one attempt. A receipt ends it; an error that is permanent, or the age limit, makes it a dead letter.
/// Where the channel says when to come again, the next attempt is not sooner.
[[nodiscard]] inline AlertRow after_attempt(AlertRow row, const OutboxSettings& settings, const Result<Receipt>& answer,
                                            WallTime now) {
    ++row.attempts;
    if (answer && answer->recipients > 0) {
        row.state = AlertRow::State::delivered;
        row.last_error.clear();
        return row;
    }
    row.last_error = answer ? "nobody listens on this route" : answer.error().message;
    const bool hopeless = !answer && answer.error().code == ErrorCode::permanent;
    if (settings.at_once) {
        if (hopeless || row.attempts > *settings.at_once) row.state = AlertRow::State::dead;
        return row;
    }
    if (hopeless || !settings.retry || now - row.created_at >= settings.give_up_after)
        row.state = AlertRow::State::dead;
    else
        row.not_before =
            now + std::max(retry_wait(settings, row.attempts), answer ? Duration{} : answer.error().retry_after);
    return row;
}

}  // namespace heeler::inline HEELER_ABI
