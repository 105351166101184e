// What cycles made of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <heeler/alert/told.hpp>
#include <heeler/core/batch.hpp>
#include <heeler/core/finding.hpp>
#include <heeler/core/ladder.hpp>
#include <heeler/core/list.hpp>
#include <heeler/core/on_demand.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/detector_memory.hpp>
#include <heeler/run/restarts.hpp>
#include <heeler/run/run_marks.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// What cycles made of a run that is not well, or was not: they alone write it. One decides into a copy (`Decided`),
/// which takes its place once it is stored.
struct Verdict {
    static constexpr std::size_t most_interventions = 64;

    Incident incident;
    List<Intervention> interventions;  ///< the newest `most_interventions`
    List<Condition> conditions_seen;   ///< in the order in which they came, each once
    std::uint32_t notes_given = 0;     ///< hash bits of not-evaluable kinds that were reported
    std::uint32_t nudges = 0;          ///< in a row (`nudges_in_row`)
    Duration nudged{};                 ///< working clock: the last of them
    std::uint32_t rungs_today = 0;
    std::int64_t rung_day = 0;
    std::uint32_t rung_open = 0;      ///< actions of the rung that is under way, until it is settled
    std::uint64_t loop_identity = 0;  ///< of the newest finding that has one
    OperatorMarks marks;
    Told told;                ///< what people were
    List<SentSteer> steered;  ///< what was sent to the run and when, so that it is not sent again too soon
    std::optional<WallTime> ended_at;
    Condition cause;                ///< of the open incident, the worst that was acted on
    std::string found;              ///< likewise, in words; empty: nothing yet
    std::uint32_t repeated_by = 0;  ///< the detectors that found a repetition in it, a bit each
    std::uint32_t settled = 0;      ///< rungs whose outcomes were taken in
    std::uint32_t watermark = 0;    ///< raised when detectors are to begin anew
    Restarts restarts;

    [[nodiscard]] bool has_seen(const Condition& condition) const noexcept {
        for (const Condition& known : conditions_seen)
            if (known == condition) return true;
        return false;
    }
    void note(const Condition& condition) {
        if (!has_seen(condition)) conditions_seen.push_back(condition);
    }
    /// After so long without an incident those before count no more.
    [[nodiscard]] std::uint32_t nudges_in_row(const NudgeLimits& limits, Duration working) const noexcept {
        const bool over = !incident.open() && working - incident.closed_at >= limits.forgotten_after;
        return over ? 0 : nudges;
    }
    /// An operator has ended the incident: without a word, and what comes next does not go on with it.
    void drop_incident(Duration working) {
        incident.phase = Phase::none;
        incident.closed_at = working;
        incident.hold_until.reset();
        told.close();
    }
    /// What an operator orders has a number, and is no rung.
    [[nodiscard]] bool is_order(std::uint32_t number) const noexcept {
        return interventions.empty() || interventions.back().number < number;
    }
    /// That incident was none, or a person has ended it by hand.
    [[nodiscard]] bool is_dropped(std::uint32_t number) const noexcept {
        const bool by_hand = number == incident.number && incident.phase == Phase::none;
        return number != 0 && (by_hand || number == marks.wrong_incident);
    }
    /// The record of a rung, new or again.
    void keep(const Intervention& record) {
        for (Intervention& known : interventions)
            if (known.number == record.number) return void(known = record);
        if (interventions.size() >= most_interventions) interventions.erase(interventions.begin());
        interventions.push_back(record);
    }

    [[nodiscard]] bool has_new(const Findings& notes) const noexcept {
        for (const Finding& note : notes)
            if ((notes_given & kind_bit(note.kind)) == 0) return true;
        return false;
    }

    /// Interventions and the end are stored on their own.
    void archive(auto& a) {
        a(incident.number, incident.phase, incident.condition, incident.attempts, incident.unclear,
          incident.interventions, incident.opened, incident.acted, incident.verify_at, incident.closed_at,
          incident.hold_until, incident.value_then, incident.items_then, incident.nudge_confirmed, incident.isolated,
          incident.escalated, incident.nudges, incident.forgiven, incident.cannot_pause);
        a(nudges, nudged, conditions_seen, notes_given, rungs_today, rung_day, rung_open, loop_identity, marks, told,
          steered, cause, found, repeated_by, settled, watermark, restarts);
    }
};

}  // namespace heeler::inline HEELER_ABI::detail
