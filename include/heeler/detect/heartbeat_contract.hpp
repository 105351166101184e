// Judges whether a run still moves: by a progress metric sampled each interval, or by the age of its last sign.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/named_setting.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/small_optional.hpp>
#include <heeler/core/time.hpp>
#include <heeler/fwd.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/words.hpp>

namespace heeler::inline HEELER_ABI {

/// Cadences: the age of the last sign of life, of the last activity, of the last progress. All but the first count from
/// the end of what was said to take long (`Expect`).
struct AliveAge {
    static constexpr std::string_view kind = "liveness";
    static constexpr std::string_view words = "No sign of life";
    static constexpr std::string_view seen = "a lost sign of life", after = "";
    static std::optional<Duration> of(const Run& run) noexcept { return run.last_alive; }
};
struct ActivityAge {
    static constexpr std::string_view kind = "silence";
    static constexpr std::string_view words = "Silent";
    static constexpr std::string_view seen = "silence", after = "";
    static std::optional<Duration> of(const Run& run) noexcept { return run.last_activity; }
};
/// The age of the last checkpoint, or of the attempt that has written none yet (the checkpoint watchdog).
struct CheckpointAge {
    static constexpr std::string_view kind = "checkpoint_age";
    static constexpr std::string_view words = "No checkpoint";
    static constexpr std::string_view seen = "a stall", after = " after the last checkpoint";
    static std::optional<Duration> of(const Run& run) noexcept { return run.checkpoint_base; }
};
struct ProgressAge {
    static constexpr std::string_view kind = "progress_age";
    static constexpr std::string_view words = "No progress";
    static constexpr std::string_view seen = "a stall", after = "";
    static std::optional<Duration> of(const Run& run) noexcept { return run.last_progress; }
};

/// How long calls of some tools may take.
struct ToolTier {
    std::string prefix{};  ///< of the tools' names
    Duration limit{};
};

/// The settings of whichever age.
struct AgeLimits {
    std::optional<Duration> warn_after{};            ///< age > this is worth showing; must be below `act_after`
    Duration act_after = std::chrono::seconds{600};  ///< age > this is a stall (strictly greater)
    std::optional<Duration> in_tool{};               ///< instead of both, for an open tool call: builds take long
    Duration startup_grace{};                        ///< a run that gave no sign yet is judged by its start plus this
    /// A `SignOfLife` of a second source vetoes the stall while it is younger than this (strictly).
    std::optional<Duration> veto_within{};
    /// In place of `in_tool` for some tools; the longest prefix that fits counts. Needs `in_tool`.
    List<ToolTier> tool_tiers{};
    /// A call that declares how long it may take (`ToolCall::timeout`) is given that and this (the session
    /// monitor).
    Duration tool_grace = std::chrono::seconds{30};
    Duration tool_cap = std::chrono::hours{2};  ///< but no declared call more than this
    /// People are told of the stall, which is critical then, and nothing is done about it (the task-tree watchdog):
    /// see `SilenceLevels`. They are told by the alert that the class has about `Condition::silent`.
    bool informs = false;
    /// Of signs of life: only a run that beats by itself is held to it, and as often as this (`Rhythm`).
    std::optional<Duration> beats_within{};
    /// In place of `warn_after`, for an open tool call; a third of its limit where that is longer. Without `in_tool` of
    /// no effect.
    std::optional<Duration> warn_in_tool{};
};

/// What is remembered of the tool calls that are open: when the first of them began, on the run's working clock, and
/// how long the one that may take longest is given; each up to 8 years.
struct OpenCalls {
    std::uint64_t open : 16 = 0, limit_us : 48 = 0;
    std::uint64_t unused : 16 = 0, begun_us : 48 = 0;

    [[nodiscard]] Duration limit() const noexcept { return Duration{static_cast<Duration::rep>(limit_us)}; }
    void add(Duration at, Duration given) noexcept {
        constexpr std::uint64_t most_open = 0xFFFF, most_us = (std::uint64_t{1} << 48) - 1;
        const auto us = detail::min_of(static_cast<std::uint64_t>(given.count()), most_us);
        if (open == 0) begun_us = static_cast<std::uint64_t>(detail::max_of(at, Duration{}).count()) & most_us;
        limit_us = (open == 0 ? us : detail::max_of<std::uint64_t>(limit_us, us)) & most_us;
        open = detail::min_of<std::uint64_t>(open + 1u, most_open) & most_open;
    }
    /// From when on a limit of these calls counts, of a run whose last sign was at `base`: from their own beginning.
    /// Calls that began when the run was a stall already give it no more time: one that calls and calls would never be
    /// one.
    [[nodiscard]] Duration counted_from(Duration base, Duration stalled_after) const noexcept {
        const Duration begun{static_cast<Duration::rep>(begun_us)};
        return open > 0 && begun > base && begun - base <= stalled_after ? begun : base;
    }
};

/// Whether a run beats by itself. Many hosts beat when they have something to report, and then a long call or a long
/// thought is silence; a beat promises the next one only if several came while the run did nothing else, and no gap was
/// ever longer than is promised. It goes by the beats that are seen when the run is looked at.
struct Rhythm : OpenCalls {
    static constexpr std::uint32_t enough = 4;
    static constexpr Duration alone = std::chrono::seconds{5};  ///< after whatever else the run did

    Duration beat{}, lost_at{};                ///< the newest sign of life, of whichever kind; when it was too old
    std::uint32_t seen = 0, by_itself = 0;     ///< beats by themselves since the last gap; whether `beat` is one
    std::uint32_t is_late = 0, came_back = 0;  ///< now; of a lost run that did nothing else yet

    void look(const Run& run, const AgeLimits& limits, Instant now) noexcept {
        const Duration newest = run.last_alive.value_or(Duration{}), at = run.working(now.elapsed);
        if (newest != beat) {
            if (newest - beat > *limits.beats_within) seen = 0;
            by_itself = newest - run.last_activity.value_or(-alone) < alone ? 0 : 1;
            seen += by_itself;
            beat = newest;
        }
        is_late = by_itself != 0 && seen >= enough && at - beat > limits.warn_after.value_or(limits.act_after) ? 1 : 0;
        if (is_late != 0 && run.unseen_for(beat, now.elapsed) > limits.act_after) lost_at = at;
        if (run.last_progress.value_or(Duration{}) > lost_at) lost_at = {};
        came_back = lost_at > Duration{} && beat > lost_at ? 1 : 0;
    }
};

namespace detail {

/// What was to be over when what is found began, and is not over yet.
inline void name_overrun(Finding& finding, const Run& run, SmallOptional<Duration> begun) {
    for (const Expected& each : run.excuses->open)
        if (begun == each.until && finding.subject.view().empty()) {
            finding.subject = Subject{each.what};
            finding.evidence.add("expected_s", in_seconds(each.takes));
        }
}

}  // namespace detail

/// Stalled when the chosen age exceeds a limit. Use it where hosts report signs at times of their own.
template <class Cadence>
struct HeartbeatContract {
    static constexpr std::string_view kind = Cadence::kind;
    static constexpr EventMask listens = events<ToolCall, ToolResult> | no_call_prints;
    static constexpr bool excused = !std::is_same_v<Cadence, AliveAge>;  ///< by what was said to take long (`Expect`)

    using Settings = AgeLimits;

    using Memory = std::conditional_t<std::is_same_v<Cadence, AliveAge>, Rhythm, OpenCalls>;
    static constexpr std::uint32_t layout = 2;

    [[nodiscard]] static Result<void> validate(const Settings& settings) {
        const Duration none{};
        for (const ToolTier& tier : settings.tool_tiers)
            if (!settings.in_tool || tier.prefix.empty() || tier.limit <= none)
                return detail::invalid(std::string{kind} + ": the tool tier `" + tier.prefix.substr(0, 64) + "` of " +
                                       std::to_string(in_seconds(tier.limit)) +
                                       " s needs in_tool, a prefix and a positive limit");
        if (settings.tool_grace < none || settings.tool_cap <= none)
            return detail::invalid(std::string{kind} +
                                   ": tool_grace must not be negative, and tool_cap must be positive");
        if (settings.veto_within.value_or(Duration{1}) <= none)
            return detail::invalid(std::string{kind} + ": veto_within is " +
                                   std::to_string(in_seconds(*settings.veto_within)) +
                                   " s; it must be positive, or absent for no veto");
        if (settings.act_after > none && settings.startup_grace >= none &&
            settings.in_tool.value_or(Duration{1}) > none && settings.warn_after.value_or(none) < settings.act_after)
            return {};
        return detail::invalid(std::string{kind} + ": act_after is " + std::to_string(in_seconds(settings.act_after)) +
                               " s; it must be positive and longer than warn_after");
    }

    void learn(Memory& memory, const Settings& settings, const Observation& seen) const {
        if (!settings.in_tool) return;
        if (const auto* call = std::get_if<ToolCall>(&seen.event)) {
            memory.add(seen.at, limit_of(settings, *call));
        } else if (std::holds_alternative<ToolResult>(seen.event) && memory.open > 0) {
            --memory.open;
        }
    }

    /// Beats are seen when somebody looks.
    std::optional<Sighting> poll(Memory& memory, const Settings& settings, const Run& run, const LastCheckpoint&,
                                 Instant now) const requires(!excused) {
        if (settings.beats_within && !run.late && !run.waiting_since) memory.look(run, settings, now);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run& run,
                                               Instant now) const {
        if (run.late || run.waiting_since) return std::nullopt;
        if constexpr (!excused)
            if (settings.beats_within && memory.is_late == 0)
                return memory.came_back != 0 ? std::optional{Finding::over(kind)} : std::nullopt;
        const auto base = base_of(settings, run);
        if (!base) return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "no_time_to_count_from"}};
        const Duration age = run.working(now.elapsed) - *base;
        if (run.working(now.elapsed) < veto_end(settings, run)) return std::nullopt;
        const bool in_tool = settings.in_tool && run.open_calls > 0 && !settings.beats_within;
        const Duration limit = in_tool ? in_tool_of(memory, settings) : settings.act_after;
        const Duration from = in_tool ? memory.counted_from(*base, settings.act_after) : *base;
        const auto warn = in_tool ? warning_of(memory, settings) : settings.warn_after;
        const bool act = run.unseen_for(from, now.elapsed) > limit;
        if (!act && run.working(now.elapsed) - from > limit) return Finding::put_off(kind);
        if (!act && (!warn || run.working(now.elapsed) - from <= *warn)) return std::nullopt;
        Finding finding{act && settings.informs ? Condition::silent : Condition::stalled,
                        act ? Level::nudge : Level::watch,
                        kind,
                        {.rule = rule_of(settings, act)}};
        finding.evidence.add("age_s", in_seconds(age)).add("threshold_s", in_seconds(act ? limit : *warn));
        if (excused) detail::name_overrun(finding, run, base);
        finding.evidence.first = finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration, Duration period) {
        std::string text = "  ";
        text += Cadence::seen;
        text += " is seen within " + text::spoken_bound(settings.act_after + period);
        if (settings.startup_grace > Duration{})
            text += ", of a run that gave no sign yet within " +
                    text::spoken_bound(settings.startup_grace + settings.act_after + period);
        if (settings.in_tool) {
            Duration longest = *settings.in_tool;
            for (const ToolTier& tier : settings.tool_tiers) longest = detail::max_of(longest, tier.limit);
            text += ", in an open tool call within " + text::spoken_bound(longest + period);
            if (longest < settings.tool_cap)
                text += " (of a longer time if it declares one, up to " +
                        text::spoken_bound(settings.tool_cap + period) + ")";
        }
        if (settings.beats_within)
            text += ", of a run that beats by itself at least every " + text::spoken(*settings.beats_within);
        return text + std::string{Cadence::after} + (settings.informs ? ", and only told\n" : "\n");
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.condition == Condition::not_evaluable) return detail::words::plain(finding);
        const double takes = finding.evidence.fact("expected_s");
        return std::string{Cadence::words} + " for " + detail::words::lasting(finding.evidence.fact("age_s")) +
               (takes > 0 ? ": " + detail::words::tool_of(finding) + " was to take " + detail::words::lasting(takes)
                          : "");
    }

    [[nodiscard]] std::optional<Duration> due(const Memory& memory, const Settings& settings, const Run& run,
                                              Duration since) const {
        const auto base = base_of(settings, run);
        if (!base) return std::nullopt;
        if constexpr (!excused)
            if (settings.beats_within && memory.by_itself == 0) return std::nullopt;
        std::optional<Duration> earliest;
        const auto in_tool = settings.in_tool ? std::optional{in_tool_of(memory, settings)} : std::nullopt;
        const std::optional<Duration> limits[] = {settings.warn_after, settings.act_after, in_tool,
                                                  warning_of(memory, settings)};
        for (const auto& limit : limits) {
            if (!limit) continue;
            const Duration of = &limit >= limits + 2 ? memory.counted_from(*base, settings.act_after) : *base;
            for (const Duration begin : {of, detail::max_of(of, run.seen_from.value_or(of))}) {
                const Duration moment = detail::max_of(begin + *limit + Duration{1}, veto_end(settings, run));
                if (moment > since && (!earliest || moment < *earliest)) earliest = moment;
            }
        }
        return earliest;
    }

private:
    static std::string_view rule_of(const Settings& settings, bool act) noexcept {
        if (!settings.informs) return kind;
        return act ? "critical_silence" : "suspicious_silence";
    }
    static Duration limit_of(const Settings& settings, const ToolCall& call) noexcept {
        Duration limit = *settings.in_tool;
        std::size_t longest = 0;
        for (const ToolTier& tier : settings.tool_tiers)
            if (tier.prefix.size() > longest && call.name.starts_with(tier.prefix)) {
                longest = tier.prefix.size();
                limit = tier.limit;
            }
        if (!call.timeout) return limit;
        const Duration declared = detail::min_of(*call.timeout, settings.tool_cap) + settings.tool_grace;
        return detail::max_of(limit, detail::min_of(declared, settings.tool_cap));
    }
    static Duration in_tool_of(const Memory& memory, const Settings& settings) noexcept {
        return memory.open > 0 ? memory.limit() : *settings.in_tool;
    }
    static std::optional<Duration> warning_of(const Memory& memory, const Settings& settings) noexcept {
        if (!settings.in_tool || !settings.warn_in_tool) return std::nullopt;
        return detail::max_of(*settings.warn_in_tool, in_tool_of(memory, settings) / 3);
    }
    static std::optional<Duration> base_of(const Settings& settings, const Run& run) noexcept {
        SmallOptional<Duration> base = Cadence::of(run);
        if (!base && run.started && settings.startup_grace > Duration{}) base = *run.started + settings.startup_grace;
        return excused ? run.excused(base) : base;
    }
    /// From this moment on no second source speaks for the run. One that did has as long to do so again after a gap.
    static Duration veto_end(const Settings& settings, const Run& run) noexcept {
        if (!settings.veto_within || !run.last_sign) return Duration::min();
        const auto since = run.watched_since(*run.last_sign);
        return detail::max_of(*run.last_sign, since.value_or(*run.last_sign)) + *settings.veto_within;
    }
};

/// Stalled when the progress metric did not change for some intervals in a row (the long-run skill). A metric that went
/// back was reset: it starts from there, and proves neither. Without a metric: stalled when the run takes more than
/// `fallback_factor` times its expected duration; without that either, it says once that it cannot judge.
template <>
struct HeartbeatContract<Intervals> {
    static constexpr std::string_view kind = "heartbeat", no_change = "zero_delta";
    static constexpr EventMask listens = events<IntervalSample>;

    struct Settings {
        std::uint32_t zero_intervals = 2;
        double fallback_factor = 2.0;
    };

    struct Memory {
        std::uint32_t zero_intervals = 0;
        std::uint32_t last_change = 0;  ///< observation index
    };

    static void by_name(Settings& settings, NamedSettings& named) {
        named.count("zero_intervals", settings.zero_intervals, 1, 1000);
        named.number("fallback_factor", settings.fallback_factor, 1, 100);
    }

    void learn(Memory& memory, const Settings&, const Observation& seen) const {
        const auto* sample = std::get_if<IntervalSample>(&seen.event);
        if (sample == nullptr || !sample->value) return;
        if (sample->delta > 0 || sample->credited) memory = {0, static_cast<std::uint32_t>(seen.index)};
        if (sample->delta == 0 && sample->whole && !sample->credited) ++memory.zero_intervals;
    }

    [[nodiscard]] std::optional<Finding> check(const Memory& memory, const Settings& settings, const Run& run,
                                               Instant now) const {
        if (!run.metric_value()) return check_fallback(settings, run, now);
        if (memory.zero_intervals < settings.zero_intervals) return std::nullopt;
        if (run.watched_less_than(settings.zero_intervals * run.interval, run.last_progress.value_or(Duration{}),
                                  now.elapsed))
            return Finding::put_off(kind);
        Finding finding{Condition::stalled, Level::nudge, kind, {.rule = no_change}};
        finding.evidence.add("zero_intervals", memory.zero_intervals)
            .add("threshold", settings.zero_intervals)
            .add("value", static_cast<double>(*run.metric_value()));
        detail::name_overrun(finding, run, run.excused(run.last_progress.value_or(Duration{})));
        finding.evidence.first = memory.last_change;
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }

    [[nodiscard]] static std::string describe(const Finding& finding) {
        if (finding.evidence.rule != no_change) return detail::words::plain(finding);
        return "No progress in " + detail::words::counted(finding.evidence.fact("zero_intervals"), "interval");
    }

    [[nodiscard]] static std::string bound(const Settings& settings, Duration interval, Duration period) {
        return "  a stall is seen within " + text::spoken_bound((settings.zero_intervals + 1) * interval + period) +
               "\n";
    }

    [[nodiscard]] std::optional<Duration> due(const Memory&, const Settings& settings, const Run& run, Duration) const {
        if (run.metric_value() || !run.expected || !run.started) return std::nullopt;
        return *run.started + limit_of(settings, run) + Duration{1};
    }

private:
    static Duration limit_of(const Settings& settings, const Run& run) noexcept {
        return std::chrono::duration_cast<Duration>(*run.expected * settings.fallback_factor);
    }

    std::optional<Finding> check_fallback(const Settings& settings, const Run& run, Instant now) const {
        if (!run.expected || !run.started)
            return Finding{Condition::not_evaluable, Level::none, kind, {.rule = "no_metric_and_no_expected_duration"}};
        const Duration elapsed = run.working(now.elapsed) - *run.started;
        if (elapsed <= limit_of(settings, run)) return std::nullopt;
        Finding finding{Condition::stalled, Level::nudge, kind, {.rule = "expected_duration"}};
        finding.evidence.add("elapsed_s", in_seconds(elapsed))
            .add("threshold_s", in_seconds(limit_of(settings, run)))
            .add("factor", settings.fallback_factor);
        finding.evidence.last = run.observations == 0 ? 0 : run.observations - 1;
        return finding;
    }
};

}  // namespace heeler::inline HEELER_ABI
