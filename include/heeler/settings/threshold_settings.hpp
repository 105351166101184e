// How the thresholds of detectors, ladders and alerts are set by name: each function takes one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/settings.hpp>
#include <heeler/detect/burn_rate_tracker.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/relay_plan.hpp>
#include <heeler/detect/worker_state.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/settings/setting_values.hpp>
#include <heeler/settings/validate.hpp>

namespace heeler::inline HEELER_ABI::detail::setting {

/// Why a value was not taken; absent: it was.
using Refused = std::optional<SettingFault>;

template <class T, class Use>
[[nodiscard]] Refused take(const Read<T>& read, Use use) {
    if (!read) return read.error();
    use(*read);
    return std::nullopt;
}

/// Changes the settings of a detector, which is turned on if it is off.
template <class D, class Change>
void change_detector(RunClass& rules, Change change) {
    typename D::Settings settings;
    if (const auto* present = rules.detectors.find<D>()) settings = *present;
    change(settings);
    rules.detectors.turn_on<D>(std::move(settings));
}

/// Only where the class has it.
template <class D, class Change>
void change_present(RunClass& rules, Change change) {
    if (rules.detectors.find<D>() != nullptr) change_detector<D>(rules, change);
}

/// Changes a class's ladder if it is of this type; another one has nothing of the kind to set.
template <class L, class Change>
void change_ladder(RunClass& rules, Change change) {
    if (auto* ladder = rules.ladder.as<L>()) change(*ladder);
}

/// A count among a detector's settings. The detector itself knows its limits; so it does of a length.
template <class D, auto Member>
[[nodiscard]] Refused set_count(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1'000'000), [&](auto count) {
        change_detector<D>(rules, [&](auto& settings) { settings.*Member = static_cast<std::uint32_t>(count); });
    });
}

template <class D, auto Member>
[[nodiscard]] Refused set_length(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_detector<D>(rules, [&](auto& settings) { settings.*Member = length; });
    });
}

/// A number of the rule by which a detector judges.
template <class D, auto Member>
[[nodiscard]] Refused set_rule(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1'000'000), [&](auto count) {
        change_detector<D>(rules, [&](auto& settings) { settings.rule.*Member = static_cast<std::uint32_t>(count); });
    });
}

/// A length that a class has, whatever its detectors.
template <auto Part, auto Member>
[[nodiscard]] Refused set_class_length(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) { rules.*Part.*Member = length; });
}

template <auto Member>
[[nodiscard]] Refused set_own_length(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) { rules.*Member = length; });
}

[[nodiscard]] inline Refused set_fallback_factor(const SettingValue& value, RunClass& rules) {
    return take(number(value, 1, 100), [&](double factor) {
        change_detector<HeartbeatContract<Intervals>>(rules,
                                                      [&](auto& settings) { settings.fallback_factor = factor; });
    });
}

/// Of all units that the class compares, or else of all.
template <class Change>
void change_burn(RunClass& rules, Change change) {
    const auto& on = rules.detectors;
    const bool any = on.find<BurnRateTracker<Tokens>>() != nullptr || on.find<BurnRateTracker<ApiCalls>>() != nullptr ||
                     on.find<BurnRateTracker<BytesWritten>>() != nullptr;
    if (!any)
        rules.detectors.turn_on<BurnRateTracker<Tokens>>()
            .turn_on<BurnRateTracker<ApiCalls>>()
            .turn_on<BurnRateTracker<BytesWritten>>();
    change_present<BurnRateTracker<Tokens>>(rules, change);
    change_present<BurnRateTracker<ApiCalls>>(rules, change);
    change_present<BurnRateTracker<BytesWritten>>(rules, change);
}

[[nodiscard]] inline Refused set_burn_factor(const SettingValue& value, RunClass& rules) {
    return take(number(value, 1, 1000),
                [&](double factor) { change_burn(rules, [&](auto& settings) { settings.factor = factor; }); });
}

[[nodiscard]] inline Refused set_burn_history(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 1000), [&](auto count) {
        change_burn(rules, [&](auto& settings) { settings.min_history = static_cast<std::uint32_t>(count); });
    });
}

[[nodiscard]] inline Refused set_max_pause(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_ladder<RecoveryLadder>(rules, [&](auto& ladder) { ladder.max_pause = length; });
    });
}

/// How long a tool call may take: of every rule about age that the class has.
template <class Change>
void change_ages(RunClass& rules, Change change) {
    change_present<HeartbeatContract<AliveAge>>(rules, change);
    change_present<HeartbeatContract<ActivityAge>>(rules, change);
    change_present<HeartbeatContract<ProgressAge>>(rules, change);
}

[[nodiscard]] inline Refused set_in_tool(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.in_tool = length; }); });
}

[[nodiscard]] inline Refused set_tool_grace(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.tool_grace = length; }); });
}

[[nodiscard]] inline Refused set_tool_cap(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.tool_cap = length; }); });
}

/// A moment of a relay, which two detectors go by. Only where a class has them.
template <class Change>
void change_relay(RunClass& rules, Change change) {
    change_present<RelayTimeout>(rules, change);
    change_present<RelayCheck>(rules, change);
}

template <auto Member>
[[nodiscard]] Refused set_relay(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_relay(rules, [&](RelayPlan& plan) { plan.*Member = length; }); });
}

template <auto Member>
[[nodiscard]] Refused set_band(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_relay(rules, [&](RelayPlan& plan) { plan.bands.*Member = length; }); });
}

/// Of the ending for long silence. Only where a class has one.
[[nodiscard]] inline Refused set_given_up_after(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_ladder<WatchLadder>(rules, [&](auto& ladder) {
            for (Ending& ending : ladder.endings)
                if (ending.silent_longer) ending.silent_longer = length;
        });
    });
}

/// Only where a class steers.
[[nodiscard]] inline Refused set_steer_cooldown(const SettingValue& value, RunClass& rules, Condition about) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) {
        change_ladder<WatchLadder>(rules, [&](auto& ladder) {
            for (SteerRule& steer : ladder.steers)
                if (steer.condition == about) steer.cooldown = length;
        });
    });
}

[[nodiscard]] inline Refused set_loop_steers(const SettingValue& value, RunClass& rules) {
    return set_steer_cooldown(value, rules, Condition::loop_detected);
}
[[nodiscard]] inline Refused set_error_steers(const SettingValue& value, RunClass& rules) {
    return set_steer_cooldown(value, rules, Condition::error_cascade);
}
[[nodiscard]] inline Refused set_token_steers(const SettingValue& value, RunClass& rules) {
    return set_steer_cooldown(value, rules, Condition::token_budget);
}

/// Only where a class tells the states of workers.
[[nodiscard]] inline Refused set_preview_lines(const SettingValue& value, RunClass& rules) {
    return take(whole(value, 1, 20), [&](auto count) {
        change_present<WorkerState>(rules, [&](auto& settings) { settings.lines = static_cast<std::uint32_t>(count); });
    });
}

/// Names with commas between them. A class without a filter gets one.
[[nodiscard]] inline Refused set_worker_tags(const SettingValue& value, RunClass& rules) {
    return take(short_text(value, 1024), [&](const std::string& list) {
        std::vector<std::string> tags;
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t comma = std::min(list.find(',', at), list.size());
            std::size_t first = at, last = comma;
            while (first < last && list[first] == ' ') ++first;
            while (last > first && list[last - 1] == ' ') --last;
            if (first < last) tags.push_back(list.substr(first, last - first));
            at = comma + 1;
        }
        auto& filter = rules.applicability.filter;
        if (!filter) filter.emplace();
        filter->tags_any = std::move(tags);
    });
}

[[nodiscard]] inline Refused set_alerts_to(const SettingValue& value, RunClass& rules) {
    return take(short_text(value, 256), [&](const std::string& route) { rules.alerts_to = route; });
}

/// Of a class whose escalations are told once, too: those of the recommended class then.
[[nodiscard]] inline EscalationSettings& levels_of(RunClass& rules) {
    if (rules.escalation.levels.empty()) rules.escalation.levels = three_levels();
    return rules.escalation;
}

[[nodiscard]] inline Refused set_escalation_wait(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        for (EscalationLevel& level : levels_of(rules).levels)
            if (&level != &rules.escalation.levels.front()) level.after = length;
    });
}

[[nodiscard]] inline Refused set_ack_lasts(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting), [&](Duration length) { levels_of(rules).ack_lasts = length; });
}

}  // namespace heeler::inline HEELER_ABI::detail::setting
