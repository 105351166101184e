// What one cycle changes about one run: rows, what follows once they are durable, and what it was before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/events.hpp>
#include <heeler/run/watched_run.hpp>
#include <heeler/storage/ledger.hpp>

namespace heeler::inline HEELER_ABI::detail {

struct WorkItem {
    WorkItem(RunHandle run, WatchedRun& of)
        : change{run, &of},
          shown_before{of.shown},
          verdict_before{of.verdict},
          incarnation_before{of.run.incarnation},
          life_before{of.life()} {}

    Change change;
    std::vector<Event> events;    ///< reported once it is durable
    std::vector<Action> actions;  ///< carried out once they are durable
    std::vector<AlertRow> alerts;
    Shown shown_before;
    Seldom<Verdict> verdict_before;
    std::uint32_t incarnation_before;
    Life life_before;
    std::optional<Life> life_after;                     ///< set when this cycle changes the run's life
    bool ends = false;                                  ///< this cycle ends the run
    std::optional<std::vector<Action>> settled_before;  ///< the outcomes that this cycle took in
    std::optional<std::string> memory_before;
};

}  // namespace heeler::inline HEELER_ABI::detail
