// The table of settings that have a name: a new one is a function and a line here.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/plain_loops.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/error_cascade.hpp>
#include <heeler/detect/failure_streak.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/liveness_counter.hpp>
#include <heeler/detect/loop.hpp>
#include <heeler/detect/loop_detector.hpp>
#include <heeler/detect/never_started.hpp>
#include <heeler/detect/resource_limit.hpp>
#include <heeler/detect/run_timeout.hpp>
#include <heeler/detect/silence_levels.hpp>
#include <heeler/detect/spend_cap.hpp>
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
[[nodiscard]] inline Refused set_interval(std::string_view field, const SettingValue& value, RunClass& rules) {
    const auto before = rules.interval.fixed;
    Refused refused = set_own(field, value, rules);
    if (refused) return refused;
    Duration& period = rules.schedule.period;
    if (period > *rules.interval.fixed || period == before) period = *rules.interval.fixed;
    return refused;
}

[[nodiscard]] inline Refused set_max_attempts(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 100), [&](auto count) {
        change_ladder<RecoveryLadder>(rules, [&](auto& ladder) {
            ladder.max_attempts = static_cast<std::uint32_t>(count);
            for (Response& response : ladder.responses) response.each_once = false;
        });
    });
}

/// In place of the waits of single rungs.
[[nodiscard]] inline Refused set_verify_after(std::string_view field, const SettingValue& value, RunClass& rules) {
    Refused refused = set_own(field, value, rules);
    if (!refused)
        change_ladder<RecoveryLadder>(rules, [](auto& ladder) {
            for (Response& response : ladder.responses) response.waits.clear();
        });
    return refused;
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
    const auto is_about_silence = [](const ConditionAlert& edge) { return edge.condition == Condition::silent; };
    if (!detail::any_of(rules.alerts.conditions, is_about_silence)) rules.alerts.conditions.push_back(silence_alert());
}

[[nodiscard]] inline Refused set_critical(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_levels(rules, [&](auto& settings) { settings.act_after = length; }); });
}

[[nodiscard]] inline Refused set_suspicious(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_levels(rules, [&](auto& settings) { settings.warn_after = length; }); });
}

[[nodiscard]] inline Refused set_unobservable_after(std::string_view field, const SettingValue& value,
                                                    RunClass& rules) {
    Refused refused = set_own(field, value, rules);
    if (refused) return refused;
    const auto is_about_loss = [](const ConditionAlert& edge) { return edge.condition == Condition::unobservable; };
    auto& edges = rules.alerts.conditions;
    if (!detail::any_of(edges, is_about_loss)) edges.insert(edges.begin(), loss_alert());
    return refused;
}

/// A class without a filter gets one, with the usual tags.
[[nodiscard]] inline Refused set_name_pattern(const SettingValue& value, RunClass& rules) {
    return take(short_text(value, max_run_id_bytes), [&](const std::string& pattern) {
        auto& filter = rules.applicability.filter;
        if (!filter) filter.emplace();
        filter->name_pattern = pattern;
    });
}

[[nodiscard]] inline Refused set_worker_match(const SettingValue& value, RunClass& rules) {
    return take(choice(value, {"any", "both"}), [&](std::size_t chosen) {
        auto& filter = rules.applicability.filter;
        if (!filter) filter.emplace();
        filter->both = chosen == 1;
    });
}

[[nodiscard]] inline Refused set_retry_alerts(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool retry) { rules.alerts.outbox.retry = retry; });
}

[[nodiscard]] inline Refused set_jitter(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool jitter) { rules.alerts.outbox.jitter = jitter; });
}

[[nodiscard]] inline Refused set_metric_grows(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool grows) { rules.metric_grows = grows; });
}

[[nodiscard]] inline Refused set_inhibit(const SettingValue& value, RunClass& rules) {
    return take(yes_or_no(value), [&](bool inhibit) { rules.alerts.outbox.inhibit = inhibit; });
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
    return take(whole(value, 0, 100),
                [&](auto count) { rules.alerts.outbox.at_once = static_cast<std::uint32_t>(count); });
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

[[nodiscard]] inline Refused set_retry_reset(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting),
                [&](Duration length) { change_retry(rules, [&](Backoff& retry) { retry.reset_after = length; }); });
}

[[nodiscard]] inline Refused set_retry_cap(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, 24h),
                [&](Duration length) { change_retry(rules, [&](Backoff& retry) { retry.cap = length; }); });
}

/// Takes the value into the class, or says why not.
using Apply = Refused (*)(const SettingValue&, RunClass&);

/// A name and what it sets: one of the settings that a detector describes, or what a function here takes.
struct Known {
    std::string_view name;  ///< parts of an object have a dot
    Apply apply = nullptr;
    SetField set = nullptr;
    std::string_view field{};

    constexpr Known(std::string_view called, Apply how) : name{called}, apply{how} {}
    constexpr Known(std::string_view called, SetField how, std::string_view of) : name{called}, set{how}, field{of} {}
    /// Called as the field is, behind a dot.
    constexpr Known(std::string_view called, SetField how) : Known{called, how, called.substr(called.find('.') + 1)} {}

    [[nodiscard]] Refused operator()(const SettingValue& value, RunClass& rules) const {
        return set != nullptr ? set(field, value, rules) : apply(value, rules);
    }
};

/// A setting of the class itself.
[[nodiscard]] constexpr Known own(std::string_view name) { return {name, &set_own, name}; }

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
using ByLife = HeartbeatContract<AliveAge>;
using ByCheckpoints = HeartbeatContract<CheckpointAge>;

inline constexpr std::array known{
    Known{"interval_s", &set_interval, "interval_s"},
    Known{"stuck_threshold", &set_present<WorkerState>, "stuck_after"},
    Known{"auto_clear", &set_auto_clear},
    Known{"clear_on_error", &set_clear_on_error},
    Known{"clear_above", &set_clear_above},
    Known{"notification_retries", &set_notification_retries},
    Known{"silence_s", &set_silence},
    Known{"silence_levels.suspicious_s", &set_suspicious},
    Known{"silence_levels.critical_s", &set_critical},
    Known{"never_started_s", &set_field<NeverStarted>, "grace_s"},
    Known{"duration_limit_s", &set_field<RunTimeout>, "limit_s"},
    Known{"lineage_limit_s", &set_field<RunTimeout>, "lineage_limit_s"},
    Known{"liveness_counter.period_s", &set_field<LivenessCounter>},
    Known{"liveness_counter.max", &set_field<LivenessCounter>},
    Known{"loop_rule", &set_loop_rule},
    Known{"token_budget.soft", &set_field<TokenBudget>},
    Known{"spend.lineage_tokens", &set_field<SpendCap>},
    Known{"spend.lineage_usd", &set_field<SpendCap>},
    Known{"spend.owner_day_tokens", &set_field<SpendCap>},
    Known{"spend.owner_day_usd", &set_field<SpendCap>},
    Known{"spend.day_tokens", &set_field<SpendCap>},
    Known{"spend.day_usd", &set_field<SpendCap>},
    Known{"spend.soft", &set_field<SpendCap>},
    Known{"spend.wind_down", &set_field<SpendCap>},
    Known{"failure_streak.count", &set_field<FailureStreak>},
    Known{"resource_limit.watch_at", &set_field<ResourceLimit>},
    Known{"resource_limit.act_at", &set_field<ResourceLimit>},
    own("debounce"),
    Known{"max_attempts", &set_max_attempts},
    Known{"max_continuations", &set_max_continuations},
    own("restarts.most"),
    own("restarts.within_s"),
    Known{"stop_proof", &set_stop_proof},
    Known{"action_budget.per_tick", &set_per_tick},
    Known{"action_budget.per_run_per_day", &set_per_day},
    own("expect.most"),
    own("expect.total_s"),
    own("mass_stall.runs"),
    own("mass_stall.share"),
    own("mass_stall.within_s"),
    own("mass_stall.over_share"),
    own("mass_stall.over_after_s"),
    own("actions.per_minute"),
    own("actions.endings_apart_s"),
    own("nudges.per_incident"),
    own("nudges.in_row"),
    own("nudges.apart_s"),
    own("nudges.forgotten_after_s"),
    Known{"auto_steer", &set_auto_steer},
    Known{"mode", &set_mode},
    Known{"metric_grows", &set_metric_grows},
    Known{"longest_wait_s", &set_present<NeedsInput>},
    Known{"after_children_s", &set_present<NeedsInput>},
    Known{"wait_reminder_s", &set_present<NeedsInput>},
    Known{"wait_escalation_s", &set_present<NeedsInput>},
    own("flapping_every_s"),
    own("alert_cooldown_s"),
    own("renotify_every_s"),
    Known{"unobservable_after_s", &set_unobservable_after, "unobservable_after_s"},
    Known{"retry_failed_alerts", &set_retry_alerts},
    Known{"name_pattern", &set_name_pattern},
    Known{"retry.count", &set_retry_count},
    Known{"retry.base_s", &set_retry_base},
    Known{"retry.factor", &set_retry_factor},
    Known{"retry.cap_s", &set_retry_cap},
    Known{"retry.reset_after_s", &set_retry_reset},
    Known{"zero_intervals", &set_field<HeartbeatContract<Intervals>>},
    Known{"fallback_factor", &set_field<HeartbeatContract<Intervals>>},
    Known{"checkpoint_age_s", &set_length<ByCheckpoints, &ByCheckpoints::Settings::act_after>},
    Known{"progress_age.shown_s", &set_length<ByProgress, &ByProgress::Settings::warn_after>},
    Known{"progress_age.acted_on_s", &set_length<ByProgress, &ByProgress::Settings::act_after>},
    Known{"progress_age.startup_grace_s", &set_length<ByProgress, &ByProgress::Settings::startup_grace>},
    Known{"veto_within_s", &set_length<BySilence, &BySilence::Settings::veto_within>},
    Known{"liveness.suspect_s", &set_length<ByLife, &ByLife::Settings::warn_after>},
    Known{"liveness.lost_s", &set_length<ByLife, &ByLife::Settings::act_after>},
    Known{"tool_calls.shown_s", &set_warn_in_tool},
    Known{"tool_calls.allowed_s", &set_in_tool},
    Known{"tool_calls.grace_s", &set_tool_grace},
    Known{"tool_calls.cap_s", &set_tool_cap},
    Known{"loop_lines.min_period", &set_field<LoopDetector<Line>>},
    Known{"loop_lines.max_period", &set_field<LoopDetector<Line>>},
    Known{"loop_lines.min_repeats", &set_field<LoopDetector<Line>>},
    Known{"loop_lines.min_items", &set_field<LoopDetector<Line>>},
    Known{"loop_lines.window", &set_field<LoopDetector<Line>>},
    Known{"loop.repeat", &set_field<Loop>},
    Known{"loop.repeat_adjacent", &set_field<Loop>},
    Known{"loop.repeat_adjacent_empty", &set_field<Loop>},
    Known{"loop.repeat_between", &set_field<Loop>},
    Known{"loop.repeat_between_empty", &set_field<Loop>},
    Known{"loop.repeat_between_done", &set_field<Loop>},
    Known{"loop.repeat_progress_failure", &set_field<Loop>},
    Known{"loop.repeat_progress_info", &set_field<Loop>},
    Known{"loop.repeat_progress_empty", &set_field<Loop>},
    Known{"loop.repeat_plateau", &set_field<Loop>},
    Known{"loop.repeat_window", &set_field<Loop>},
    Known{"loop.cycle", &set_field<Loop>},
    Known{"loop.cycle_rounds", &set_field<Loop>},
    Known{"loop.cycle_stop", &set_field<Loop>},
    Known{"loop.write", &set_field<Loop>},
    Known{"loop.write_rounds", &set_field<Loop>},
    Known{"loop.near", &set_field<Loop>},
    Known{"loop.near_failure", &set_field<Loop>},
    Known{"loop.near_info", &set_field<Loop>},
    Known{"loop.near_empty", &set_field<Loop>},
    Known{"loop.similar", &set_field<Loop>},
    Known{"loop.similar_failure", &set_field<Loop>},
    Known{"loop.similar_info", &set_field<Loop>},
    Known{"loop.similar_empty", &set_field<Loop>},
    Known{"loop.similar_percent", &set_field<Loop>},
    Known{"loop.errclass", &set_field<Loop>},
    Known{"loop.errclass_one_tool", &set_field<Loop>},
    Known{"loop.errclass_several_tools", &set_field<Loop>},
    Known{"loop.errclass_new_subject_percent", &set_field<Loop>},
    Known{"loop.errclass_shown", &set_field<Loop>},
    Known{"loop.nop", &set_field<Loop>},
    Known{"loop.nop_rounds", &set_field<Loop>},
    Known{"loop.coverage", &set_field<Loop>},
    Known{"loop.coverage_reads", &set_field<Loop>},
    Known{"loop.oscillation", &set_field<Loop>},
    Known{"loop.oscillation_times", &set_field<Loop>},
    Known{"loop.fruitless", &set_field<Loop>},
    Known{"loop.fruitless_rounds", &set_field<Loop>},
    Known{"loop.fruitless_stop", &set_field<Loop>},
    Known{"loop.infra", &set_field<Loop>},
    Known{"loop.infra_s", &set_field<Loop>},
    Known{"loop.infra_long_s", &set_field<Loop>},
    Known{"loop.infra_tries", &set_field<Loop>},
    Known{"loop.frozen_poll", &set_field<Loop>},
    Known{"loop.frozen_poll_s", &set_field<Loop>},
    Known{"loop.frozen_poll_polls", &set_field<Loop>},
    Known{"loop.call_only", &set_field<Loop>},
    Known{"loop.call_only_repeats", &set_field<Loop>},
    Known{"loop.compaction", &set_field<Loop>},
    Known{"loop.compaction_times", &set_field<Loop>},
    Known{"loop.monologue", &set_field<Loop>},
    Known{"loop.monologue_equal", &set_field<Loop>},
    Known{"loop.monologue_stop", &set_field<Loop>},
    Known{"loop.chant", &set_field<Loop>},
    Known{"loop.chant_characters", &set_field<Loop>},
    Known{"loop.sentences", &set_field<Loop>},
    Known{"loop.sentences_distinct", &set_field<Loop>},
    Known{"loop.stop_rounds", &set_field<Loop>},
    Known{"loop.stop_rounds_kinds", &set_field<Loop>},
    Known{"loop.stop_rounds_fruitless", &set_field<Loop>},
    Known{"loop.over_after", &set_field<Loop>},
    Known{"loop.watch", &set_field<Loop>},
    Known{"loop_calls.min_period", &set_field<LoopDetector<Call>>},
    Known{"loop_calls.max_period", &set_field<LoopDetector<Call>>},
    Known{"loop_calls.min_repeats", &set_field<LoopDetector<Call>>},
    Known{"loop_calls.min_items", &set_field<LoopDetector<Call>>},
    Known{"loop_calls.window", &set_field<LoopDetector<Call>>},
    Known{"loop_tail.min_repeats", &set_field<LoopDetector<Call, TailRule>>},
    Known{"loop_tail.window", &set_field<LoopDetector<Call, TailRule>>},
    Known{"error_cascade.threshold", &set_field<ErrorCascade>},
    Known{"error_cascade.window", &set_field<ErrorCascade>},
    Known{"burn.factor", &set_burn},
    Known{"burn.min_history", &set_burn},
    Known{"burn.in_a_row", &set_burn},
    Known{"relay.timeout_s", &set_relay},
    Known{"relay.continue_at_s", &set_relay},
    Known{"relay.give_up_at_s", &set_relay},
    Known{"relay.look_again_s", &set_relay},
    Known{"relay.working_below_s", &set_relay},
    Known{"relay.take_over_above_s", &set_relay},
    Known{"given_up_after_s", &set_given_up_after},
    Known{"steer_cooldown.loop_s", &set_loop_steers},
    Known{"steer_cooldown.errors_s", &set_error_steers},
    Known{"steer_cooldown.tokens_s", &set_token_steers},
    Known{"preview_lines", &set_present<WorkerState>, "lines"},
    Known{"worker_tags", &set_worker_tags},
    Known{"worker_match", &set_worker_match},
    Known{"alerts_to", &set_alerts_to},
    Known{"escalation.wait_s", &set_escalation_wait},
    Known{"escalation.ack_lasts_s", &set_ack_lasts, "escalation.ack_lasts_s"},
    own("interval.short_s"),
    own("interval.long_s"),
    own("interval.short_until_s"),
    own("shortest_s"),
    Known{"verify_after_s", &set_verify_after, "verify_after_s"},
    Known{"max_pause_s", &set_max_pause},
    own("grace_s"),
    own("outbox.first_retry_s"),
    own("outbox.longest_retry_s"),
    own("outbox.give_up_after_s"),
    Known{"outbox.jitter", &set_jitter},
    Known{"outbox.inhibit", &set_inhibit},
    own("outbox.group_wait_s"),
    own("outbox.group_interval_s")};

/// Detectors whose settings are among the known ones, whether a class has them on or not, and what sets them.
struct Described {
    std::string_view kind;
    SetField set;
};

inline constexpr std::array described{
    Described{WorkerState::kind, &set_present<WorkerState>},
    Described{NeedsInput::kind, &set_present<NeedsInput>},
    Described{NeverStarted::kind, &set_field<NeverStarted>},
    Described{RunTimeout::kind, &set_field<RunTimeout>},
    Described{LivenessCounter::kind, &set_field<LivenessCounter>},
    Described{TokenBudget::kind, &set_field<TokenBudget>},
    Described{SpendCap::kind, &set_field<SpendCap>},
    Described{FailureStreak::kind, &set_field<FailureStreak>},
    Described{ResourceLimit::kind, &set_field<ResourceLimit>},
    Described{HeartbeatContract<Intervals>::kind, &set_field<HeartbeatContract<Intervals>>},
    Described{LoopDetector<Line>::kind, &set_field<LoopDetector<Line>>},
    Described{LoopDetector<Call>::kind, &set_field<LoopDetector<Call>>},
    Described{LoopDetector<Call, TailRule>::kind, &set_field<LoopDetector<Call, TailRule>>},
    Described{Loop::kind, &set_field<Loop>},
    Described{ErrorCascade::kind, &set_field<ErrorCascade>},
    Described{BurnRateTracker<Tokens>::kind, &set_burn},
    Described{BurnRateTracker<ApiCalls>::kind, &set_burn},
    Described{BurnRateTracker<BytesWritten>::kind, &set_burn},
    Described{RelayTimeout::kind, &set_relay},
    Described{RelayCheck::kind, &set_relay}};

[[nodiscard]] constexpr bool has_names_above(std::string_view kind) noexcept {
    for (const Described& each : described)
        if (each.kind == kind) return true;
    return false;
}

/// By which of the known names a detector's setting is set; empty: by none.
[[nodiscard]] inline std::string_view known_name(std::string_view kind, std::string_view field) noexcept {
    for (const Described& each : described)
        for (const Known& one : known)
            if (each.kind == kind && one.set == each.set && one.field == field) return one.name;
    return {};
}

}  // namespace detail::setting

}  // namespace heeler::inline HEELER_ABI
