// How a ladder that only watches is climbed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <heeler/core/plain_loops.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/recover/retry.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE Decision WatchLadder::climb(const LadderTurn& turn) const {
    Decision decision = step(turn);
    decision.tells = true;
    return decision;
}

HEELER_INLINE Decision WatchLadder::absorb(const LadderOutcomes& outcomes) const {
    const auto& [incident, actions, now, elapsed, verify_after] = outcomes;
    const Action& main = rung::main_of(actions);
    if (rung::find(actions, ActionKind::spawn) != nullptr) return retrying::absorb(outcomes);
    Decision decision{incident};
    decision.corrected = rung::outcome_of(actions);
    const bool given_up = is_record_only(main.kind) && main.outcome == ActionOutcome::done;
    if (given_up || rung::any(actions, ActionOutcome::ended)) {
        decision.corrected = InterventionOutcome::ended;
        decision.run_ended = true;
    } else if (rung::any(actions, ActionOutcome::unknown)) {
        decision.plan = rung::owed(actions);
        decision.reason = "outcome_unknown";
    } else if (main.kind == ActionKind::escalate) {
        rung::note_done(decision.incident, main);
    } else if (main.outcome != ActionOutcome::done && decision.incident.attempts > 0) {
        --decision.incident.attempts;
    }
    return decision;
}

HEELER_INLINE Decision WatchLadder::held_back(const Incident& before, Decision decision) const {
    Incident& kept = decision.incident;
    decision.plan.clear();
    decision.last.reset();
    decision.is_final = false;
    kept.attempts = before.number == kept.number ? before.attempts : 0;
    if (!retry) return decision;
    kept.phase = before.open() ? before.phase : Phase::climbing;
    kept.hold_until = before.hold_until;
    return decision;
}

HEELER_INLINE Decision WatchLadder::over_budget(const Incident& before, const Decision& decision) const {
    Decision told = held_back(before, decision);
    told.plan = told_only(before, decision).plan;
    return told;
}

HEELER_INLINE Result<void> WatchLadder::validate() const {
    constexpr Duration least = std::chrono::seconds{1}, most = std::chrono::hours{24 * 3650};
    for (const Ending& ending : endings) {
        if (ending.silent_longer && (*ending.silent_longer < least || *ending.silent_longer > most))
            return detail::invalid("ladder: an ending's silent_longer must be 1 s to 10 years");
        if (auto error = rung::check_plan("an ending", ending.plan)) return tl::unexpected<Error>(*std::move(error));
        for (const Step& entry : ending.plan)
            if (!is_record_only(entry.action) && entry.action != ActionKind::file_issue)
                return detail::invalid(
                    "ladder: an ending holds `" + std::string{name_of(entry.action)} +
                    "`; a class that only watches gives up with abandon, mark_failed and file_issue");
    }
    for (const SteerRule& rule : steers)
        if (rule.cooldown < least || rule.cooldown > most)
            return detail::invalid("ladder: the cooldown of a steer about " + std::string{name_of(rule.condition)} +
                                   " must be 1 s to 10 years; the run would be flooded by less");
    if (retry)
        if (auto error = retrying::check(*retry)) return tl::unexpected<Error>(*std::move(error));
    return {};
}

HEELER_INLINE std::string WatchLadder::describe() const {
    std::string text = "  only watches:\n" + retrying::describe(retry);
    for (const SteerRule& rule : steers)
        text::append(text, "    ", name_of(rule.condition), ": ", name_of(ActionKind::steer), ", at most every ",
                     text::spoken(rule.cooldown), "\n");
    for (const Ending& ending : endings) {
        text::append(text, "    when ",
                     ending.silent_longer ? "silent for more than " + text::spoken(*ending.silent_longer) : "",
                     ending.silent_longer && ending.at_least != Severity::none ? " or " : "",
                     ending.at_least != Severity::none ? name_of(ending.at_least) : "", ":");
        for (const Step& entry : ending.plan) text::append(text, " ", name_of(entry.action));
        text.append("\n");
    }
    return text;
}

HEELER_INLINE std::string WatchLadder::outlook() const {
    std::string text;
    for (const Ending& ending : endings) {
        text::append(text, text.empty() ? "; given up when " : ", or when ");
        if (ending.silent_longer) text::append(text, "silent for more than ", text::spoken(*ending.silent_longer));
        if (ending.at_least != Severity::none) text::append(text, "its severity is ", name_of(ending.at_least));
    }
    return text;
}

HEELER_INLINE bool WatchLadder::may_steer(const SteerRule& rule, const Judgement& seen) noexcept {
    if (seen.steered == nullptr) return true;
    for (const SentSteer& sent : *seen.steered)
        if (sent.condition == rule.condition && seen.wall - sent.at < rule.cooldown) return false;
    return true;
}

HEELER_INLINE const Ending* WatchLadder::ending_for(const Judgement& seen) const noexcept {
    for (const Ending& ending : endings)
        if (ending.applies(seen)) return &ending;
    return nullptr;
}

HEELER_INLINE Decision WatchLadder::step(const LadderTurn& turn) const {
    const auto& [incident, seen, now, elapsed, verify_after] = turn;
    const bool retried = retry && incident.open() && incident.attempts > 0;
    if (!seen.worst) {
        // That a fresh agent was started proves nothing yet.
        if (retried && !seen.active) return Decision{incident};
        return incident.open() ? recovered(incident, now) : Decision{incident};
    }
    Decision decision{incident};
    Incident& next = decision.incident;
    if (!incident.open()) retrying::forgive(retry, seen, next = begun(turn));
    const bool given_up = incident.phase == Phase::holding;  // in shadow mode the run goes on all the same
    const Ending* ending = given_up ? nullptr : ending_for(seen);
    const bool stalled = (seen.conditions & bit_of(Condition::stalled)) != 0;
    if (retry && stalled && ending == nullptr && !given_up) {
        decision = retrying::step(*retry, next, seen, now, elapsed, verify_after);
        if (retried && incident.phase == Phase::climbing) decision.last = InterventionOutcome::persisted;
        return decision;
    }
    decision.condition = next.condition = *seen.worst;
    if (incident.phase == Phase::waiting) next.hold_until.reset();
    if (!given_up) next.phase = Phase::climbing;
    for (const SteerRule& rule : steers)
        if ((seen.conditions & bit_of(rule.condition)) != 0 && may_steer(rule, seen))
            decision.plan.push_back({ActionKind::steer, {}, rule.condition});
    if (ending != nullptr) {
        detail::append_all(decision.plan, ending->plan);
        decision.is_final = true;
    }
    if (!decision.acts()) return decision;
    if (next.attempts > 0) decision.last = InterventionOutcome::persisted;
    ++next.attempts;
    next.acted = now;
    return decision;
}

}  // namespace heeler::inline HEELER_ABI
