// Finds runs that were started and never began to work.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <heeler/core/finding.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/run.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Stalled when a run shows no activity at all (no output, call, result, message of its own, progress or checkpoint)
/// for longer than the grace since its start, however often it beats. Its first activity ends that for good: from then
/// on silence is judged by `HeartbeatContract`. Of a continuation it says nothing, because its run did start.
struct NeverStarted {
    static constexpr std::string_view kind = "never_started";
    static constexpr EventMask listens = events<>;

    struct Settings {
        Duration grace = std::chrono::seconds{120};  ///< alive for longer than this (strictly) is a stall
    };

    struct Memory {};

    static void by_name(Settings& settings, NamedSettings& named) {
        named.length("grace_s", settings.grace, std::chrono::seconds{1}, detail::longest_setting);
    }

    void learn(Memory&, const Settings&, const Observation&) const {}

    [[nodiscard]] std::optional<Finding> check(const Memory&, const Settings& settings, const Run& run,
                                               Instant now) const {
        if (run.last_activity || run.late || run.waiting_since) return std::nullopt;
        if (!run.started) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "start_unknown"}};
        const Duration from = *run.excused(run.started), age = run.working(now.elapsed) - from;
        if (age <= settings.grace) return std::nullopt;
        if (run.unseen_for(from, now.elapsed) <= settings.grace) return Finding::put_off(kind);
        Finding finding{Condition::stalled, Level::nudge, kind, {.rule = kind}};
        finding.evidence.add("age_s", in_seconds(age)).add("threshold_s", in_seconds(settings.grace));
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration period) {
        return "  a run that never begins to work is seen within " + text::spoken_bound(settings.grace + period) + "\n";
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        return "Never started: no work for " + detail::words::lasting(finding.evidence.fact("age_s"));
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& settings, const Run& run, Duration) const {
        if (run.last_activity || !run.started) return std::nullopt;
        return *detail::max_of(run.excused(run.started), run.seen_from) + settings.grace + Duration{1};
    }
};

}  // namespace heeler::inline HEELER_ABI
