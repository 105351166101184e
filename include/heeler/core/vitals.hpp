// How a watchdog itself is doing at one moment, as plain values: for whoever watches the watchdog.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <heeler/core/observation.hpp>
#include <heeler/core/result.hpp>
#include <heeler/core/time.hpp>

namespace heeler::inline HEELER_ABI {

/// What is asked of a store.
enum class StoreOp : std::uint8_t { load, list, commit, history, claim, release, claim_runs, holders };

inline constexpr std::array<std::string_view, 8> store_op_names{"load",  "list",    "commit",     "history",
                                                                "claim", "release", "claim_runs", "holders"};

/// All calls of one kind since the watchdog was made.
struct StoreCalls {
    std::uint64_t count = 0;
    Duration spent{};                                      ///< in all of them, by the machine's monotonic clock
    std::array<std::uint64_t, error_code_count> errors{};  ///< by `ErrorCode`
};

/// A snapshot. Ages are working time of runs, or time by the watchdog's clock.
struct Vitals {
    std::array<std::uint64_t, run_state_names.size()> runs{};  ///< that are watched here, by `RunState`
    std::optional<Duration> progress_age{};  ///< of the running run that has gone longest without progress
    std::uint64_t open_incidents = 0;
    std::uint64_t held_by_clock = 0;         ///< runs that are not judged, because a clock was set or the machine slept
    std::uint64_t held_by_start = 0;         ///< likewise, because nobody watched them before
    std::uint64_t held_by_gap = 0;           ///< runs that would be found to stand still, had it not been away
    std::uint64_t held_by_source = 0;        ///< runs whose source cannot be read
    std::uint64_t unobservable = 0;          ///< these, after an interval, and those whose output cannot be read
    std::uint64_t poisoned = 0;              ///< runs for which nobody is started any more
    Duration source_ahead{};                 ///< so far in the future lay what sources told, at most since it was made
    Duration called_every{};                 ///< by a host with a timer of its own: the median. 0: whenever it is to
    std::uint64_t slow_classes = 0;          ///< that ask to be looked at more often than that, by more than half
    std::uint64_t left = 0;                  ///< runs whose time has come and that the next tick looks at
    std::uint64_t alerts_pending = 0;        ///< committed, and neither delivered nor given up
    std::optional<Duration> oldest_alert{};  ///< of these: since it was first due; not while it waits on purpose
    bool shares = false;                     ///< the store with other watchdogs, by leases
    bool may_act = false;                    ///< it holds its lease; one that is alone: nobody else works on its store
    std::uint64_t epoch = 0;                 ///< of its lease; 0: it never had one
    std::optional<Duration> store_failing{};                ///< since when reading or writing fails
    std::array<StoreCalls, store_op_names.size()> store{};  ///< by `StoreOp`
    Instant at{};
};

}  // namespace heeler::inline HEELER_ABI
