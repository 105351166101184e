// Whether a run's incidents begin and end again and again: the newest 21 of its states, and which of them differed.
#pragma once

#include <cstdint>

#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI::detail {

/// A run is judged every few seconds and in trouble for minutes, so a state for each judgement would never differ from
/// the one before. A change counts when it happens, and what lasts counts once for each `every` of it, on the run's
/// working clock. These are counted up only when the next change comes or somebody asks: a run that is well, or ill, is
/// not written for it.
struct Flaps {
    std::uint32_t changes = 0;  ///< of the newest state and the 19 before it: whether it differed; the newest is bit 0
    std::uint32_t begun = 0;    ///< incidents, since the first of the changes that count
    Duration since{}, at{};     ///< working clock: that one; the newest
    bool open = false, found = false;  ///< the newest state; the run flaps

    /// `seen`: for how much of the time since the newest change somebody looked. The oldest weighs 0.75, the newest
    /// 1.25; it begins with 30 % of all, and is over below 20 %.
    void look(Duration every, bool is_open, Duration seen, Duration now) noexcept {
        if (every == Duration{}) return void(*this = {});
        std::uint32_t known = seen < every ? changes : seen < 20 * every ? changes << (seen / every) : 0;
        known &= 0xfffffu;
        if (is_open != open) {
            if (known == 0) *this = {.since = now};
            begun += is_open ? 1 : 0;
            changes = known = (known << 1 & 0xfffffu) | 1u;
            at = now;
            open = is_open;
        }
        double share = 0;
        for (int i = 0; i < 20; ++i) share += (known >> i & 1u) * (1.25 - i * 0.5 / 19) / 20;
        found = share >= (found ? 0.2 : 0.3);
    }

    friend bool operator==(const Flaps&, const Flaps&) = default;

    void archive(auto& a) { a(changes, begun, since, at, open, found); }
};

}  // namespace heeler::inline HEELER_ABI::detail
