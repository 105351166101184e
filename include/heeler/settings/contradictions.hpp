// Settings of a class, or of one of its runs, that are taken, but together do not do what whoever sets them expects.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/alert.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
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
    return detail::invalid(
        "ladder: `terminate` in final_rung comes after a nudge that got through or a time limit, and this class "
        "has neither: nobody would ever be terminated. Add a nudge to a response, turn `RunTimeout` on, or leave "
        "`terminate` out");
}

/// What is doubted, each by the name of a setting: its value, the limit and what to do.
using Doubts = List<Detail>;

/// A limit that is seen in time: it spans two intervals, and a run is looked at four times before it is over.
inline void doubt_limit(Doubts& doubts, const RunClass& rules, std::string setting, std::string text, Duration limit) {
    const Duration interval = rules.interval.fixed.value_or(rules.interval.short_task), look = rules.shortest_cycle();
    if (limit >= 2 * interval && look <= limit / 4) return;
    text::append(text, " is ", text::spoken(limit));
    if (limit < 2 * interval)
        text::append(text, ", shorter than two intervals of ", text::spoken(interval),
                     ": what a run does is hardly seen before it is over. Make it at least ",
                     text::spoken(2 * interval), ", or interval_s shorter");
    else
        text::append(text, ", and runs are looked at every ", text::spoken(look), " only, so that it may be seen ",
                     text::spoken(look), " late. Look at least every ", text::spoken(limit / 4),
                     ", or make the limit longer");
    doubts.push_back({std::move(setting), std::move(text)});
}

/// What is found only in a run that lives to see it.
inline void doubt_stalls(Doubts& doubts, const RunClass& rules, Duration limit, std::string_view remedy) {
    for (const auto& entry : rules.detectors.entries()) {
        const std::string_view kind = entry.ops->kind;
        const auto* stall = entry.settings.as<AgeLimits>();
        if (stall == nullptr || stall->act_after < limit) continue;
        const bool first = stall->informs && stall->warn_after && *stall->warn_after >= limit;
        const std::string_view level = first ? "silence_levels.suspicious_s" : "silence_levels.critical_s";
        const std::string_view silence = stall->informs ? level : "silence_s";
        doubts.push_back({std::string{kind == ActivityAge::kind ? silence : kind}, std::string{kind}});
        text::append(doubts.back().value, stall->informs ? " is told of after " : " is a stall after ",
                     text::spoken(first ? *stall->warn_after : stall->act_after),
                     ", but a run is over its time limit after ", text::spoken(limit),
                     ", so that it is never found: ", remedy);
    }
}

[[nodiscard]] inline Doubts doubts_of(const RunClass& rules) {
    Doubts doubts;
    if (const auto* timeout = rules.detectors.find<RunTimeout>(); timeout != nullptr && timeout->limit) {
        doubt_limit(doubts, rules, "duration_limit_s", "the time limit", *timeout->limit);
        doubt_stalls(doubts, rules, *timeout->limit, "make it shorter than 'duration_limit_s'");
    }
    if (const auto* alive = rules.detectors.find<HeartbeatContract<AliveAge>>()) {
        doubt_limit(doubts, rules, "liveness", "the limit of a sign of life", alive->act_after);
        const auto* start = rules.detectors.find<NeverStarted>();
        const std::string least = text::spoken(alive->act_after);
        if (start != nullptr && !alive->beats_within && start->grace < alive->act_after)
            doubts.push_back({"never_started_s",
                              text::concat("a run has ", text::spoken(start->grace), " to begin, and ", least,
                                           " between two signs of life, so that a slow beginning is a stall before "
                                           "it is silence. Make it at least ",
                                           least)});
    }
    const Duration every = rules.alerts.renotify_every;
    const std::string look = text::spoken(rules.shortest_cycle());
    if (every > Duration{} && every < rules.shortest_cycle() && rules.alerts.cooldown == Duration{})
        doubts.push_back(
            {"alert_cooldown_s", text::concat("alerts are said again every ", text::spoken(every),
                                              " while trouble lasts, and "
                                              "nothing holds them back: people are told at each look, every ",
                                              look, ". Set alert_cooldown_s, or renotify_every_s to at least ", look)});
    // Without a nudge that got through nothing is destroyed, unless a limit was set.
    if (terminates_without_nudge(rules))
        doubts.push_back({"ladder",
                          "the final rung terminates a run, and no rung before it nudges one: then only a time limit "
                          "terminates. Add a nudge to a response, or leave `terminate` out"});
    return doubts;
}

/// Of a run's own time limit.
[[nodiscard]] inline Doubts doubts_of(const RunClass& rules, const Run& run) {
    Doubts doubts;
    if (run.timeout && rules.detectors.find<RunTimeout>() != nullptr)
        doubt_stalls(doubts, rules, *run.timeout, "make it shorter, or the run's own limit longer");
    return doubts;
}

}  // namespace heeler::inline HEELER_ABI::detail
