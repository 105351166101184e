// Time of which nothing is made against a run: nobody saw it, or somebody had said that something takes long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <heeler/core/list.hpp>
#include <heeler/core/min_max.hpp>
#include <heeler/core/small_optional.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// Something that takes long, as a host has said (`Expect`).
struct Expected {
    static constexpr std::size_t longest = 128;  ///< bytes of its text

    std::uint32_t number = 0;
    Duration takes{};
    Duration until{};    ///< on the run's working clock
    std::string what{};  ///< text of the agent, cut to fit

    void archive(auto& a) { a(number, takes, until, what); }
};

/// Few runs have any. Moments are on the run's working clock.
struct Excuses {
    static constexpr std::size_t deepest = 8;  ///< things that take long, one within the other

    List<Duration> gaps{};                 ///< when it was seen again, the newest `Run::most_gaps`, in order
    List<Expected> open{};                 ///< what takes long, also when its time is over; the innermost last
    SmallOptional<Duration> until{};       ///< nothing is late before this: the last end of `open`, or when that ended
    SmallOptional<Duration> granted_at{};  ///< last
    Duration granted{};                    ///< in all since the last progress
    std::uint32_t times = 0;               ///< likewise
    std::uint32_t changes = 0;             ///< the number of whatever began or ended last

    /// No credit is left of what ends early, and none is taken from what goes on around it.
    void end(const Expected* which, Duration now) {
        open.erase(which);
        Duration left = detail::min_of(*until, now);
        for (const Expected& each : open) left = detail::max_of(left, each.until);
        granted -= *until - left;
        until = left;
        ++changes;
    }
    /// What takes long is as it is there, where the clock shows so much less.
    void take_expected(Excuses there, Duration later) {
        there.gaps.swap(gaps);
        for (Expected& each : there.open) each.until += later;
        if (there.until) there.until = *there.until + later;
        if (there.granted_at) there.granted_at = *there.granted_at + later;
        *this = std::move(there);
    }

    void archive(auto& a) {
        a(gaps, open, until, granted_at, granted, times, changes);
        if (open.size() > deepest || (!open.empty() && !until)) a.refuse();
    }
};

}  // namespace heeler::inline HEELER_ABI
