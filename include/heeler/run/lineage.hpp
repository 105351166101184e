// The runs above a run: its parent, that one's parent, and so on.
#pragma once

#include <mutex>
#include <string>

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

}  // namespace heeler::inline HEELER_ABI::detail
