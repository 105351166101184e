// The presets for task trees. Not among the others: they are only needed with `TreeWatch` and `OrphanRecovery`.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/shown_name.hpp>
#include <heeler/tree/conditions.hpp>
#include <heeler/tree/stranded_rule.hpp>
#include <heeler/tree/task_tree_rule.hpp>
#include <heeler/tree/watch/settings.hpp>  // IWYU pragma: keep, they are known where the presets are
#include <heeler/tree/watch/tree_ladder.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail {

/// A tree has no goal, checkpoint or metric of its own: what it is about stands in the details.
[[nodiscard]] inline std::string summary_of_watched(std::string_view what, std::string_view state,
                                                    const PromptFacts& facts) {
    std::string_view more;
    if (facts.condition == TreeCondition::refused) more = ", and its host refuses to have somebody take it up";
    if (facts.condition == TreeCondition::unclear) more = ", and nobody knows whether somebody was asked to take it up";
    if (facts.condition == TreeCondition::unrestored) more = ", again and again, unchanged after each review";
    if (facts.condition == TreeCondition::unreviewed) more = ", and its reviewer shows no sign of life";
    return text::concat(what, text::shown_name(facts.run, 256), state, more, ". Watched for ",
                        text::spoken(facts.elapsed), ".\n");
}
[[nodiscard]] inline std::string tree_summary(const PromptFacts& facts) {
    return summary_of_watched("The task tree below ", " has come to rest", facts);
}
[[nodiscard]] inline std::string orphan_summary(const PromptFacts& facts) {
    return summary_of_watched("", " is in progress with nobody at work", facts);
}

/// What was found, in words; what was done, and what comes next, stands in the details of the detector. What is told
/// after a silence has none of these.
inline void speak_of_watched(Alert& alert, const Run&, Duration) {
    if (!alert.is(AlertKind::escalation)) return;
    const bool was_silenced = std::any_of(alert.details.begin(), alert.details.end(),
                                          [](const Detail& detail) { return detail.name == detail_name::silenced; });
    List<Detail> details;
    for (Detail& detail : alert.details) {
        if (detail.name == detail_name::done || (detail.name == detail_name::next && !was_silenced)) continue;
        if (detail.name == detail_name::next)
            detail.value =
                "a host that refuses is asked again; otherwise it is left alone until something changes or a "
                "person acts";
        if (detail.name == detail_name::seen && !alert.issues.empty()) detail.value = alert.issues.front();
        details.push_back(std::move(detail));
    }
    alert.details = std::move(details);
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
    rules.prompts.alert = detail::speak_of_watched;
    rules.alerts.conditions.clear();
    rules.alerts.tell_people = false;
    return rules;
}

/// Each watch of a node is a run of this class (`TreeWatch`).
[[nodiscard]] inline RunClass task_tree() {
    RunClass rules = of_trees("task_tree");
    rules.detectors.turn_on<TaskTreeRule>();
    rules.prompts.summary = detail::tree_summary;
    return rules;
}

/// Each node that an agent has in progress is a run of this class (`OrphanRecovery`).
[[nodiscard]] inline RunClass orphan_recovery() {
    RunClass rules = of_trees("orphan_recovery");
    rules.detectors.turn_on<StrandedRule>();
    rules.prompts.summary = detail::orphan_summary;
    return rules;
}

}  // namespace presets

}  // namespace heeler::inline HEELER_ABI
