// Retries with back-off: a stalled run is taken up by a fresh agent, each time after a longer pause, and given up when
// that does not help (S004).
#pragma once

#include <optional>
#include <string>

#include <heeler/core/result.hpp>
#include <heeler/recover/decision.hpp>

namespace heeler::inline v0::retrying {

/// Only a stall is retried: what loops or fails would do so again.
[[nodiscard]] inline bool applies(const LadderSettings& settings, Condition condition) noexcept {
    return settings.retry && condition == Condition::stalled;
}

/// The run is stalled now. Nobody waits here: the moment before which nobody is started is kept in the incident.
[[nodiscard]] inline Decision step(const Backoff& retry, const Incident& incident, const Judgement& seen, Duration now,
                                   Elapsed elapsed, Duration verify_after) {
    Decision decision{incident};
    Incident& next = decision.incident;
    const std::optional<Elapsed> planned = incident.phase == Phase::waiting ? incident.hold_until : std::nullopt;
    decision.condition = next.condition = Condition::stalled;
    next.unclear = 0;
    if (planned && elapsed < *planned) return decision;
    next.hold_until.reset();
    if (seen.continuations >= retry.count) {
        decision.plan = {{ActionKind::escalate, {}, {}}, {ActionKind::abandon, {}, {}}};
        decision.is_final = true;
        decision.reason = "retries_used_up";
        next.phase = Phase::holding;
        next.acted = now;
    } else if (!planned) {
        decision.retry_after = retry.before(seen.continuations);
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

[[nodiscard]] inline std::optional<Error> check(const Backoff& retry) {
    const auto refuse = [](const std::string& what) {
        return Error{ErrorCode::invalid_argument, "ladder.retry." + what};
    };
    if (retry.count < 1 || retry.count > 100)
        return refuse("count is " + std::to_string(retry.count) + "; it must be 1 to 100");
    if (retry.base <= Duration{} || retry.cap <= Duration{})
        return refuse("base and cap are " + std::to_string(in_seconds(retry.base)) + " and " +
                      std::to_string(in_seconds(retry.cap)) + " s; both must be positive");
    if (!(retry.factor >= 1 && retry.factor <= 100))
        return refuse("factor is " + std::to_string(retry.factor) + "; it must be 1 to 100");
    return std::nullopt;
}

}  // namespace heeler::inline v0::retrying
