// Judges what a run has consumed in all against a fixed number of tokens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Over the soft limit when a run has consumed that many tokens or more, in and out together, while it is running
/// (the session monitor). It only reads the totals; how fast they grow is for `BurnRateTracker`.
struct TokenBudget {
    static constexpr std::string_view kind = "token_budget";
    static_assert(kind == RunSpend::budget_kind);
    static constexpr EventMask listens = events<>;

    struct Settings {
        std::int64_t soft = 5'000'000;  ///< tokens
    };

    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("soft", settings.soft, 1, RunSpend::most_tokens);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run, Instant) const {
        const std::int64_t tokens = run.usage->tokens_in + run.usage->tokens_out;
        const std::int64_t soft = run.spend->own_tokens > 0 ? run.spend->own_tokens : settings.soft;
        if (run.state != RunState::running || tokens < soft) return std::nullopt;
        Finding finding{Condition::token_budget, Level::nudge, kind, {.rule = "soft_limit"}};
        finding.evidence.add("tokens", static_cast<double>(tokens))
            .add("threshold", static_cast<double>(soft))
            .add("cost_usd", run.usage->cost_usd);
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        return "Token budget: " + detail::words::grouped(finding.evidence.fact("tokens")) + " tokens, " +
               detail::words::dollars(finding.evidence.fact("cost_usd"));
    }
};

}  // namespace heeler::inline HEELER_ABI
