// What a cycle reports, as plain values in the order they happened. Formatting them is somebody else's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/detector.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/incident.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/small_optional.hpp>

namespace heeler::inline HEELER_ABI {

/// A run's status, level or set of findings changed, or it was looked at for the first time.
struct StatusEvent {
    std::string run{};
    Status status = Status::healthy;
    List<Finding> findings{};  ///< worst first
    Level level = Level::none;
    Severity severity = Severity::none;
};

/// A rung was verified: `recovered` or `persisted`.
struct OutcomeEvent {
    std::string run{};
    std::uint32_t incident = 0;
    ActionKind of = ActionKind::nudge;
    InterventionOutcome outcome = InterventionOutcome::recovered;
};

/// An action was carried out, or held back.
struct ActionEvent {
    std::string run{};
    Action action{};
};

/// An alert left the outbox: delivered, given up, or settled without being sent, for the reason that its row gives.
struct AlertEvent {
    AlertRow row{};
    std::vector<std::string> received_by{};  ///< `Receipt::names`
};

/// A record was written that no other event stands for.
struct AuditEvent {
    AuditRow row{};
    std::optional<Duration> clock_jump{};  ///< by so much the wall clock went ahead of the monotonic one
};

/// A detector looked at a run at a time of its own, and has an answer.
struct SightingEvent {
    std::string run{};
    Sighting saw{};
};

/// Something failed; the cycle went on. `run` may be empty.
struct ErrorEvent {
    std::string where{};
    std::string run{};
    Error error{};
};

using Event = std::variant<StatusEvent, OutcomeEvent, ActionEvent, AlertEvent, AuditEvent, ErrorEvent, SightingEvent>;

/// Why a cycle runs.
enum class TickCause : std::uint8_t {
    period,     ///< runs whose time has come
    startup,    ///< every run, when the watchdog starts
    on_demand,  ///< every run, because somebody asks
    outcome,    ///< only what the outcomes of actions changed
    changed,    ///< only runs that somebody says have changed
};

[[nodiscard]] constexpr std::string_view name_of(TickCause cause) noexcept {
    constexpr std::string_view names[] = {"period", "startup", "on_demand", "outcome", "changed"};
    return names[static_cast<std::size_t>(cause)];
}

/// What a cycle held back, by reason.
struct Suppressed {
    std::uint64_t debounce = 0;  ///< rungs: the finding has not lasted long enough
    std::uint64_t budget = 0;    ///< rungs: the class had its share of this cycle, minute or day
    std::uint64_t cooldown = 0;  ///< alerts: people were told a short while ago
    std::uint64_t grace = 0;     ///< judgements: the watchdog itself was away, a clock was set, or a source is lost
    std::uint64_t silence = 0;   ///< alerts: an operator silenced them
    std::uint64_t unstored = 0;  ///< decisions: they could not be stored, or somebody else changed the run
    std::uint64_t inhibit = 0;   ///< alerts: people know of trouble above the run
    std::uint64_t snooze = 0;    ///< rungs of what is snoozed or dismissed
    std::uint64_t flapping = 0;  ///< alerts: people know that the incidents of the run come and go
};

/// What one cycle did. Silent when there was nothing: no event, no allocation.
struct CycleReport {
    TickCause cause = TickCause::period;
    std::uint64_t checked = 0;     ///< runs judged
    std::uint64_t healthy = 0;     ///< of these
    std::uint64_t acted = 0;       ///< rungs decided
    std::uint64_t suppressed = 0;  ///< held back by a budget, a debounce, a cooldown, a silence or a conflict
    std::uint64_t errors = 0;
    std::uint64_t left = 0;          ///< runs whose time has come and that the next `tick` looks at
    Suppressed why{};                ///< what `suppressed` counts, and judgements that nobody waits for
    std::uint32_t ticks = 0;         ///< `tick` ran
    std::uint32_t whole = 0;         ///< of these: every stage ran, and all that there was to store is stored
    std::uint32_t deliveries = 0;    ///< `deliver` ran
    std::optional<Duration> late{};  ///< how much after the moment that `next_deadline` had answered; absent: not asked
    Duration took{};                 ///< measured by a `Runner`; zero where nobody did
    List<Event> events{};

    [[nodiscard]] bool ok() const noexcept { return errors == 0; }

    void error(std::string_view where, std::string_view run, Error what);
    /// Appends what happened after this.
    void absorb(CycleReport later);
};

/// One row of a run's heartbeat log.
struct HeartbeatRow {
    std::uint32_t number = 0;             ///< interval, from 1
    SmallOptional<std::int64_t> value{};  ///< of the metric
    std::int64_t delta = 0;
    WallTime at{};  ///< when it was sampled

    void archive(auto& a) {
        std::optional<std::int64_t> known = value;
        a(number, known, delta, at);
        value = known;
    }
};

/// Which agent of a run brought it to its end.
enum class CompletedBy : std::uint8_t { original, continuation };

[[nodiscard]] constexpr std::string_view name_of(CompletedBy who) noexcept {
    return who == CompletedBy::original ? "original" : "continuation";
}

/// What became of a run.
struct Report {
    std::string run{};
    std::string name{};
    std::string work_item{};
    Duration total{};      ///< from the start of the run, or from its registration where nobody knows that
    std::string metric{};  ///< what counts as progress
    Duration interval{};
    std::uint32_t intervals = 0;
    std::vector<std::string> conditions{};  ///< worst first
    List<Intervention> interventions{};
    List<Action> actions{};
    List<HeartbeatRow> heartbeats{};
    std::string final_status{};                 ///< recovered terminated escalated failed completed cancelled running
    std::optional<CompletedBy> completed_by{};  ///< absent: it was not completed
    bool escalated = false;
    std::string recommendation{};       ///< what to change, when it was terminated or timed out; else empty
    std::string summary{};              ///< of the progress, likewise
    std::vector<std::string> alerts{};  ///< keys of alerts that were given up
};

}  // namespace heeler::inline HEELER_ABI

#ifndef HEELER_COMPILED
#include <heeler/core/events-inl.hpp>
#endif
