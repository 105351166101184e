// Retries with back-off: a stalled run is taken up by a fresh agent, each time after a longer pause, and given up when
// that does not help (the session monitor).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/ladder.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/result.hpp>
#include <heeler/recover/backoff.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI::retrying {

/// Only a stall is retried: what loops or fails would do so again.
[[nodiscard]] inline bool applies(const std::optional<Backoff>& retry, const Condition& condition) noexcept {
    return retry && condition == Condition::stalled;
}

/// An incident begins. What was started before the run worked for long counts for nothing any more.
inline void forgive(const std::optional<Backoff>& retry, const Judgement& seen, Incident& next) noexcept {
    if (retry && retry->reset_after > Duration{} && seen.well_for && *seen.well_for >= retry->reset_after)
        next.forgiven = seen.continuations;
}

/// The run is stalled now. Nobody waits here: the moment before which nobody is started is kept in the incident.
[[nodiscard]] inline Decision step(const Backoff& retry, const Incident& incident, const Judgement& seen, Duration now,
                                   Elapsed elapsed, Duration verify_after) {
    Decision decision{incident};
    Incident& next = decision.incident;
    const bool planned = incident.phase == Phase::waiting && incident.hold_until;
    decision.condition = next.condition = Condition::stalled;
    if (incident.condition != Condition::stalled) next.unclear = 0;
    if (planned && elapsed < *incident.hold_until) return decision;
    next.hold_until.reset();
    const std::uint32_t in_a_row = seen.continuations - detail::min_of(seen.continuations, next.forgiven);
    if (in_a_row >= retry.count) {
        decision.plan = {{ActionKind::escalate, {}, {}}, {ActionKind::abandon, {}, {}}};
        decision.is_final = true;
        decision.reason = "retries_used_up";
        next.phase = Phase::holding;
        next.acted = now;
    } else if (!planned) {
        decision.retry_after = retry.before(in_a_row);
        decision.reason = "retry_planned";
        next.phase = Phase::waiting;
        next.hold_until = elapsed + *decision.retry_after;
    } else {
        decision.plan = {{ActionKind::spawn, {}, {}}};
        next.phase = Phase::climbing;
        ++next.attempts;
        next.acted = now;
        next.verify_at = now + verify_after;
    }
    return decision;
}

/// The stall is gone before anybody was started.
[[nodiscard]] inline Decision call_off(const Incident& incident, Duration now) {
    Decision decision{incident};
    decision.incident.phase = Phase::climbing;
    decision.incident.hold_until.reset();
    decision.incident.verify_at = now;
    return decision;
}

inline constexpr std::uint32_t patience = 3;      ///< starts in a row that fail before a person is told
inline constexpr std::uint32_t most_starts = 10;  ///< and before no further one is tried
inline constexpr Duration longest_rest = std::chrono::hours{24};

/// Nobody could be started. At first that is tried again in the next cycle, then after ever longer rests, from two
/// verifications to a day.
[[nodiscard]] inline Decision not_started(Decision decision, Duration now, Elapsed elapsed, Duration verify_after) {
    Incident& next = decision.incident;
    next.verify_at = now;
    if (++next.unclear < patience) return decision;
    if (next.unclear >= most_starts) return escalated(decision, "spawn_given_up");
    Duration rest = verify_after;
    for (std::uint32_t n = patience; n <= next.unclear && rest < longest_rest; ++n) rest *= 2;
    next.phase = Phase::waiting;
    next.hold_until = elapsed + detail::min_of(rest, longest_rest);
    if (next.unclear > patience) return decision;
    decision.plan = {{ActionKind::escalate, {}, {}}};
    decision.reason = "spawn_failed";
    return decision;
}

/// What the outcomes of a rung change that holds a `spawn`. A continuation that could not be started uses up no
/// attempt; one that must not be started is a person's business.
[[nodiscard]] inline Decision absorb(const LadderOutcomes& outcomes) {
    const auto& [incident, actions, now, elapsed, verify_after] = outcomes;
    Decision decision{incident};
    for (const Action& action : actions) rung::note_done(decision.incident, action);
    const Action& spawn = *rung::find(actions, ActionKind::spawn);
    decision.corrected = rung::outcome_of(actions);
    Incident& next = decision.incident;
    if (rung::any(actions, ActionOutcome::ended)) return ended(decision, InterventionOutcome::ended);
    if (rung::any(actions, ActionOutcome::unknown)) {
        decision.plan = rung::owed(actions);
        decision.reason = "outcome_unknown";
        // Perhaps somebody works on it: nobody else is started before a person has looked.
        next.phase = Phase::holding;
        next.acted = now;  // that somebody may have been started is no sign of them
        return decision;
    }
    if (spawn.outcome == ActionOutcome::done) {
        next.acted = now;  // only what the fresh agent does counts from here on
        next.unclear = 0;
        return decision;
    }
    next.attempts -= next.attempts > 0 ? 1 : 0;
    const Action* isolation = rung::find(actions, ActionKind::isolate);
    if (rung::any(actions, ActionOutcome::skipped)) {  // by a freeze
        next.phase = Phase::climbing;
        next.verify_at = now + verify_after;
        next.hold_until.reset();
        return decision;
    }
    if (isolation != nullptr && rung::not_done(*isolation) && spawn.outcome == ActionOutcome::blocked)
        return escalated(decision, "isolate_failed");
    if (spawn.outcome == ActionOutcome::blocked) return escalated(decision, "stop_not_proved");
    if (spawn.outcome == ActionOutcome::unsupported) return escalated(decision, "unsupported");
    return not_started(std::move(decision), now, elapsed, verify_after);
}

/// The line of `describe()`.
[[nodiscard]] inline std::string describe(const std::optional<Backoff>& retry) {
    std::string text;
    if (!retry) return text;
    text::append(text, "    ", name_of(Condition::stalled), ": ", name_of(ActionKind::spawn), " after");
    for (std::uint32_t n = 0; n < detail::min_of(retry->count, 8u); ++n)
        text::append(text, n == 0 ? " " : ", ", text::spoken(retry->before(n)));
    const std::string until =
        retry->reset_after > Duration{} ? ", until it has worked for " + text::spoken(retry->reset_after) : " in all";
    text::append(text, retry->count > 8 ? ", ... " : ", ", std::to_string(retry->count), " times", until,
                 "; then: ", name_of(ActionKind::escalate), " ", name_of(ActionKind::abandon), "\n");
    return text;
}

[[nodiscard]] inline std::optional<Error> check(const Backoff& retry) {
    const auto refuse = [](const std::string& what) {
        return Error{ErrorCode::invalid_argument, "ladder.retry." + what};
    };
    if (retry.count < 1 || retry.count > 100)
        return refuse("count is " + std::to_string(retry.count) + "; it must be 1 to 100");
    constexpr Duration least = std::chrono::seconds{1}, most = std::chrono::hours{24};
    if (retry.base < least || retry.base > most || retry.cap < least || retry.cap > most)
        return refuse("base and cap are " + std::to_string(in_seconds(retry.base)) + " and " +
                      std::to_string(in_seconds(retry.cap)) + " s; both must be 1 s to 24 h");
    if (!(retry.factor >= 1 && retry.factor <= 100))
        return refuse("factor is " + std::to_string(retry.factor) + "; it must be 1 to 100");
    if (retry.reset_after < Duration{}) return refuse("reset_after is negative");
    return std::nullopt;
}

}  // namespace heeler::inline HEELER_ABI::retrying
