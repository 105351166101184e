// The presets for task trees. Not among the others: they are only needed with `TreeWatch` and `OrphanRecovery`.
#pragma once

#include <string>
#include <utility>

#include <heeler/core/settings.hpp>
#include <heeler/tree/stranded_rule.hpp>
#include <heeler/tree/task_tree_rule.hpp>
#include <heeler/tree/watch/settings.hpp>  // IWYU pragma: keep, they are known where the presets are
#include <heeler/tree/watch/tree_ladder.hpp>

namespace heeler::inline HEELER_ABI::presets {

/// What watches of trees have in common: looked at when the process starts, every minute, and when something in the
/// tree changes (`TreeWatch::changed`). Nobody is told but by who is woken, and by escalations.
[[nodiscard]] inline RunClass of_trees(std::string name) {
    RunClass rules;
    rules.name = std::move(name);
    rules.schedule.period = 60s;
    rules.schedule.immediate = true;
    rules.interval.fixed = 60s;
    rules.ladder = TreeLadder{};
    rules.prompts.detectors_words = true;
    rules.alerts.conditions.clear();
    rules.alerts.tell_people = false;
    return rules;
}

/// Each watch of a node is a run of this class (`TreeWatch`).
[[nodiscard]] inline RunClass task_tree() {
    RunClass rules = of_trees("task_tree");
    rules.detectors.turn_on<TaskTreeRule>();
    return rules;
}

/// Each node that an agent has in progress is a run of this class (`OrphanRecovery`).
[[nodiscard]] inline RunClass orphan_recovery() {
    RunClass rules = of_trees("orphan_recovery");
    rules.detectors.turn_on<StrandedRule>();
    return rules;
}

}  // namespace heeler::inline HEELER_ABI::presets
