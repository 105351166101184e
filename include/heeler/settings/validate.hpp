// Checks what a host brings: runs and run classes. Every error names the value, the limit and what to do.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline Result<void> check_length(std::string_view what, Duration value, Duration least, Duration most) {
    if (value >= least && value <= most) return {};
    return invalid(std::string{what} + " is " + std::to_string(in_seconds(value)) + " s; it must be " +
                   text::spoken(least) + " to " + text::spoken(most));
}

/// A moment that the library can count with: the years 1900 to 2260.
[[nodiscard]] inline Result<void> check_moment(std::string_view what, const std::optional<WallTime>& moment) {
    const WallTime first{-std::chrono::hours{24 * 365 * 70}}, last{std::chrono::hours{24 * 365 * 291}};
    if (!moment || (*moment >= first && *moment <= last)) return {};
    return invalid(std::string{what} + " lies outside the years 1900 to 2260; leave it out if it is unknown");
}

/// Fills in what was left out and checks the rest.
[[nodiscard]] inline Result<void> check_spec(RunSpec& spec) {
    if (spec.id.empty()) spec.id = spec.name;
    if (spec.id.empty()) return invalid("the run has neither id nor name; give it one");
    if (auto good = check_run_id(spec.id); !good) return good;
    if (spec.name.empty()) spec.name = spec.id;
    if (spec.work_item.size() > longest_work_item)
        return invalid("the work item has " + std::to_string(spec.work_item.size()) + " bytes, at most " +
                       std::to_string(longest_work_item) +
                       " reach whoever takes the run up: write it to a file, and name the file in the work item");
    constexpr Duration least{1}, most = longest_setting;
    if (auto good = check_length("expected", spec.expected.value_or(least), least, most); !good) return good;
    if (auto good = check_length("timeout", spec.timeout.value_or(least), least, most); !good) return good;
    if (spec.contract)
        if (auto good = validate(*spec.contract); !good) return good;
    if (!spec.owner.empty() && !valid_run_id(spec.owner))
        return invalid("the owner of the run is no name: 1 to 128 bytes of UTF-8 without control characters");
    if (!spec.continues.empty() && (!valid_run_id(spec.continues) || spec.continues == spec.id))
        return invalid("`continues` must be the id of another run, of 1 to 128 bytes");
    if (auto good = check_moment("created_at", spec.created_at); !good) return good;
    return check_moment("started_at", spec.started_at);
}

/// Whether a report holds values that can be counted with.
template <class What>
[[nodiscard]] bool is_sane(const What& what) noexcept {
    if constexpr (std::is_same_v<What, Usage>) {
        constexpr std::int64_t most = std::int64_t{1} << 50;
        for (const std::int64_t value : {what.tokens_in, what.tokens_out, what.api_calls, what.bytes_written})
            if (value < 0 || value > most) return false;
        return what.cost_usd >= 0 && what.cost_usd < 1e12;  // false for NaN
    } else if constexpr (std::is_same_v<What, Progress>) {
        constexpr std::int64_t most = std::int64_t{1} << 60;
        return what.value >= -most && what.value <= most;
    } else if constexpr (std::is_same_v<What, Resource>) {
        return what.used >= 0 && what.limit >= 1;
    } else {
        static_cast<void>(what);
        return true;
    }
}

[[nodiscard]] inline Result<void> check_escalation(const EscalationSettings& escalation) {
    if (escalation.levels.size() > 16)
        return invalid("escalation has " + std::to_string(escalation.levels.size()) + " levels; at most 16 are told");
    for (std::size_t i = 0; i < escalation.levels.size(); ++i) {
        const EscalationLevel& level = escalation.levels[i];
        std::string name = "escalation.levels[" + std::to_string(i) + "]";
        if (i == 0 && level.after != Duration{})
            return invalid(name + ".after must be 0: the first level is told at once");
        if (i > 0)
            if (auto good = check_length(name + ".after", level.after, 1s, longest_setting); !good) return good;
        if (!level.route.empty() && (level.whom != EscalationTarget::people || level.route.size() > 256))
            return invalid(name + ".route belongs to people, and has at most 256 bytes; leave it out");
    }
    return {};
}

/// What the settings of a class itself are called and which values they take, by their names as in code.
inline void class_settings(RunClass& rules, NamedSettings& named) {
    named.length("interval_s", rules.interval.fixed, 1s, 24h);
    named.length("interval.short_s", rules.interval.short_task, 1s, 24h);
    named.length("interval.long_s", rules.interval.long_task, 1s, 24h);
    named.length("interval.short_until_s", rules.interval.short_until, 0s, longest_setting);
    named.length("shortest_s", rules.applicability.shortest, 0s, longest_setting);
    named.length("verify_after_s", rules.verify_after, 0s, longest_setting);
    named.length("grace_s", rules.grace, 0s, 24h);
    named.flag("metric_grows", rules.metric_grows);
    named.count("debounce", rules.limits.debounce, 1, 1000);
    named.count("expect.most", rules.expect.most, 0, 1000);
    named.length("expect.total_s", rules.expect.total, 0s, longest_setting);
    named.count("restarts.most", rules.limits.restarts.most, 0, 1000);
    named.length("restarts.within_s", rules.limits.restarts.within, 1min, 24h * 365);
    named.count("actions.per_minute", rules.limits.per_minute, 0, 1000);
    named.length("actions.endings_apart_s", rules.limits.endings_apart, 0s, 24h);
    named.count("nudges.per_incident", rules.limits.nudges.per_incident, 0, 1000);
    named.count("nudges.in_row", rules.limits.nudges.in_row, 0, 1000);
    named.length("nudges.apart_s", rules.limits.nudges.apart, 0s, 24h);
    named.length("nudges.forgotten_after_s", rules.limits.nudges.forgotten_after, 0s, 24h);
    named.count("mass_stall.runs", rules.limits.mass_stall.runs, 0, 1'000'000);
    named.number("mass_stall.share", rules.limits.mass_stall.share, 0.01, 1);
    named.number("mass_stall.over_share", rules.limits.mass_stall.over_share, 0.01, 1);
    named.length("mass_stall.within_s", rules.limits.mass_stall.within, 1s, 1h);
    named.length("mass_stall.over_after_s", rules.limits.mass_stall.over_after, 1s, 24h);
    named.length("flapping_every_s", rules.alerts.flapping_every, 0s, 24h);
    named.length("alert_cooldown_s", rules.alerts.cooldown, 0s, longest_setting);
    named.length("renotify_every_s", rules.alerts.renotify_every, 0s, longest_setting);
    named.length("unobservable_after_s", rules.alerts.unobservable_after, 0s, longest_setting);
    named.length("escalation.ack_lasts_s", rules.alerts.escalation.ack_lasts, 0s, longest_setting);
    named.length("outbox.first_retry_s", rules.alerts.outbox.first_retry, Duration{1000}, 24h);
    named.length("outbox.longest_retry_s", rules.alerts.outbox.longest_retry, Duration{1000}, longest_setting);
    named.length("outbox.give_up_after_s", rules.alerts.outbox.give_up_after, Duration{1000}, longest_setting);
    named.length("outbox.group_wait_s", rules.alerts.outbox.group_wait, 0s, 1h);
    named.length("outbox.group_interval_s", rules.alerts.outbox.group_interval, 0s, 24h);
}

/// Settings that contradict each other would make a watchdog that nobody can trust: they are refused.
[[nodiscard]] inline Result<void> check_class(const RunClass& rules) {
    if (rules.name.empty() || rules.name.size() > 64 || !valid_run_id(rules.name))
        return invalid("it needs a name of 1 to 64 bytes without control characters");
    SettingLimits limits{{}};
    class_settings(const_cast<RunClass&>(rules), limits);  // it only reads
    if (!limits.wrong.empty()) return invalid(std::move(limits.wrong));
    const Duration period = rules.schedule.period;
    const OutboxSettings& outbox = rules.alerts.outbox;
    if (auto good = check_length("schedule.period", period == Duration{} ? 1s : period, 1s, 24h); !good) return good;
    if (rules.schedule.aligned && period == Duration{})
        return invalid("an aligned schedule needs a period; set schedule.period");
    if (rules.schedule.together && (period == Duration{} || rules.schedule.aligned))
        return invalid("a schedule of runs that are looked at together needs a period, and is not aligned");
    if (rules.context.auto_clear && !rules.schedule.together)
        return invalid("context.auto_clear needs cycles of the whole class; set schedule.together");
    if (outbox.at_once.value_or(0) > 100)
        return invalid("outbox.at_once is " + std::to_string(*outbox.at_once) + "; it must be 0 to 100");
    const Duration interval = rules.interval.fixed.value_or(rules.interval.short_task);
    if (period > interval)
        return invalid("schedule.period (" + text::spoken(period) + ") is longer than the interval (" +
                       text::spoken(interval) + "): samples would be lost; shorten the period");
    if (rules.verify_after != Duration{} && rules.verify_after < period)
        return invalid("verify_after (" + text::spoken(rules.verify_after) + ") is shorter than schedule.period (" +
                       text::spoken(period) + "); make it at least one period");
    if (const auto& filter = rules.applicability.filter; filter && filter->name_pattern.size() > max_run_id_bytes)
        return invalid("applicability.filter.name_pattern has " + std::to_string(filter->name_pattern.size()) +
                       " bytes; no name is longer than " + std::to_string(max_run_id_bytes) + ": shorten it");
    if (!rules.ladder.present()) return invalid("it has no ladder; set `ladder = RecoveryLadder{...}`");
    const MassStallSettings& mass = rules.limits.mass_stall;
    if (!(mass.over_share <= mass.share))
        return invalid("limits.mass_stall: over_share <= share must hold; they are " + std::to_string(mass.over_share) +
                       " and " + std::to_string(mass.share));
    if (auto good = check_escalation(rules.alerts.escalation); !good) return good;
    if (outbox.longest_retry < outbox.first_retry || outbox.give_up_after < outbox.longest_retry)
        return invalid("outbox: first_retry <= longest_retry <= give_up_after must hold; they are " +
                       text::spoken(outbox.first_retry) + ", " + text::spoken(outbox.longest_retry) + ", " +
                       text::spoken(outbox.give_up_after));
    if (outbox.at_once && outbox.groups())
        return invalid(
            "outbox.group_wait and group_interval have alerts wait for each other, outbox.at_once has them told "
            "within their cycle: set both lengths to 0, or at_once to nothing");
    return {};
}

}  // namespace heeler::inline HEELER_ABI::detail
