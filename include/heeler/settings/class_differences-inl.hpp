// What a class is set to, as values that can be compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/detect/heartbeat_contract.hpp>
#include <heeler/recover/recovery_ladder.hpp>
#include <heeler/recover/watch_ladder.hpp>
#include <heeler/settings/class_differences.hpp>
#include <heeler/settings/known_settings.hpp>
#include <heeler/settings/setting_values.hpp>
#include <heeler/settings/validate.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI {

namespace detail::setting {

/// The settings of one class, each with its value, in order.
class ValueList final : public NamedSettings {
public:
    explicit ValueList(const RunClass& of) : rules_{of} {
        add_schedule();
        class_settings(rules_, *this);
        add_own();
        for (const std::string_view kind : rules_.detectors.kinds()) add_detector(kind);
        add_tool_calls();
        kind_ = {};
        add_ladder();
        add_alerts();
    }

    struct Value {
        std::string name;
        std::string value;
        bool of_detector;
    };

    [[nodiscard]] const std::vector<Value>& all() const noexcept { return all_; }

    [[nodiscard]] const std::string* find(std::string_view name) const noexcept {
        for (const Value& each : all_)
            if (each.name == name) return &each.value;
        return nullptr;
    }

private:
    void see(const SettingField& field) override { add(name_in(kind_, field.name), shown_value(field)); }

    [[nodiscard]] static std::string name_in(std::string_view kind, std::string_view field) {
        if (kind.empty()) return std::string{field};
        if (const std::string_view name = known_name(kind, field); !name.empty()) return std::string{name};
        return std::string{kind}.append(".").append(field);
    }

    [[nodiscard]] static std::string shown_value(const SettingField& field) {
        if (field.text != nullptr) return *field.text;
        if (field.flag != nullptr) return words(*field.flag);
        if (field.count != nullptr) return std::to_string(*field.count);
        if (field.large_count != nullptr) return std::to_string(*field.large_count);
        if (field.number != nullptr) return written(*field.number);
        return words(field.length != nullptr ? std::optional{*field.length} : *field.limit);
    }

    [[nodiscard]] static std::string words(bool yes) { return yes ? "true" : "false"; }
    [[nodiscard]] static std::string words(Duration length) { return written(in_seconds(length)); }
    [[nodiscard]] static std::string words(const std::optional<Duration>& length) {
        return length ? words(*length) : "none";
    }
    [[nodiscard]] static std::string words(const std::optional<std::uint32_t>& count) {
        return count ? std::to_string(*count) : "none";
    }

    /// What several detectors have is one setting, of several values if they are not the same.
    void add(std::string name, const std::string& value) {
        const std::string clean = text::sanitise(value, 512);
        for (Value& each : all_) {
            if (each.name != name) continue;
            if (each.value != clean) each.value += ", " + clean;
            return;
        }
        all_.push_back({std::move(name), clean, !kind_.empty()});
    }

    void add_schedule() {
        const Schedule& schedule = rules_.schedule;
        add("schedule.period_s", schedule.period > Duration{} ? words(schedule.period) : "none");
        add("schedule.aligned", words(schedule.aligned));
        add("schedule.immediate", words(schedule.immediate));
        add("schedule.together", words(schedule.together));
    }

    void add_own() {
        const ApplicabilitySettings& watched = rules_.applicability;
        add("mode", rules_.mode == Mode::shadow ? "shadow" : "active");
        add("stop_proof", std::string{name_of(rules_.stop_proof)});
        add("action_budget.per_tick", words(rules_.limits.rungs_per_tick));
        add("action_budget.per_run_per_day", words(rules_.limits.rungs_per_run_per_day));
        add("metric_grows", words(rules_.metric_grows));
        add("completion_ends", words(rules_.completion_ends));
        add("conflict_fails_run", words(rules_.conflict_fails_run));
        add("interval.on_record", words(rules_.interval.on_record));
        add("skip_interactive", words(watched.skip_interactive));
        add("skip_single_prompt", words(watched.skip_single_prompt));
        add("auto_clear", words(rules_.context.auto_clear));
        add("clear_on_error", words(rules_.context.clear_on_error));
        add("clear_above", std::to_string(rules_.context.clear_above));
        if (!watched.filter) return;
        std::string tags;
        for (const std::string& tag : watched.filter->tags_any) tags += (tags.empty() ? "" : ", ") + tag;
        const bool glob = watched.filter->matches == &detail::matches_glob;
        add("worker_tags", tags);
        add(glob ? "name_pattern" : "name_regex", watched.filter->name_pattern);
        add("worker_match", watched.filter->both ? "both" : "any");
        add("filter.exclude_system", words(watched.filter->exclude_system));
        add("filter.untagged", words(watched.filter->untagged));
    }

    void add_detector(std::string_view kind) {
        kind_ = {};
        add("detector " + std::string{kind}, "on");
        kind_ = kind;
        rules_.detectors.by_name(kind, *this);
        for (const auto& entry : rules_.detectors.entries())
            if (const auto* age = entry.settings.as<AgeLimits>(); age != nullptr && entry.ops->kind == kind)
                add_age(std::string{kind}, *age);
    }

    void add_age(const std::string& kind, const AgeLimits& age) {
        const bool silence = kind == ActivityAge::kind, progress = kind == ProgressAge::kind;
        const bool life = kind == AliveAge::kind;
        const std::string shown = kind + (progress ? ".shown_s" : life ? ".suspect_s" : ".warn_after_s");
        add(silence && age.informs ? "silence_levels.suspicious_s" : shown, words(age.warn_after));
        const std::string acted = progress  ? kind + ".acted_on_s"
                                  : life    ? kind + ".lost_s"
                                  : silence ? (age.informs ? "silence_levels.critical_s" : "silence_s")
                                            : kind + "_s";
        add(acted, words(age.act_after));
        add(kind + ".startup_grace_s", words(age.startup_grace));
        add(silence ? "veto_within_s" : kind + ".veto_within_s", words(age.veto_within));
        add(kind + ".beats_within_s", words(age.beats_within));
        std::string tiers;
        for (const ToolTier& tier : age.tool_tiers)
            tiers += (tiers.empty() ? "" : ", ") + tier.prefix + " " + words(tier.limit);
        add(kind + ".tool_tiers", tiers.empty() ? "none" : tiers);
    }

    /// Set for every rule about age that a class has.
    void add_tool_calls() {
        for (const auto& entry : rules_.detectors.entries()) {
            const auto* age = entry.settings.as<AgeLimits>();
            if (age == nullptr || entry.ops->kind == CheckpointAge::kind) continue;
            add("tool_calls.shown_s", words(age->warn_in_tool));
            add("tool_calls.allowed_s", words(age->in_tool));
            add("tool_calls.grace_s", words(age->tool_grace));
            add("tool_calls.cap_s", words(age->tool_cap));
        }
    }

    [[nodiscard]] static std::string words(const Plan& plan) {
        std::string text;
        for (const Step& step : plan) text += (text.empty() ? "" : " ") + std::string{name_of(step.action)};
        return text;
    }

    void add_retry(const std::optional<Backoff>& retry) {
        if (!retry) return;
        add("retry.count", std::to_string(retry->count));
        add("retry.base_s", words(retry->base));
        add("retry.factor", written(retry->factor));
        add("retry.cap_s", words(retry->cap));
        add("retry.reset_after_s", words(retry->reset_after));
    }

    void add_ladder() {
        if (const auto* climbs = rules_.ladder.as<RecoveryLadder>()) return add_ladder(*climbs);
        if (const auto* watches = rules_.ladder.as<WatchLadder>()) return add_ladder(*watches);
        add("ladder", rules_.ladder.describe());
    }

    void add_ladder(const RecoveryLadder& ladder) {
        add("ladder", "recovery");
        add("max_attempts", std::to_string(ladder.max_attempts));
        add("max_continuations", std::to_string(ladder.max_continuations));
        add("max_pause_s", words(ladder.max_pause));
        add("ladder.on_failure", ladder.on_failure == OnFailure::escalate ? "escalate" : "final_rung");
        add_retry(ladder.retry);
        for (const Response& response : ladder.responses) {
            std::string rungs;
            for (std::size_t i = 0; i < response.rungs.size(); ++i) {
                rungs += (i == 0 ? "" : "; ") + words(response.rungs[i]);
                if (!response.waits.empty()) rungs += ", " + words(response.wait_after(i, {})) + " s";
            }
            if (response.each_once) rungs += "; each once";
            if (response.final_at_stop) rungs += "; the final rung if it is certain";
            if (response.on_recurrence) rungs += "; until it comes back";
            if (response.hold) rungs += "; then a person";
            const bool unread = response.condition == Condition::no_output_access;  // it is shown as a stall
            add("ladder " + std::string{unread ? "output not readable" : name_of(response.condition)}, rungs);
        }
        add("ladder.final_rung", words(ladder.final_rung));
    }

    void add_ladder(const WatchLadder& ladder) {
        add("ladder", "watch");
        add("auto_steer", words(!ladder.steers.empty()));
        add_retry(ladder.retry);
        for (const SteerRule& steer : ladder.steers) {
            const bool loop = steer.condition == Condition::loop_detected;
            const bool errors = steer.condition == Condition::error_cascade;
            const bool tokens = steer.condition == Condition::token_budget;
            const std::string about{loop     ? "loop_s"
                                    : errors ? "errors_s"
                                    : tokens ? "tokens_s"
                                             : name_of(steer.condition)};
            add("steer_cooldown." + about, words(steer.cooldown));
        }
        for (const Ending& ending : ladder.endings) {
            if (ending.silent_longer) add("given_up_after_s", words(ending.silent_longer));
            const std::string severity{name_of(ending.at_least)};
            add("ladder end, " + (ending.silent_longer ? "silent" : severity), words(ending.plan));
        }
    }

    void add_alerts() {
        const AlertSettings& alerts = rules_.alerts;
        add("alerts_to", alerts.to);
        add("alerts.tell_people", words(alerts.tell_people));
        add("retry_failed_alerts", words(alerts.outbox.retry));
        add("notification_retries", words(alerts.outbox.at_once));
        add("outbox.jitter", words(alerts.outbox.jitter));
        add("outbox.inhibit", words(alerts.outbox.inhibit));
        std::string conditions, levels;
        for (const ConditionAlert& edge : alerts.conditions)
            conditions += (conditions.empty() ? "" : ", ") + std::string{name_of(edge.condition)} + " " + edge.kind +
                          (edge.repeated ? " repeated" : "") + (edge.over.empty() ? "" : " " + edge.over);
        for (const EscalationLevel& level : alerts.escalation.levels)
            levels += (levels.empty() ? "" : ", ") + std::string{name_of(level.whom)} +
                      (level.route.empty() ? "" : " " + level.route) +
                      (&level == &alerts.escalation.levels.front() ? "" : " after " + words(level.after));
        add("alerts.conditions", conditions);
        add("escalation.levels", levels.empty() ? alerts.escalation.parent_first ? "parent, origin" : "none" : levels);
        for (const EscalationLevel& level : alerts.escalation.levels)
            if (&level != &alerts.escalation.levels.front()) add("escalation.wait_s", words(level.after));
    }

    RunClass rules_;
    std::string_view kind_{};  ///< of the detector whose settings are seen; empty: of the class itself
    std::vector<Value> all_{};
};

}  // namespace detail::setting

HEELER_INLINE std::vector<SettingDifference> differences(const RunClass& first, const RunClass& second) {
    const detail::setting::ValueList one{first}, other{second};
    std::vector<SettingDifference> found;
    // What one of them has not: a detector's, or what belongs to a filter, or to another ladder.
    const auto absent = [](const auto& each) {
        return std::string{each.of_detector || each.name.starts_with("detector ") ? "off" : "none"};
    };
    for (const auto& each : one.all()) {
        const std::string* const there = other.find(each.name);
        if (there == nullptr || *there != each.value)
            found.push_back({each.name, each.value, there == nullptr ? absent(each) : *there});
    }
    for (const auto& each : other.all())
        if (one.find(each.name) == nullptr) found.push_back({each.name, absent(each), each.value});
    return found;
}

}  // namespace heeler::inline HEELER_ABI
