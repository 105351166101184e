// Settings of a class that are taken, but together do not do what whoever sets them expects.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/never_started.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline bool terminates_without_nudge(const RunClass& rules) {
    for (const ActionKind kind : {ActionKind::nudge, ActionKind::break_pattern, ActionKind::steer})
        if (rules.ladder.asks_for(kind)) return false;
    return rules.ladder.asks_for(ActionKind::terminate);
}

/// Refused is what could never be: where no limit can be exceeded and nothing can be refused that goes before it, the
/// `terminate` of a final rung is a promise that is never kept. What may still come about, only later or more often
/// than is meant, is a contradiction and no more: a class that works is better than none.
[[nodiscard]] inline Result<void> check_terminate(const RunClass& rules) {
    if (!terminates_without_nudge(rules) || rules.ladder.asks_for(ActionKind::pause)) return {};
    if (rules.detectors.find<RunTimeout>() != nullptr) return {};
    return fail(
        ErrorCode::invalid_argument,
        "ladder: `terminate` in final_rung comes after a nudge that got through or a time limit, and this class "
        "has neither: nobody would ever be terminated. Add a nudge to a response, turn `RunTimeout` on, or leave "
        "`terminate` out");
}

/// `add(setting, message)` for each: the value, the limit and what to do.
template <class Add>
class Contradictions {
public:
    Contradictions(const RunClass& rules, Add& add) : rules_{rules}, add_{add} {}

    void check() {
        if (const auto* timeout = rules_.detectors.find<RunTimeout>(); timeout != nullptr && timeout->limit)
            check_limit("duration_limit_s", "the time limit", *timeout->limit);
        const auto* alive = rules_.detectors.find<HeartbeatContract<AliveAge>>();
        if (alive != nullptr) check_limit("liveness", "the limit of a sign of life", alive->act_after);
        check_start(alive);
        check_repetition();
        check_terminate();
    }

private:
    /// A limit that is seen in time: it spans two intervals, and a run is looked at four times before it is over.
    void check_limit(std::string_view setting, std::string_view what, Duration limit) {
        const Duration interval = rules_.interval.fixed.value_or(rules_.interval.short_task);
        if (limit < 2 * interval)
            add_(setting, text::concat(what, " is ", text::spoken(limit), ", shorter than two intervals of ",
                                       text::spoken(interval),
                                       ": what a run does is hardly seen before it is over. Make it at least ",
                                       text::spoken(2 * interval), ", or interval_s shorter"));
        else if (rules_.shortest_cycle() > limit / 4)
            add_(setting, text::concat(what, " is ", text::spoken(limit), ", and runs are looked at every ",
                                       text::spoken(rules_.shortest_cycle()), " only, so that it may be seen ",
                                       text::spoken(rules_.shortest_cycle()), " late. Look at least every ",
                                       text::spoken(limit / 4), ", or make the limit longer"));
    }

    void check_start(const HeartbeatContract<AliveAge>::Settings* alive) {
        const auto* start = rules_.detectors.find<NeverStarted>();
        if (start == nullptr || alive == nullptr || start->grace >= alive->act_after) return;
        add_("never_started_s",
             text::concat("a run has ", text::spoken(start->grace), " to begin, and ", text::spoken(alive->act_after),
                          " between two signs of life, so that a slow beginning is a stall before it is "
                          "silence. Make it at least ",
                          text::spoken(alive->act_after)));
    }

    /// Nothing holds back what is said at each look.
    void check_repetition() {
        const Duration every = rules_.alerts.renotify_every, look = rules_.shortest_cycle();
        if (every == Duration{} || every >= look || rules_.alerts.cooldown > Duration{}) return;
        add_("alert_cooldown_s",
             text::concat("alerts are said again every ", text::spoken(every),
                          " while trouble lasts, and no "
                          "cooldown holds them back: people are told at each look, every ",
                          text::spoken(look), ". Set alert_cooldown_s, or renotify_every_s to at least ",
                          text::spoken(look)));
    }

    /// Without a nudge that got through nothing is destroyed, unless a limit was set.
    void check_terminate() {
        if (!terminates_without_nudge(rules_)) return;
        add_("ladder",
             "the final rung terminates a run, and no rung before it nudges one: without a nudge that got through "
             "nothing is terminated but for a time limit. Add a nudge to a response, or leave `terminate` out");
    }

    const RunClass& rules_;
    Add& add_;
};

template <class Add>
void each_contradiction(const RunClass& rules, Add&& add) {
    Contradictions<std::remove_reference_t<Add>>{rules, add}.check();
}

}  // namespace heeler::inline HEELER_ABI::detail
