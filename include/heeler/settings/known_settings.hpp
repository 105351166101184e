// The table of settings that have a name: a new one is a function and a line here.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/settings.hpp>
#include <heeler/detect/error_cascade.hpp>
#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/liveness_counter.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/never_started.hpp>
#include <heeler/detect/resource_limit.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/detect/silence_levels.hpp>
#include <heeler/detect/tail_loop.hpp>
#include <heeler/detect/token_budget.hpp>
#include <heeler/detect/worker_state.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/settings/presets.hpp>
#include <heeler/settings/setting_values.hpp>
#include <heeler/settings/threshold_settings.hpp>
#include <heeler/settings/validate.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail::setting {

/// A period that is as long as the interval, or would be longer, follows it.
[[nodiscard]] inline Refused set_interval(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, 24h), [&](Duration interval) {
        Duration& period = rules.schedule.period;
        if (period > interval || period == rules.interval.fixed) period = interval;
        rules.interval.fixed = interval;
    });
}

[[nodiscard]] inline Refused set_max_attempts(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 100), [&](auto count) {
        change_ladder<RecoveryLadder>(rules,
                                      [&](auto& ladder) { ladder.max_attempts = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_max_continuations(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 0, 100), [&](auto count) {
        change_ladder<RecoveryLadder>(
            rules, [&](auto& ladder) { ladder.max_continuations = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_stop_proof(const SettingValue& value, RunClass& rules) {
    return take(choice(value, {"proved", "fenced", "presumed"}),
                [&](std::size_t chosen) { rules.stop_proof = static_cast<StopProofNeeded>(chosen); });
}

[[nodiscard]] inline Refused set_debounce(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1000), [&](auto count) { rules.limits.debounce = static_cast<std::uint32_t>(count); });
}

[[nodiscard]] inline Refused set_per_tick(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 0, 1'000'000),
                [&](auto count) { rules.limits.rungs_per_tick = static_cast<std::uint32_t>(count); });
}

[[nodiscard]] inline Refused set_per_day(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 0, 1'000'000),
                [&](auto count) { rules.limits.rungs_per_run_per_day = static_cast<std::uint32_t>(count); });
}

[[nodiscard]] inline Refused set_mode(const SettingValue& value, RunClass& rules) {
    return take(choice(value, {"active", "shadow"}),
                [&](std::size_t chosen) { rules.mode = chosen == 0 ? Mode::active : Mode::shadow; });
}

[[nodiscard]] inline Refused set_loop_rule(const SettingValue& value, RunClass& rules) {
    return take(choice(value, {"exact", "any_period"}), [&](std::size_t chosen) {
        change_detector<LoopDetector<Line>>(
            rules, [&](auto& settings) { settings.rule = chosen == 0 ? five_line_block : BlockRule{}; });
    });
}

[[nodiscard]] inline Refused set_silence(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_detector<HeartbeatContract<ActivityAge>>(rules, [&](auto& settings) {
            settings.act_after = length;
            settings.informs = false;
        });
    });
}

/// Each level turns both on, with the usual number for the other; nothing is done about silence any more.
template <class Change>
void change_levels(RunClass& rules, Change change) {
    change_detector<HeartbeatContract<ActivityAge>>(rules, [&](auto& settings) {
        if (!settings.informs) inform(settings, SilenceLevels{});
        change(settings);
    });
    const auto is_about_silence = [](const EdgeAlert& edge) { return edge.condition == Condition::silent; };
    if (std::none_of(rules.edges.begin(), rules.edges.end(), is_about_silence)) rules.edges.push_back(silence_alert());
}

[[nodiscard]] inline Refused set_critical(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_levels(rules, [&](auto& settings) { settings.act_after = length; }); });
}

[[nodiscard]] inline Refused set_suspicious(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_levels(rules, [&](auto& settings) { settings.warn_after = length; }); });
}

[[nodiscard]] inline Refused set_never_started(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_detector<NeverStarted>(rules, [&](auto& settings) { settings.grace = length; });
    });
}

[[nodiscard]] inline Refused set_liveness_period(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, 24h), [&](Duration length) {
        change_detector<LivenessCounter>(rules, [&](auto& settings) { settings.period = length; });
    });
}

[[nodiscard]] inline Refused set_liveness_max(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1'000'000), [&](auto count) {
        change_detector<LivenessCounter>(rules,
                                         [&](auto& settings) { settings.max = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_duration_limit(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_detector<RunTimeout>(rules, [&](auto& settings) { settings.limit = length; });
    });
}

[[nodiscard]] inline Refused set_token_budget(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, std::int64_t{1} << 50), [&](auto tokens) {
        change_detector<TokenBudget>(rules, [&](auto& settings) { settings.soft = tokens; });
    });
}

[[nodiscard]] inline Refused set_failure_streak(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1000), [&](auto count) {
        change_detector<FailureStreak>(rules,
                                       [&](auto& settings) { settings.count = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_alert_cooldown(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) { rules.alert_cooldown = length; });
}

[[nodiscard]] inline Refused set_renotify(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) { rules.renotify_every = length; });
}

/// A class without a filter gets one, with the usual tags.
[[nodiscard]] inline Refused set_name_pattern(const SettingValue& value, RunClass& rules) {
    return take(short_text(value, max_run_id_bytes), [&](const std::string& pattern) {
        auto& filter = rules.applicability.filter;
        if (!filter) filter.emplace();
        filter->name_pattern = pattern;
    });
}

[[nodiscard]] inline Refused set_retry_alerts(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool retry) { rules.outbox.retry = retry; });
}

[[nodiscard]] inline Refused set_jitter(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool jitter) { rules.outbox.jitter = jitter; });
}

[[nodiscard]] inline Refused set_inhibit(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool inhibit) { rules.outbox.inhibit = inhibit; });
}

/// Off: nothing is sent to the run, findings stay. On: the rules that the class has, or else the usual ones.
[[nodiscard]] inline Refused set_auto_steer(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool steer) {
        change_ladder<WatchLadder>(rules, [&](auto& ladder) {
            if (!steer) ladder.steers.clear();
            if (steer && ladder.steers.empty()) ladder.steers = presets::session_steers();
        });
    });
}

/// Only where a class tells the states of workers.
[[nodiscard]] inline Refused set_stuck_threshold(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1000), [&](auto count) {
        if (rules.detectors.find<WorkerState>() == nullptr) return;
        change_detector<WorkerState>(rules,
                                     [&](auto& settings) { settings.stuck_after = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_resource_watch(const SettingValue& value, RunClass& rules) {
    return take(number(value, 0.01, 10), [&](double share) {
        change_detector<ResourceLimit>(rules, [&](auto& settings) { settings.watch_at = share; });
    });
}

[[nodiscard]] inline Refused set_resource_act(const SettingValue& value, RunClass& rules) {
    return take(number(value, 0.01, 10), [&](double share) {
        change_detector<ResourceLimit>(rules, [&](auto& settings) { settings.act_at = share; });
    });
}

/// Only where a class has cycles of its own.
[[nodiscard]] inline Refused set_auto_clear(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool clear) { rules.context.auto_clear = clear && rules.schedule.together; });
}

[[nodiscard]] inline Refused set_clear_on_error(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool clear) { rules.context.clear_on_error = clear; });
}

[[nodiscard]] inline Refused set_clear_above(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 0, std::int64_t{1} << 50),
                [&](auto size) { rules.context.clear_above = static_cast<std::uint64_t>(size); });
}

[[nodiscard]] inline Refused set_notification_retries(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 0, 100), [&](auto count) { rules.outbox.at_once = static_cast<std::uint32_t>(count); });
}

/// Each part turns retries on, with the usual numbers for the others.
template <class Change>
void change_retry(RunClass& rules, Change change) {
    const auto of = [&](auto& ladder) { change(ladder.retry ? *ladder.retry : ladder.retry.emplace()); };
    change_ladder<RecoveryLadder>(rules, of);
    change_ladder<WatchLadder>(rules, of);
}

[[nodiscard]] inline Refused set_retry_count(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 100), [&](auto count) {
        change_retry(rules, [&](Backoff& retry) { retry.count = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_retry_base(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, 24h),
                [&](Duration length) { change_retry(rules, [&](Backoff& retry) { retry.base = length; }); });
}

[[nodiscard]] inline Refused set_retry_factor(const SettingValue& value, RunClass& rules) {
    return take(number(value, 1, 100),
                [&](double factor) { change_retry(rules, [&](Backoff& retry) { retry.factor = factor; }); });
}

[[nodiscard]] inline Refused set_retry_cap(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, 24h),
                [&](Duration length) { change_retry(rules, [&](Backoff& retry) { retry.cap = length; }); });
}

/// Takes the value into the class, or says why not.
using Apply = Refused (*)(const SettingValue&, RunClass&);

struct Known {
    std::string_view name;  ///< parts of an object have a dot
    Apply apply;
};

/// Settings of what stands above the engine, in programs that include it: they are made before `main` begins, and know
/// each other from then on. One whose name is known already is set as well.
class MoreSettings {
public:
    explicit MoreSettings(std::span<const Known> names) noexcept : names_{names}, next_{std::exchange(first_, this)} {}
    MoreSettings(const MoreSettings&) = delete;
    MoreSettings& operator=(const MoreSettings&) = delete;

    template <class Use>
    static void each(Use&& use) {
        for (const MoreSettings* some = first_; some != nullptr; some = some->next_)
            for (const Known& one : some->names_) use(one);
    }

private:
    static inline constinit const MoreSettings* first_ = nullptr;

    std::span<const Known> names_;
    const MoreSettings* next_;
};

using BySilence = HeartbeatContract<ActivityAge>;
using ByProgress = HeartbeatContract<ProgressAge>;
using ByCheckpoints = HeartbeatContract<CheckpointAge>;

inline constexpr std::array known{
    Known{"interval_s", &set_interval},
    Known{"stuck_threshold", &set_stuck_threshold},
    Known{"auto_clear", &set_auto_clear},
    Known{"clear_on_error", &set_clear_on_error},
    Known{"clear_above", &set_clear_above},
    Known{"notification_retries", &set_notification_retries},
    Known{"silence_s", &set_silence},
    Known{"silence_levels.suspicious_s", &set_suspicious},
    Known{"silence_levels.critical_s", &set_critical},
    Known{"never_started_s", &set_never_started},
    Known{"duration_limit_s", &set_duration_limit},
    Known{"liveness_counter.period_s", &set_liveness_period},
    Known{"liveness_counter.max", &set_liveness_max},
    Known{"loop_rule", &set_loop_rule},
    Known{"token_budget.soft", &set_token_budget},
    Known{"failure_streak.count", &set_failure_streak},
    Known{"resource_limit.watch_at", &set_resource_watch},
    Known{"resource_limit.act_at", &set_resource_act},
    Known{"debounce", &set_debounce},
    Known{"max_attempts", &set_max_attempts},
    Known{"max_continuations", &set_max_continuations},
    Known{"stop_proof", &set_stop_proof},
    Known{"action_budget.per_tick", &set_per_tick},
    Known{"action_budget.per_run_per_day", &set_per_day},
    Known{"auto_steer", &set_auto_steer},
    Known{"mode", &set_mode},
    Known{"alert_cooldown_s", &set_alert_cooldown},
    Known{"renotify_every_s", &set_renotify},
    Known{"retry_failed_alerts", &set_retry_alerts},
    Known{"name_pattern", &set_name_pattern},
    Known{"retry.count", &set_retry_count},
    Known{"retry.base_s", &set_retry_base},
    Known{"retry.factor", &set_retry_factor},
    Known{"retry.cap_s", &set_retry_cap},
    Known{"zero_intervals",
          &set_count<HeartbeatContract<Intervals>, &HeartbeatContract<Intervals>::Settings::zero_intervals>},
    Known{"fallback_factor", &set_fallback_factor},
    Known{"checkpoint_age_s", &set_length<ByCheckpoints, &ByCheckpoints::Settings::act_after>},
    Known{"progress_age.shown_s", &set_length<ByProgress, &ByProgress::Settings::warn_after>},
    Known{"progress_age.acted_on_s", &set_length<ByProgress, &ByProgress::Settings::act_after>},
    Known{"progress_age.startup_grace_s", &set_length<ByProgress, &ByProgress::Settings::startup_grace>},
    Known{"veto_within_s", &set_length<BySilence, &BySilence::Settings::veto_within>},
    Known{"tool_calls.allowed_s", &set_in_tool},
    Known{"tool_calls.grace_s", &set_tool_grace},
    Known{"tool_calls.cap_s", &set_tool_cap},
    Known{"loop_lines.min_period", &set_rule<LoopDetector<Line>, &BlockRule::min_period>},
    Known{"loop_lines.max_period", &set_rule<LoopDetector<Line>, &BlockRule::max_period>},
    Known{"loop_lines.min_repeats", &set_rule<LoopDetector<Line>, &BlockRule::min_repeats>},
    Known{"loop_lines.min_items", &set_rule<LoopDetector<Line>, &BlockRule::min_items>},
    Known{"loop_lines.window", &set_rule<LoopDetector<Line>, &BlockRule::window>},
    Known{"loop_calls.min_period", &set_rule<LoopDetector<Call>, &BlockRule::min_period>},
    Known{"loop_calls.max_period", &set_rule<LoopDetector<Call>, &BlockRule::max_period>},
    Known{"loop_calls.min_repeats", &set_rule<LoopDetector<Call>, &BlockRule::min_repeats>},
    Known{"loop_calls.min_items", &set_rule<LoopDetector<Call>, &BlockRule::min_items>},
    Known{"loop_calls.window", &set_rule<LoopDetector<Call>, &BlockRule::window>},
    Known{"loop_tail.min_repeats", &set_rule<LoopDetector<Call, TailRule>, &TailRule::min_repeats>},
    Known{"loop_tail.window", &set_rule<LoopDetector<Call, TailRule>, &TailRule::window>},
    Known{"error_cascade.threshold", &set_count<ErrorCascade, &ErrorCascade::Settings::threshold>},
    Known{"error_cascade.window", &set_count<ErrorCascade, &ErrorCascade::Settings::window>},
    Known{"burn.factor", &set_burn_factor},
    Known{"burn.min_history", &set_burn_history},
    Known{"relay.timeout_s", &set_relay<&RelayPlan::timeout>},
    Known{"relay.continue_at_s", &set_relay<&RelayPlan::continue_at>},
    Known{"relay.give_up_at_s", &set_relay<&RelayPlan::give_up_at>},
    Known{"relay.look_again_s", &set_relay<&RelayPlan::look_again>},
    Known{"relay.working_below_s", &set_band<&RecencyBands::working_below>},
    Known{"relay.take_over_above_s", &set_band<&RecencyBands::take_over_above>},
    Known{"given_up_after_s", &set_given_up_after},
    Known{"steer_cooldown.loop_s", &set_loop_steers},
    Known{"steer_cooldown.errors_s", &set_error_steers},
    Known{"steer_cooldown.tokens_s", &set_token_steers},
    Known{"preview_lines", &set_preview_lines},
    Known{"worker_tags", &set_worker_tags},
    Known{"alerts_to", &set_alerts_to},
    Known{"escalation.wait_s", &set_escalation_wait},
    Known{"escalation.ack_lasts_s", &set_ack_lasts},
    Known{"interval.short_s", &set_class_length<&RunClass::interval, &IntervalSettings::short_task>},
    Known{"interval.long_s", &set_class_length<&RunClass::interval, &IntervalSettings::long_task>},
    Known{"interval.short_until_s", &set_class_length<&RunClass::interval, &IntervalSettings::short_until>},
    Known{"shortest_s", &set_class_length<&RunClass::applicability, &ApplicabilitySettings::shortest>},
    Known{"verify_after_s", &set_own_length<&RunClass::verify_after>},
    Known{"max_pause_s", &set_max_pause},
    Known{"grace_s", &set_own_length<&RunClass::grace>},
    Known{"outbox.first_retry_s", &set_class_length<&RunClass::outbox, &OutboxSettings::first_retry>},
    Known{"outbox.longest_retry_s", &set_class_length<&RunClass::outbox, &OutboxSettings::longest_retry>},
    Known{"outbox.give_up_after_s", &set_class_length<&RunClass::outbox, &OutboxSettings::give_up_after>},
    Known{"outbox.jitter", &set_jitter},
    Known{"outbox.inhibit", &set_inhibit},
    Known{"outbox.group_wait_s", &set_class_length<&RunClass::outbox, &OutboxSettings::group_wait>},
    Known{"outbox.group_interval_s", &set_class_length<&RunClass::outbox, &OutboxSettings::group_interval>}};

}  // namespace detail::setting

}  // namespace heeler::inline HEELER_ABI
