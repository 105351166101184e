// The ladder of what watches a task tree: a reviewer is woken once for each stop, and a person is told when that does
// not help.
#pragma once

#include <string>
#include <vector>

#include <heeler/core/ladder.hpp>
#include <heeler/recover/incident_steps.hpp>
#include <heeler/recover/rung.hpp>
#include <heeler/tree/conditions.hpp>
#include <heeler/tree/host_answers.hpp>

namespace heeler::inline HEELER_ABI {

/// Does what the detectors of a tree ask for: each finding is asked for once, by its detector, so nothing is counted
/// here but failures: a host that refuses is asked again after 1, 2, 4 ... minutes, at most an hour. When a person is
/// to be told, a detector says so. Pure; thread-safe.
struct TreeLadder {
    [[nodiscard]] Decision climb(const LadderTurn& turn) const {
        const auto& [incident, seen, now, elapsed, verify_after] = turn;
        const Condition* found = nullptr;
        for (const Condition& each : ranked)
            if ((seen.conditions & bit_of(each)) != 0) found = &each;
        if (found == nullptr) return incident.open() && seen.progressed ? recovered(incident, now) : Decision{incident};
        const bool tells = *found == TreeCondition::refused || *found == TreeCondition::unclear;
        // Progress although something is found: what was refused is not asked for any more.
        if (!tells && incident.open() && !seen.progressed && now < incident.verify_at) return Decision{incident};
        Decision decision{incident.open() ? incident : begun({incident, seen, now, elapsed, {}})};
        decision.condition = decision.incident.condition = *found;
        if (seen.progressed) decision.incident.unclear = 0;
        decision.incident.acted = now;
        decision.incident.phase = Phase::climbing;
        if (*found == TreeCondition::unrestored) return escalated(std::move(decision), "restorations are used up");
        if (*found == TreeCondition::refused) return told(std::move(decision), "the host refuses");
        if (*found == TreeCondition::unclear) return told(std::move(decision), "nobody knows whether it happened");
        if (*found == TreeCondition::unreviewed) return escalated(std::move(decision), "its reviewer is silent");
        ++decision.incident.attempts;
        decision.plan = plan_for(*found, decision.incident.attempts);
        return decision;
    }

    [[nodiscard]] Decision absorb(const LadderOutcomes& outcomes) const {
        const auto& [incident, actions, now, elapsed, verify_after] = outcomes;
        Decision decision{incident};
        decision.corrected = rung::outcome_of(actions);
        for (const Action& action : actions) rung::note_done(decision.incident, action);
        const Action& main = rung::main_of(actions);
        if (main.kind == ActionKind::escalate) return decision;
        const bool unknown = rung::any(actions, ActionOutcome::unknown);
        if (!unknown && main.outcome == ActionOutcome::done) {
            decision.incident.unclear = 0;
            return decision;
        }
        if (!unknown && decision.incident.attempts > 0) --decision.incident.attempts;
        if (main.outcome == ActionOutcome::skipped) {
            decision.incident.verify_at = now + HostAnswers::first_pause;
            return decision;
        }
        decision.incident.verify_at = now + HostAnswers::pause_after(++decision.incident.unclear);
        return decision;
    }

    [[nodiscard]] std::string describe() const {
        return "  ladder: wakes a reviewer once for each stop; tells a person when restorations are used up, when the "
               "reviewer is silent, when the host refuses three times in a row, and when nobody knows whether a wake "
               "happened\n";
    }

private:
    static constexpr Condition ranked[] = {TreeCondition::unrestored, TreeCondition::unreviewed,
                                           TreeCondition::stranded,   TreeCondition::stopped,
                                           TreeCondition::refused,    TreeCondition::unclear};

    /// A person hears of it, and the host is asked again all the same.
    [[nodiscard]] static Decision told(Decision decision, std::string_view reason) {
        decision = escalated(std::move(decision), reason);
        decision.incident.phase = Phase::climbing;
        return decision;
    }

    [[nodiscard]] static Plan plan_for(const Condition& condition, std::uint32_t attempt) {
        if (condition == TreeCondition::stopped)
            return {{ActionKind::review, {}, {}}, {ActionKind::wake, ActionKind::review, {}}};
        if (attempt <= 1) return {{ActionKind::wake, {}, {}}};
        return {{ActionKind::block, {}, {}}};
    }
};

}  // namespace heeler::inline HEELER_ABI
