// What a class asks of the host's source, notifier and agent control before it is defined.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/ports.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/effects/control_ref.hpp>
#include <heeler/explain/explain.hpp>
#include <heeler/settings/validate.hpp>
#include <heeler/text/append.hpp>
#include <heeler/text/json_writer.hpp>
#include <heeler/text/one_line.hpp>
#include <heeler/text/sha256.hpp>
#include <heeler/text/shown_name.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A source that lets nobody be replaced so soon would have every continuation rejected.
[[nodiscard]] inline Result<void> check_age(const RunClass& rules, Duration checkpoint_every) {
    const auto* age = rules.detectors.find<HeartbeatContract<CheckpointAge>>();
    if (age == nullptr || age->act_after >= checkpoint_every) return {};
    return detail::invalid("class `" + rules.name + "`: act_after is " + std::to_string(in_seconds(age->act_after)) +
                           " s, but its source lets nobody be replaced before a checkpoint is " +
                           std::to_string(in_seconds(checkpoint_every)) +
                           " s old (checkpoint_every): every continuation would be rejected. Raise act_after or lower "
                           "checkpoint_every");
}

/// Whoever an alert of the class is addressed to must be known to the notifier.
[[nodiscard]] inline Result<void> check_routes(const RunClass& rules, NotifierPort& notifier) {
    const auto check = [&](std::string_view setting, const std::string& route) -> Result<void> {
        const auto served = notifier.serves(route);
        if (served) return {};
        return fail(ErrorCode::no_recipient,
                    "class `" + text::shown_name(rules.name, 64) + "`: nobody would get what goes to " +
                        (route.empty() ? "the default route" : "the route `" + text::shown_name(route, 256) + "`") +
                        " (" + std::string{setting} + "): " + served.error().message +
                        ". Give the notifier a recipient for it, or change " + std::string{setting});
    };
    if (auto good = check("alerts_to", rules.alerts.to); !good) return good;
    const auto& levels = rules.alerts.escalation.levels;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i].route.empty()) continue;
        if (auto good = check("escalation.levels[" + std::to_string(i) + "].route", levels[i].route); !good)
            return good;
    }
    return {};
}

/// Nothing is destroyed without a snapshot: a control that has none would never be asked to terminate.
[[nodiscard]] inline Result<void> check_verbs(const RunClass& rules, const ControlRef& control) {
    if (!rules.ladder.asks_for(ActionKind::terminate)) return {};
    if (!control.has(ActionKind::terminate) || control.has(ActionKind::snapshot)) return {};
    return detail::invalid(
        "class `" + text::shown_name(rules.name, 64) +
        "`: its ladder holds `terminate`, which needs a snapshot, and the agent control has no verb "
        "`snapshot`: nobody would ever be terminated. Give it one (\"nothing to save\" is a good answer), "
        "or take `terminate` out of its ladder");
}

/// What is set, as lines `name = value`, the same on every machine.
class SettingLines final : public NamedSettings {
public:
    std::string all{};
    std::string_view kind{};  ///< of the detector whose settings are seen; empty: of the class itself

    void add(AgeLimits of) {
        std::string tiers;
        for (const ToolTier& tier : of.tool_tiers)
            heeler::text::append(tiers, tier.prefix, " ", std::to_string(tier.limit.count()), " ");
        text("tool_tiers", tiers, 0);
        flag("informs", of.informs);
        for (auto* each : {&of.act_after, &of.startup_grace, &of.tool_grace, &of.tool_cap})
            length("age_s", *each, {}, {});
        for (auto* each : {&of.warn_after, &of.in_tool, &of.veto_within, &of.beats_within, &of.warn_in_tool})
            length("age_s", *each, {}, {});
    }

private:
    void see(const SettingField& field) override {
        heeler::text::append(all, kind, kind.empty() ? "" : ".", field.name, " = ");
        if (field.limit != nullptr && !*field.limit)
            all += "none";
        else if (field.text != nullptr)
            all += *field.text;
        else
            heeler::text::append_json_number(all, SettingLimits::value_of(field) / SettingLimits::unit_of(field));
        all += '\n';
    }
};

/// What a class is set to, in lines: its own settings, those of its detectors, and what `describe()` says of the rest.
[[nodiscard]] inline std::string lines_of(const RunClass& rules) {
    SettingLines lines;
    class_settings(const_cast<RunClass&>(rules), lines);  // it only reads
    for (const auto& most : {rules.limits.rungs_per_tick, rules.limits.rungs_per_run_per_day})
        text::append(lines.all, "action_budget = ", most ? std::to_string(*most) : "none", "\n");
    for (const auto& entry : rules.detectors.entries()) {
        lines.kind = entry.ops->kind;
        if (entry.ops->by_name != nullptr) entry.ops->by_name(const_cast<void*>(entry.settings.get()), lines);
        if (const auto* age = entry.settings.as<AgeLimits>()) lines.add(*age);
    }
    return lines.all + description(rules);
}

/// By which rules a run of the class is judged and what is done about it: the same wherever the same is set. Not in it
/// are what is in functions, and by which ways people are told.
[[nodiscard]] inline std::string version_of(const RunClass& rules) {
    return text::sha256_hex(lines_of(rules)).substr(0, 8);
}

/// Whoever starts a run under rules means these, and not others of the same name.
[[nodiscard]] inline Result<void> check_same(const ReadyClass& known, const RunClass& given) {
    const std::string ours = lines_of(known.rules), theirs = lines_of(given);
    if (ours == theirs) return {};
    std::size_t at = 0;
    while (at < ours.size() && ours[at] == theirs[at]) ++at;
    at = ours.rfind('\n', at - 1) + 1;  // the first line begins alike, and none is empty
    const std::string line = text::one_line(ours.substr(at, ours.find('\n', at) - at), 160);
    return invalid("class `" + given.name + "` is another already, with `" + line + "`: name these rules otherwise");
}

/// A line of `describe()`: what the class asks for and the agent control cannot do.
[[nodiscard]] inline std::string absent_verbs(const RunClass& rules, const ControlRef& control) {
    if (!control.present()) return {};
    std::string absent;
    for (const ActionKind kind : {ActionKind::nudge, ActionKind::break_pattern, ActionKind::pause, ActionKind::snapshot,
                                  ActionKind::terminate, ActionKind::spawn})
        if (rules.ladder.asks_for(kind) && !control.has(kind))
            absent.append(absent.empty() ? "" : ", ").append(name_of(kind));
    if (absent.empty()) return {};
    return "  the agent control cannot: " + absent + "; a person is told instead\n";
}

}  // namespace heeler::inline HEELER_ABI::detail
