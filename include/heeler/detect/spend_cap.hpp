// Judges what a run, together with others, has spent against caps that nobody may go beyond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/spend.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Runaway when a sum that the run's spend is part of has reached its cap: of its lineage (the run and those that it
/// `continues`), of all runs of its owner on this day (UTC), or of all runs on this day. Nobody is started for it then.
/// It only reads what a `SpendLedger`, which has to be attached, has added up; without one nothing can be judged. The
/// ledger tells people, once for a sum, also from two shares of the cap on.
struct SpendCap {
    static constexpr std::string_view kind = "spend";
    static_assert(kind == RunSpend::cap_kind);
    static constexpr EventMask listens = events<>;

    /// What is added up, each for itself; by these names stand caps and findings.
    static constexpr std::array<std::string_view, 6> sums{"lineage_tokens", "lineage_usd", "owner_day_tokens",
                                                          "owner_day_usd",  "day_tokens",  "day_usd"};
    /// Of `RunSpend::of`, which of a sum is its place, from 1. While a sum is asked for, nobody is started.
    static constexpr std::uint8_t no_cap = sums.size() + 1, asked_for = no_cap + 1;

    struct Settings {
        std::int64_t lineage_tokens = 0;  ///< in and out together; 0 of each of the six: no cap
        double lineage_usd = 0;
        std::int64_t owner_day_tokens = 0;
        double owner_day_usd = 0;
        std::int64_t day_tokens = 0;
        double day_usd = 0;
        double soft = 0.8;        ///< share of a cap: people are told
        double wind_down = 0.95;  ///< likewise, and that the work is to come to an end

        /// In tokens, or millionths of a dollar.
        [[nodiscard]] std::array<std::int64_t, 6> caps() const noexcept {
            return {lineage_tokens, detail::micros_of(lineage_usd), owner_day_tokens, detail::micros_of(owner_day_usd),
                    day_tokens,     detail::micros_of(day_usd)};
        }
    };

    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        constexpr std::int64_t most_tokens = RunSpend::most_tokens;
        constexpr double most_usd = static_cast<double>(RunSpend::most_micro_usd) / 1e6;
        named.count("lineage_tokens", settings.lineage_tokens, 0, most_tokens);
        named.number("lineage_usd", settings.lineage_usd, 0, most_usd);
        named.count("owner_day_tokens", settings.owner_day_tokens, 0, most_tokens);
        named.number("owner_day_usd", settings.owner_day_usd, 0, most_usd);
        named.count("day_tokens", settings.day_tokens, 0, most_tokens);
        named.number("day_usd", settings.day_usd, 0, most_usd);
        named.number("soft", settings.soft, 0.01, 1);
        named.number("wind_down", settings.wind_down, 0.01, 1);
    }
    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        if (settings.soft <= settings.wind_down) return {};
        return fail(ErrorCode::invalid_argument, "spend: soft is " + std::to_string(settings.soft) + " and wind_down " +
                                                     std::to_string(settings.wind_down) +
                                                     "; soft must not be above wind_down");
    }

    /// What an operator gave to one run takes the place of the cap on its lineage.
    [[nodiscard]] static Settings for_run(Settings settings, const RunSpend& run) noexcept {
        if (run.own_tokens > 0) settings.lineage_tokens = run.own_tokens;
        if (run.own_micro_usd > 0) settings.lineage_usd = static_cast<double>(run.own_micro_usd) / 1e6;
        return settings;
    }

    /// How far a sum has come: 0, or 80, 95 and 100 by default.
    [[nodiscard]] static int percent_reached(const Settings& settings, std::int64_t spent, std::int64_t cap) noexcept {
        const double share = cap > 0 ? static_cast<double>(spent) / static_cast<double>(cap) : 0;
        if (cap > 0 && spent >= cap) return 100;
        const double reached = share >= settings.wind_down ? settings.wind_down
                               : share >= settings.soft    ? settings.soft
                                                           : 0;
        return static_cast<int>(reached * 100 + 0.5);
    }

    /// Puts down which of these sums is nearest to its cap. A negative one is not known.
    static void note(const Settings& settings, const std::array<std::int64_t, 6>& spent, RunSpend& run) noexcept {
        const auto caps = settings.caps();
        double nearest = -1;
        run.of = no_cap;
        run.spent = run.cap = 0;
        for (std::size_t i = 0; i < caps.size(); ++i) {
            if (caps[i] <= 0 || spent[i] < 0) continue;
            const double share = static_cast<double>(spent[i]) / static_cast<double>(caps[i]);
            if (share <= nearest) continue;
            nearest = share;
            run.of = static_cast<std::uint8_t>(i + 1);
            run.spent = spent[i];
            run.cap = caps[i];
        }
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant) const {
        const RunSpend& spend = *run.spend;
        if (spend.of == 0) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "no_spend_ledger"}};
        if (spend.of >= no_cap || !spend.is_over()) return std::nullopt;
        Finding finding{Condition::runaway, Level::stop, kind, {}};
        const std::size_t sum = spend.of - 1u;
        const double unit = sum % 2 == 0 ? 1 : 1e6;
        finding.evidence.rule = sums[sum];
        finding.evidence.add("spent", static_cast<double>(spend.spent) / unit)
            .add("cap", static_cast<double>(spend.cap) / unit);
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    /// What stands in `describe()`.
    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration) {
        std::string text;
        const auto caps = settings.caps();
        for (std::size_t i = 0; i < caps.size(); ++i)
            if (caps[i] > 0) text.append(text.empty() ? "" : ", ").append(amount(i, caps[i])).append(whose[i / 2]);
        if (text.empty())
            return "  warning: `spend` is on, and no cap is set (spend.day_usd, spend.lineage_usd, ...)\n";
        return "  spend: at most " + text + "; needs a SpendLedger\n";
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        std::size_t sum = 0;
        while (sum + 1 < sums.size() && sums[sum] != finding.evidence.rule) ++sum;
        const double unit = sum % 2 == 0 ? 1 : 1e6;
        const auto shown = [&](std::string_view fact) {
            return amount(sum, static_cast<std::int64_t>(finding.evidence.fact(fact) * unit + 0.5));
        };
        return "Spend cap reached: " + shown("spent") + " of " + shown("cap") + std::string{whose[sum / 2]};
    }

    /// "$12.50", or "3,000 tokens".
    [[nodiscard]] static std::string amount(std::size_t sum, std::int64_t value) {
        const double number = static_cast<double>(value);
        return sum % 2 == 0 ? detail::words::grouped(number) + " tokens" : detail::words::dollars(number / 1e6);
    }

    static constexpr std::array<std::string_view, 3> whose{" for the run and those that it continues",
                                                           " for its owner's runs today", " for all runs today"};
};

}  // namespace heeler::inline HEELER_ABI
