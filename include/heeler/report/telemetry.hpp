// Counts what a watchdog does from what it reports of its cycles, for a monitoring system (`prometheus_text`).
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <heeler/core/events.hpp>
#include <heeler/core/observation.hpp>
#include <heeler/core/observed.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// How many of what was measured are at most so long.
struct DurationCounts {
    static constexpr std::array<double, 9> bounds_s{0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300};

    std::array<std::uint64_t, bounds_s.size()> at_most{};  ///< by bound, those of the bounds before it included
    std::uint64_t count = 0;
    double sum_s = 0;

    void add(Duration length) noexcept {
        const double seconds = in_seconds(length);
        for (std::size_t i = 0; i < bounds_s.size(); ++i) at_most[i] += seconds <= bounds_s[i] ? 1 : 0;
        ++count;
        sum_s += seconds;
    }
};

/// What happened since the collector was made. Two labels at most.
struct TelemetryCounts {
    using Labelled = std::map<std::pair<std::string, std::string>, std::uint64_t>;
    struct Spent {
        std::uint64_t count = 0;
        double sum_s = 0;
    };

    bool heard = false;  ///< somebody passes on what `observe` answers; without that, the next three say nothing
    std::uint64_t heartbeats = 0;
    std::uint64_t tokens = 0;
    std::array<std::uint64_t, observed_names.size()> refused{};  ///< by `Observed`
    Labelled detections{};                                       ///< by detector and condition
    Suppressed suppressed{};
    std::uint64_t frozen = 0;
    std::uint64_t shadow = 0;
    Labelled interventions{};                 ///< by action and what came of it
    Labelled continuations{};                 ///< by what came of it
    std::map<std::string, Spent> verified{};  ///< by action: from its being done until it was known whether it helped
    std::uint64_t alerts_delivered = 0;
    std::uint64_t alerts_dead = 0;
    std::uint64_t alerts_together = 0;  ///< told with another one
    DurationCounts ticks{};             ///< those that somebody measured
    DurationCounts lateness{};          ///< of those whose moment was known
    std::uint64_t jumps_forward = 0;
    std::uint64_t jumps_backward = 0;
    std::optional<WallTime> healthy_at{};  ///< the last tick of which every stage ran and all is stored
};

/// Give it every `CycleReport`. Thread-safe.
class Telemetry {
public:
    /// `now`: when the report was made.
    void add(const CycleReport& report, WallTime now) {
        const std::lock_guard guard{lock_};
        if (report.ticks > 0) add_tick(report, now);
        add(report.why);
        for (const Event& event : report.events) std::visit([&](const auto& what) { add(what, now); }, event);
    }

    /// What was reported of a run, and what `observe` answered, which is returned. Reports that sources find are not
    /// heard here.
    template <class What>
    Observed heard(Observed answer, const What& what) {
        const std::lock_guard guard{lock_};
        counts_.heard = true;
        if (answer != Observed::ok)
            ++counts_.refused[static_cast<std::size_t>(answer)];
        else if constexpr (std::is_same_v<What, Heartbeat>)
            ++counts_.heartbeats;
        else if constexpr (std::is_same_v<What, Usage>)
            counts_.tokens += static_cast<std::uint64_t>(what.tokens_in) + static_cast<std::uint64_t>(what.tokens_out);
        return answer;
    }

    [[nodiscard]] TelemetryCounts counts() const {
        const std::lock_guard guard{lock_};
        return counts_;
    }

private:
    /// Of so many runs it is kept in mind when something was done to them.
    static constexpr std::size_t most_acted = 4096;

    void add_tick(const CycleReport& report, WallTime now) {
        if (report.took > Duration{}) counts_.ticks.add(report.took);
        if (report.late) counts_.lateness.add(*report.late);
        if (report.whole == report.ticks) counts_.healthy_at = now;
    }

    void add(const Suppressed& why) {
        counts_.suppressed.debounce += why.debounce;
        counts_.suppressed.budget += why.budget;
        counts_.suppressed.cooldown += why.cooldown;
        counts_.suppressed.grace += why.grace;
        counts_.suppressed.silence += why.silence;
        counts_.suppressed.snooze += why.snooze;
        counts_.suppressed.flapping += why.flapping;
        counts_.suppressed.inhibit += why.inhibit;
        counts_.suppressed.unstored += why.unstored;
    }

    void add(const StatusEvent& event, WallTime) {
        for (const Finding& finding : event.findings)
            ++counts_.detections[{std::string{finding.kind}, std::string{finding.condition.key()}}];
    }

    void add(const ActionEvent& event, WallTime now) {
        const Action& action = event.action;
        const std::string outcome{name_of(action.outcome)};
        ++counts_.interventions[{std::string{name_of(action.kind)}, outcome}];
        if (action.kind == ActionKind::spawn) ++counts_.continuations[{outcome, {}}];
        if (action.outcome == ActionOutcome::skipped) {
            counts_.shadow += action.outcome_from == OutcomeFrom::shadow ? 1 : 0;
            counts_.frozen += action.outcome_from == OutcomeFrom::freeze ? 1 : 0;
        }
        if (action.outcome != ActionOutcome::done) return;
        if (acted_.size() >= most_acted) acted_.clear();  // of runs that ended, mostly
        acted_.insert_or_assign({event.run, action.kind}, now);
    }

    void add(const OutcomeEvent& event, WallTime now) {
        ++counts_.interventions[{std::string{name_of(event.of)}, std::string{name_of(event.outcome)}}];
        const auto begun = acted_.find({event.run, event.of});
        if (begun == acted_.end()) return;
        TelemetryCounts::Spent& spent = counts_.verified[std::string{name_of(event.of)}];
        ++spent.count;
        spent.sum_s += in_seconds(std::max(Duration{}, now - begun->second));  // the clock may have been set back
        acted_.erase(begun);
    }

    void add(const AlertEvent& event, WallTime) {
        counts_.alerts_delivered += event.row.state == AlertRow::State::delivered ? 1 : 0;
        counts_.alerts_dead += event.row.state == AlertRow::State::dead ? 1 : 0;
        const bool together = event.row.how == AlertRow::How::together;
        counts_.alerts_together += event.row.state == AlertRow::State::skipped && together ? 1 : 0;
    }

    void add(const AuditEvent& event, WallTime) {
        if (!event.clock_jump) return;
        ++(*event.clock_jump < Duration{} ? counts_.jumps_backward : counts_.jumps_forward);
    }

    void add(const ErrorEvent&, WallTime) {}
    void add(const SightingEvent&, WallTime) {}

    mutable std::mutex lock_;
    TelemetryCounts counts_;
    std::map<std::pair<std::string, ActionKind>, WallTime> acted_;
};

}  // namespace heeler::inline HEELER_ABI
