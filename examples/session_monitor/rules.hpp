// By which rules the sessions are watched: a preset, what a file changes of it, and all of it faster.
#pragma once

#include <cstdio>
#include <utility>

#include <heeler/settings/detectors_words.hpp>
#include <heeler/settings/presets.hpp>

#include "../common/given_settings.hpp"
#include "options.hpp"

namespace monitor {

using heeler::Duration;

/// The times of an evidence have names that end in `_s`.
[[nodiscard]] inline heeler::List<heeler::Finding> in_real_time(heeler::List<heeler::Finding> findings, int scale) {
    for (heeler::Finding& finding : findings)
        for (std::size_t i = 0; i < finding.evidence.count; ++i)
            if (finding.evidence.facts[i].name.ends_with("_s")) finding.evidence.facts[i].value *= scale;
    return findings;
}

/// The same rules with all times divided by `scale`. What people read is multiplied again: with 60, 11 s of silence are
/// "Silent for 11 minutes".
[[nodiscard]] inline heeler::RunClass scaled(heeler::RunClass rules, int scale) {
    using Silence = heeler::HeartbeatContract<heeler::ActivityAge>;
    const auto shorten = [scale](std::optional<Duration>& length) {
        if (length) *length /= scale;
    };
    auto silence = *rules.detectors.find<Silence>();
    auto timeout = *rules.detectors.find<heeler::RunTimeout>();
    silence.act_after /= scale;
    shorten(silence.veto_within);
    shorten(timeout.limit);
    rules.detectors.turn_on<Silence>(silence).turn_on<heeler::RunTimeout>(timeout);
    rules.schedule.period /= scale;
    shorten(rules.interval.fixed);
    auto& ladder = *rules.ladder.as<heeler::WatchLadder>();
    for (heeler::Ending& ending : ladder.endings) shorten(ending.silent_longer);
    for (heeler::SteerRule& steer : ladder.steers) steer.cooldown /= scale;
    rules.alerts.cooldown /= scale;
    rules.alerts.renotify_every /= scale;
    rules.alerts.outbox.first_retry /= scale;
    rules.prompts.issues = [detectors = rules.detectors, scale](const auto& findings, const heeler::Run&) {
        return heeler::detectors_words(detectors, in_real_time(findings, scale));
    };
    rules.prompts.alert = [complete = rules.prompts.alert, scale](heeler::Alert& alert, const heeler::Run& run,
                                                                  Duration worked) {
        complete(alert, run, worked * scale);
    };
    return rules;
}

/// The class of all sessions. Settings of the file that could not be taken are said on stderr.
[[nodiscard]] inline heeler::Result<heeler::RunClass> session_rules(const Options& options) {
    heeler::RunClass rules = heeler::presets::session_monitor();
    rules.ladder.as<heeler::WatchLadder>()->steers = heeler::presets::session_steers();
    const auto laid = common::lay_settings(rules, options.config, [](const std::string& fault) {
        std::fprintf(stderr, "heeler-session-monitor: %s\n", fault.c_str());
    });
    if (!laid) return tl::unexpected<heeler::Error>(laid.error());
    return scaled(std::move(rules), options.scale);
}

}  // namespace monitor
