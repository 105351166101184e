// Settings of a watchdog itself: how often it writes, when it speaks up for itself, and its place among several.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

struct EngineSettings {
    Duration flush_every = 1s;    ///< of a run's small row, while it changes
    Duration memory_every = 30s;  ///< of its detectors' memory, while it changes
    /// Runs that a tick looks at, whoever has waited longest first; the rest is due at once, in the next one. The cycle
    /// of a class that is looked at as a whole (`Schedule::together`) is not divided. 1 to 4,194,304.
    std::uint32_t due_per_tick = 5000;
    Duration gap = 10s;               ///< a difference between the two clocks that is one
    Duration store_down_after = 60s;  ///< without a successful commit, people are told
    Duration store_down_repeat = 4h;  ///< and told again
    std::string freeze_file{};        ///< while a file of this name exists, nothing is done to any run; empty: none
    /// This watchdog's name where several share one store (`LeasingStoreLike`): it then judges only runs that it holds,
    /// and takes over those of a holder that stopped renewing its lease. Each needs another name, the same after a
    /// restart. Empty: it is the only one, and a second one without a name, of another process, is refused.
    std::string holder{};
    Duration lease = 15s;            ///< how long others wait for a sign of this one before they take its runs
    Duration renew_every = 5s;       ///< at most `lease` / 2; up to a fifth sooner, at random for each holder
    Duration lease_margin = 2s;      ///< so long before its lease runs out this watchdog stops acting
    std::uint64_t claim_runs = 500;  ///< taken in one go
};

/// What is wrong with the settings of a watchdog, on a store whose statements take at most so long (0: not known).
[[nodiscard]] inline Result<void> check_settings(const EngineSettings& settings, Duration statement_timeout = {}) {
    const auto refuse = [](std::string_view name, Duration value, std::string_view limit) {
        return detail::invalid("EngineSettings::" + std::string{name} + " is " + std::to_string(in_seconds(value)) +
                               " s; it must be " + std::string{limit});
    };
    // Clocks are always that far apart: every verdict would be held, for ever.
    if (settings.gap <= Duration{}) return refuse("gap", settings.gap, "more than 0");
    if (settings.flush_every < Duration{}) return refuse("flush_every", settings.flush_every, "0 or more");
    if (settings.memory_every < Duration{}) return refuse("memory_every", settings.memory_every, "0 or more");
    if (settings.due_per_tick < 1 || settings.due_per_tick > 4'194'304)
        return fail(ErrorCode::invalid_argument, "EngineSettings::due_per_tick must be 1 to 4194304");
    if (settings.store_down_after < Duration{})
        return refuse("store_down_after", settings.store_down_after, "0 or more");
    if (settings.store_down_repeat < Duration{})
        return refuse("store_down_repeat", settings.store_down_repeat, "0 or more");
    if (settings.holder.empty()) return {};
    if (settings.holder == unnamed_holder)
        return detail::invalid(
            "EngineSettings::holder is \"(unnamed)\", which stands for a watchdog "
            "without a name; choose another one");
    if (settings.renew_every * 2 > settings.lease || settings.renew_every <= Duration{})
        return detail::invalid("EngineSettings::renew_every must be more than 0 and at most lease / 2");
    // Without a margin others would take the runs over at the moment at which this watchdog stops acting.
    if (settings.lease_margin >= settings.lease - settings.renew_every || settings.lease_margin <= Duration{})
        return detail::invalid("EngineSettings::lease_margin must be more than 0 and less than lease - renew_every");
    if (statement_timeout * 2 > settings.lease)
        return detail::invalid(
            "the store's statement_timeout is " + std::to_string(in_seconds(statement_timeout)) +
            " s and EngineSettings::lease " + std::to_string(in_seconds(settings.lease)) +
            " s: a watchdog that is paused in the middle of a statement keeps the others out for longer "
            "than its lease. Make statement_timeout at most half of the lease");
    if (settings.claim_runs == 0) return detail::invalid("EngineSettings::claim_runs must be at least 1");
    return {};
}

}  // namespace heeler::inline HEELER_ABI
