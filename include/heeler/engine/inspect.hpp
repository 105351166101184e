// What is known of a run by its id: from memory if it is watched, else from what the store kept.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/engine/explain.hpp>
#include <heeler/engine/registry.hpp>
#include <heeler/text/sanitise.hpp>

namespace heeler::inline v0 {

template <class Detectors>
[[nodiscard]] Result<Report> report_on(Registry<Detectors>& registry, std::string_view run,
                                       const Result<History>& known, Instant now) {
    if (!known) return tl::unexpected<Error>(known.error());
    const auto handle = registry.find(run);
    auto* cell = handle ? registry.table().find(*handle) : nullptr;
    if (cell != nullptr) {
        const std::lock_guard guard{cell->lock};
        if (registry.table().current(*handle)) return report_of<Detectors>(*cell, *known, now);
    }
    if (!known->row) return fail(ErrorCode::unknown_run, "no run has the id `" + sanitise(run, 160) + "`");
    return stored_report<Detectors>(*known, now);
}

/// Whether an agent of this incarnation was replaced. That it still reports is put on record once.
template <class Detectors>
[[nodiscard]] bool is_fenced(Registry<Detectors>& registry, RunHandle run, std::uint32_t incarnation, Instant now) {
    auto* cell = registry.table().find(run);
    if (cell == nullptr) return false;
    const std::lock_guard guard{cell->lock};
    if (!registry.table().current(run) || incarnation >= cell->run.incarnation) return false;
    if (std::exchange(cell->fenced_told, std::max(cell->fenced_told, incarnation)) >= incarnation) return true;
    cell->unsaved.audit.push_back({now.wall, "fenced", cell->run.id,
                                   R"({"incarnation":)" + std::to_string(incarnation) + R"(,"current":)" +
                                       std::to_string(cell->run.incarnation) + "}"});
    if (!std::exchange(cell->dirty, true)) registry.table().sooner(run.index, cell->next_cycle);
    return true;
}

/// The handle of a run that is watched; the error says whether it is over or was never there.
template <class Detectors, class Ledger>
[[nodiscard]] Result<RunHandle> find_run(Registry<Detectors>& registry, Ledger& ledger, std::string_view id,
                                         Instant now) {
    const auto handle = registry.find(id);
    if (auto* cell = handle ? registry.table().find(*handle) : nullptr; cell != nullptr) {
        const std::lock_guard guard{cell->lock};
        if (registry.table().current(*handle) && !is_terminal(cell->run.state)) return *handle;
    }
    const auto known = ledger.history(now, id);
    if (!known) return tl::unexpected<Error>(known.error());
    if (known->row && is_terminal(known->row->state))
        return fail(ErrorCode::ended, "the run `" + sanitise(id, 160) + "` is over");
    return fail(ErrorCode::unknown_run, "no run has the id `" + sanitise(id, 160) + "`; start() it first");
}

[[nodiscard]] inline Result<std::string> explanation_of(std::string_view run, const Result<History>& known) {
    if (!known) return tl::unexpected<Error>(known.error());
    if (!known->row) return fail(ErrorCode::unknown_run, "no run has the id `" + sanitise(run, 160) + "`");
    return explanation(*known);
}

}  // namespace heeler::inline v0
