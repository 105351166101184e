// The presets for task trees. Not among the others: they are only needed with `TreeWatch` and `OrphanRecovery`.
#pragma once

#include <string>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/tree/stranded_rule.hpp>
#include <heeler/tree/task_tree_rule.hpp>
#include <heeler/tree/watch/settings.hpp>  // IWYU pragma: keep, they are known where the presets are
#include <heeler/tree/watch/tree_ladder.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// A tree has no goal, checkpoint or metric of its own: what it is about stands in the details.
[[nodiscard]] inline std::string tree_summary(const PromptFacts& facts) {
    return text::concat("The task tree below ", text::shown_name(facts.run, 256), ": ", facts.evidence, ", after ",
                        text::spoken(facts.elapsed), ".\n");
}

/// What an escalation says was done, and what comes next, in the terms of a tree.
inline void speak_of_tree(Alert& alert, const Run&, Duration) {
    if (!alert.is(AlertKind::escalation)) return;
    for (Detail& detail : alert.details) {
        if (detail.name == "done") detail.value = "the wakes in the history: " + detail.value;
        if (detail.name == "next")
            detail.value +=
                "; where its host refused, it is asked again, after growing pauses of at most an hour; where the stop "
                "was given up, it is left alone until the tree changes or somebody sets the watch anew";
    }
}

}  // namespace detail

namespace presets {

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
    rules.prompts.summary = detail::tree_summary;
    rules.prompts.alert = detail::speak_of_tree;
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

}  // namespace presets

}  // namespace heeler::inline HEELER_ABI
