// What is known of a run by its id: from memory if it is watched, else from what the store kept.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/batch.hpp>
#include <heeler/core/result.hpp>
#include <heeler/engine/answers.hpp>
#include <heeler/settings/engine_settings.hpp>
#include <heeler/explain/explain.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/run/reported.hpp>
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

/// Whether an agent of this incarnation (0: the current one) was replaced.
template <class Detectors>
[[nodiscard]] bool is_fenced(Registry<Detectors>& registry, RunHandle run, std::uint32_t incarnation, Instant now) {
    auto* cell = registry.table().find(run);
    if (cell == nullptr) return false;
    const std::lock_guard guard{cell->lock};
    if (!registry.table().current(run) || !is_replaced<Detectors>(*cell, incarnation, now.wall)) return false;
    registry.table().sooner(run.index, cell->next_cycle);
    return true;
}

/// Folds what was reported of a run, and sees to it that it is looked at and stored in time.
template <class Detectors, class What, class Fold>
[[nodiscard]] Observed fold_into(Registry<Detectors>& registry, RunHandle run, Instant now,
                                 const EngineSettings& settings, const What& what, Fold&& fold_in) {
    if (!is_sane(what)) return Observed::refused;
    auto& table = registry.table();
    RunCell<Detectors>* cell = table.find(run);
    if (cell == nullptr) return Observed::ended;
    const std::lock_guard guard{cell->lock};
    if (!table.current(run) || is_terminal(cell->run.state) || cell->disowned) return Observed::ended;
    Folder<Detectors> folder{*cell, now};
    try {
        fold_in(folder);
    } catch (...) {
        return Observed::refused;  // thrown by a host's detector
    }
    if (is_terminal(cell->run.state)) table.close(run, now.elapsed);
    if (!std::exchange(cell->dirty, true))
        table.sooner(run.index, std::min(cell->next_cycle, cell->last_flush + settings.flush_every));
    return Observed::ok;
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
