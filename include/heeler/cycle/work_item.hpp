// What one cycle changes about one run: rows, what follows once they are durable, and what it was before.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/storage/ledger.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline v0 {

/// One run in one cycle: what is written, what follows once it is, and what it was before.
template <class Detectors>
struct WorkItem {
    WorkItem(RunHandle run, RunCell<Detectors>& of)
        : change{run, &of},
          incident_before{of.incident},
          shown_before{of.shown},
          interventions_before{of.interventions},
          notes_before{of.notes_given},
          conditions_before{of.conditions_seen},
          rungs_before{of.rungs_today},
          rung_day_before{of.rung_day},
          rung_open_before{of.rung_open},
          ended_before{of.ended_at},
          incarnation_before{of.run.incarnation},
          marks_before{of.marks},
          sent_before{of.sent} {}

    Change<Detectors> change;
    std::vector<Event> events;    ///< reported once it is durable
    std::vector<Action> actions;  ///< carried out once they are durable
    std::vector<AlertRow> alerts;
    Incident incident_before;
    Shown shown_before;
    std::vector<Intervention> interventions_before;
    std::uint32_t notes_before;
    ConditionsSeen conditions_before;
    std::uint32_t rungs_before;
    std::int64_t rung_day_before;
    std::uint32_t rung_open_before;
    std::optional<WallTime> ended_before;
    std::uint32_t incarnation_before;
    OperatorMarks marks_before;
    SentMarks sent_before;
    std::optional<RunState> state_before;               ///< set when this cycle ends the run
    std::optional<std::vector<Action>> settled_before;  ///< the outcomes that this cycle took in
    std::optional<std::string> memory_before;
};

}  // namespace heeler::inline v0
