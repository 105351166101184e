// Judges a run against its configured time limit.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Timed out when the run works longer than its own limit, or else the class's (strictly greater), or when the work
/// that it is a part of does: since the first run of its lineage began (`RunSpec::continues`, `parent`). No fresh agent
/// is started for that one any more. An explicit limit is the one reason for which the ladder goes to its last rung at
/// once.
struct RunTimeout {
    static constexpr std::string_view kind = "timeout", lineage_rule = "lineage_timeout";
    static constexpr EventMask listens = events<>;

    struct Settings {
        std::optional<Duration> limit;            ///< for runs that bring none
        std::optional<Duration> lineage_limit{};  ///< over a run, those that it goes on with and those above it
    };

    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("limit_s", settings.limit, std::chrono::seconds{1}, detail::longest_setting);
        named.length("lineage_limit_s", settings.lineage_limit, std::chrono::seconds{1}, detail::longest_setting);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run,
                                               Instant now) const {
        const auto limit = run.timeout ? std::optional{*run.timeout} : settings.limit, most = settings.lineage_limit;
        if (!limit && !most) return std::nullopt;
        if (!run.started) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "start_unknown"}};
        const bool of_all = most && run.lineage_age(now.elapsed) > *most;
        const Duration elapsed = of_all ? run.lineage_age(now.elapsed) : run.working(now.elapsed) - *run.started;
        if (!of_all && (!limit || elapsed <= *limit)) return std::nullopt;
        Finding finding{Condition::timeout, Level::stop, kind, {.rule = of_all ? lineage_rule : kind}};
        if (of_all) finding.subject = Subject{run.children->first.empty() ? run.id : run.children->first};
        finding.evidence.add("elapsed_s", in_seconds(elapsed)).add("threshold_s", in_seconds(of_all ? *most : *limit));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    /// What stands in `describe()` where nobody has set it: a run that does something all the time is never over.
    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration) {
        if (settings.limit || settings.lineage_limit) return "";
        return "  warning: no time limit is set (duration_limit_s); 8h is a usual one, 24h with lineage_limit_s\n";
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        const double elapsed = finding.evidence.fact("elapsed_s");
        const bool of_all = finding.evidence.rule == lineage_rule;
        return "Running for " +
               (elapsed < 3600 ? detail::words::lasting(elapsed) : detail::words::counted(elapsed / 3600, "hour")) +
               (of_all ? ", since run " + detail::words::tool_of(finding) + " began" : "");
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& settings, const Run& run, Duration) const {
        const auto limit = run.timeout ? std::optional{*run.timeout} : settings.limit, most = settings.lineage_limit;
        if (!run.started || (!limit && !most)) return std::nullopt;
        const Duration in_all = most ? *most - run.children->lasted : *limit;
        return *run.started + (limit ? detail::min_of(*limit, in_all) : in_all) + Duration{1};
    }
};

}  // namespace heeler::inline HEELER_ABI
