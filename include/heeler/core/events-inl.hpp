// How the report of a cycle grows.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <heeler/core/events.hpp>

namespace heeler::inline HEELER_ABI {

HEELER_INLINE void CycleReport::error(std::string_view where, std::string_view run, Error what) {
    ++errors;
    events.push_back(ErrorEvent{std::string{where}, std::string{run}, std::move(what)});
}

HEELER_INLINE void CycleReport::absorb(CycleReport later) {
    checked += later.checked;
    healthy += later.healthy;
    acted += later.acted;
    suppressed += later.suppressed;
    errors += later.errors;
    why.debounce += later.why.debounce;
    why.budget += later.why.budget;
    why.cooldown += later.why.cooldown;
    why.grace += later.why.grace;
    why.silence += later.why.silence;
    why.snooze += later.why.snooze;
    why.flapping += later.why.flapping;
    why.inhibit += later.why.inhibit;
    why.unstored += later.why.unstored;
    if (later.ticks > 0) left = later.left;
    ticks += later.ticks;
    whole += later.whole;
    deliveries += later.deliveries;
    if (later.late && (!late || *later.late > *late)) late = later.late;
    took += later.took;
    for (Event& event : later.events) events.push_back(std::move(event));
}

}  // namespace heeler::inline HEELER_ABI
