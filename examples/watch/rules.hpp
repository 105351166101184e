// By which rules sessions are watched: those of `recommended`, as far as nothing is done to an agent.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include <heeler/settings/presets.hpp>

#include "../common/given_settings.hpp"
#include "asks_person.hpp"
#include "options.hpp"

namespace watch {

/// What is found is told, and nothing is done: these agents have a person of their own.
[[nodiscard]] inline heeler::Result<heeler::RunClass> rules_of(const Options& options) {
    heeler::RunClass rules = heeler::presets::recommended();
    rules.name = "agents";
    rules.schedule = {.period = options.every, .immediate = true};
    rules.detectors.turn_off<heeler::NeedsInput>().turn_on<AsksPerson>();
    auto& ladder = *rules.ladder.as<heeler::RecoveryLadder>();
    ladder.responses.clear();
    ladder.final_rung = {{heeler::ActionKind::escalate, {}, {}}};
    rules.alerts.escalation = {};
    rules.prompts.detectors_words = true;
    const auto laid = common::lay_settings(rules, options.config, [](const std::string& fault) {
        std::fprintf(stderr, "heeler-watch: %s\n", fault.c_str());
    });
    if (!laid) return tl::unexpected<heeler::Error>(laid.error());
    return rules;
}

/// The same for sessions whose hooks take words: those that go round in circles are told so, before a person is asked
/// for.
[[nodiscard]] inline heeler::RunClass rules_with_hooks(heeler::RunClass rules) {
    rules.name = "agents_with_hooks";
    rules.schedule.period = std::chrono::seconds{1};
    rules.ladder.as<heeler::RecoveryLadder>()->responses = {
        {heeler::Condition::loop_detected, {{{heeler::ActionKind::break_pattern, {}, {}}}}, false, false}};
    return rules;
}

}  // namespace watch
