// The runs above a run: its parent, that one's parent, and so on.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include <heeler/core/min_max.hpp>
#include <heeler/core/time.hpp>
#include <heeler/run/decided.hpp>
#include <heeler/run/registry.hpp>
#include <heeler/run/watched_run.hpp>

namespace heeler::inline HEELER_ABI::detail {

inline constexpr int most_above = 8;  ///< so far up a lineage is followed, whatever it is made of

/// The nearest run above this one that has trouble which people know of; empty: none has. What is not watched here is
/// not known, nor what is above it. `decided_of(run)`: what a cycle has decided about it already; null: nothing. Takes
/// the locks of those runs, one at a time: call it under none.
template <class DecidedOf>
[[nodiscard]] std::string known_trouble_above(Registry& registry, RunHandle run, std::string parent,
                                              DecidedOf&& decided_of) {
    for (int up = 0; up < most_above && !parent.empty(); ++up) {
        const auto handle = registry.find(parent);
        if (!handle || *handle == run) return {};
        WatchedRun* const above = registry.table().find(*handle);
        if (above == nullptr) return {};
        const std::lock_guard guard{above->lock};
        if (!registry.table().current(*handle) || above->disowned) return {};
        Deciding deciding{*above};
        if (Decided* const decided = decided_of(*handle)) deciding.begin(*decided);
        if (above->as_told([](const RunMemory& each) { return each.trouble_is_known(); })) return parent;
        parent = above->spec.parent();
    }
    return {};
}

/// Credits the runs above a run with what it did since they were credited last, which goes no further from them; in a
/// circle, a second time with the same changes nothing. Its parent learns that it is over. True if it is found to stand
/// above itself, which is looked for once. Takes the locks of those runs, one at a time: call it under none.
[[nodiscard]] inline bool credit_above(Registry& registry, RunHandle run, WatchedRun& watched, Instant now,
                                       Duration flush_every) {
    Elapsed when = Elapsed::min();  // nothing is owed
    bool is_new = false, is_over = false;
    std::string parent;
    {
        const std::lock_guard guard{watched.lock};
        if (!registry.table().current(run) || watched.disowned || !watched.run.has_parent) return false;
        is_new = !std::exchange(watched.run.traced, true) && !watched.shown.any;
        is_over = is_terminal(watched.run.state) && !watched.verdict->ended_at;
        if (watched.owes_credit()) {
            when = min_of(now.elapsed, watched.run.origin + watched.run.waited + *watched.run.last_progress);
            watched.settle_credit();
            watched.dirty = true;
        }
        if (is_new || is_over || when != Elapsed::min()) parent = watched.spec.parent();
    }
    for (int up = 0; up < most_above && !parent.empty(); ++up, is_over = false) {
        const auto handle = registry.find(parent);
        if (handle && *handle == run) return is_new;
        WatchedRun* const above = handle ? registry.table().find(*handle) : nullptr;
        if (above == nullptr) return false;
        const std::lock_guard guard{above->lock};
        if (!registry.table().current(*handle) || above->disowned) return false;
        const bool owes = above->owes_credit(), moves = above->advance(when);
        if (moves && !owes) above->settle_credit();
        if (is_over) above->run.children.edit().last_end = now.elapsed;
        if (is_over) above->run.children.edit().left = false;  // until somebody looks
        if ((moves || is_over) && !std::exchange(above->dirty, true))
            registry.table().sooner(handle->index, min_of(above->next_cycle, above->last_flush + flush_every));
        parent = above->spec.parent();
    }
    return false;
}

}  // namespace heeler::inline HEELER_ABI::detail
