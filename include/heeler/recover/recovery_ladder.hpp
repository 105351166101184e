// Decides what is done about an unhealthy run, and when: a pure function from incident, findings and time to the next
// step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <heeler/core/incident.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/recover/backoff.hpp>
#include <heeler/recover/rung.hpp>

namespace heeler::inline HEELER_ABI {

/// What follows when a nudge, a pause or an isolation fails or is rejected. If the agent control lacks the verb, a
/// person is told, whatever is set here.
enum class OnFailure : std::uint8_t { final_rung, escalate };

/// The recovery ladder: rungs, waits, preconditions and limits as data, climbed without a clock, a store or a callback.
///
/// Never destructive first; a snapshot before anything destructive; each rung is verified after an interval; after
/// `max_attempts` the final rung, which always escalates.
struct RecoveryLadder {
    List<Response> responses{};
    Plan final_rung{{ActionKind::snapshot, {}, {}}, {ActionKind::escalate, {}, {}}};
    std::uint32_t max_attempts = 2;       ///< per incident, across conditions; 1 to 100
    std::uint32_t max_continuations = 2;  ///< in the run's life; then the final rung. 0 to 100
    /// Set: a stalled run is taken up by a fresh agent, whatever `responses` say about a stall; after `retry->count` of
    /// them (in place of `max_continuations`) it is abandoned and a person is told.
    std::optional<Backoff> retry{};
    OnFailure on_failure = OnFailure::escalate;
    Duration max_pause = std::chrono::minutes{30};  ///< one that is not the final rung is escalated again then

    /// What contradicts a promise is an error that names the entry.
    [[nodiscard]] Result<void> validate() const;

    [[nodiscard]] std::uint32_t attempts() const noexcept { return max_attempts; }

    /// Whether a rung holds the action.
    [[nodiscard]] bool asks_for(ActionKind kind) const;

    [[nodiscard]] std::string describe() const;

    /// One cycle's step.
    [[nodiscard]] Decision climb(const LadderTurn& turn) const;

    /// What the outcomes of a rung change: decided again in the same cycle.
    [[nodiscard]] Decision absorb(const LadderOutcomes& outcomes) const;

    /// People are told, and a person is asked for where the step asks for one; its deeds wait.
    [[nodiscard]] Decision over_budget(const Incident& before, const Decision& decision) const;

private:
    struct Turn : LadderTurn {
        std::optional<Condition> unanswered{};  ///< found, and all that is: people are told, and nothing is done
    };

    [[nodiscard]] const Response* response_to(Condition condition) const noexcept;

    /// No attempt is left, for whoever needs one.
    [[nodiscard]] bool is_used_up(const Incident& incident, const Response& response) const noexcept;

    /// Something is done about it.
    [[nodiscard]] bool answers(Condition condition) const noexcept;

    /// What nothing is done about hides nothing, and is no reason for the last rung: the worst that the ladder knows.
    [[nodiscard]] std::optional<Condition> worst_answered(const Judgement& seen) const noexcept;

    [[nodiscard]] Decision open(const Turn& step) const;

    [[nodiscard]] Decision verify(const Turn& step) const;

    /// The condition is gone. What nothing is done about may be left.
    [[nodiscard]] Decision over(const Turn& step) const;

    /// A retry is planned, or people were told and nothing was done yet.
    [[nodiscard]] Decision wait(const Turn& step) const;

    [[nodiscard]] Decision hold(const Turn& step) const;

    [[nodiscard]] Decision act(const Turn& step, std::optional<InterventionOutcome> last) const;

    /// The destructive entries stay only if a nudge got through, a limit was set, or the agent refused the nudge and
    /// the class says that this ends it.
    [[nodiscard]] Decision last_rung(const Turn& step, Condition condition, bool refused) const;

    /// What was to recover the run came to nothing. What the host cannot do is no failure of the agent, and one that
    /// could not be isolated is not touched: both are a person's business.
    [[nodiscard]] Decision failed(const Turn& step, Decision decision, const List<Action>& actions) const;

    /// Held back by a freeze: nothing was tried, so nothing is counted, and it is tried again after one verification.
    [[nodiscard]] Decision try_later(const Turn& step, const List<Action>& actions,
                                     InterventionOutcome corrected) const;
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/recover/recovery_ladder-inl.hpp>
#endif
