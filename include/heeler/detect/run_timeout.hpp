// Judges a run against its configured time limit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Timed out when the run works longer than its own limit, or else the class's (strictly greater). An explicit limit is
/// the one reason for which the ladder goes to its last rung at once.
struct RunTimeout {
    static constexpr std::string_view kind = "timeout";
    static constexpr EventMask listens = events<>;

    struct Settings {
        std::optional<Duration> limit;  ///< for runs that bring none
    };

    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("limit_s", settings.limit, std::chrono::seconds{1}, detail::longest_setting);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run,
                                               Instant now) const {
        const auto limit = limit_of(settings, run);
        if (!limit) return std::nullopt;
        if (!run.started) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "start_unknown"}};
        const Duration elapsed = run.working(now.elapsed) - *run.started;
        if (elapsed <= *limit) return std::nullopt;
        Finding finding{Condition::timeout, Level::stop, kind, {.rule = kind}};
        finding.evidence.add("elapsed_s", in_seconds(elapsed)).add("threshold_s", in_seconds(*limit));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    /// What stands in `describe()` where nobody has set it: a run that does something all the time is never over.
    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration) {
        return settings.limit ? "" : "  warning: no time limit is set (duration_limit_s); 8h is a usual one\n";
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        const double elapsed = finding.evidence.fact("elapsed_s");
        return "Running for " +
               (elapsed < 3600 ? detail::words::lasting(elapsed) : detail::words::counted(elapsed / 3600, "hour"));
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& settings, const Run& run, Duration) const {
        const auto limit = limit_of(settings, run);
        if (!limit || !run.started) return std::nullopt;
        return *run.started + *limit + Duration{1};
    }

private:
    static std::optional<Duration> limit_of(const Settings& settings, const Run& run) noexcept {
        return run.timeout ? std::optional{*run.timeout} : settings.limit;
    }
};

}  // namespace heeler::inline HEELER_ABI
