// Decides what is done about an unhealthy run, and when: a pure function from incident, findings and time to the next
// step.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <heeler/core/incident.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/recover/decision.hpp>
#include <heeler/recover/retry.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/recover/watch_ladder.hpp>

namespace heeler::inline v0 {

/// The recovery ladder: rungs, waits, preconditions and limits as data, climbed without a clock, a store or a callback.
///
/// Never destructive first; a snapshot before anything destructive; each rung is verified after an interval; after
/// `max_attempts` the final rung, which always escalates.
class RecoveryLadder {
public:
    /// Checks the settings: what contradicts a promise is an error that names the entry.
    [[nodiscard]] static Result<RecoveryLadder> make(LadderSettings settings) {
        for (const Response& response : settings.responses)
            if (auto error = rung::check_response(response)) return tl::unexpected<Error>(*std::move(error));
        if (auto error = settings.watch_only ? watching::check(settings) : rung::check_final(settings.final_rung))
            return tl::unexpected<Error>(*std::move(error));
        if (settings.retry)
            if (auto error = retrying::check(*settings.retry)) return tl::unexpected<Error>(*std::move(error));
        if (settings.max_attempts < 1 || settings.max_attempts > 100)
            return fail(ErrorCode::invalid_argument,
                        "ladder.max_attempts is " + std::to_string(settings.max_attempts) + "; it must be 1 to 100");
        if (settings.max_continuations > 100)
            return fail(
                ErrorCode::invalid_argument,
                "ladder.max_continuations is " + std::to_string(settings.max_continuations) + "; it must be 0 to 100");
        if (settings.debounce < 1 || settings.debounce > 1000)
            return fail(ErrorCode::invalid_argument,
                        "ladder.debounce is " + std::to_string(settings.debounce) + "; it must be 1 to 1000");
        return RecoveryLadder{std::move(settings)};
    }

    [[nodiscard]] const LadderSettings& settings() const noexcept { return settings_; }

    /// One cycle's step. `now` and `verify_after` are on the run's working clock, `elapsed` is not stopped by a pause.
    [[nodiscard]] Decision climb(const Incident& incident, const Judgement& seen, Duration now, Elapsed elapsed,
                                 Duration verify_after) const {
        if (settings_.watch_only) return watching::step(settings_, incident, seen, now, elapsed, verify_after);
        Turn step{incident, seen, now, elapsed, verify_after};
        switch (incident.phase) {
            case Phase::none:
            case Phase::closed:
                return open(step);
            case Phase::climbing:
                return verify(step);
            case Phase::holding:
                return hold(step);
            case Phase::waiting:
                return wait(step);
        }
        return Decision{incident};
    }

    /// What the outcomes of a rung change: decided again in the same cycle.
    [[nodiscard]] Decision absorb(const Incident& incident, const std::vector<Action>& actions, Duration now,
                                  Elapsed elapsed, Duration verify_after) const {
        if (settings_.watch_only && rung::main_of(actions).kind != ActionKind::spawn)
            return watching::absorb(incident, actions);
        Decision decision{incident};
        bool escalated_in_rung = false;
        for (const Action& action : actions) {
            rung::note_done(decision.incident, action);
            escalated_in_rung |= action.kind == ActionKind::escalate;
        }
        const Action& main = rung::main_of(actions);
        decision.corrected = rung::outcome_of(actions);
        if (rung::any(actions, ActionOutcome::ended)) return end(decision, InterventionOutcome::ended);
        if (main.kind == ActionKind::terminate && main.outcome == ActionOutcome::done)
            return end(decision, InterventionOutcome::terminated);
        Turn step{incident, {}, now, elapsed, verify_after};
        if (main.outcome == ActionOutcome::skipped) return try_later(step, actions, *decision.corrected);
        if (main.kind == ActionKind::terminate &&
            (main.outcome == ActionOutcome::failed || main.outcome == ActionOutcome::rejected))
            return escalate(decision, "terminate_failed");
        if (rung::any(actions, ActionOutcome::unknown)) {
            if (!escalated_in_rung) decision.plan = {{ActionKind::escalate, {}}};
            decision.reason = "outcome_unknown";
            // Perhaps somebody works on it: nobody else is started before a person has looked.
            if (main.kind == ActionKind::spawn) decision.incident.phase = Phase::holding;
            return decision;
        }
        if (is_record_only(main.kind) && main.outcome == ActionOutcome::done)
            return end(decision, InterventionOutcome::ended);
        if (main.kind == ActionKind::spawn) return absorb_spawn(decision, main, now);
        if (main.kind == ActionKind::isolate && main.outcome != ActionOutcome::done)
            return escalate(decision, "isolate_failed");
        if (!is_injection(main.kind)) return decision;
        if (main.outcome == ActionOutcome::unsupported) {
            decision.incident.attempts -= decision.incident.attempts > 0 ? 1 : 0;
            return escalate(decision, "unsupported");
        }
        if (main.outcome == ActionOutcome::failed || main.outcome == ActionOutcome::rejected) {
            if (settings_.on_failure == OnFailure::escalate) return escalate(decision, "action_failed");
            Decision last = final_rung(step, decision.condition, true);
            last.corrected = decision.corrected;
            last.incident.isolated = decision.incident.isolated;
            last.reason = "action_failed";
            return last;
        }
        return decision;
    }

private:
    struct Turn {
        const Incident& incident;
        const Judgement seen;
        Duration now;
        Elapsed elapsed;
        Duration verify_after;
    };

    explicit RecoveryLadder(LadderSettings settings) : settings_{std::move(settings)} {}

    [[nodiscard]] const Response* response_to(Condition condition) const noexcept {
        for (const Response& response : settings_.responses)
            if (response.condition == condition && !response.rungs.empty()) return &response;
        return nullptr;
    }

    /// Something is done about it.
    [[nodiscard]] bool answers(Condition condition) const noexcept {
        return retrying::applies(settings_, condition) || response_to(condition) != nullptr;
    }

    [[nodiscard]] Decision open(const Turn& step) const {
        if (!step.seen.worst) return Decision{step.incident};
        if (*step.seen.worst != Condition::timeout && !answers(*step.seen.worst)) return Decision{step.incident};
        const Incident next = begun(step.incident, step.now, step.verify_after);
        return act({next, step.seen, step.now, step.elapsed, step.verify_after}, {});
    }

    [[nodiscard]] Decision verify(const Turn& step) const {
        const bool waits = step.now < step.incident.verify_at;
        if (step.seen.explicit_limit && !(waits && step.incident.condition == Condition::timeout))
            return act(step, InterventionOutcome::persisted);
        if (waits) return Decision{step.incident};
        if (step.seen.worst) return act(step, InterventionOutcome::persisted);
        if (step.seen.progressed || step.seen.enough_new || step.seen.no_output_gone)
            return recovered(step.incident, step.now);
        Decision unclear{step.incident};
        const Response* response = response_to(step.incident.condition);
        if (retrying::applies(settings_, step.incident.condition) || (response != nullptr && response->on_recurrence))
            return unclear;
        unclear.incident.verify_at = step.now + step.verify_after;
        if (++unclear.incident.unclear < 2) return unclear;
        Turn still = {unclear.incident, step.seen, step.now, step.elapsed, step.verify_after};
        return act(still, InterventionOutcome::persisted);
    }

    /// A retry is planned.
    [[nodiscard]] Decision wait(const Turn& step) const {
        if (step.seen.explicit_limit) return act(step, {});
        if (step.seen.worst) return answers(*step.seen.worst) ? act(step, {}) : Decision{step.incident};
        if (step.seen.progressed || step.seen.enough_new) return recovered(step.incident, step.now);
        return retrying::call_off(step.incident, step.now);
    }

    [[nodiscard]] Decision hold(const Turn& step) const {
        const Incident& incident = step.incident;
        if (step.seen.explicit_limit && incident.condition != Condition::timeout)
            return act(step, InterventionOutcome::persisted);
        if (!step.seen.worst && (step.seen.progressed || step.seen.enough_new || step.seen.no_output_gone))
            return recovered(step.incident, step.now);
        if (step.seen.worst && *step.seen.worst < incident.condition && incident.condition != Condition::timeout &&
            answers(*step.seen.worst))
            return act(step, {});
        Decision wait{incident};
        if (!incident.hold_until || step.elapsed < *incident.hold_until) return wait;
        wait.incident.hold_until.reset();
        wait.plan = {{ActionKind::escalate, {}}};
        wait.reason = "held_too_long";
        return wait;
    }

    [[nodiscard]] Decision act(const Turn& step, std::optional<InterventionOutcome> last) const {
        const Condition condition = step.seen.worst.value_or(step.incident.condition);
        if (retrying::applies(settings_, condition) && !step.seen.explicit_limit) {
            Decision retried =
                retrying::step(*settings_.retry, step.incident, step.seen, step.now, step.elapsed, step.verify_after);
            retried.last = last;
            return retried;
        }
        const Response* response = response_to(condition);
        const bool spawns = response != nullptr && rung::has(response->rungs.front(), ActionKind::spawn);
        const bool exhausted = step.incident.attempts >= settings_.max_attempts ||
                               (spawns && step.seen.continuations >= settings_.max_continuations);
        if (step.seen.explicit_limit || exhausted || response == nullptr) {
            Decision decision = final_rung(step, spawns ? condition : Condition::timeout, false);
            decision.last = last;
            decision.reason = step.seen.explicit_limit ? "limit_exceeded" : "attempts_used_up";
            return decision;
        }
        Decision decision{step.incident};
        decision.condition = condition;
        decision.last = last;
        decision.plan = response->rungs[std::min<std::size_t>(step.incident.attempts, response->rungs.size() - 1)];
        Incident& next = decision.incident;
        next.condition = condition;
        next.attempts += 1;
        next.unclear = 0;
        next.acted = step.now;
        next.verify_at = step.now + step.verify_after;
        next.phase = response->hold ? Phase::holding : Phase::climbing;
        next.hold_until.reset();
        if (response->hold && rung::has(decision.plan, ActionKind::pause))
            next.hold_until = step.elapsed + settings_.max_pause;
        return decision;
    }

    /// A continuation that could not be started uses up no attempt and is tried again in the next cycle; one that must
    /// not be started is a person's business.
    [[nodiscard]] static Decision absorb_spawn(Decision decision, const Action& spawn, Duration now) {
        if (spawn.outcome == ActionOutcome::done) {
            decision.incident.acted = now;  // only what the fresh agent does counts from here on
            return decision;
        }
        decision.incident.attempts -= decision.incident.attempts > 0 ? 1 : 0;
        if (spawn.outcome == ActionOutcome::blocked) return escalate(decision, "stop_not_proved");
        if (spawn.outcome == ActionOutcome::unsupported) return escalate(decision, "unsupported");
        decision.incident.verify_at = now;
        return decision;
    }

    /// The destructive entries stay only if a nudge got through, a limit was set, or the agent refused the nudge and
    /// the class says that this ends it.
    [[nodiscard]] Decision final_rung(const Turn& step, Condition condition, bool refused) const {
        Decision decision{step.incident};
        decision.condition = condition;
        decision.is_final = true;
        decision.plan = settings_.final_rung;
        if (!step.seen.explicit_limit && !step.incident.nudge_confirmed && !refused)
            std::erase_if(decision.plan, [](const Step& entry) { return is_destructive(entry.action); });
        Incident& next = decision.incident;
        next.condition = condition;
        next.phase = Phase::holding;
        next.unclear = 0;
        next.acted = step.now;
        next.hold_until.reset();
        return decision;
    }

    /// Held back by a freeze: nothing was tried, so nothing is counted, and it is tried again after one verification.
    [[nodiscard]] Decision try_later(const Turn& step, const std::vector<Action>& actions,
                                     InterventionOutcome corrected) const {
        Decision decision{step.incident};
        decision.corrected = corrected;
        Incident& next = decision.incident;
        const auto first = std::find_if(actions.begin(), actions.end(),
                                        [](const Action& action) { return action.kind != ActionKind::isolate; });
        const Response* response = response_to(next.condition);
        const bool of_retry = settings_.retry && first != actions.end() && first->kind == ActionKind::spawn;
        const bool of_response = of_retry || (response != nullptr && first != actions.end() &&
                                              response->rungs.front().front().action == first->kind);
        if (of_response || next.condition == Condition::timeout) {
            if (of_response && next.attempts > 0) --next.attempts;
            next.phase = Phase::climbing;
            next.verify_at = step.now + step.verify_after;
            next.hold_until.reset();
        } else if (next.phase == Phase::holding) {
            next.hold_until = step.elapsed + step.verify_after;
        }
        return decision;
    }

    [[nodiscard]] static Decision escalate(Decision decision, std::string_view reason) {
        decision.plan = {{ActionKind::escalate, {}}};
        decision.incident.phase = Phase::holding;
        decision.reason = reason;
        return decision;
    }

    [[nodiscard]] static Decision end(Decision decision, InterventionOutcome outcome) {
        decision.corrected = outcome;
        decision.incident.phase = Phase::closed;
        decision.run_ended = true;
        if (outcome == InterventionOutcome::ended && decision.incident.attempts > 0) --decision.incident.attempts;
        return decision;
    }

    LadderSettings settings_;
};

}  // namespace heeler::inline v0
