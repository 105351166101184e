// One episode of unhealth of one run, the interventions of it, and the actions under each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <heeler/core/action.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// How a rung that was carried out ended. `pending` until its verification.
enum class InterventionOutcome : std::uint8_t {
    pending,
    recovered,
    persisted,
    rejected,
    failed,
    unsupported,
    unknown,
    terminated,
    escalated,
    ended,
    skipped
};

[[nodiscard]] constexpr std::string_view name_of(InterventionOutcome outcome) noexcept {
    constexpr std::string_view names[] = {"pending", "recovered",  "persisted", "rejected", "failed", "unsupported",
                                          "unknown", "terminated", "escalated", "ended",    "skipped"};
    return names[static_cast<std::size_t>(outcome)];
}

/// Where an incident stands.
enum class Phase : std::uint8_t {
    none,      ///< no incident
    climbing,  ///< rungs are tried and verified
    holding,   ///< escalated: a person decides, or the run recovers by itself
    closed,    ///< recovered; reopened if the condition returns soon
    waiting,   ///< told, and nothing is done yet: until `hold_until`, where that is set (a fresh agent is started then)
};

[[nodiscard]] constexpr Phase last_value(Phase) noexcept { return Phase::waiting; }

/// The current (or last) incident of a run. A value: the ladder computes the next one from it.
struct Incident {
    std::uint32_t number = 0;  ///< per run, from 1; 0: there was none
    Phase phase = Phase::none;
    Condition condition = Condition::stalled;  ///< what it was last judged by
    std::uint32_t attempts = 0;                ///< recovery attempts used, across conditions
    std::uint32_t unclear = 0;                 ///< in a row: verifications without enough evidence, or starts of nobody
    std::uint32_t interventions = 0;           ///< rungs carried out in the run's life
    std::uint32_t nudges = 0;                  ///< that reached the agent, or may have
    Duration opened{};                         ///< working clock
    Duration acted{};                          ///< working clock: the last rung
    Duration verify_at{};                      ///< working clock: not judged again before this
    Duration closed_at{};                      ///< working clock
    std::optional<Elapsed> hold_until{};       ///< escalated again then, or retried
    std::int64_t value_then = 0;               ///< progress metric at the last rung
    std::uint64_t items_then = 0;              ///< lines and calls at the last rung
    bool nudge_confirmed = false;              ///< a nudge or pattern break was delivered
    bool isolated = false;
    bool escalated = false;
    bool cannot_pause = false;   ///< what is certain was to be paused, and the host cannot do that
    std::uint32_t forgiven = 0;  ///< continuations from before the run was well for long: they lengthen no pause

    [[nodiscard]] bool open() const noexcept {
        return phase == Phase::climbing || phase == Phase::holding || phase == Phase::waiting;
    }

    friend bool operator==(const Incident&, const Incident&) = default;
};

/// One action of a rung: intended and stored first, then carried out, then confirmed.
struct Action {
    std::string key{};  ///< idempotency key
    ActionKind kind = ActionKind::nudge;
    std::optional<ActionKind> needs{};  ///< carried out only if this one of the same rung is done
    ActionOutcome outcome = ActionOutcome::intended;
    OutcomeFrom outcome_from = OutcomeFrom::answer;
    std::uint32_t incident = 0;
    std::uint32_t intervention = 0;  ///< per run, from 1
    std::uint32_t attempt = 0;
    std::string text{};                ///< what is sent to the run, or why
    std::string note{};                ///< what the agent control answered, or why it was not asked
    std::optional<Condition> about{};  ///< of a steer; not stored: what it was about is in its text
};

/// The durable record of one rung carried out, named by its main action.
struct Intervention {
    std::uint32_t number = 0;  ///< per run, from 1
    std::uint32_t incident = 0;
    std::uint32_t attempt = 0;
    Condition condition = Condition::stalled;
    ActionKind action = ActionKind::nudge;
    InterventionOutcome outcome = InterventionOutcome::pending;
    WallTime at{};
};

}  // namespace heeler::inline HEELER_ABI
