// Finds sessions that have asked a person something, and are still not answered.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/run.hpp>

namespace watch {

/// A session whose turn is over waits for a person, too, and is no reason to call one: only a question is.
struct AsksPerson {
    static constexpr std::string_view kind = "asks_person";
    static constexpr heeler::EventMask listens = heeler::events<>;
    static constexpr bool while_waiting = true;

    struct Settings {
        heeler::Duration after = std::chrono::minutes{5};  ///< who sits before it has answered by then
    };
    struct Memory {};

    static void by_name(Settings& settings, heeler::NamedSettings& named) {
        named.length("after_s", settings.after, std::chrono::seconds{1}, std::chrono::hours{24});
    }

    void learn(Memory&, const Settings&, const heeler::Observation&) const {}

    [[nodiscard]] std::optional<heeler::Finding> check(const Memory& memory, const Settings& settings,
                                                       const heeler::Run& run, heeler::Instant now) const {
        const auto due = due_waiting(memory, settings, run, heeler::Elapsed::min());
        if (!due || now.elapsed < *due) return std::nullopt;
        return heeler::Finding{heeler::Condition::needs_input, heeler::Level::watch, kind, {.rule = kind}};
    }

    [[nodiscard]] std::optional<heeler::Elapsed> due_waiting(const Memory&, const Settings& settings,
                                                             const heeler::Run& run, heeler::Elapsed since) const {
        const bool asks = run.state == heeler::RunState::waiting_human && !run.words->prompt.empty();
        if (!asks || !run.waiting_since || *run.waiting_since + settings.after <= since) return std::nullopt;
        return *run.waiting_since + settings.after;
    }

    [[nodiscard]] heeler::List<heeler::Detail> details(const Memory&, const Settings&, const heeler::Run& run,
                                                       const heeler::Finding&) const {
        return {{"asked_with", run.words->prompt}};
    }

    [[nodiscard]] static std::string describe(const heeler::Finding&) {
        return "Has asked something, and nobody answers";
    }
};

}  // namespace watch
