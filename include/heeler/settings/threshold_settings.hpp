// How the thresholds of detectors, ladders and alerts are set by name: each function takes one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/burn_rate_tracker.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/detect/relay_plan.hpp>
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

/// Sets one of a detector's settings, within the limits that the detector gives for it.
class SetByName final : public NamedSettings {
public:
    Refused refused{};

    SetByName(std::string_view name, const SettingValue& value) : name_{name}, value_{value} {}

private:
    void see(const SettingField& field) override {
        if (field.name == name_) refused = set(field);
    }

    [[nodiscard]] Refused set(const SettingField& field) const {
        const auto least = static_cast<std::int64_t>(field.least);
        const auto most = static_cast<std::int64_t>(field.most);
        if (field.count != nullptr)
            return take(whole(value_, least, most), [&](auto n) { *field.count = static_cast<std::uint32_t>(n); });
        if (field.large_count != nullptr)
            return take(whole(value_, least, most), [&](auto n) { *field.large_count = n; });
        if (field.number != nullptr)
            return take(setting::number(value_, field.least, field.most), [&](double n) { *field.number = n; });
        if (field.flag != nullptr) return take(yes_or_no(value_), [&](bool yes) { *field.flag = yes; });
        if (field.text != nullptr)
            return take(short_text(value_, static_cast<std::size_t>(most)),
                        [&](const std::string& given) { *field.text = given; });
        return take(seconds(value_, Duration{least}, Duration{most}), [&](Duration length) {
            if (field.limit != nullptr)
                *field.limit = length;
            else
                *field.length = length;
        });
    }

    std::string_view name_;
    const SettingValue& value_;
};

/// What of a class has settings that are described once, and takes one of them.
using SetField = Refused (*)(std::string_view field, const SettingValue& value, RunClass& rules);

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

template <class D>
[[nodiscard]] Refused set_field(std::string_view field, const SettingValue& value, RunClass& rules) {
    SetByName set{field, value};
    change_detector<D>(rules, [&](auto& settings) { D::by_name(settings, set); });
    return std::move(set.refused);
}

template <class D>
[[nodiscard]] Refused set_present(std::string_view field, const SettingValue& value, RunClass& rules) {
    return rules.detectors.find<D>() == nullptr ? Refused{} : set_field<D>(field, value, rules);
}

/// Of all units that the class compares, or else of all.
[[nodiscard]] inline Refused set_burn(std::string_view field, const SettingValue& value, RunClass& rules) {
    const auto& on = rules.detectors;
    const bool any = on.find<BurnRateTracker<Tokens>>() != nullptr || on.find<BurnRateTracker<ApiCalls>>() != nullptr ||
                     on.find<BurnRateTracker<BytesWritten>>() != nullptr;
    if (!any)
        rules.detectors.turn_on<BurnRateTracker<Tokens>>()
            .turn_on<BurnRateTracker<ApiCalls>>()
            .turn_on<BurnRateTracker<BytesWritten>>();
    Refused refused = set_present<BurnRateTracker<Tokens>>(field, value, rules);
    if (!refused) refused = set_present<BurnRateTracker<ApiCalls>>(field, value, rules);
    return refused ? refused : set_present<BurnRateTracker<BytesWritten>>(field, value, rules);
}

/// Of a relay, whose plan two detectors go by. Only where a class has them.
[[nodiscard]] inline Refused set_relay(std::string_view field, const SettingValue& value, RunClass& rules) {
    const Refused refused = set_present<RelayTimeout>(field, value, rules);
    return refused ? refused : set_present<RelayCheck>(field, value, rules);
}

/// Changes a class's ladder if it is of this type; another one has nothing of the kind to set.
template <class L, class Change>
void change_ladder(RunClass& rules, Change change) {
    if (auto* ladder = rules.ladder.as<L>()) change(*ladder);
}

/// A length among the settings of a detector that judges by age.
template <class D, auto Member>
[[nodiscard]] Refused set_length(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        change_detector<D>(rules, [&](auto& settings) { settings.*Member = length; });
    });
}

/// One of the settings of the class itself, within the limits that hold for it however it is set.
[[nodiscard]] inline Refused set_own(std::string_view field, const SettingValue& value, RunClass& rules) {
    SetByName set{field, value};
    class_settings(rules, set);
    return std::move(set.refused);
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

[[nodiscard]] inline Refused set_warn_in_tool(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.warn_in_tool = length; }); });
}

[[nodiscard]] inline Refused set_tool_grace(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 0s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.tool_grace = length; }); });
}

[[nodiscard]] inline Refused set_tool_cap(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting),
                [&](Duration length) { change_ages(rules, [&](auto& settings) { settings.tool_cap = length; }); });
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
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
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
    return take(short_text(value, 256), [&](const std::string& route) { rules.alerts.to = route; });
}

/// Of a class whose escalations are told once, too: those of the recommended class then.
[[nodiscard]] inline EscalationSettings& levels_of(RunClass& rules) {
    if (rules.alerts.escalation.levels.empty()) rules.alerts.escalation.levels = three_levels();
    return rules.alerts.escalation;
}

[[nodiscard]] inline Refused set_escalation_wait(const SettingValue& value, RunClass& rules) {
    return take(seconds(value, 1s, longest_setting), [&](Duration length) {
        for (EscalationLevel& level : levels_of(rules).levels)
            if (&level != &rules.alerts.escalation.levels.front()) level.after = length;
    });
}

[[nodiscard]] inline Refused set_ack_lasts(std::string_view field, const SettingValue& value, RunClass& rules) {
    Refused refused = set_own(field, value, rules);
    if (!refused) static_cast<void>(levels_of(rules));
    return refused;
}

}  // namespace heeler::inline HEELER_ABI::detail::setting
