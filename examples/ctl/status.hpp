// What goes on: runs, decisions that wait to be applied, and how often the watchdog was wrong.
#pragma once

#include <span>
#include <vector>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>
#include <heeler/text/table.hpp>

#include "exit_status.hpp"
#include "options.hpp"
#include "run_view.hpp"
#include "store.hpp"

namespace ctl {

/// A table of runs, as people read it.
struct RunTable {
    heeler::text::TableRow heads;
    std::vector<heeler::text::TableRow> rows;
};
[[nodiscard]] RunTable table_of(const std::vector<RunView>& views, heeler::Instant now);

/// What goes on, read at one moment.
struct Overview {
    std::vector<RunView> views;              // in order of registration
    heeler::List<heeler::DecisionRow> open;  // decisions, and silences that stand
    heeler::Snapshot snapshot;
    heeler::List<heeler::SpendRow> spend;  // of today
    heeler::List<heeler::DamagedRow> damaged;
};
/// Of all these stores. `all`: ended runs too.
[[nodiscard]] heeler::Result<Overview> overview(bool all, std::span<Store> stores, heeler::Instant now);

/// All runs, or the one that `options` names, which the first store holds.
[[nodiscard]] Quit show_status(const Options& options, std::span<Store> stores, heeler::Instant now);

}  // namespace ctl
