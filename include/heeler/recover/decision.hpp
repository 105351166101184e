// What a cycle found out about a run, and what is to be done next: the values that the ladders work with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/incident.hpp>
#include <heeler/core/settings.hpp>

namespace heeler::inline v0 {

/// A set of conditions, a bit each.
[[nodiscard]] constexpr std::uint32_t bit_of(Condition condition) noexcept {
    return 1u << static_cast<unsigned>(condition);
}

/// What one cycle found out about a run.
struct Judgement {
    std::optional<Condition> worst{};  ///< of the findings that warrant acting; absent: none does
    bool explicit_limit = false;       ///< a configured limit was exceeded
    bool progressed = false;           ///< the metric moved since the last rung
    bool enough_new = false;           ///< so many new items without a finding that the condition is gone
    bool no_output_gone = false;       ///< the output can be read again
    std::uint32_t continuations = 0;   ///< that were started in the run's life, or may have been
    bool active = false;               ///< activity since the last rung
    // For a class that only watches:
    std::uint32_t conditions = 0;  ///< of the findings that warrant acting
    std::uint32_t steerable = 0;   ///< conditions about which nothing was sent too recently
    Severity severity = Severity::none;
    std::optional<Duration> silence{};  ///< no activity for so long; absent: not silent
};

/// What is done next. `plan` empty: nothing.
struct Decision {
    explicit Decision(const Incident& before) : incident{before}, condition{before.condition} {}

    Incident incident;
    Plan plan;
    Condition condition;                           ///< what the rung is about
    std::optional<InterventionOutcome> last;       ///< verdict on the rung before: recovered or persisted
    std::optional<InterventionOutcome> corrected;  ///< what the rung that was just carried out came to
    std::optional<Duration> retry_after;           ///< a retry was planned in this step
    bool is_final = false;                         ///< the last rung
    bool run_ended = false;                        ///< the run is over: terminated, given up, or found over
    std::string_view reason;                       ///< why, for the record

    [[nodiscard]] bool acts() const noexcept { return !plan.empty(); }
};

/// The incident that a finding opens: the last one again if it returns soon after it was closed (within two
/// verifications), else a new one.
[[nodiscard]] inline Incident begun(const Incident& last, Duration now, Duration verify_after) {
    if (last.phase == Phase::closed && now - last.closed_at <= 2 * verify_after) return last;
    Incident next{};
    next.number = last.number + 1;
    next.interventions = last.interventions;
    next.opened = now;
    return next;
}

/// The condition is gone.
[[nodiscard]] inline Decision recovered(const Incident& incident, Duration now) {
    Decision decision{incident};
    decision.last = InterventionOutcome::recovered;
    decision.incident.phase = Phase::closed;
    decision.incident.closed_at = now;
    decision.incident.unclear = 0;
    decision.incident.hold_until.reset();
    return decision;
}

}  // namespace heeler::inline v0
