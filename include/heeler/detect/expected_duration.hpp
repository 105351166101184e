// Shows that a run takes longer than it was expected to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/duration.hpp>

namespace heeler::inline HEELER_ABI {

/// Overdue when the run works longer than its expected duration (strictly greater), whatever it achieves meanwhile
/// (the long-run skill). That is only shown: an estimate is no limit, and who makes progress is not disturbed.
struct ExpectedDuration {
    static constexpr std::string_view kind = "expected_duration";
    static constexpr EventMask listens = events<>;

    struct Settings {};
    struct Memory {};

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings&, const Run& run, Instant now) const {
        if (!run.expected || !run.started) return std::nullopt;
        const Duration elapsed = run.working(now.elapsed) - *run.started;
        if (elapsed <= *run.expected) return std::nullopt;
        Finding finding{Condition::overdue, Level::watch, kind, {.rule = kind}};
        finding.evidence.add("elapsed_s", in_seconds(elapsed)).add("threshold_s", in_seconds(*run.expected));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        const auto length = [&](std::string_view fact) {
            return text::spoken(
                std::chrono::duration_cast<Duration>(std::chrono::duration<double>{finding.evidence.fact(fact)}));
        };
        return "Running for " + length("elapsed_s") + ", expected to take " + length("threshold_s");
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings&, const Run& run, Duration) const {
        if (!run.expected || !run.started) return std::nullopt;
        return *run.started + *run.expected + Duration{1};
    }
};

}  // namespace heeler::inline HEELER_ABI
