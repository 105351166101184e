// Checks what a host brings: runs and run classes. Every error names the value, the limit and what to do.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <heeler/core/named_setting.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/run.hpp>
#include <heeler/core/settings.hpp>
#include <heeler/text/duration.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline HEELER_ABI::detail {

[[nodiscard]] inline Result<void> check_length(std::string_view what, Duration value, Duration least, Duration most) {
    if (value >= least && value <= most) return {};
    return fail(ErrorCode::invalid_argument, std::string{what} + " is " + std::to_string(in_seconds(value)) +
                                                 " s; it must be " + text::spoken(least) + " to " + text::spoken(most));
}

/// A moment that the library can count with: the years 1900 to 2260.
[[nodiscard]] inline Result<void> check_moment(std::string_view what, const std::optional<WallTime>& moment) {
    const WallTime first{-std::chrono::hours{24 * 365 * 70}};
    const WallTime last{std::chrono::hours{24 * 365 * 291}};
    if (!moment || (*moment >= first && *moment <= last)) return {};
    return fail(ErrorCode::invalid_argument,
                std::string{what} + " lies outside the years 1900 to 2260; leave it out if it is unknown");
}

/// Fills in what was left out and checks the rest.
[[nodiscard]] inline Result<void> check_spec(RunSpec& spec) {
    if (spec.id.empty()) spec.id = spec.name;
    if (spec.id.empty()) return fail(ErrorCode::invalid_argument, "the run has neither id nor name; give it one");
    if (auto good = check_run_id(spec.id); !good) return good;
    if (spec.name.empty()) spec.name = spec.id;
    if (spec.work_item.size() > longest_work_item)
        return fail(ErrorCode::invalid_argument,
                    "the work item has " + std::to_string(spec.work_item.size()) + " bytes, at most " +
                        std::to_string(longest_work_item) +
                        " reach whoever takes the run up: write it to a file, and name the file in the work item");
    if (spec.expected)
        if (auto good = check_length("expected", *spec.expected, Duration{1}, longest_setting); !good) return good;
    if (spec.timeout)
        if (auto good = check_length("timeout", *spec.timeout, Duration{1}, longest_setting); !good) return good;
    if (spec.contract)
        if (auto good = validate(*spec.contract); !good) return good;
    if (!spec.owner.empty() && !valid_run_id(spec.owner))
        return fail(ErrorCode::invalid_argument,
                    "the owner of the run is no name: 1 to 128 bytes of UTF-8 without control characters");
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
        return fail(ErrorCode::invalid_argument,
                    "escalation has " + std::to_string(escalation.levels.size()) + " levels; at most 16 are told");
    for (std::size_t i = 0; i < escalation.levels.size(); ++i) {
        const EscalationLevel& level = escalation.levels[i];
        std::string name = "escalation.levels[" + std::to_string(i) + "]";
        if (i == 0 && level.after != Duration{})
            return fail(ErrorCode::invalid_argument, name + ".after must be 0: the first level is told at once");
        if (i > 0)
            if (auto good = check_length(name + ".after", level.after, 1s, longest_setting); !good) return good;
        if (!level.route.empty() && (level.whom != EscalationTarget::people || level.route.size() > 256))
            return fail(ErrorCode::invalid_argument,
                        name + ".route belongs to people, and has at most 256 bytes; leave it out");
    }
    return check_length("escalation.ack_lasts", escalation.ack_lasts, 0s, longest_setting);
}

/// Settings that contradict each other would make a watchdog that nobody can trust: they are refused.
[[nodiscard]] inline Result<void> check_class(const RunClass& rules) {
    if (rules.name.empty() || rules.name.size() > 64 || !valid_run_id(rules.name))
        return fail(ErrorCode::invalid_argument, "it needs a name of 1 to 64 bytes without control characters");
    if (rules.schedule.period != Duration{})
        if (auto good = check_length("schedule.period", rules.schedule.period, 1s, 24h); !good) return good;
    if (rules.schedule.aligned && rules.schedule.period == Duration{})
        return fail(ErrorCode::invalid_argument, "an aligned schedule needs a period; set schedule.period");
    if (rules.schedule.together && (rules.schedule.period == Duration{} || rules.schedule.aligned))
        return fail(ErrorCode::invalid_argument,
                    "a schedule of runs that are looked at together needs a period, and is not aligned");
    if (rules.context.auto_clear && !rules.schedule.together)
        return fail(ErrorCode::invalid_argument,
                    "context.auto_clear needs cycles of the whole class; set schedule.together");
    if (rules.alerts.outbox.at_once.value_or(0) > 100)
        return fail(ErrorCode::invalid_argument,
                    "outbox.at_once is " + std::to_string(*rules.alerts.outbox.at_once) + "; it must be 0 to 100");
    const Duration interval = rules.interval.fixed.value_or(rules.interval.short_task);
    if (auto good = check_length("interval", interval, 1s, 24h); !good) return good;
    if (auto good = check_length("interval.long_task", rules.interval.long_task, 1s, 24h); !good) return good;
    if (rules.schedule.period > interval)
        return fail(ErrorCode::invalid_argument, "schedule.period (" + text::spoken(rules.schedule.period) +
                                                     ") is longer than the interval (" + text::spoken(interval) +
                                                     "): samples would be lost; shorten the period");
    if (rules.verify_after != Duration{} && rules.verify_after < rules.schedule.period)
        return fail(ErrorCode::invalid_argument,
                    "verify_after (" + text::spoken(rules.verify_after) + ") is shorter than schedule.period (" +
                        text::spoken(rules.schedule.period) + "); make it at least one period");
    if (auto good = check_length("grace", rules.grace, 0s, 24h); !good) return good;
    if (auto good = check_length("unobservable_after", rules.alerts.unobservable_after, 0s, longest_setting); !good)
        return good;
    if (const auto& filter = rules.applicability.filter; filter && filter->name_pattern.size() > max_run_id_bytes)
        return fail(ErrorCode::invalid_argument,
                    "applicability.filter.name_pattern has " + std::to_string(filter->name_pattern.size()) +
                        " bytes; no name is longer than " + std::to_string(max_run_id_bytes) + ": shorten it");
    if (!rules.ladder.present())
        return fail(ErrorCode::invalid_argument, "it has no ladder; set `ladder = RecoveryLadder{...}`");
    if (rules.limits.debounce < 1 || rules.limits.debounce > 1000)
        return fail(ErrorCode::invalid_argument,
                    "limits.debounce is " + std::to_string(rules.limits.debounce) + "; it must be 1 to 1000");
    if (auto good = check_length("expect.total", rules.expect.total, 0s, longest_setting); !good) return good;
    const MassStallSettings& mass = rules.limits.mass_stall;
    if (!(mass.share > 0 && mass.share <= 1 && mass.over_share > 0 && mass.over_share <= mass.share))
        return fail(ErrorCode::invalid_argument,
                    "limits.mass_stall: 0 < over_share <= share <= 1 must hold; they are " +
                        std::to_string(mass.over_share) + " and " + std::to_string(mass.share));
    if (auto good = check_length("limits.mass_stall.within", mass.within, 1s, 1h); !good) return good;
    if (auto good = check_length("limits.mass_stall.over_after", mass.over_after, 1s, 24h); !good) return good;
    if (auto good = check_escalation(rules.alerts.escalation); !good) return good;
    if (auto good = check_length("outbox.first_retry", rules.alerts.outbox.first_retry, Duration{1000}, 24h); !good)
        return good;
    if (rules.alerts.outbox.longest_retry < rules.alerts.outbox.first_retry ||
        rules.alerts.outbox.give_up_after < rules.alerts.outbox.longest_retry)
        return fail(ErrorCode::invalid_argument,
                    "outbox: first_retry <= longest_retry <= give_up_after must hold; they are " +
                        text::spoken(rules.alerts.outbox.first_retry) + ", " +
                        text::spoken(rules.alerts.outbox.longest_retry) + ", " +
                        text::spoken(rules.alerts.outbox.give_up_after));
    if (rules.alerts.outbox.at_once && rules.alerts.outbox.groups())
        return fail(
            ErrorCode::invalid_argument,
            "outbox.group_wait and group_interval have alerts wait for each other, outbox.at_once has them told "
            "within their cycle: set both lengths to 0, or at_once to nothing");
    if (auto good = check_length("outbox.group_wait", rules.alerts.outbox.group_wait, 0s, 1h); !good) return good;
    if (auto good = check_length("outbox.group_interval", rules.alerts.outbox.group_interval, 0s, 24h); !good)
        return good;
    return {};
}

}  // namespace heeler::inline HEELER_ABI::detail
