// The ladder of a class that only watches: an incident begins with the first finding and ends with the last. It alerts,
// steers, and gives a run up where its settings say so; nothing is tried and verified (the session monitor).
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <heeler/core/ladder.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/recover/backoff.hpp>
#include <heeler/recover/rung.hpp>

namespace heeler::inline HEELER_ABI {

/// What ends the watch of a run at once. Either of the two is enough.
struct Ending {
    Severity at_least = Severity::none;       ///< `critical`: two conditions at once
    std::optional<Duration> silent_longer{};  ///< no activity for longer than this (strictly); 1 s to 10 years
    Plan plan{};                              ///< of `abandon`, `mark_failed` and `file_issue`

    [[nodiscard]] bool applies(const Judgement& seen) const noexcept {
        if (at_least != Severity::none && seen.severity >= at_least) return true;
        return silent_longer && seen.silence && *seen.silence > *silent_longer;
    }
};

/// Which finding is steered, and how long none about the same follows.
struct SteerRule {
    Condition condition = Condition::loop_detected;
    Duration cooldown = std::chrono::seconds{900};  ///< 1 s to 10 years
};

/// Pure data; thread-safe as long as nobody changes it.
struct WatchLadder {
    List<SteerRule> steers{};  ///< empty: nothing is sent to the run
    List<Ending> endings{};    ///< the first that applies is carried out
    /// Set: a stalled run is taken up by a fresh agent; after `retry->count` of them it is abandoned and a person is
    /// told.
    std::optional<Backoff> retry{};

    [[nodiscard]] Decision climb(const LadderTurn& turn) const;

    [[nodiscard]] Decision absorb(const LadderOutcomes& outcomes) const;

    /// People are still told; only what would be done waits, and a retry stays planned.
    [[nodiscard]] Decision held_back(const Incident& before, Decision decision) const;

    /// Likewise, and a person is asked for where the step asks for one.
    [[nodiscard]] Decision over_budget(const Incident& before, const Decision& decision) const;

    [[nodiscard]] Result<void> validate() const;

    [[nodiscard]] std::string describe() const;

    /// What ends the watch.
    [[nodiscard]] std::string outlook() const;

private:
    /// Nothing was sent about it too recently.
    [[nodiscard]] static bool may_steer(const SteerRule& rule, const Judgement& seen) noexcept;

    [[nodiscard]] const Ending* ending_for(const Judgement& seen) const noexcept;

    [[nodiscard]] Decision step(const LadderTurn& turn) const;
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/recover/watch_ladder-inl.hpp>
#endif
